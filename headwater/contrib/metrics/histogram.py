"""The area under the ROC curve from histograms of scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    export,
    group,
    name_scope,
)
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.fill import zeros
from headwater.ops.array.getitem import boolean_mask
from headwater.ops.array.shape import shape
from headwater.ops.control.value_checks import assert_equal
from headwater.ops.math.cast import cast
from headwater.ops.math.histogram import histogram_fixed_width
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.math.scan import cumsum


@export("contrib.metrics.auc_using_histogram")
def auc_using_histogram(
    boolean_labels: TensorLike,
    scores: TensorLike,
    score_range: TensorLike,
    nbins: int = 100,
    collections: Sequence[str] | None = None,
    check_shape: bool = True,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The area under the ROC curve over all runs of the update.

    Args:
        boolean_labels: a bool vector.
        scores: a vector of numbers of the same length.
        score_range: the least and the largest score.
        nbins: the number of bins; scores of one bin count as equal.
        collections: the collections of the variables; local variables if None.
        check_shape: whether the shapes are checked when the graph runs.
        name: the name of the variable scope.

    Returns:
        The area so far, and an op that takes the current values in.

    Raises:
        ValueError: if the shapes do not fit.
    """
    if collections is None:
        collections = [GraphKeys.LOCAL_VARIABLES]
    with variable_scope(name, "auc_using_histogram", (boolean_labels, scores, score_range)):
        scores, labels = _checked(boolean_labels, scores, check_shape)
        limits = convert_to_tensor(score_range)
        with name_scope("make_auc_histograms"):
            new = [
                histogram_fixed_width(boolean_mask(scores, kind), limits, nbins=nbins)
                for kind in (labels, build.LogicalNot(labels))
            ]
        with variable_scope("hist_accumulate"):
            kept: list[Any] = [
                Variable(
                    lambda: zeros([nbins], dtypes.int64),
                    trainable=False,
                    collections=collections,
                    name=f"hist_{what}_acc",
                )
                for what in ("true", "false")
            ]
            updates = [total.assign_add(cast(each, dtypes.int64)) for total, each in zip(kept, new)]
            update = group(*updates, name="update_op")
        shares: list[Any] = []
        for histogram in kept:
            numbers: Tensor = cast(histogram, dtypes.float32)
            shares.append(numbers / reduce_sum(numbers))
        below: Tensor = cumsum(shares[1])
        # Half of what is in the same bin counts as below.
        area = reduce_sum(shares[0] * (below - 0.5 * shares[1]), name="auc")
        return area, update


def _checked(labels: TensorLike, scores: TensorLike, check_shape: bool) -> tuple[Any, Any]:
    labels, scores = convert_to_tensor(labels), convert_to_tensor(scores)
    labels.get_shape().assert_has_rank(1)
    scores.get_shape().assert_has_rank(1)
    labels.get_shape().assert_is_compatible_with(scores.get_shape())
    if not check_shape:
        return scores, labels
    with control_dependencies([assert_equal(shape(scores), shape(labels))]):
        return build.Identity(scores), labels
