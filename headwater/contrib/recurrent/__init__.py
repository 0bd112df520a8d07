"""`tf.contrib.recurrent`: recurrences whose backward pass recomputes each step."""

ON_DEMAND = ("contrib.recurrent",)
