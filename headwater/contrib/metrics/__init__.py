"""`tf.contrib.metrics`: streaming metrics with the older order of arguments, and more of them."""

import sys

from headwater.base.export import export_module

ON_DEMAND = ("contrib.metrics",)

export_module("contrib.slim.metrics", sys.modules[__name__])
