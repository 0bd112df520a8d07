"""tf.keras.utils: serialization, sequences, progress bars, files."""

ON_DEMAND = ("keras.experimental", "keras.utils")
