"""Common subexpressions: pure ops that do the same work on the same values.

Programs that build the same expression twice (the columns of a model do, and so do gradients) get
one node for it. Nothing that a program can see changes: the first of the ops runs where it would
have run anyway, and its results are those of the others, which fail only if it does.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.engine.analysis.purity import is_pure
from headwater.engine.nodes.layout import Layout
from headwater.engine.nodes.node import Node
from headwater.graph import Operation, Tensor

# Larger constants are not compared.
_SMALL_BYTES = 256


class CommonSubexpressions:
    """The nodes of a block, by the work that they do.

    Args:
        layout: where their values stand.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._nodes: dict[Hashable, list[Node]] = {}
        self._constants: dict[Hashable, Tensor] = {}

    def merge_constant(self, op: Operation) -> bool:
        """Lets a small constant stand for an equal one that came before; tells whether it could."""
        value = op._attrs["value"]
        if value.nbytes > _SMALL_BYTES:
            return False
        data = tuple(value.ravel().tolist()) if value.dtype == object else value.tobytes()
        output = op._outputs[0]
        first = self._constants.setdefault((value.dtype, value.shape, data), output)
        if first is output:
            return False
        self._layout.same[output] = first
        return True

    def alike(self, op: Operation) -> list[Node] | None:
        """The nodes that have the type and the inputs of an op; None if it may not be merged."""
        layout = self._layout
        if not op._inputs or not is_pure(op._record):
            return None
        for tensor in op._outputs:
            if tensor in layout.fed or _is_handle(tensor._dtype):
                return None
        key: list[Any] = [op._record]
        for tensor in op._inputs:
            index = layout.index(tensor)
            if index in layout.slots or _is_handle(tensor._dtype):
                return None
            key.append(index)
        return self._nodes.setdefault(tuple(key), [])

    def merge(self, op: Operation, guards: list[int], alike: list[Node]) -> Node | None:
        """Lets an op stand for the results of an equal one; returns the node of that, or None."""
        for node in alike:
            if node.guards == guards and self._is_same_work(op, node.op):
                self._layout.same.update(zip(op._outputs, node.op._outputs))
                node.twins.append(op)
                return node
        return None

    def _is_same_work(self, op: Operation, other: Operation) -> bool:
        """Whether two ops of one type with the same inputs have the same results."""
        return (
            op._device == other._device
            and set(op._control_inputs) == set(other._control_inputs)
            and all(a._shape == b._shape for a, b in zip(op._outputs, other._outputs))
            and _same_attrs(op._attrs, other._attrs)
            and self._layout.share_segment(op, other)
        )


def _is_handle(dtype: DType) -> bool:
    """Whether an op may read through such a value what other ops change."""
    return dtype is dtypes.resource or dtype is dtypes.variant or dtype._is_ref_dtype


def _same_attrs(attrs: dict[str, Any], others: dict[str, Any]) -> bool:
    """Whether two ops have the same attrs, apart from those that do not concern their kernels."""
    names = [name for name in attrs if not name.startswith("_")]
    return len(names) == sum(not name.startswith("_") for name in others) and all(
        name in others and _is_same(attrs[name], others[name]) for name in names
    )


def _is_same(value: Any, other: Any) -> bool:
    if isinstance(value, (list, tuple)):
        same_kind = type(value) is type(other) and len(value) == len(other)
        return same_kind and all(map(_is_same, value, other))
    if isinstance(value, float):
        # Zeros have signs.
        return repr(value) == repr(other)
    if isinstance(value, np.ndarray):
        return value is other
    return type(value) is type(other) and bool(value == other)
