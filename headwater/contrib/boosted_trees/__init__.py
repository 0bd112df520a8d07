"""`tf.contrib.boosted_trees`: gradient boosted trees of batches, and their estimators."""

ON_DEMAND = (
    "contrib.boosted_trees",
    "contrib.boosted_trees.estimator_batch",
    "contrib.boosted_trees.estimator_batch.custom_loss_head",
    "contrib.boosted_trees.estimator_batch.estimator",
    "contrib.boosted_trees.estimator_batch.model",
    "contrib.boosted_trees.estimator_batch.trainer_hooks",
)
