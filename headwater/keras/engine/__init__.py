"""Models of tf.keras: layers connected to a graph, trained, saved and loaded."""

ON_DEMAND = ("keras", "keras.layers", "keras.models", "keras.utils")
