"""Op families: random."""
