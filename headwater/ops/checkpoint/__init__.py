"""Op families: writing and reading of checkpoints."""
