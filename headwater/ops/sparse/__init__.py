"""Op families: sparse."""
