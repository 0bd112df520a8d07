"""Ops that pass values on or do nothing: Identity, StopGradient, NoOp, ..."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    IndexedSlices,
    Operation,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)


def kernel_identity(xp: ArrayModule, x: Array) -> Any:
    return x


def samples_identity() -> Iterator[Sample]:
    yield Sample(np.arange(6, dtype=np.float32).reshape(2, 3))
    yield Sample(np.array([True, False]))


def gradient_identity(op: Operation, grad: Tensor | IndexedSlices) -> Tensor | IndexedSlices:
    return grad


register_op(
    "Identity",
    inputs="input: T",
    outputs="output: T",
    attrs="T: type",
    shape=shapes.like_first,
    kernel=kernel_identity,
    gradient=gradient_identity,
    samples=samples_identity,
    quick_on_host=True,
)
register_op(
    "RefIdentity",
    inputs="input: Ref(T)",
    outputs="output: Ref(T)",
    attrs="T: type",
    shape=shapes.like_first,
    kernel=kernel_identity,
    gradient=gradient_identity,
    allows_uninitialized=True,
)
register_op(
    "Snapshot",
    inputs="input: T",
    outputs="output: T",
    attrs="T: type",
    shape=shapes.like_first,
    kernel=kernel_identity,
    samples=samples_identity,
)
register_op(
    "StopGradient",
    inputs="input: T",
    outputs="output: T",
    attrs="T: type",
    shape=shapes.like_first,
    kernel=kernel_identity,
    gradient=NOT_DIFFERENTIABLE,
    samples=samples_identity,
)
register_op(
    "PreventGradient",
    inputs="input: T",
    outputs="output: T",
    attrs="T: type, message: string = ''",
    shape=shapes.like_first,
    kernel=kernel_identity,
    gradient=lambda op, grad: _refuse_gradient(op),
    samples=lambda: [Sample(np.arange(3, dtype=np.float32), gradient=())],
)
register_op("NoOp", shape=shapes.none, kernel=lambda xp: None)


def _refuse_gradient(op: Operation) -> NoReturn:
    message = op.get_attr("message").decode()
    raise LookupError(f"Gradient explicitly disabled. Reason: {message}")


@export("identity")
def identity(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns a tensor with the same value.

    Args:
        input: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.

    Example:
        >>> x = tf.constant(3, name="x")
        >>> y = tf.identity(x, name="y")
        >>> print(y.op.name, session.run(y))
        y 3
    """
    return build.Identity(input, name=name)


@export("stop_gradient")
def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns a tensor with the same value through which no gradient flows.

    Args:
        input: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same type and shape.

    Example:
        >>> x = tf.constant(3.0)
        >>> (slope,) = tf.gradients(x * tf.stop_gradient(x), [x])
        >>> print(session.run(slope))
        3.0
    """
    return build.StopGradient(input, name=name)


@export("no_op")
def no_op(name: str | None = None) -> Operation:
    """Makes an op that does nothing; it serves as a point of control dependencies.

    Args:
        name: the name of the node.

    Returns:
        An Operation.

    Example:
        >>> print(session.run(tf.no_op()))
        None
    """
    return build.NoOp(name=name)
