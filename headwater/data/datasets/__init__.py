"""tf.data: datasets, their iterators, and what goes with them."""

ON_DEMAND = ("", "data", "data.experimental", "contrib.data")
