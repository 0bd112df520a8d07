"""One-hot vectors: OneHot."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.checks import fail
from headwater.base.dtypes import as_dtype
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)


def shape_one_hot(c: shapes.ShapeContext) -> Shape:
    axis = c.attr("axis")
    if axis < -1:
        c.fail("axis must be >= -1")
    value = c.value("depth")
    if value is not None and value.ndim:
        c.fail(f"Input must be scalar but has rank {value.ndim}")
    if value is not None and value < 0:
        c.fail(f"Dimension size, given by scalar input 1, must be non-negative but is {int(value)}")
    c.with_rank("on_value", 0)
    c.with_rank("off_value", 0)
    indices = c.shape("indices")
    if indices is None:
        return None
    # A bad axis fails only when the op runs; until then TensorFlow infers this shape.
    position = axis if 0 <= axis <= len(indices) else len(indices) - (axis > 0)
    depth = None if value is None else int(value)
    return (*indices[:position], depth, *indices[position:])


def kernel_one_hot(
    xp: ArrayModule,
    indices: Array,
    depth: np.ndarray,
    on_value: Array,
    off_value: Array,
    *,
    axis: int,
) -> Array:
    if depth.ndim:
        fail(f"depth must be a scalar, but got: {shapes.show(depth.shape)}")
    rank, size = len(indices.shape), int(depth)
    if axis != -1 and not 0 <= axis <= rank:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Expected axis to be -1 or between [0, {rank + 1}).  But received: {axis}",
        )
    if size < 0:
        raise errors.InvalidArgumentError(None, None, f"depth must be non-negative, got: {size}")
    position = rank if axis == -1 else axis
    # A uint8 cannot hold more than 255.
    kind = np.int32 if indices.dtype == np.uint8 else indices.dtype
    classes = np.arange(size, dtype=kind).reshape((-1,) + (1,) * (rank - position))
    hot = xp.expand_dims(indices.astype(kind), position) == classes
    return xp.where(hot, on_value, off_value)


def samples_one_hot() -> Iterator[Sample]:
    one, zero = np.float32(1), np.float32(0)
    for axis in (-1, 0, 1):
        yield Sample(np.array([[0, 2], [-1, 5]], np.int64), np.int32(3), one, zero, axis=axis)
    yield Sample(np.array([1, 2], np.uint8), np.int32(300), np.int64(5), np.int64(-1))
    yield Sample(np.int32(1), np.int32(2), np.array(True), np.array(False))
    yield Sample(np.array([1], np.int32), np.int32(0), one, zero)


def reference_one_hot(
    indices: np.ndarray, depth: np.ndarray, on: np.ndarray, off: np.ndarray, *, axis: int
) -> np.ndarray:
    result = np.full((*indices.shape, int(depth)), off)
    for position in np.ndindex(indices.shape):
        if 0 <= indices[position] < depth:
            result[(*position, indices[position])] = on
    return np.moveaxis(result, -1, axis)


register_op(
    "OneHot",
    inputs="indices: TI, depth: int32, on_value: T, off_value: T",
    outputs="output: T",
    attrs="axis: int = -1, T: type, TI: {uint8, int32, int64} = int64",
    shape=shape_one_hot,
    kernel=kernel_one_hot,
    gradient=NOT_DIFFERENTIABLE,
    concrete=("depth",),
    reference=reference_one_hot,
    samples=samples_one_hot,
)


@export("one_hot")
def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Turns class numbers into vectors with one element set.

    Args:
        indices: the class numbers; one out of range gives a vector without a set element.
        depth: the number of classes.
        on_value: the set element; 1 if None.
        off_value: the other elements; 0 if None.
        axis: where the new dimension stands; at the end if None.
        dtype: the type of the elements; that of the values, or float32, if None.
        name: the name of the node.

    Returns:
        A tensor with one more dimension than `indices`.

    Raises:
        TypeError: if the values are of different types.
        ValueError: if `axis` or `depth` is out of range.

    Example:
        >>> print(tf.one_hot([0, 2], depth=3, dtype=tf.int32).eval())
        [[1 0 0]
         [0 0 1]]
    """
    with name_scope(name, "one_hot", [indices, depth, on_value, off_value, axis, dtype]) as scope:
        found = [
            None if value is None else convert_to_tensor(value).dtype.base_dtype
            for value in (on_value, off_value)
        ]
        given = as_dtype(dtype).base_dtype if dtype is not None else None
        for which, kind in zip(("on_value", "off_value"), found):
            if given is not None and kind is not None and kind is not given:
                raise TypeError(f"dtype {kind} of {which} does not match dtype parameter {given}")
        kind = given or found[0] or found[1] or dtypes.float32
        if on_value is None:
            on_value = convert_to_tensor(1, kind, name="on_value")
        if off_value is None:
            off_value = convert_to_tensor(0, kind, name="off_value")
        if (found[0] or kind) is not (found[1] or kind):
            raise TypeError(
                f"dtype {found[0]} of on_value does not match dtype {found[1]} of off_value"
            )
        axis = -1 if axis is None else axis
        return build.OneHot(indices, depth, on_value, off_value, axis=axis, name=scope)
