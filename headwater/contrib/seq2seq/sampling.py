"""Samples for helpers: Bernoulli and categorical, of any sample shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    convert_to_tensor,
    name_scope,
    rank_tensor,
    shape_tensor,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.pad import pad
from headwater.ops.array.transpose import transpose
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_prod
from headwater.ops.random.multinomial import multinomial
from headwater.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headwater.base.dtypes import DType


def call_sampler(
    sample_n: Callable[[Any], Any], sample_shape: TensorLike, name: str | None = None
) -> Tensor:
    """Gives the samples of a function a shape.

    Args:
        sample_n: a function from a number n to n samples along a first dimension.
        sample_shape: the first dimensions of the result, an int32 scalar or vector.
        name: a name scope.

    Returns:
        The samples, reshaped.
    """
    values = [sample_shape] if isinstance(sample_shape, Tensor) else []
    with name_scope(name, "call_sampler", values):
        sample_shape = convert_to_tensor(sample_shape, dtypes.int32, name="sample_shape")
        padding = cast(build.Equal(rank_tensor(sample_shape), 0), dtypes.int32)
        target = pad(shape_tensor(sample_shape), paddings=[[padding, 0]], constant_values=1)
        sample_shape = build.Reshape(sample_shape, target)
        samples = sample_n(reduce_prod(sample_shape))
        rest = shape_tensor(samples)[1:]
        return build.Reshape(samples, concat([sample_shape, rest], 0))


def bernoulli_sample(
    probs: Tensor | None = None,
    logits: TensorLike = None,
    dtype: DType = dtypes.int32,
    sample_shape: TensorLike = (),
    seed: int | None = None,
) -> Tensor:
    """Draws ones with given probabilities.

    Args:
        probs: the probabilities.
        logits: their log-odds, instead.
        dtype: the type of the result.
        sample_shape: the first dimensions of the result.
        seed: the seed of the op.

    Returns:
        A tensor of shape sample_shape + shape of the probabilities.
    """
    given = logits if probs is None else probs
    batch_shape = shape_tensor(convert_to_tensor(given))

    def sample_n(n: Tensor) -> Tensor:
        p = probs if probs is not None else build.Sigmoid(logits, name="probs")
        shape = concat([[n], batch_shape], 0)
        uniform = random_uniform(shape, seed=seed, dtype=p.dtype)
        return cast(build.Less(uniform, p), dtype)

    return call_sampler(sample_n, sample_shape)


def categorical_sample(
    logits: TensorLike,
    dtype: DType = dtypes.int32,
    sample_shape: TensorLike = (),
    seed: int | None = None,
) -> Tensor:
    """Draws class numbers with given unnormalised logarithms of probabilities.

    Args:
        logits: the logarithms, [..., classes].
        dtype: the type of the result.
        sample_shape: the first dimensions of the result.
        seed: the seed of the op.

    Returns:
        A tensor of shape sample_shape + shape of the logits without the classes.
    """
    logits = convert_to_tensor(logits, name="logits")
    classes = shape_tensor(logits)[-1]
    batch_shape = shape_tensor(logits)[:-1]

    def sample_n(n: TensorLike) -> Tensor:
        rows = logits
        if logits.get_shape().ndims != 2:
            rows = build.Reshape(logits, [-1, classes])
        wide = dtypes.int64 if logits.dtype.size > 4 else dtypes.int32
        draws = multinomial(rows, n, seed=seed, output_dtype=wide)
        draws = build.Reshape(transpose(draws), concat([[n], batch_shape], 0))
        return cast(draws, dtype)

    return call_sampler(sample_n, sample_shape)
