"""`tf.contrib.lookup`: earlier names of tables of words and numbers."""

import sys

from headwater.base.export import export_module

ON_DEMAND = ("contrib.lookup",)

export_module("contrib.slim.lookup", sys.modules[__name__])
