"""Weights of losses and metrics: scalars, or of the rank of the values."""

from __future__ import annotations

import numpy as np

from headwater.base.typing import TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_value,
    control_dependencies,
    convert_to_tensor,
    name_scope,
    ones_like,
    rank_tensor,
    shape_tensor,
    size_tensor,
)
from headwater.ops.array.reshape import expand_dims
from headwater.ops.control.assertion import assert_
from headwater.ops.control.cond import cond
from headwater.ops.sparse.sets import set_difference

_PREFIX = "weights can not be broadcast to values."


def assert_broadcastable(weights: TensorLike, values: TensorLike) -> Operation:
    """An op that fails if weights do not fit values.

    Weights fit if they are a scalar, or have the rank of the values and in each dimension their
    length or 1.

    Args:
        weights: the weights.
        values: a tensor.

    Returns:
        The op; where the static shapes tell, it does nothing.

    Raises:
        ValueError: if the static shapes tell that the weights do not fit.
    """
    with name_scope(None, "assert_broadcastable", [weights, values]) as scope:
        with name_scope(None, "weights", [weights]) as weights_scope:
            weights = convert_to_tensor(weights, name=weights_scope)
            weights_shape = shape_tensor(weights, name="shape")
            weights_rank = rank_tensor(weights, name="rank")
        with name_scope(None, "values", [values]) as values_scope:
            values = convert_to_tensor(values, name=values_scope)
            values_shape = shape_tensor(values, name="shape")
            values_rank = rank_tensor(values, name="rank")
        if weights.shape.ndims is not None and values.shape.ndims is not None:
            if weights.shape.ndims == 0:
                return build.NoOp(name="static_scalar_check_success")
            if weights.shape.ndims != values.shape.ndims:
                raise ValueError(
                    f"{_PREFIX} values.rank={values.shape.ndims}. "
                    f"weights.rank={weights.shape.ndims}. values.shape={values.shape}. "
                    f"weights.shape={weights.shape}."
                )
            if _known_to_fit(constant_value(weights_shape), constant_value(values_shape)):
                return build.NoOp(name="static_dims_check_success")
        is_scalar = build.Equal(0, weights_rank, name="is_scalar")
        data = [_PREFIX, "weights.shape=", weights.name, weights_shape, "values.shape="]
        data += [values.name, values_shape, "is_scalar=", is_scalar]
        is_valid = cond(
            is_scalar,
            lambda: is_scalar,
            lambda: _fits(weights_shape, weights_rank, values_shape, values_rank),
            name="is_valid_shape",
        )
        return assert_(is_valid, data, name=scope)


def _fits(
    weights_shape: Tensor, weights_rank: Tensor, values_shape: Tensor, values_rank: Tensor
) -> Tensor:
    """Whether non-scalar weights fit, as a boolean scalar."""
    inputs = [weights_rank, weights_shape, values_rank, values_shape]
    with name_scope(None, "has_valid_nonscalar_shape", inputs) as scope:
        same_rank = build.Equal(values_rank, weights_rank, name="is_same_rank")
        return cond(
            same_rank,
            lambda: _lengths_fit(weights_shape, values_shape),
            lambda: same_rank,
            name=scope,
        )


def _lengths_fit(weights_shape: Tensor, values_shape: Tensor) -> Tensor:
    """Whether each length of the weights is 1 or that of the values, as a boolean scalar."""
    with name_scope(None, "has_invalid_dims", [weights_shape, values_shape]) as scope:
        lengths = expand_dims(values_shape, -1)
        valid = build.ConcatV2([lengths, ones_like(lengths)], 1, name="concat")
        invalid = set_difference(expand_dims(weights_shape, -1), valid)
        return build.Equal(0, size_tensor(invalid.values, name="num_invalid_dims"), name=scope)


def _known_to_fit(weights: np.ndarray | None, values: np.ndarray | None) -> bool:
    if weights is None or values is None:
        return False
    for i, (weight, value) in enumerate(zip(weights, values)):
        if weight not in (1, value):
            raise ValueError(
                f"{_PREFIX} Mismatch at dim {i}. values.shape={values} weights.shape={weights}."
            )
    return True


def broadcast_weights(weights: TensorLike, values: TensorLike) -> Tensor:
    """Weights in the shape of the values.

    Args:
        weights: weights that fit; see `assert_broadcastable`.
        values: a tensor.

    Returns:
        A tensor of the type and shape of `values`.

    Raises:
        ValueError: if the static shapes tell that the weights do not fit.
    """
    with name_scope(None, "broadcast_weights", [weights, values]) as scope:
        values = convert_to_tensor(values, name="values")
        weights = convert_to_tensor(weights, dtype=values.dtype.base_dtype, name="weights")
        known = weights.shape.is_fully_defined() and values.shape.is_fully_defined()
        if known and weights.shape.is_compatible_with(values.shape):
            return weights
        with control_dependencies([assert_broadcastable(weights, values)]):
            return build.Mul(weights, ones_like(values), name=scope)
