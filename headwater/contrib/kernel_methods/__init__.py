"""`tf.contrib.kernel_methods`: losses of kernel methods."""

ON_DEMAND = ("contrib.kernel_methods",)
