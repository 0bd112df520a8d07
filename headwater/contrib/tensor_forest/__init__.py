"""`tf.contrib.tensor_forest`: random forests that grow online."""

ON_DEMAND = (
    "contrib.tensor_forest",
    "contrib.tensor_forest.client.eval_metrics",
    "contrib.tensor_forest.client.random_forest",
    "contrib.tensor_forest.data_ops",
    "contrib.tensor_forest.eval_metrics",
    "contrib.tensor_forest.model_ops",
    "contrib.tensor_forest.ops.data_ops",
    "contrib.tensor_forest.ops.model_ops",
    "contrib.tensor_forest.ops.stats_ops",
    "contrib.tensor_forest.random_forest",
    "contrib.tensor_forest.stats_ops",
    "contrib.tensor_forest.tensor_forest",
)
