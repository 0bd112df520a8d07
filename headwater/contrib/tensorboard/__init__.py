"""`tf.contrib.tensorboard`: what plugins of TensorBoard read beside the event files."""

ON_DEMAND = ("contrib.tensorboard.plugins.projector",)
