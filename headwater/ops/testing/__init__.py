"""Op families: testing."""
