"""The shapes of components as constructors take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, ShapeLike


def as_type_list(types: DTypeLike | Sequence[DTypeLike]) -> list[Any]:
    """One type or several, as a list."""
    return list(types) if isinstance(types, (list, tuple)) else [types]


def as_shape_list(
    shapes: ShapeLike,
    types: Sequence[Any],
    unknown_dim_allowed: bool = False,
    unknown_rank_allowed: bool = False,
) -> list[TensorShape] | None:
    """One shape or several, as a list with one shape per type.

    Args:
        shapes: a shape, a list of shapes, or None.
        types: the types of the components.
        unknown_dim_allowed: whether dimensions may be unknown.
        unknown_rank_allowed: whether ranks may be unknown.

    Returns:
        A list; None for None.

    Raises:
        TypeError: if it is not a list of shapes.
        ValueError: if they are not known as well as they have to be, or too few or too many.
    """
    if unknown_dim_allowed and (
        not isinstance(shapes, Sequence)
        or not shapes
        or any(shape is None or isinstance(shape, int) for shape in shapes)
    ):
        raise ValueError("When providing partial shapes, a list of shapes must be provided.")
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, (tuple, list)):
        raise TypeError("shapes must be a TensorShape or a list or tuple of TensorShapes.")
    if all(shape is None or isinstance(shape, int) for shape in shapes):
        shapes = [shapes]
    result = [TensorShape(shape) for shape in shapes]
    if not unknown_dim_allowed and any(not shape.is_fully_defined() for shape in result):
        raise ValueError(f"All shapes must be fully defined: {result}")
    if not unknown_rank_allowed and any(shape.dims is None for shape in result):
        raise ValueError(f"All shapes must have a defined rank: {result}")
    return result
