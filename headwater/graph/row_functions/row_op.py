"""An op of a function of elements, as the rules see it that make it one of stacked elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from headwater.base.typing import Array
from headwater.graph import shapes
from headwater.graph.builders import build, node_of_parts
from headwater.graph.constant_value import constant_value
from headwater.graph.functions import FunctionGraph
from headwater.graph.operation import Operation, Tensor
from headwater.graph.registry import OpRecord, RunsOn


class NotRowWise(Exception):
    """An op of a function cannot be computed for many elements at once."""


@dataclass(frozen=True)
class SparseRows:
    """The sparse tensors of all elements as one, whose values have no stacked form.

    Attributes:
        parts: its indices, values and dense shape; its rows are those of the elements in order.
        leading: the number of elements, and for batches the number of rows of each: a vector.
    """

    parts: tuple[Tensor, Tensor, Tensor]
    leading: Tensor


@dataclass(frozen=True)
class Value:
    """A tensor of the new body.

    Attributes:
        tensor: the tensor.
        stacked: whether it has one value for each element, along a new first dimension; else all
            elements have this one.
        sparse: the sparse tensors of which it is a part; other rules than those of sparse tensors
            cannot take it.
    """

    tensor: Tensor
    stacked: bool
    sparse: SparseRows | None = None


class RowOp:
    """An op and the values that its inputs have in the new body.

    Args:
        op: the op of the original body.
        inputs: the values of its inputs.
        graph: the new body, which is the default graph.
        sample: a stacked argument.
        chosen: of a Merge, which input is alive where a predicate is false, and the predicate.
    """

    def __init__(
        self,
        op: Operation,
        inputs: Sequence[Value],
        graph: FunctionGraph,
        sample: Tensor,
        chosen: tuple[int, Value] | None = None,
    ) -> None:
        self.op = op
        self.chosen = chosen
        self.inputs = list(inputs)
        self._graph = graph
        self._sample = sample

    # The original op

    def attr(self, name: str) -> Any:
        """An attr of the op."""
        return self.op._attrs[name]

    def rank(self, position: int) -> int:
        """The rank of an input, as it is for one element."""
        return len(self.shape(position))

    def shape(self, position: int) -> tuple[int | None, ...]:
        """The static shape of an input, as it is for one element."""
        shape = self.op._inputs[position]._shape
        if shape is not None:
            return tuple(shape)
        # The body of a function that is called does not know the shapes of its arguments.
        value = self.inputs[position]
        shape = value.tensor._shape
        if shape is None:
            raise NotRowWise
        return tuple(shape[1:] if value.stacked else shape)

    def constant(self, position: int) -> Array:
        """The value of an input that is known; others make the op one that is not row-wise."""
        value = constant_value(self.op._inputs[position])
        if value is None:
            raise NotRowWise
        return value

    # The new body

    def size(self) -> Tensor:
        """The number of elements, a vector of one int32."""
        vector = build.Shape(self._sample)
        one = np.ones(1, np.int32)
        result: Tensor = build.Slice(vector, one * 0, one)
        return result

    def shared(self, position: int) -> Tensor:
        """The tensor of an input that all elements share."""
        if self.inputs[position].stacked:
            raise NotRowWise
        return self.inputs[position].tensor

    def stacked(self, position: int) -> Tensor:
        """The tensor of an input with one value for each element."""
        value = self.inputs[position]
        if value.stacked:
            return _dense(value)
        return repeated(value.tensor, self.rank(position), self.size())

    def lifted(self, position: int, rank: int) -> Tensor:
        """An input with dimensions of length 1, so that it broadcasts to elements of a rank."""
        value = self.inputs[position]
        tensor = _dense(value)
        if value.stacked:
            for _ in range(rank - self.rank(position)):
                tensor = build.ExpandDims(tensor, np.int32(1))
        return tensor

    def again(self, inputs: Sequence[Tensor], **attrs: Any) -> list[Value]:
        """The op with other inputs and attrs; its results are stacked."""
        record = self.op._record
        same = {key: value for key, value in self.op._attrs.items() if not key.startswith("_")}
        name = self._graph.new_name(self.op._name)
        node = node_of_parts(self._graph, record, list(inputs), {**same, **attrs}, name)
        return [Value(tensor, True) for tensor in node._outputs]

    def in_rows(self, inputs: Sequence[Tensor]) -> list[Value]:
        """A node with the op's row kernel; its results are stacked."""
        record = row_record(self.op._record)
        same = {key: value for key, value in self.op._attrs.items() if not key.startswith("_")}
        name = self._graph.new_name(self.op._name)
        node = node_of_parts(self._graph, record, [self.size(), *inputs], same, name)
        for tensor, original in zip(node._outputs, self.op._outputs):
            shape = original._shape
            tensor.set_shape(None if shape is None else (None, *shape))
        return [Value(tensor, True) for tensor in node._outputs]


@cache
def row_record(record: OpRecord) -> OpRecord:
    """The record of the nodes that run an op's row kernel."""
    name, inputs, outputs, attrs = record.declaration
    return replace(
        record,
        declaration=(f"RowsOf{name}", f"rows: int32, {inputs}", outputs, attrs),
        shape=shapes.unknown,
        kernel=record.row_kernel,
        runs_on=RunsOn.HOST,
        reference=None,
        samples=None,
    )


def _dense(value: Value) -> Tensor:
    if value.sparse is not None:
        raise NotRowWise
    return value.tensor


def stacked_results(results: Any) -> list[Value]:
    """Stacked tensors, or one, as the results of an op."""
    tensors = [results] if isinstance(results, Tensor) else list(results)
    return [Value(tensor, True) for tensor in tensors]


def repeated(tensor: Tensor, rank: int, size: Tensor) -> Tensor:
    """So many copies of a tensor, stacked."""
    multiples = build.ConcatV2([size, np.ones(rank, np.int32)], np.int32(0))
    result: Tensor = build.Tile(build.ExpandDims(tensor, np.int32(0)), multiples)
    return result


def prepended(first: Any, rest: Tensor) -> Tensor:
    """An integer vector or matrix after other rows."""
    dtype = rest._dtype.base_dtype.numpy_dtype
    known = constant_value(rest)
    if known is not None and isinstance(first, np.ndarray):
        joined = np.concatenate([first.astype(dtype), known])
        value: Tensor = build.Const(value=joined, dtype=rest._dtype.base_dtype)
        return value
    if isinstance(first, Tensor) and first._dtype.base_dtype is not rest._dtype.base_dtype:
        first = build.Cast(first, DstT=rest._dtype.base_dtype)
    elif not isinstance(first, Tensor):
        first = first.astype(dtype)
    result: Tensor = build.ConcatV2([first, rest], np.int32(0))
    return result


def after_rows(axis: int) -> int:
    """An axis of an element, as an axis of the stacked elements."""
    return axis + 1 if axis >= 0 else axis


RowRule: TypeAlias = Callable[[RowOp], list[Value]]

RULES: dict[str, RowRule] = {}


def row_rule(*types: str) -> Callable[[RowRule], RowRule]:
    """Registers how ops of some types are computed for many elements at once.

    The rule gets a RowOp of which at least one input is stacked, unless it is that of an op with a
    state or of Switch and Merge. It builds nodes, and returns the
    values of the outputs. It raises NotRowWise if the results for stacked elements would not be
    bit for bit those for single ones.
    """

    def register(rule: RowRule) -> RowRule:
        for name in types:
            RULES[name] = rule
        return rule

    return register
