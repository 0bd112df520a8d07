"""`tf.contrib.recurrent`: recurrences whose backward pass computes each step anew."""

ON_DEMAND = ("contrib.recurrent",)
