"""`tf.contrib.text`: skip-gram sampling."""

ON_DEMAND = ("contrib.text",)
