"""Weights of losses that have no more dimensions than the losses, and the mean over them."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.older_calls import renamed
from headwater.base.typing import TensorLike
from headwater.contrib.losses.collection import add_loss
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.ops.array.fill import ones
from headwater.ops.array.reshape import reshape, squeeze
from headwater.ops.array.shape import shape, size
from headwater.ops.array.slice import slice_
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_prod, reduce_sum


def known_rank(x: Tensor, role: str) -> int:
    """The rank of a tensor.

    Raises:
        ValueError: if it is not known.
    """
    ndims = x.get_shape().ndims
    if ndims is None:
        raise ValueError(f"{role}.get_shape().ndims cannot be None")
    return ndims


def scaled_sum(losses: TensorLike, weights: TensorLike) -> Tensor:
    """The sum of losses, each times its weight."""
    axes = list(range(max(0, weights.get_shape().ndims), losses.get_shape().ndims))
    reduced = build.Mul(reduce_sum(losses, axis=axes), weights)
    return reduce_sum(reduced)


def num_present(losses: TensorLike, weights: TensorLike, per_batch: bool = False) -> Tensor:
    """The number of losses whose weight is not 0.

    Args:
        losses: a tensor [batch, ...].
        weights: a tensor whose shape is the beginning of that of the losses, or a scalar.
        per_batch: whether the numbers of each batch element are wanted.

    Returns:
        A scalar, or a vector [batch].
    """
    ndims = weights.get_shape().ndims
    if ndims == 0:
        batch = reshape(slice_(shape(losses), [0], [1]), [])
        count = cast(size(losses), dtypes.float32)
        each: Tensor = build.RealDiv(count, cast(batch, dtypes.float32), name="div")
        each = build.Select(build.Equal(weights, 0), 0.0, each)
        per_element = build.Mul(ones(reshape(batch, [1])), each)
        return per_element if per_batch else reduce_sum(per_element)
    some = cast(build.NotEqual(weights, 0), dtypes.float32)
    present = reduce_sum(some, axis=list(range(1, ndims)))
    rest = slice_(shape(losses), [ndims], [-1])
    per_element = build.Mul(present, cast(reduce_prod(rest), dtypes.float32))
    return per_element if per_batch else reduce_sum(per_element)


@export("contrib.losses.compute_weighted_loss")
@renamed(weight="weights")
def compute_weighted_loss(
    losses: TensorLike, weights: TensorLike = 1.0, scope: str | None = None
) -> Tensor:
    """The mean of losses over those whose weight is not 0; it is added to the collection.

    Args:
        losses: a tensor [batch, ...].
        weights: a tensor whose shape is the beginning of that of the losses, or a scalar.
        scope: the name scope.

    Returns:
        A scalar.

    Raises:
        ValueError: if a rank is not known.
    """
    with name_scope(scope, "weighted_loss", [losses, weights]):
        losses = convert_to_tensor(losses)
        kind = losses.dtype
        losses = cast(losses, dtypes.float32)
        weights = cast(convert_to_tensor(weights), dtypes.float32)
        known_rank(losses, "losses")
        ndims = known_rank(weights, "weights")
        if ndims > 1 and weights.get_shape()[-1].is_compatible_with(1):
            weights = squeeze(weights, [-1])
        total = scaled_sum(losses, weights)
        count = num_present(losses, weights)
        mean = build.DivNoNan(reduce_sum(total), count, name="value")
        mean = cast(mean, kind)
        add_loss(mean)
        return mean
