"""`tf.contrib.image`: transforms, warps and colours of images."""
