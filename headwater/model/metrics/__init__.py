"""tf.metrics: values that are collected over several runs in local variables."""

ON_DEMAND = ("metrics",)
