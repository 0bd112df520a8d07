"""tensorflow.contrib.metrics and its kin: what is not public of them."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.contrib.metrics.concatenation import next_array_size
from headwater.contrib.nn.sampling import rank_resample

internal("tensorflow.contrib.metrics.python.ops.metric_ops._next_array_size")(next_array_size)
internal("tensorflow.contrib.nn.python.ops.sampling_ops._rank_resample")(rank_resample)
