"""The immutable value of a handle of a list of tensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array, Shape
from headwater.graph.shapes import is_static, show


class TensorList:
    """Arrays of one type; those that have not been set are None.

    Args:
        dtype: the type of the elements.
        shape: what is known of their shape.
        elements: the arrays.
        max_elements: how many there may be; -1 for any number.
    """

    __slots__ = ("element_dtype", "element_shape", "elements", "max_elements")

    def __init__(
        self, dtype: DType, shape: Shape, elements: Iterable[Any] = (), max_elements: int = -1
    ) -> None:
        self.element_dtype = dtype
        self.element_shape = shape
        self.elements = tuple(elements)
        self.max_elements = max_elements

    def __repr__(self) -> str:
        return f"<TensorList of {len(self.elements)} elements>"

    def with_elements(self, elements: Iterable[Any]) -> TensorList:
        """A list of the same kind with other elements."""
        return TensorList(self.element_dtype, self.element_shape, elements, self.max_elements)

    def zeros_like(self) -> TensorList:
        """The list with zeros in the place of what is set."""
        return self.with_elements(None if e is None else np.zeros_like(e) for e in self.elements)

    def __add__(self, other: TensorList) -> TensorList:
        if len(self.elements) != len(other.elements):
            fail(
                "Trying to add two lists of tensors with different lengths. One is "
                f"{len(self.elements)} and the other is {len(other.elements)}"
            )
        pairs = zip(self.elements, other.elements)
        return self.with_elements(b if a is None else a if b is None else a + b for a, b in pairs)

    def element(self, index: int, shape: Shape) -> np.ndarray:
        """An element; zeros of this shape if it is not set."""
        found = self.elements[index]
        if found is not None:
            return found
        assert shape is not None
        return np.zeros(shape, self.element_dtype.numpy_dtype)  # type: ignore[arg-type]

    def push(self, item: Array) -> TensorList:
        """The list with one more element.

        Raises:
            InvalidArgumentError: if the list is full or the shape does not fit.
        """
        if not compatible(self.element_shape, item.shape):
            fail(
                "Tried to append a tensor with incompatible shape to a list. Op element shape: "
                f"{show(item.shape)} list shape: {show(self.element_shape)}"
            )
        if 0 <= self.max_elements <= len(self.elements):
            fail(
                f"Tried to push item into a full list list size: {len(self.elements)} "
                f"max_num_elements: {self.max_elements}"
            )
        return self.with_elements((*self.elements, item))

    def common_shape(self, shape: Shape, indices: Sequence[int] | None = None) -> Shape:
        """What the list, its set elements and another shape together tell of the shape."""
        result = merged(self.element_shape, shape)
        for item in self.elements if indices is None else [self.elements[i] for i in indices]:
            if item is not None:
                result = merged(result, item.shape)
        return result

    def resized(self, size: int) -> TensorList:
        """The list with elements that are not set at its end, or without its last ones."""
        missing = max(0, size - len(self.elements))
        return self.with_elements((*self.elements[:size], *(None,) * missing))


def compatible(shape: Shape, other: Shape) -> bool:
    """Whether two shapes are compatible."""
    if shape is None or other is None:
        return True
    return len(shape) == len(other) and all(
        a == b or a is None or b is None for a, b in zip(shape, other)
    )


def merged(shape: Shape, other: Shape) -> Shape:
    """What is known of a shape that is both.

    Raises:
        InvalidArgumentError: if they contradict each other.
    """
    if shape is None or other is None:
        return other if shape is None else shape
    if len(shape) != len(other):
        fail(f"PartialTensorShape: Incompatible ranks during merge: {len(shape)} vs. {len(other)}")
    if not compatible(shape, other):
        fail(
            f"PartialTensorShape: Incompatible shapes during merge: {show(shape)} vs. {show(other)}"
        )
    return tuple(b if a is None else a for a, b in zip(shape, other))


def shape_of(value: Array) -> Shape:
    """The shape that an array describes: -1 alone is unknown, in a vector an unknown dimension."""
    if np.ndim(value) == 0:
        return None
    return tuple(None if d < 0 else int(d) for d in value)


def boxed(value: TensorList) -> np.ndarray:
    """A scalar array that holds a list, as kernels hand them on."""
    array = np.empty((), object)
    array[()] = value
    return array


def unboxed(handle: Any) -> TensorList:
    """The list of a handle.

    Raises:
        InvalidArgumentError: if it is something else.
    """
    value = np.asarray(handle, object).item() if np.ndim(handle) == 0 else None
    if not isinstance(value, TensorList):
        fail("Input handle is not a list. Saw: '<unknown>'")
    return value


def known(shape: Shape, text: str, hint: str = "") -> tuple[int, ...]:
    """A shape that must be fully known.

    Raises:
        InvalidArgumentError: with a text, the shape and what follows, if it is not.
    """
    if not is_static(shape):
        fail(f"{text}{show(shape)}{hint}")
    return shape
