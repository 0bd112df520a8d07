"""`tf.estimator.export`: what an exported model takes and gives."""
