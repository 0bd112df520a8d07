"""What a rule sees of an op: its inputs of all iterations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from headwater.graph import (
    Operation,
    Tensor,
    build,
    convert_to_tensor,
    get_default_graph,
    shape_tensor,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.tile import tile


class NoRule(Exception):
    """A rule does not cover the inputs of an op."""


class Value(NamedTuple):
    """A tensor of all iterations, or of each: `is_stacked` tells whether it has the first axis."""

    tensor: Tensor
    is_stacked: bool


class Call:
    """An op of one iteration with the converted inputs.

    Args:
        op: the op.
        inputs: its inputs.
        count: the number of iterations, a number or a tensor.
    """

    def __init__(self, op: Operation, inputs: list[Value], count: Any) -> None:
        self.op = op
        self.inputs = inputs
        self.count = count

    def attr(self, name: str) -> Any:
        """The value of an attr."""
        return self.op._attrs[name]

    def again(self, inputs: list[Tensor], **attrs: Any) -> list[Tensor]:
        """The outputs of an op of the same type with other inputs, and some other attrs."""
        made = get_default_graph().create_op(
            self.op.type, inputs, attrs={**self.op._attrs, **attrs}
        )
        return list(made.outputs)

    def as_stacked(self, value: Value) -> Tensor:
        """A value with the first axis."""
        if value.is_stacked:
            return value.tensor
        x = convert_to_tensor(value.tensor)
        ones = build.OnesLike(shape_tensor(x))
        return tile(build.ExpandDims(x, 0), concat([[self.count], ones], 0))

    def stacked(self, position: int) -> Tensor:
        """An input with the first axis."""
        return self.as_stacked(self.inputs[position])

    def same_for_all(self, position: int) -> Tensor:
        """An input that is the same for all iterations."""
        if self.inputs[position].is_stacked:
            raise NoRule
        return self.inputs[position].tensor

    def rank(self, position: int) -> int:
        """The rank of an input in one iteration."""
        rank = self.op.inputs[position].shape.ndims
        if rank is None:
            raise NoRule
        return rank


Rule = Callable[[Call], "Value | list[Value]"]
RULES: dict[str, Rule] = {}


def rule(*op_types: str) -> Callable[[Rule], Rule]:
    """Registers the rule of op types."""

    def decorator(function: Rule) -> Rule:
        for op_type in op_types:
            RULES[op_type] = function
        return function

    return decorator


def all_stacked(tensors: list[Tensor]) -> list[Value]:
    """Tensors with the first axis."""
    return [Value(tensor, True) for tensor in tensors]
