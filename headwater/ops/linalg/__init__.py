"""Op families: linalg."""
