"""Op families, one file each."""
