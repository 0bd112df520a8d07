"""Joining tensors along a new dimension and taking them apart: Pack, Unpack, ParallelConcat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.older_calls import inserted
from headwater.base.typing import Array, ArrayModule, NestedTensors, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)
from headwater.ops.array.concatenation import concatenated, stacked


def shape_pack(c: shapes.ShapeContext) -> Shape:
    shape: Shape = None
    for i, other in enumerate(reversed(c.shapes)):
        try:
            shape = c.merge(other, shape)
        except ValueError as error:
            first, _, rest = str(error).partition(" for '")
            raise ValueError(
                f"{first}\n\tFrom merging shape {len(c.shapes) - 1 - i} with other shapes."
                f" for '{rest}"
            ) from None
    if shape is None:
        return None
    axis, rank = c.attr("axis"), len(shape) + 1
    if not -rank <= axis < rank:
        c.fail(f"Invalid axis: {axis}; must be in [{-rank},{rank})")
    position = axis % rank
    return (*shape[:position], c.attr("N"), *shape[position:])


def _handle_array(handle: Any) -> np.ndarray:
    array = np.empty((), object)
    array[()] = handle
    return array


def kernel_pack(xp: ArrayModule, values: list[Any], *, axis: int) -> Array:
    if not hasattr(values[0], "shape"):  # handles of resources
        values = [_handle_array(value) for value in values]
    first = values[0].shape
    for i, value in enumerate(values):
        if value.shape != first:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Shapes of all inputs must match: values[0].shape = {shapes.show(first)} != "
                f"values[{i}].shape = {shapes.show(value.shape)}",
            )
    return stacked(xp, values, axis)


def gradient_pack(op: Operation, grad: Tensor) -> list[Tensor]:
    return build.Unpack(grad, num=op._attrs["N"], axis=op._attrs["axis"], name="unstack")


def samples_pack() -> Iterator[Sample]:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for axis in (0, 1, 2, -1):
        yield Sample([x, x + 10, x * 2], axis=axis)
    yield Sample([np.int32(1), np.int32(2)])
    yield Sample([np.zeros((0, 2), np.float64)])


register_op(
    "Pack",
    inputs="values: N * T",
    outputs="output: T",
    attrs="N: int >= 1, T: type, axis: int = 0",
    shape=shape_pack,
    kernel=kernel_pack,
    gradient=gradient_pack,
    reference=lambda values, *, axis: np.stack(values, axis),
    samples=samples_pack,
)


def shape_unpack(c: shapes.ShapeContext) -> list[Shape]:
    shape, num = c.shape("value"), c.attr("num")
    if shape is None:
        return [None] * num
    axis, rank = c.attr("axis"), len(shape)
    if not -rank <= axis < rank:
        c.fail(f"Invalid axis: {axis}; must be in [{-rank},{rank})")
    axis %= rank
    if shape[axis] not in (None, num):
        c.fail(f"Dimension must be {num} but is {shape[axis]}")
    return [(*shape[:axis], *shape[axis + 1 :])] * num


def kernel_unpack(xp: ArrayModule, value: Array, *, num: int, axis: int) -> list[Any]:
    rank = len(value.shape)
    if not -rank <= axis < rank:
        raise errors.InvalidArgumentError(None, None, f"axis = {axis} not in [{-rank}, {rank})")
    axis %= rank
    if value.shape[axis] != num:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Input shape axis {axis} must equal {num}, got shape {shapes.show(value.shape)}",
        )
    if xp is np:
        return [np.take(value, i, axis) for i in range(num)]
    return [xp.squeeze(part, axis) for part in xp.split(value, num, axis)] if num else []


def gradient_unpack(op: Operation, *grads: Tensor) -> Tensor:
    return build.Pack(list(grads), axis=op._attrs["axis"], name="stack")


def samples_unpack() -> Iterator[Sample]:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for axis in (0, 1, -1):
        yield Sample(x, num=x.shape[axis], axis=axis)
    yield Sample(np.array([4, 5], np.int64), num=2)


def reference_unpack(value: np.ndarray, *, num: int, axis: int) -> list[np.ndarray]:
    return list(np.moveaxis(value, axis, 0))


register_op(
    "Unpack",
    inputs="value: T",
    outputs="output: num * T",
    attrs="num: int >= 0, T: type, axis: int = 0",
    shape=shape_unpack,
    kernel=kernel_unpack,
    gradient=gradient_unpack,
    reference=reference_unpack,
    samples=samples_unpack,
)


def shape_parallel_concat(c: shapes.ShapeContext) -> Shape:
    shape = c.attr("shape")
    if not shapes.is_static(shape):
        c.fail("shape attr must be fully defined.")
    first = c.shapes[0]
    for i, given in enumerate(c.shapes):
        if not shapes.is_static(given) or first is None:
            c.fail("All input shapes must be fully defined.")
        if given[:1] != (1,):
            c.fail("Size of first dimension must be 1.")
        if given[1:] != first[1:]:
            c.fail(f"From merging shape {i} with other shapes.")
    return shape


register_op(
    "ParallelConcat",
    inputs="values: N * T",
    outputs="output: T",
    attrs="N: int >= 1, T: type, shape: shape",
    shape=shape_parallel_concat,
    kernel=lambda xp, values: concatenated(xp, values, 0),
    reference=lambda values: np.stack([v[0] for v in values]),
)


@export("stack", "pack")
@inserted(1, 0)
def stack(values: TensorLike, axis: int = 0, name: str = "stack") -> Tensor:
    """Joins tensors of one shape along a new dimension.

    Args:
        values: a list of tensors.
        axis: the position of the new dimension in the result.
        name: the name of the node.

    Returns:
        A tensor with one more dimension.

    Raises:
        ValueError: if `axis` is out of range or the shapes differ.

    Example:
        >>> print(tf.stack([[1, 4], [2, 5]], axis=1).eval())
        [[1 2]
         [4 5]]
    """
    if axis == 0:
        try:
            return convert_to_tensor(values, name=name)
        except (TypeError, ValueError):
            # A list that cannot be converted as a whole may still contain tensors to pack.
            pass
    values = _as_list(values)
    if not values:
        raise IndexError("list index out of range\nHint: there is no tensor to stack")
    shape = convert_to_tensor(values[0], name=name)._shape
    if shape is not None:
        _check_axis(axis, len(shape) + 1)
    return build.Pack(values, axis=axis, name=name)


def _as_list(values: Sequence[TensorLike]) -> NestedTensors:
    return values if isinstance(values, (list, tuple)) else list(values)


def _check_axis(axis: int, rank: int) -> None:
    if not -rank <= axis < rank:
        raise ValueError(f"axis = {axis} not in [{-rank}, {rank})")


@export("unstack", "unpack")
@inserted(2, 0)
def unstack(
    value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unstack"
) -> list[Tensor]:
    """Takes a tensor apart along one dimension.

    Args:
        value: a tensor.
        num: the size of that dimension; taken from the static shape if None.
        axis: the dimension.
        name: the name of the node.

    Returns:
        A list of tensors without that dimension.

    Raises:
        ValueError: if `axis` is out of range, or `num` is neither given nor known.

    Example:
        >>> rows = tf.unstack([[1, 2], [3, 4]])
        >>> print(len(rows), session.run(rows[1]))
        2 [3 4]
    """
    if num is None:
        value = convert_to_tensor(value)
        shape = value._shape
        if shape is not None:
            _check_axis(axis, len(shape))
            num = shape[axis]
        if num is None:
            raise ValueError(f"Cannot infer num from shape {value.get_shape()}")
    return build.Unpack(value, num=num, axis=axis, name=name)


@export("parallel_stack")
def parallel_stack(values: Sequence[TensorLike], name: str = "parallel_stack") -> Tensor:
    """Joins tensors of one known shape along a new first dimension.

    Args:
        values: a list of tensors.
        name: the name scope.

    Returns:
        A tensor with one more dimension.
    """
    with name_scope(name):
        shape = convert_to_tensor(values[0])._shape
        rows = [build.ExpandDims(value, 0) for value in values]
        return build.ParallelConcat(rows, shape=(len(values), *(shape or ())))
