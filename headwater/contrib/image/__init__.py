"""`tf.contrib.image`: transforms, warps and colours of images."""

ON_DEMAND = ("contrib.image",)
