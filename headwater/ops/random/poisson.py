"""Poisson random numbers: RandomPoisson, RandomPoissonV2 and tf.random_poisson."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    Sample,
    ShapeContext,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
)
from headwater.graph.seeds import op_seeds
from headwater.ops.random import arguments, rejection


def shape_random_poisson(c: ShapeContext) -> Shape:
    return arguments.shape_and_parameters(c, "rate")


def kernel_random_poisson(
    xp: ArrayModule, shape: np.ndarray, rate: Array, *, dtype: DType, state: Array
) -> tuple[Any, Any]:
    sizes = arguments.sizes_of(shape)
    start, wide = arguments.per_parameter(xp, sizes, rate)
    with np.errstate(all="ignore"):
        numbers = rejection.poisson(xp, state, start, wide, float(dtype.max))
        numbers = numbers.astype(dtype.numpy_dtype).reshape(sizes + rate.shape)
    return numbers, arguments.advance(xp, state, start.size)


def samples_random_poisson() -> Iterator[Sample]:
    yield Sample(np.array([3], np.int32), np.array([0.5, 20.0]), dtype=dtypes.int64, seed=1)
    yield Sample(np.array([], np.int64), np.array([[1]], np.int32), dtype=dtypes.float32, seed2=2)
    yield Sample(np.array([0], np.int32), np.float16(2.0), dtype=dtypes.float16)


register_op(
    "RandomPoisson",
    inputs="shape: S, rate: dtype",
    outputs="output: dtype",
    attrs="seed: int = 0, seed2: int = 0, S: {int32, int64}, dtype: {half, float, double}",
    shape=shape_random_poisson,
    kernel=kernel_random_poisson,
    concrete=("shape",),
    state=arguments.state_of,
    stateful=True,
    samples=lambda: [Sample(np.array([3], np.int32), np.array([0.5, 20.0]), seed=1)],
)
register_op(
    "RandomPoissonV2",
    inputs="shape: S, rate: R",
    outputs="output: dtype",
    attrs="seed: int = 0, seed2: int = 0, S: {int32, int64}, "
    "R: {half, float, double, int32, int64} = double, "
    "dtype: {half, float, double, int32, int64} = int64",
    shape=shape_random_poisson,
    kernel=kernel_random_poisson,
    concrete=("shape",),
    state=arguments.state_of,
    stateful=True,
    samples=samples_random_poisson,
)


@export("random_poisson", "random.poisson")
def random_poisson(
    lam: TensorLike,
    shape: TensorLike,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws numbers of Poisson distributions.

    Args:
        lam: the rates.
        shape: how many numbers are drawn for each rate, integers or an integer vector as a tensor.
        dtype: the type of the result: float16, float32, float64, int32 or int64.
        seed: the op-level seed; see `tf.set_random_seed`.
        name: the name of the node.

    Returns:
        A tensor of shape `shape` followed by the shape of `lam`.
    """
    with name_scope(name, "random_poisson", [lam, shape]):
        shape = convert_to_tensor(shape, name="shape", dtype=dtypes.int32)
        return build.RandomPoissonV2(shape, lam, dtype=dtype, **op_seeds(seed))
