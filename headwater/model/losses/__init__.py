"""tf.losses."""
