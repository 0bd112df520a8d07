"""Shape invariants of loop variables: what holds in all iterations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import nest
from headwater.base.tensor_shape import TensorShape, as_tuple
from headwater.base.typing import Shape
from headwater.graph.control_flow.util import is_loop_enter
from headwater.graph.indexed_slices import IndexedSlices
from headwater.graph.operation import Tensor
from headwater.graph.sparse_tensor import SparseTensor


def invariants_of(values: Sequence[Any], given: Any) -> list[Any]:
    """The invariant of each tensor that goes through the loop.

    Args:
        values: the loop variables, flat; some may be made of several tensors.
        given: a nested structure of a shape (or None) for each of them, or None.

    Returns:
        A TensorShape for each tensor.

    Raises:
        ValueError: if something other than a shape is given.
    """
    shapes = [None] * len(values) if given is None else nest.flatten(given)
    return [part for value, shape in zip(values, shapes) for part in _parts(value, shape)]


def _parts(value: Any, shape: Any) -> list[Any]:
    if shape is not None and not isinstance(shape, TensorShape):
        raise ValueError("`shapes` must be a (possibly nested) list of shapes.")
    if isinstance(value, SparseTensor):
        rank = value.shape.ndims if shape is None else _length(shape)
        return [TensorShape([None, rank]), TensorShape([None]), TensorShape([rank])]
    if isinstance(value, IndexedSlices) and shape is not None:
        parts = [shape, shape[:1] if shape.ndims else TensorShape([None])]
        return parts if value.dense_shape is None else [*parts, TensorShape([shape.ndims])]
    if shape is not None:
        return [shape]
    return [part.shape for part in nest.flatten(value, expand_composites=True)]


def _length(shape: TensorShape) -> int | None:
    """The rank of a sparse tensor whose shape tensor has the given shape."""
    if shape.ndims is None:
        return None
    if shape.ndims != 1:
        raise ValueError("Expected a shape with 1 dimension")
    count: int | None = shape[0].value
    return count


def set_invariants(inputs: Sequence[Tensor], enters: Sequence[Tensor], shapes: list[Any]) -> None:
    """Gives the Enter nodes of a loop their shapes.

    Raises:
        ValueError: if the shape of an input does not fit the invariant.
    """
    for source, tensor, shape in zip(inputs, enters, shapes):
        if not is_special_case(source._shape, as_tuple(shape)):
            raise ValueError(
                f"The shape invariant specified for {source.name} is not compatible with the "
                "initial shape of the loop variable. It enters the loop with shape "
                f"{source.shape}, but the specified shape invariant is {shape}."
            )
        tensor.set_shape(shape)


def enforce_invariant(merged: Tensor, following: Tensor) -> None:
    """Checks that the shape after one iteration is that at the beginning, or a special case.

    Raises:
        ValueError: if it is not.
    """
    if is_special_case(following._shape, merged._shape):
        return
    enter = merged.op.inputs[0].op
    assert is_loop_enter(enter)
    source = enter.inputs[0]
    raise ValueError(
        f"Input tensor '{source.name}' enters the loop with shape {source.shape}, but has shape "
        f"{following.shape} after one iteration. To allow the shape to vary across iterations, "
        "use the `shape_invariants` argument of tf.while_loop to specify a less-specific shape."
        f"\nHint: the shape for {merged.name} is not an invariant for the loop."
    )


def is_special_case(shape: Shape, general: Shape) -> bool:
    """Whether all that is said by `general` holds for `shape`."""
    if general is None:
        return True
    if shape is None or len(shape) != len(general):
        return False
    return all(wanted is None or wanted == size for size, wanted in zip(shape, general))
