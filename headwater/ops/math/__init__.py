"""Op families: math."""
