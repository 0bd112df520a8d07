"""Batching under its internal paths."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.graph import build
from headwater.model.batch_function import batch_function

internal("ops.batch_ops.batch_function")(batch_function)
internal("tensorflow.contrib.batching.python.ops.batch_ops.batch_function")(batch_function)
internal("ops.batch_ops.batch")(build.Batch)
internal("ops.batch_ops.unbatch")(build.Unbatch)
