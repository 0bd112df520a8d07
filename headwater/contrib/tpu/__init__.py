"""`tf.contrib.tpu`, `tf.estimator.tpu`, `tf.tpu`: programs for TPUs, run on other devices."""

ON_DEMAND = ("contrib.tpu", "estimator.tpu", "tpu", "tpu.experimental")
