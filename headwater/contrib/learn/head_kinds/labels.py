"""Labels and weights as heads take them."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes, logging
from headwater.graph import name_scope
from headwater.graph.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from headwater.ops.array.reshape import reshape
from headwater.ops.math.cast import cast
from headwater.ops.sparse.dense import sparse_to_indicator


def labels_tensor(labels: Any, label_name: str | None) -> Any:
    """The labels of a name as a tensor.

    Args:
        labels: a tensor, or tensors by name.
        label_name: the name; None if they are a tensor.

    Returns:
        A Tensor or SparseTensor.

    Raises:
        KeyError: if there are no labels of this name.
    """
    if isinstance(labels, dict):
        labels = labels[label_name]
    return convert_to_tensor_or_sparse_tensor(labels)


def check_dense(labels: Any) -> None:
    """Checks that labels are dense.

    Args:
        labels: a Tensor or SparseTensor.

    Raises:
        ValueError: if they are sparse.
    """
    if isinstance(labels, SparseTensor):
        raise ValueError("SparseTensor is not supported.")


def sparse_to_indicators(labels: Any, num_classes: int) -> Any:
    """Sparse labels as a matrix of zeros and ones; dense ones unchanged.

    Args:
        labels: a SparseTensor of class ids, or a Tensor.
        num_classes: the number of classes.

    Returns:
        A Tensor.

    Raises:
        ValueError: if the labels are sparse and there are fewer than two classes.
    """
    if not isinstance(labels, SparseTensor):
        return labels
    if num_classes < 2:
        raise ValueError("Must set num_classes >= 2 when passing labels as a SparseTensor.")
    return cast(sparse_to_indicator(labels, num_classes), dtypes.int64)


def weight_tensor(features: Any, weight_column_name: str | None) -> Any:
    """The weights of examples, a column.

    Args:
        features: tensors by name.
        weight_column_name: the name of the feature with the weights; or None.

    Returns:
        A Tensor of float32, or None.

    Raises:
        ValueError: if there is no such feature.
    """
    if not weight_column_name:
        return None
    if weight_column_name not in features:
        raise ValueError(f"Weights {weight_column_name} missing from features.")
    with name_scope("weight_tensor"):
        weights = cast(features[weight_column_name], dtypes.float32)
        weight_shape = weights.get_shape()
        if weight_shape.ndims == 1:
            logging.warning(
                f"Weights {weight_column_name} has shape {weight_shape}, expanding to make it 2d."
            )
            weights = reshape(weights, (-1, 1))
        return weights
