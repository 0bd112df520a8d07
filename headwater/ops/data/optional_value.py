"""The values of optionals: the components of an element, or nothing."""

from __future__ import annotations

from headwater.base.checks import fail
from headwater.base.handles import resource_of
from headwater.base.typing import Array
from headwater.ops.data.dataset import Element


class OptionalValue:
    """An element that may be missing.

    Args:
        element: its components; None if it is missing.
    """

    def __init__(self, element: Element | None) -> None:
        self.element = element

    def __repr__(self) -> str:
        return f"<OptionalValue {self.element!r}>"


def optional_of(handle: Array) -> OptionalValue:
    """The optional of a variant.

    Raises:
        InvalidArgumentError: if the variant is something else.
    """
    value = resource_of(handle)
    if not isinstance(value, OptionalValue):
        fail("optional does not have a valid OptionalVariant value.")
    return value
