"""`tf.contrib.input_pipeline`: elements of a list of strings, one after the other."""

ON_DEMAND = ("contrib.input_pipeline",)
