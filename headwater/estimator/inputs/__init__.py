"""`tf.estimator.inputs`: input functions for data in memory."""
