"""tf.keras.preprocessing: sequences, texts and images made ready for models."""

ON_DEMAND = (
    "keras",
    "keras.preprocessing",
    "keras.preprocessing.image",
    "keras.preprocessing.sequence",
    "keras.preprocessing.text",
)
