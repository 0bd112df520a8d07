"""Op families: strings."""
