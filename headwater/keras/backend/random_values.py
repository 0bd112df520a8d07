"""Random tensors, and dropout."""

from __future__ import annotations

import numpy as np

from headwater.base.dtypes import as_dtype
from headwater.base.export import export
from headwater.base.typing import DTypeLike, ShapeLike, TensorLike
from headwater.graph import Tensor
from headwater.keras.backend.settings import floatx
from headwater.model.nn.dropout import dropout as make_dropout
from headwater.ops.array.fill import ones, zeros
from headwater.ops.math.select import where
from headwater.ops.random import normal, uniform


def _seed(seed: int | None) -> int:
    return np.random.randint(10_000_000) if seed is None else seed


@export("keras.backend.random_normal")
def random_normal(
    shape: ShapeLike,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
) -> Tensor:
    """Returns normal random numbers.

    Args:
        shape: the shape.
        mean: the mean.
        stddev: the standard deviation.
        dtype: the type; the default floating-point type if None.
        seed: the seed of the op; drawn by NumPy if None.

    Returns:
        A tensor.
    """
    kind = as_dtype(dtype or floatx())
    return normal.random_normal(shape, mean=mean, stddev=stddev, dtype=kind, seed=_seed(seed))


@export("keras.backend.random_uniform")
def random_uniform(
    shape: ShapeLike,
    minval: float = 0.0,
    maxval: float = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
) -> Tensor:
    """Returns uniform random numbers.

    Args:
        shape: the shape.
        minval: the smallest number.
        maxval: the bound.
        dtype: the type; the default floating-point type if None.
        seed: the seed of the op; drawn by NumPy if None.

    Returns:
        A tensor.
    """
    kind = as_dtype(dtype or floatx())
    return uniform.random_uniform(shape, minval=minval, maxval=maxval, dtype=kind, seed=_seed(seed))


@export("keras.backend.random_binomial")
def random_binomial(
    shape: ShapeLike, p: float = 0.0, dtype: DTypeLike | None = None, seed: int | None = None
) -> Tensor:
    """Returns ones with a probability, else zeros.

    Args:
        shape: the shape.
        p: the probability of a one.
        dtype: the type; the default floating-point type if None.
        seed: the seed of the op; drawn by NumPy if None.

    Returns:
        A tensor.
    """
    kind = as_dtype(dtype or floatx())
    drawn = uniform.random_uniform(shape, dtype=kind, seed=_seed(seed))
    return where(drawn <= p, ones(shape, dtype=kind), zeros(shape, dtype=kind))


@export("keras.backend.truncated_normal")
def truncated_normal(
    shape: ShapeLike,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
) -> Tensor:
    """Returns normal random numbers less than two standard deviations from the mean.

    Args:
        shape: the shape.
        mean: the mean.
        stddev: the standard deviation.
        dtype: the type; the default floating-point type if None.
        seed: the seed of the op; drawn by NumPy if None.

    Returns:
        A tensor.
    """
    kind = as_dtype(dtype or floatx())
    return normal.truncated_normal(shape, mean, stddev, dtype=kind, seed=_seed(seed))


@export("keras.backend.dropout")
def dropout(
    x: TensorLike,
    level: float,
    noise_shape: ShapeLike | None = None,
    seed: int | None = None,
) -> Tensor:
    """Sets random elements to zero and scales the others.

    Args:
        x: a tensor.
        level: the probability that an element is set to zero.
        noise_shape: the shape of the random decisions; that of x if None.
        seed: the seed of the op; drawn by NumPy if None.

    Returns:
        A tensor of its shape.
    """
    return make_dropout(x, rate=level, noise_shape=noise_shape, seed=_seed(seed))
