"""`tf.contrib.learn.ops` and `.models`: small models and the functions that they are made of."""
