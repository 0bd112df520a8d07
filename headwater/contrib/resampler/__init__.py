"""`tf.contrib.resampler`: pixels between pixels."""

ON_DEMAND = ("contrib.resampler",)
