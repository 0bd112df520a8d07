"""Checkpoints of objects: `tf.train.Checkpoint` and what it is made of."""
