"""`tf.contrib.resampler`: bilinear sampling of images."""

ON_DEMAND = ("contrib.resampler",)
