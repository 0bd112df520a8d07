"""Op families: files and their names."""
