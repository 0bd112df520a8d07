"""Other shapes for the same elements: Reshape, ExpandDims, Squeeze."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.checks import fail
from headwater.base.deprecation import renamed_argument
from headwater.base.typing import Array, ArrayModule, AxisLike, Shape, TensorLike
from headwater.graph import (
    Operation,
    RunsOn,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shape_tensor,
    shapes,
)


def shape_reshape(c: shapes.ShapeContext) -> Shape:
    given = c.shape("shape")
    if given is not None and len(given) != 1:
        c.fail(
            f"Shape must be rank 1 but is rank {len(given)}",
            "the new shape is a vector, e.g. tf.reshape(x, [-1]).",
        )
    wanted = c.value_as_shape("shape")
    source = c.shape("tensor")
    if wanted is None or source is None:
        return wanted
    unknown = [i for i, size in enumerate(wanted) if size is None]
    count = shapes.number_of_elements(source)
    if not unknown:
        total = math.prod(wanted)  # type: ignore[arg-type]
        if count is not None and count != total:
            c.fail(
                f"Cannot reshape a tensor with {count} elements to shape {shapes.show(wanted)} "
                f"({total} elements)"
            )
        return wanted
    known = math.prod(size for size in wanted if size is not None)
    if len(unknown) > 1 or count is None or known == 0:
        return wanted
    if count % known:
        c.fail(f"Dimension size must be evenly divisible by {known} but is {count}")
    return tuple(count // known if size is None else size for size in wanted)


def kernel_reshape(xp: ArrayModule, x: Array, shape: np.ndarray) -> Array:
    if shape.ndim != 1:
        raise errors.InvalidArgumentError(
            None, None, f"sizes input must be 1-D, not {shapes.show(shape.shape)}"
        )
    sizes = shape.tolist()
    return x.reshape(-1 if sizes == [-1] else _sizes(x.shape, sizes))


def _sizes(source: tuple[int, ...], shape: list[int]) -> tuple[int, ...]:
    """The new shape of a tensor, with -1 replaced by the size that fits."""
    count = math.prod(source)
    unknown = -1
    for i, size in enumerate(shape):
        if size == -1:
            if unknown >= 0:
                fail(f"Only one input size may be -1, not both {unknown} and {i}")
            unknown = i
        elif size < 0:
            fail(f"Size {i} must be non-negative, not {size}")
    if unknown < 0:
        total = math.prod(shape)
        if total != count:
            fail(
                f"Input to reshape is a tensor with {count} values, but the requested shape has "
                f"{total}"
            )
        return tuple(shape)
    known = math.prod(size for size in shape if size != -1)
    if known == 0 and count:
        fail(f"Input to reshape is a tensor with {count} values, but the requested shape has 0")
    if known == 0:
        # Without elements, the sizes other than 0 must agree.
        count = math.prod(size for size in source if size)
        known = math.prod(size for size in shape if size not in (-1, 0))
    if count % known:
        fail(
            f"Input to reshape is a tensor with {count} values, but the requested shape requires "
            f"a multiple of {known}"
        )
    shape[unknown] = count // known
    return tuple(shape)


def gradient_to_input_shape(op: Operation, grad: Tensor, *_: Any) -> list[Tensor | None]:
    """Brings the gradient back to the shape of the first input."""
    back = build.Reshape(grad, shape_tensor(op.inputs[0]))
    return [back, None][: len(op.inputs)]


def samples_reshape() -> Iterator[Sample]:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    yield Sample(x, np.array([3, 2], np.int32))
    yield Sample(x, np.array([-1], np.int64))
    yield Sample(x, np.array([1, -1, 2], np.int32))
    yield Sample(x[:1, :1], np.array([], np.int32))
    yield Sample(np.zeros((0, 4), np.int32), np.array([-1, 4], np.int32))


def shape_quantized_reshape(c: shapes.ShapeContext) -> list[Shape]:
    shape = shape_reshape(c)
    c.with_rank("input_min", 0)
    c.with_rank("input_max", 0)
    return [shape, (), ()]


def kernel_quantized_reshape(
    xp: ArrayModule, x: Array, shape: np.ndarray, low: Array, high: Array
) -> tuple[Array, ...]:
    return kernel_reshape(np, x, shape), low, high


def samples_quantized_reshape() -> Iterator[Sample]:
    x = np.arange(6, dtype=np.uint8).view(dtypes.quint8.as_numpy_dtype)
    yield Sample(x, np.array([3, -1], np.int32), np.float32(-1), np.float32(2))


register_op(
    "Reshape",
    inputs="tensor: T, shape: Tshape",
    outputs="output: T",
    attrs="T: type, Tshape: {int32, int64} = int32",
    shape=shape_reshape,
    kernel=kernel_reshape,
    gradient=gradient_to_input_shape,
    concrete=("shape",),
    reference=lambda tensor, shape: np.reshape(tensor, shape),
    samples=samples_reshape,
    quick_on_host=True,
)


def shape_expand_dims(c: shapes.ShapeContext) -> Shape:
    value = c.value("dim")
    source = c.shape("input")
    if value is None or source is None:
        return None
    if value.size != 1:
        c.fail("'dim' input must be a tensor with a single value")
    dim, rank = int(value.ravel()[0]), len(source)
    if not -1 - rank <= dim <= rank:
        c.fail(f"dim {dim} not in the interval [{-1 - rank}, {rank}].")
    position = dim + rank + 1 if dim < 0 else dim
    return (*source[:position], 1, *source[position:])


def kernel_expand_dims(xp: ArrayModule, x: Array, dim: np.ndarray) -> Array:
    if dim.size != 1:
        fail("'dim' must be a tensor with a single value")
    position, rank = int(dim.ravel()[0]), len(x.shape)
    if not -1 - rank <= position <= rank:
        fail(f"Tried to expand dim index {position} for tensor with {rank} dimensions.")
    if xp is np:
        position %= rank + 1
        return x.reshape((*x.shape[:position], 1, *x.shape[position:]))
    return xp.expand_dims(x, position)


def samples_expand_dims() -> Iterator[Sample]:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for dim in (0, 1, 2, -1, -3):
        yield Sample(x, np.int32(dim))
    yield Sample(np.int32(5), np.array([0], np.int64))


register_op(
    "QuantizedReshape",
    inputs="tensor: T, shape: Tshape, input_min: float, input_max: float",
    outputs="output: T, output_min: float, output_max: float",
    attrs="T: type, Tshape: {int32, int64} = int32",
    shape=shape_quantized_reshape,
    kernel=kernel_quantized_reshape,
    samples=samples_quantized_reshape,
    concrete=("shape",),
    runs_on=RunsOn.HOST,
)
register_op(
    "ExpandDims",
    inputs="input: T, dim: Tdim",
    outputs="output: T",
    attrs="T: type, Tdim: {int32, int64} = int32",
    shape=shape_expand_dims,
    kernel=kernel_expand_dims,
    gradient=gradient_to_input_shape,
    concrete=("dim",),
    reference=lambda input, dim: np.expand_dims(input, int(np.ravel(dim)[0])),
    samples=samples_expand_dims,
    quick_on_host=True,
)


def shape_squeeze(c: shapes.ShapeContext) -> Shape:
    source, dims = c.shape("input"), c.attr("squeeze_dims")
    if source is None:
        return None
    rank = len(source)
    if not dims:
        return None if None in source else tuple(size for size in source if size != 1)
    for i, dim in enumerate(dims):
        if not -rank <= dim < rank:
            c.fail(f"squeeze_dims[{i}] not in [{-rank},{rank}).")
    dropped = {dim % rank for dim in dims}
    for dim in sorted(dropped):
        if source[dim] not in (None, 1):
            c.fail(f"Can not squeeze dim[{dim}], expected a dimension of 1, got {source[dim]}")
    return tuple(size for i, size in enumerate(source) if i not in dropped)


def kernel_squeeze(xp: ArrayModule, x: Array, *, squeeze_dims: list[int]) -> Array:
    rank = len(x.shape)
    for dim in squeeze_dims:
        if not -rank <= dim < rank:
            fail(f"Tried to squeeze dim index {dim} for tensor with {rank} dimensions.")
    dropped = {dim % rank for dim in squeeze_dims}
    for dim in sorted(dropped):
        if x.shape[dim] != 1:
            fail(f"Can not squeeze dim[{dim}], expected a dimension of 1, got {x.shape[dim]}")
    return xp.squeeze(x, tuple(dropped) if dropped else None)


def samples_squeeze() -> Iterator[Sample]:
    x = np.arange(2, dtype=np.float32).reshape(1, 2, 1)
    yield Sample(x)
    yield Sample(x, squeeze_dims=[0])
    yield Sample(x, squeeze_dims=[-1, 0])


def reference_squeeze(x: np.ndarray, *, squeeze_dims: list[int]) -> np.ndarray:
    return np.squeeze(x, tuple(squeeze_dims) or None)


register_op(
    "Squeeze",
    inputs="input: T",
    outputs="output: T",
    attrs="T: type, squeeze_dims: list(int) >= 0 = []",
    shape=shape_squeeze,
    kernel=kernel_squeeze,
    gradient=gradient_to_input_shape,
    reference=reference_squeeze,
    samples=samples_squeeze,
    quick_on_host=True,
)


@export("reshape", "manip.reshape")
def reshape(tensor: TensorLike, shape: TensorLike, name: str | None = None) -> Tensor:
    """Returns a tensor with the same elements in the same order and another shape.

    Args:
        tensor: a tensor.
        shape: an integer vector; one size may be -1 and follows from the number of elements.
        name: the name of the node.

    Returns:
        A tensor of the type of `tensor`.

    Raises:
        ValueError: if the static shapes do not fit.
        InvalidArgumentError: from `Session.run` if the shapes do not fit.

    Example:
        >>> print(tf.reshape([1, 2, 3, 4, 5, 6], [2, -1]).eval())
        [[1 2 3]
         [4 5 6]]
    """
    return build.Reshape(tensor, shape, name=name)


@export("expand_dims")
def expand_dims(
    input: TensorLike,
    axis: AxisLike | None = None,
    name: str | None = None,
    dim: AxisLike | None = None,
) -> Tensor:
    """Inserts a dimension of size 1.

    Args:
        input: a tensor.
        axis: where, from -rank - 1 to rank.
        name: the name of the node.
        dim: the older name of `axis`.

    Returns:
        A tensor with one more dimension.

    Raises:
        ValueError: if there is no axis, two of them, or one out of range.

    Example:
        >>> print(tf.expand_dims([1, 2], 0).shape, tf.expand_dims([1, 2], 1).shape)
        (1, 2) (2, 1)
    """
    axis = renamed_argument("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return build.ExpandDims(input, axis, name=name)


@export("squeeze")
def squeeze(
    input: TensorLike,
    axis: AxisLike | None = None,
    name: str | None = None,
    squeeze_dims: AxisLike | None = None,
) -> Tensor:
    """Drops dimensions of size 1.

    Args:
        input: a tensor.
        axis: the dimension or list of dimensions to drop; all of size 1 if None.
        name: the name of the node.
        squeeze_dims: the older name of `axis`.

    Returns:
        A tensor with the same elements.

    Raises:
        ValueError: if a dimension is out of range or not of size 1.

    Example:
        >>> print(tf.squeeze([[[1], [2]]]).eval())
        [1 2]
    """
    axis = renamed_argument("axis", axis, "squeeze_dims", squeeze_dims)
    if axis is None:
        axis = []
    if not isinstance(axis, (list, tuple, np.ndarray)):
        axis = [axis]
    return build.Squeeze(input, squeeze_dims=list(axis), name=name)
