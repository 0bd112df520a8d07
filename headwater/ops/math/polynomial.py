"""Cross products and polynomials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
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
    zeros_like,
)
from headwater.ops.math.segment_rows import invalid


def kernel_cross(xp: ArrayModule, a: Array, b: Array) -> Array:
    if a.shape != b.shape:
        raise invalid(
            f"inputs must have same shape: {shapes.show(a.shape)} vs. {shapes.show(b.shape)}"
        )
    if not a.ndim or a.shape[-1] != 3:
        text = "Cross-products are only defined for 3-element vectors."
        raise errors.FailedPreconditionError(None, None, text)
    (ax, ay, az), (bx, by, bz) = ([v[..., i] for i in range(3)] for v in (a, b))
    return xp.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def shape_cross(c: shapes.ShapeContext) -> Shape:
    c.with_rank_at_least("a", 1)
    c.with_rank_at_least("b", 1)
    shape = c.merge(c.shape("a"), c.shape("b"))
    if shape is not None and shape[-1] not in (3, None):
        c.fail(f"Dimension must be 3 but is {shape[-1]}")
    return shape


def gradient_cross(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    a, b = op.inputs
    return build.Cross(b, grad), build.Cross(grad, a)


def samples_cross() -> Iterator[Sample]:
    a = np.array([[1.0, 2.0, 3.0], [-0.5, 0.25, 4.0]], np.float32)
    yield Sample(a, a[::-1, ::-1].copy())
    yield Sample(np.array([1, 2, 3], np.int32), np.array([4, 5, 7], np.int32))


register_op(
    "Cross",
    inputs="a: T, b: T",
    outputs="product: T",
    attrs="T: realnumbertype",
    shape=shape_cross,
    kernel=kernel_cross,
    gradient=gradient_cross,
    reference=np.cross,
    samples=samples_cross,
)


@export("cross", "linalg.cross")
def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """Returns the cross products of vectors in three dimensions.

    Args:
        a: a tensor of shape [..., 3].
        b: a tensor of the same type and shape.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Cross(a, b, name=name)


@export("math.polyval")
def polyval(coeffs: Sequence[float], x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the value of a polynomial, by Horner's rule.

    Args:
        coeffs: a list of tensors, the coefficient of the highest power first.
        x: a tensor.
        name: the name scope.

    Returns:
        A tensor of the shape of `x`.
    """
    with name_scope(name, "polyval", [*coeffs, x]) as scope:
        x = convert_to_tensor(x, name="x")
        if len(coeffs) < 1:
            return zeros_like(x, name=scope)
        terms = [convert_to_tensor(c, name=f"coeff_{i}") for i, c in enumerate(coeffs)]
        value = terms[0]
        for term in terms[1:]:
            value = term + value * x
        return value
