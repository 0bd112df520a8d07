"""The values of optionals: the components of an element, or nothing."""

from __future__ import annotations

import numpy as np

from headwater.base.checks import fail
from headwater.base.dtypes import as_dtype, proto_name
from headwater.base.handles import resource_of
from headwater.base.typing import Array
from headwater.graph import shapes
from headwater.ops.data.dataset import Element


class OptionalValue:
    """An element that may be missing.

    Args:
        element: its components; None if it is missing.
    """

    def __init__(self, element: Element | None) -> None:
        self.element = element

    def zeros_like(self) -> OptionalValue:
        """The optional with zeros in the place of its components."""
        if self.element is None:
            return self
        return OptionalValue(tuple(map(_zeros_like, self.element)))

    def __add__(self, other: OptionalValue) -> OptionalValue:
        if self.element is None and other.element is None:
            return self
        if self.element is None or other.element is None:
            fail("Cannot add optionals because one has a value and the other doesn't.")
        if len(self.element) != len(other.element):
            fail(
                "Cannot add optionals because they have different numbers of components "
                f"({len(self.element)} vs. {len(other.element)})."
            )
        return OptionalValue(tuple(map(_sum, self.element, other.element)))

    def __repr__(self) -> str:
        return f"<OptionalValue {self.element!r}>"


def _zeros_like(value: Array) -> np.ndarray:
    if value.dtype != object:
        return np.zeros_like(value)
    zeros = np.empty(value.shape, object)
    for index in np.ndindex(value.shape):
        if not hasattr(value[index], "zeros_like"):
            fail("Trying to compute zeros_like for unsupported dtype string")
        zeros[index] = value[index].zeros_like()
    return zeros


def _sum(a: Array, b: Array) -> np.ndarray:
    if a.dtype != b.dtype:
        types = " and the other is ".join(proto_name(as_dtype(x.dtype)) for x in (a, b))
        fail(f"Trying to add two tensors with incompatible element types. One is {types}")
    if a.shape != b.shape:
        both = " and the other is ".join(shapes.show(x.shape) for x in (a, b))
        fail(f"Trying to add two tensors with incompatible element shapes. One is {both}")
    if any(isinstance(x, bytes) for x in (*a.flat, *b.flat)):
        fail("Trying to add unsupported dtype 7")
    total = np.empty(a.shape, a.dtype)
    total[...] = a + b
    return total


def optional_of(handle: Array) -> OptionalValue:
    """The optional of a variant.

    Raises:
        InvalidArgumentError: if the variant is something else.
    """
    value = resource_of(handle)
    if not isinstance(value, OptionalValue):
        fail("optional does not have a valid OptionalVariant value.")
    return value
