"""Helpers of all metrics: their variables, collections and the shapes of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    convert_to_tensor,
    get_default_graph,
    rank_tensor,
    replication,
)
from headwater.graph.graph_keys import GraphKeys
from headwater.model.squeezing import remove_squeezable_dimensions, squeezed_weights
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_creation import VariableAggregation, VariableSynchronization
from headwater.ops.array.fill import zeros
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.control.cond import cond

if TYPE_CHECKING:
    from headwater.base.dtypes import DType


def metric_variable(
    shape: ShapeLike, dtype: DType, validate_shape: bool = True, name: str | None = None
) -> Variable:
    """A local variable that starts at zero and is in the collection METRIC_VARIABLES."""
    return Variable(
        lambda: zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=validate_shape,
        name=name,
        synchronization=VariableSynchronization.ON_READ,
        aggregation=VariableAggregation.SUM,
    )


def collect(collections: Sequence[str] | None, value: Any) -> Any:
    """Adds a value to collections, if any are given, and returns it."""
    if collections:
        get_default_graph().add_to_collections(collections, value)
    return value


def aggregated(collections: Sequence[str] | None, compute: Callable[[], Any]) -> Any:
    """Adds the value of a metric to collections, and returns it.

    Args:
        collections: their keys, or None.
        compute: computes the value from metric variables, with their sums over all replicas.
    """
    return collect(collections, replication.across_replicas(compute))


def aligned(
    predictions: TensorLike, labels: TensorLike, weights: TensorLike
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """Predictions, labels and weights of one rank, without last dimensions of length 1.

    Args:
        predictions: a tensor.
        labels: a tensor or None.
        weights: a tensor or None.

    Returns:
        Predictions, labels and weights.

    Raises:
        ValueError: if the shapes of predictions and labels do not fit.
    """
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    weights = convert_to_tensor(weights)
    ranks = weights.shape.ndims, predictions.shape.ndims
    if ranks[0] == 0:
        return predictions, labels, weights
    if ranks[0] is not None and ranks[1] is not None:
        if ranks[1] - ranks[0] == 1:
            weights = expand_dims(weights, [-1])
        else:
            weights = squeezed_weights(weights, predictions)
        return predictions, labels, weights
    return predictions, labels, _with_rank_of(weights, predictions)


def _with_rank_of(weights: Tensor, values: Tensor) -> Tensor:
    """Weights with a dimension added or removed if that gives them the rank of the values."""
    rank = rank_tensor(weights)
    excess = build.Sub(rank, rank_tensor(values), name="sub")
    dims = weights.shape.dims
    may_be_squeezed = dims is None or dims[-1].is_compatible_with(1)

    def of_another_rank() -> Tensor:
        return cond(
            build.Equal(excess, 1),
            lambda: squeeze(weights, [-1]) if may_be_squeezed else weights,
            lambda: cond(
                build.Equal(excess, -1), lambda: expand_dims(weights, [-1]), lambda: weights
            ),
        )

    return cond(build.Equal(rank, 0), lambda: weights, of_another_rank)
