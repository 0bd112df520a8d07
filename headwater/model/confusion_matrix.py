"""Counts of pairs of labels and predictions: tf.confusion_matrix."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    with_dependencies,
)
from headwater.model.reduction_helpers import max_of
from headwater.model.squeezing import remove_squeezable_dimensions
from headwater.ops.array.fill import ones_like, zeros
from headwater.ops.array.stack import stack
from headwater.ops.control.value_checks import assert_less, assert_non_negative
from headwater.ops.math.cast import cast


@export("confusion_matrix", "math.confusion_matrix", "contrib.metrics.confusion_matrix")
def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    weights: TensorLike | None = None,
) -> Tensor:
    """Counts for each pair of classes how often one is predicted for the other.

    Args:
        labels: class numbers as a vector.
        predictions: class numbers as a vector of the same length.
        num_classes: the number of classes; by default one more than the largest number.
        dtype: the type of the result.
        name: the name scope.
        weights: what each pair counts; a vector.

    Returns:
        A matrix of type `dtype` with a row for each label and a column for each prediction.

    Raises:
        ValueError: if the shapes do not fit.
    """
    with name_scope(name, "confusion_matrix", (predictions, labels, num_classes, weights)):
        labels, predictions = remove_squeezable_dimensions(
            convert_to_tensor(labels, name="labels"),
            convert_to_tensor(predictions, name="predictions"),
        )
        predictions = cast(predictions, dtypes.int64)
        labels = cast(labels, dtypes.int64)
        check = assert_non_negative(labels, message="`labels` contains negative values")
        labels = with_dependencies([check], labels)
        check = assert_non_negative(predictions, message="`predictions` contains negative values")
        predictions = with_dependencies([check], predictions)
        if num_classes is None:
            largest = build.Maximum(max_of(predictions), max_of(labels))
            num_classes = build.AddV2(largest, 1, name="add")
        else:
            limit = cast(num_classes, dtypes.int64)
            check = assert_less(labels, limit, message="`labels` out of bound")
            labels = with_dependencies([check], labels)
            check = assert_less(predictions, limit, message="`predictions` out of bound")
            predictions = with_dependencies([check], predictions)
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
            predictions.shape.assert_is_compatible_with(weights.shape)
            weights = cast(weights, dtype)
        shape = stack([num_classes, num_classes])
        indices = stack([labels, predictions], axis=1)
        values = ones_like(predictions, dtype) if weights is None else weights
        dense_shape = cast(shape, dtypes.int64)
        empty = zeros(cast(shape, dtypes.int32), dtype)
        return build.SparseTensorDenseAdd(indices, values, dense_shape, empty)
