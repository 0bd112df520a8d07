"""`tf.contrib.quantize`: graphs that train and evaluate with simulated quantization."""

ON_DEMAND = ("contrib.quantize",)
