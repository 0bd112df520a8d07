"""`tf.distribute`: strategies with one replica, and the questions that libraries ask of them."""

ON_DEMAND = ("distribute", "distribute.experimental", "contrib.distribute")
