"""`tf.contrib.learn.io`: how data gets into estimators."""
