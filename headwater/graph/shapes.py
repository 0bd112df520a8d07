"""Shape functions' helpers. A static shape is a tuple of ints and Nones, or None for any rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeGuard, overload

import numpy as np

from headwater.base.typing import Shape
from headwater.graph.constant_value import constant_value, constant_value_as_shape
from headwater.graph.operation import Tensor
from headwater.graph.registry import OpRecord, grouped


class ShapeContext:
    """What a shape function may look at: the inputs' shapes, constant values, and the attrs."""

    __slots__ = ("_asked", "attrs", "inputs", "name", "record")

    def __init__(
        self, record: OpRecord, inputs: Sequence[Tensor], attrs: dict[str, Any], name: str
    ) -> None:
        self.record = record
        self.inputs = inputs
        self.attrs = attrs
        self.name = name
        # Inputs whose values were read, for error texts: name -> whether as a shape.
        self._asked: dict[str, bool] = {}

    @property
    def shapes(self) -> list[Shape]:
        """The shapes of all inputs, list inputs flattened."""
        return [tensor._shape for tensor in self.inputs]

    def _tensor(self, name: str) -> Any:
        position = next(i for i, a in enumerate(self.record.schema.inputs) if a.name == name)
        if not self.record.has_list_inputs:
            return self.inputs[position]
        return grouped(self.inputs, self.record.input_groups(self.attrs))[position]

    def shape(self, name: str) -> Any:
        """The shape of the named input; a list of shapes for a list input."""
        tensor = self._tensor(name)
        return [t._shape for t in tensor] if isinstance(tensor, list) else tensor._shape

    def value(self, name: str) -> np.ndarray | None:
        """The value of the named input if it is constant, else None."""
        self._asked.setdefault(name, False)
        return constant_value(self._tensor(name))

    def value_as_shape(self, name: str) -> Shape:
        """The shape that the named integer input describes, as far as it is known."""
        self._asked[name] = True
        return constant_value_as_shape(self._tensor(name))

    def attr(self, name: str) -> Any:
        """The value of an attr."""
        return self.attrs[name]

    def fail(self, text: str, hint: str = "") -> NoReturn:
        """Raises the ValueError of graph building: TensorFlow's text, the op, then our hint."""
        shapes = ", ".join("?" if shape is None else show(shape) for shape in self.shapes)
        message = (
            f"{text} for '{self.name}' (op: '{self.record.name}') with input shapes: {shapes}"
            f"{self._asked_text()}."
        )
        raise ValueError(f"{message}\nHint: {hint}" if hint else message)

    def _asked_text(self) -> str:
        """The part of the error text about the input values that the shape depends on."""
        values, partial = [], []
        for i, tensor in enumerate(self.inputs):
            as_shape = next((a for n, a in self._asked.items() if self._tensor(n) is tensor), None)
            if as_shape is None:
                continue
            shape = constant_value_as_shape(tensor) if as_shape else None
            value = constant_value(tensor)
            if shape is not None:
                partial.append(f"input[{i}] = {show(shape)}")
            elif value is not None:
                values.append(f"input[{i}] = <{_summary(value)}>")
        text = " and with computed input tensors: " + ", ".join(values) if values else ""
        if partial:
            text += " and with input tensors computed as partial shapes: " + ",".join(partial)
        return text

    def with_rank(self, name: str, rank: int) -> tuple[int | None, ...]:
        """The shape of an input that must have this rank."""
        shape: tuple[int | None, ...] = self.shape(name)
        if shape is None:
            return (None,) * rank
        if len(shape) != rank:
            self.fail(f"Shape must be rank {rank} but is rank {len(shape)}")
        return shape

    def with_rank_at_least(self, name: str, rank: int) -> Shape:
        """The shape of an input that must have at least this rank."""
        shape: Shape = self.shape(name)
        if shape is not None and len(shape) < rank:
            self.fail(f"Shape must be at least rank {rank} but is rank {len(shape)}")
        return shape

    @overload
    def merge(self, a: tuple[int | None, ...], b: Shape) -> tuple[int | None, ...]: ...
    @overload
    def merge(self, a: Shape, b: tuple[int | None, ...]) -> tuple[int | None, ...]: ...
    @overload
    def merge(self, a: Shape, b: Shape) -> Shape: ...

    def merge(self, a: Shape, b: Shape) -> Shape:
        """What is known of a shape that is both `a` and `b`."""
        if a is None or b is None:
            return b if a is None else a
        if len(a) != len(b):
            self.fail(f"Shapes must be equal rank, but are {len(a)} and {len(b)}")
        return tuple(self.merge_dims(x, y, i, a, b) for i, (x, y) in enumerate(zip(a, b)))

    def merge_dims(
        self, x: int | None, y: int | None, i: int = 0, a: Shape = None, b: Shape = None
    ) -> int | None:
        """What is known of a dimension that is both `x` and `y`."""
        if x is None or y is None or x == y:
            return y if x is None else x
        if a is None:
            self.fail(f"Dimensions must be equal, but are {x} and {y}")
        self.fail(
            f"Dimension {i} in both shapes must be equal, but are {x} and {y}. "
            f"Shapes are {show(a)} and {show(b)}."
        )

    def axis(self, axis: int, rank: int) -> int:
        """A non-negative axis; fails if it is out of range."""
        if not -rank <= axis < rank:
            self.fail(f"Expected dimension in the range [{-rank}, {rank}), but got {axis}")
        return axis % rank


def show(shape: Shape, unknown_dim: str = "?") -> str:
    """A shape as TensorFlow's messages write it: ``[2,?]``, ``[]`` or ``<unknown>``."""
    if shape is None:
        return "<unknown>"
    return "[" + ",".join(unknown_dim if d is None else str(d) for d in shape) + "]"


def _summary(value: np.ndarray) -> str:
    """An array as TensorFlow's messages write it: ``1 2 3``, ``[1 2][3 4]``."""
    if value.ndim <= 1:
        elements = np.atleast_1d(value).tolist()
        return " ".join(
            [v.decode(errors="replace") if isinstance(v, bytes) else str(v) for v in elements]
        )
    return "".join(f"[{_summary(row)}]" for row in value)


def number_of_elements(shape: Shape) -> int | None:
    """The product of the dimensions, or None if one of them is unknown."""
    if shape is None:
        return None
    count = 1
    for dim in shape:
        if dim is None:
            return None
        count *= dim
    return count


def is_static(shape: Shape) -> TypeGuard[tuple[int, ...]]:
    """Whether everything is known of the shape."""
    return shape is not None and None not in shape


def broadcast_shapes(a: Shape, b: Shape) -> Shape:
    """The shape of a broadcast elementwise result.

    Raises:
        ValueError: if the shapes do not fit.
    """
    if a == b and a is not None and None not in a:
        return a
    if a is None or b is None:
        return None
    rank = max(len(a), len(b))
    result: list[int | None] = []
    for x, y in zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b):
        if x == 1:
            result.append(y)
        elif y == 1 or x == y:
            result.append(x)
        elif x is None:
            # A dimension above 1 wins over an unknown one, which may be 1.
            result.append(y)
        elif y is None:
            result.append(x)
        else:
            raise ValueError(f"{x} and {y}")
    return tuple(result)


# Whole shape functions


def like_first(c: ShapeContext) -> Shape:
    """The output has the shape of the first input."""
    return c.inputs[0]._shape


def like_first_of_rank(rank: int) -> Callable[[ShapeContext], Shape]:
    """The shape of the first input, which has this rank."""
    return lambda c: c.with_rank(c.record.schema.inputs[0].name, rank)


def scalar(c: ShapeContext) -> Shape:
    """The output is a scalar."""
    return ()


def vector(c: ShapeContext) -> Shape:
    """The output is a vector of unknown length."""
    return (None,)


def unknown(c: ShapeContext) -> Any:
    """Nothing is known about the outputs."""
    return NotImplemented


def none(c: ShapeContext) -> list[Shape]:
    """The op has no outputs."""
    return []


def broadcast(c: ShapeContext) -> Shape:
    """The two inputs are broadcast against each other."""
    a, b = c.inputs[0]._shape, c.inputs[1]._shape
    try:
        return broadcast_shapes(a, b)
    except ValueError as error:
        c.fail(
            f"Dimensions must be equal, but are {error}",
            "elementwise ops need equal dimensions, or 1 where they differ (broadcasting).",
        )


def merged(c: ShapeContext) -> Shape:
    """All inputs and the output have one shape."""
    shape: Shape = None
    for other in c.shapes:
        shape = c.merge(shape, other)
    return shape


def attr_shape(c: ShapeContext) -> Shape:
    """The output has the shape of the attr ``shape``."""
    result: Shape = c.attrs["shape"]
    return result
