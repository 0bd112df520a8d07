"""What metrics have in common: their variables, collections and the shapes of their arguments."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.graph import (
    Tensor,
    build,
    convert_to_tensor,
    get_default_graph,
    rank_tensor,
    shape_tensor,
)
from headwater.graph.graph_keys import GraphKeys
from headwater.model.squeezing import remove_squeezable_dimensions, squeezed_weights
from headwater.model.variables import Variable
from headwater.ops.array.fill import zeros
from headwater.ops.array.reshape import expand_dims


def metric_variable(
    shape: Any, dtype: Any, validate_shape: bool = True, name: str | None = None
) -> Any:
    """A local variable that starts at zero and is in the collection METRIC_VARIABLES."""
    return Variable(
        lambda: zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=validate_shape,
        name=name,
    )


def collect(collections: Any, value: Any) -> Any:
    """Adds a value to collections, if any are given, and returns it."""
    if collections:
        get_default_graph().add_to_collections(collections, value)
    return value


def aligned(
    predictions: Any, labels: Any, weights: Any
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
    weights = squeezed_weights(weights, predictions)
    return predictions, labels, _with_rank_of(weights, predictions)


def _with_rank_of(weights: Tensor, values: Tensor) -> Tensor:
    """Weights, with a last dimension of length 1 if they lack one dimension."""
    lacking = build.Equal(build.Sub(rank_tensor(values), rank_tensor(weights), name="sub"), 1)
    ones = build.Fill(build.ExpandDims(build.Cast(lacking, DstT=dtypes.int32), 0), 1)
    shape = build.ConcatV2([shape_tensor(weights), ones], 0, name="concat")
    return build.Reshape(weights, shape)
