"""tensorflow.python.training.tracking: objects in checkpoints."""
