"""`tf.contrib.lookup`: earlier names of tables of words and numbers."""

ON_DEMAND = ("contrib.lookup",)
