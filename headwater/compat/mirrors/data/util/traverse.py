"""tensorflow.python.data.util.traverse: the ops that a dataset is made of."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.graph import Operation


def obtain_all_variant_tensor_ops(dataset: Any) -> list[Operation]:
    """The ops of a dataset and of those that it is made of, in no particular order."""
    found: list[Operation] = []
    waiting = [dataset._variant_tensor.op]
    while waiting:
        op = waiting.pop()
        if op in found:
            continue
        found.append(op)
        waiting += [tensor.op for tensor in op.inputs if tensor.dtype is dtypes.variant]
    return found
