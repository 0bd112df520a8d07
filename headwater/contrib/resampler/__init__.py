"""`tf.contrib.resampler`: pixels between pixels."""
