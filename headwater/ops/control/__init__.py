"""Op families: control."""
