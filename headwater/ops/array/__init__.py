"""Op families: array."""
