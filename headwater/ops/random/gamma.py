"""Gamma random numbers: RandomGamma, RandomGammaGrad and tf.random_gamma."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.lazy import lax
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    Operation,
    RunsOn,
    Sample,
    ShapeContext,
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
    zeros_like,
)
from headwater.graph.seeds import op_seeds
from headwater.ops.random import arguments, rejection


def shape_random_gamma(c: ShapeContext) -> Shape:
    return arguments.shape_and_parameters(c, "alpha")


def kernel_random_gamma(
    xp: ArrayModule, shape: np.ndarray, alpha: Array, *, state: Array
) -> tuple[Any, Any]:
    sizes = arguments.sizes_of(shape)
    start, wide = arguments.per_parameter(xp, sizes, alpha)
    with np.errstate(all="ignore"):
        numbers = rejection.gamma(xp, state, start, wide)
        if alpha.dtype == np.float16:
            # As TensorFlow does it: the double is rounded twice.
            numbers = numbers.astype(xp.float32)
        numbers = numbers.astype(alpha.dtype).reshape(sizes + alpha.shape)
    return numbers, arguments.advance(xp, state, start.size)


def gradient_random_gamma(op: Operation, grad: Tensor) -> Any:
    """Differentiates the numbers with respect to alpha; samples add up."""
    alpha, result = op.inputs[1], op.outputs[0]
    extra = build.Size(op.inputs[0])
    # Alpha with one axis of size 1 for each axis of `shape`, so that it fits the samples.
    ones = build.Fill(build.ExpandDims(extra, 0), constant_node(1, dtypes.int32))
    wide_shape = build.ConcatV2([ones, shape_tensor(alpha)], constant_node(0, dtypes.int32))
    wide = build.Add(build.Reshape(alpha, wide_shape), zeros_like(result))
    partial = build.RandomGammaGrad(wide, result)
    axes = build.Range(0, extra, 1)
    return None, build.Sum(build.Mul(grad, partial), axes)


def samples_random_gamma() -> Iterator[Sample]:
    yield Sample(np.array([3], np.int32), np.array([0.5, 2.0], np.float32), seed=1)
    yield Sample(np.array([], np.int64), np.array([[1.0]]), seed2=2)
    yield Sample(np.array([0], np.int32), np.float16(2.0))


register_op(
    "RandomGamma",
    inputs="shape: S, alpha: T",
    outputs="output: T",
    attrs="seed: int = 0, seed2: int = 0, S: {int32, int64}, T: {half, float, double}",
    shape=shape_random_gamma,
    kernel=kernel_random_gamma,
    gradient=gradient_random_gamma,
    concrete=("shape",),
    state=arguments.state_of,
    stateful=True,
    samples=samples_random_gamma,
)


def kernel_random_gamma_grad(xp: ArrayModule, alpha: Array, sample: Array) -> Array:
    sizes = np.broadcast_shapes(alpha.shape, sample.shape)
    return lax.random_gamma_grad(xp.broadcast_to(alpha, sizes), xp.broadcast_to(sample, sizes))


def samples_random_gamma_grad() -> Iterator[Sample]:
    yield Sample(np.array([0.5, 2.0, 30.0]), np.array([0.3, 2.5, 25.0]))
    yield Sample(np.array([0.5, 2.0], np.float32), np.array([[0.3], [2.5]], np.float32))


register_op(
    "RandomGammaGrad",
    inputs="alpha: T, sample: T",
    outputs="output: T",
    attrs="T: {float, double}",
    shape=shapes.broadcast,
    kernel=kernel_random_gamma_grad,
    runs_on=RunsOn.XLA,
    samples=samples_random_gamma_grad,
)


@export("random_gamma", "random.gamma")
def random_gamma(
    shape: TensorLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws numbers of gamma distributions.

    Args:
        shape: how many numbers are drawn for each pair of parameters, integers or an integer
            vector as a tensor.
        alpha: the shape parameters, of type `dtype`.
        beta: the rates (inverse scales), of a shape that `alpha` broadcasts with; None means 1.
        dtype: float16, float32 or float64.
        seed: the op-level seed; see `tf.set_random_seed`.
        name: the name of the node.

    Returns:
        A tensor of shape `shape` followed by the broadcast shape of `alpha` and `beta`.
    """
    dtype = as_dtype(dtype)
    with name_scope(name, "random_gamma", [shape, alpha, beta]):
        shape = convert_to_tensor(shape, name="shape", dtype=dtypes.int32)
        alpha = convert_to_tensor(alpha, name="alpha", dtype=dtype)
        beta = convert_to_tensor(1 if beta is None else beta, name="beta", dtype=dtype)
        alpha = build.AddV2(alpha, zeros_like(beta), name="add")
        numbers = build.RandomGamma(shape, alpha, **op_seeds(seed))
        # A small alpha gives numbers that underflow to 0.
        smallest = np.asarray(np.finfo(dtype.as_numpy_dtype).tiny, dtype.as_numpy_dtype)
        return build.Maximum(smallest, build.RealDiv(numbers, beta, name="truediv"))
