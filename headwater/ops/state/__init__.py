"""Op families: state."""
