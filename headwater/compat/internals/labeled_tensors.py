"""tensorflow.contrib.labeled_tensor.python.ops: names that stand in other files here."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.contrib.labeled_tensor.axes import concat_axes

internal("tensorflow.contrib.labeled_tensor.python.ops.core.concat_axes")(concat_axes)
