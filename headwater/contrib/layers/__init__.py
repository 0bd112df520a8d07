"""`tf.contrib.layers`: layers, embeddings and feature functions of the contributed library."""

ON_DEMAND = (
    "contrib.layers",
    "contrib.layers.bucketization_op",
    "contrib.layers.fc",
    "contrib.layers.feature_column",
    "contrib.layers.feature_column_ops",
    "contrib.layers.utils",
    "contrib.slim",
    "contrib.slim.bucketization_op",
    "contrib.slim.fc",
    "contrib.slim.feature_column",
    "contrib.slim.feature_column_ops",
    "contrib.slim.utils",
)
