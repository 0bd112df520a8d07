"""Training: optimizers, checkpoints, hooks."""
