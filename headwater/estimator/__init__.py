"""`tf.estimator`: models that train, evaluate, predict and export themselves."""

ON_DEMAND = (
    "estimator",
    "estimator.experimental",
    "estimator.export",
    "estimator.inputs",
    "contrib.estimator",
    "contrib.training",
    "keras.estimator",
)
