"""Constants and placeholders: the sources of a graph."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base import errors
from headwater.base.array_values import as_array
from headwater.base.dtypes import DType, as_dtype, proto_name
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, ShapeLike, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    Sample,
    Tensor,
    build,
    constant_node,
    export,
    register_op,
    shapes,
)


def kernel_const(xp: ArrayModule, *, value: TensorLike) -> np.ndarray:
    return value


def shape_const(c: shapes.ShapeContext) -> Shape:
    return c.attr("value").shape


def samples_const() -> Iterator[Sample]:
    yield Sample(value=np.arange(6, dtype=np.float32).reshape(2, 3), dtype=np.float32)
    yield Sample(value=np.array([1, 2], np.int64), dtype=np.int64)


register_op(
    "Const",
    outputs="output: dtype",
    attrs="value: tensor, dtype: type",
    shape=shape_const,
    kernel=kernel_const,
    gradient=NOT_DIFFERENTIABLE,
    samples=samples_const,
)


def kernel_placeholder(xp: ArrayModule, *, dtype: DType, shape: Shape, op_name: str) -> Array:
    known = "" if not shape else f" and shape {shapes.show(shape)}"
    name = proto_name(dtype)
    raise errors.InvalidArgumentError(
        None,
        None,
        f"You must feed a value for placeholder tensor '{op_name}' with dtype {name}{known}",
        hint="pass it in feed_dict, e.g. session.run(fetches, feed_dict={placeholder: value}).",
    )


register_op(
    "Placeholder",
    outputs="output: dtype",
    attrs="dtype: type, shape: shape = unknown",
    shape=shapes.attr_shape,
    kernel=kernel_placeholder,
    runs_on=RunsOn.HOST,
)
register_op(
    "PlaceholderV2",
    outputs="output: dtype",
    attrs="dtype: type, shape: shape",
    shape=shapes.attr_shape,
    kernel=kernel_placeholder,
    runs_on=RunsOn.HOST,
)


def kernel_placeholder_with_default(xp: ArrayModule, value: TensorLike) -> Array:
    return value


def shape_placeholder_with_default(c: shapes.ShapeContext) -> Shape:
    c.merge(c.shape("input"), c.attr("shape"))
    return c.attr("shape")


def samples_placeholder_with_default() -> Iterator[Sample]:
    yield Sample(np.arange(3, dtype=np.float32), shape=(None,))


register_op(
    "PlaceholderWithDefault",
    inputs="input: dtype",
    outputs="output: dtype",
    attrs="dtype: type, shape: shape",
    shape=shape_placeholder_with_default,
    kernel=kernel_placeholder_with_default,
    gradient=lambda op, grad: grad,
    samples=samples_placeholder_with_default,
)


@export("constant")
def constant(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
    name: str = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """Makes a constant tensor.

    Args:
        value: a number, string, nested list or NumPy array.
        dtype: the type of the elements; taken from the value if None.
        shape: the shape; missing elements repeat the last one.
        name: the name of the node.
        verify_shape: whether `value` must have exactly this shape.

    Returns:
        A Tensor.

    Raises:
        TypeError: if the value does not fit the type or, with `verify_shape`, the shape.
        ValueError: if the value has more elements than the shape.

    Example:
        >>> print(tf.constant([1, 2, 3]).eval())
        [1 2 3]
        >>> print(tf.constant(7, shape=[2, 2]).eval())
        [[7 7]
         [7 7]]
    """
    kind = None if dtype is None else as_dtype(dtype)
    if verify_shape and shape is not None:
        found, wanted = as_array(value, kind, None)[0].shape, TensorShape(shape)
        if found != wanted.to_tuple():
            raise TypeError(f"Expected Tensor's shape: {wanted}, got {found}.")
    return constant_node(value, kind, name, shape)


@export("placeholder")
def placeholder(
    dtype: DTypeLike, shape: ShapeLike | None = None, name: str | None = None
) -> Tensor:
    """Makes a tensor whose value must be fed.

    Args:
        dtype: the type of the elements.
        shape: the static shape; None means that any shape can be fed.
        name: the name of the node.

    Returns:
        A Tensor.

    Example:
        >>> x = tf.placeholder(tf.float32, [None])
        >>> print(session.run(x * 2, {x: [1.0, 2.0]}))
        [2. 4.]
    """
    return build.Placeholder(dtype=dtype, shape=shape, name=name)


@export("placeholder_with_default")
def placeholder_with_default(
    input: TensorLike, shape: ShapeLike | None, name: str | None = None
) -> Tensor:
    """Makes a tensor that can be fed and otherwise has the value of `input`.

    Args:
        input: the default value.
        shape: the static shape, which may leave open what `input` fixes.
        name: the name of the node.

    Returns:
        A Tensor.
    """
    return build.PlaceholderWithDefault(input, shape=TensorShape(shape).to_tuple(), name=name)
