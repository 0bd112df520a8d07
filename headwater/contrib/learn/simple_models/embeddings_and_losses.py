"""`tf.contrib.learn.ops`: embeddings of tensors of any rank, and models with their losses."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, convert_to_tensor, name_scope
from headwater.model.losses.losses import mean_squared_error, softmax_cross_entropy
from headwater.model.nn import embedding
from headwater.model.nn.dense import xw_plus_b
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.reshape import reshape, squeeze
from headwater.ops.array.shape import shape
from headwater.ops.math.arithmetic import multiply
from headwater.ops.math.reduce_functions import reduce_prod
from headwater.ops.nn.softmax import softmax


@export("contrib.learn.ops.embedding_lookup", "contrib.learn.ops.embeddings_ops.embedding_lookup")
def embedding_lookup(params: TensorLike, ids: TensorLike, name: str = "embedding_lookup") -> Tensor:
    """Returns rows of a table for ids of any rank.

    Args:
        params: the table; its rows may be tensors.
        ids: int32 or int64 indices of rows.
        name: the name scope.

    Returns:
        A tensor of shape ``ids.shape + params.shape[1:]``.
    """
    with name_scope(name, "embedding_lookup", [params, ids]):
        table = convert_to_tensor(params)
        indices = convert_to_tensor(ids)
        index_shape = shape(indices)
        flat = reshape(indices, reduce_prod(index_shape, keepdims=True))
        rows = embedding.embedding_lookup(table, flat, name=name)
        result = reshape(rows, concat([index_shape, [-1]], 0))
        result.set_shape(indices.get_shape().concatenate(table.get_shape()[1:]))
        return result


@export(
    "contrib.learn.ops.categorical_variable",
    "contrib.learn.ops.embeddings_ops.categorical_variable",
)
def categorical_variable(
    tensor_in: TensorLike, n_classes: int, embedding_size: int, name: str
) -> Tensor:
    """Returns trained embeddings of categories.

    Args:
        tensor_in: ids of categories, of any rank.
        n_classes: the number of categories.
        embedding_size: the length of an embedding.
        name: the name of the variable scope; the variable is "NAME/NAME_embeddings".

    Returns:
        A float32 tensor of shape ``tensor_in.shape + [embedding_size]``.
    """
    with variable_scope(name):
        table = get_variable(f"{name}_embeddings", [n_classes, embedding_size])
        return embedding_lookup(table, tensor_in)


@export(
    "contrib.learn.ops.mean_squared_error_regressor",
    "contrib.learn.ops.losses_ops.mean_squared_error_regressor",
)
def mean_squared_error_regressor(
    tensor_in: Tensor, labels: Tensor, weights: Any, biases: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the predictions of a linear model and their mean squared error.

    Args:
        tensor_in: the features ``[batch, n]``.
        labels: the labels ``[batch]`` or ``[batch, m]``.
        weights: the weights ``[n, m]``.
        biases: the biases ``[m]``.
        name: the name scope.

    Returns:
        The predictions in the shape of the labels, and the loss.
    """
    with name_scope(name, "mean_squared_error_regressor", [tensor_in, labels]):
        predictions = xw_plus_b(tensor_in, weights, biases)
        if len(labels.get_shape()) == 1 and len(predictions.get_shape()) == 2:
            predictions = squeeze(predictions, axis=[1])
        return predictions, mean_squared_error(labels, predictions)


@export("contrib.learn.ops.softmax_classifier", "contrib.learn.ops.losses_ops.softmax_classifier")
def softmax_classifier(
    tensor_in: Tensor,
    labels: Tensor,
    weights: Any,
    biases: Any,
    class_weight: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the probabilities of a linear classifier and their cross entropy.

    Args:
        tensor_in: the features ``[batch, n]``.
        labels: the labels, one-hot ``[batch, classes]``.
        weights: the weights ``[n, classes]``.
        biases: the biases ``[classes]``.
        class_weight: factors of the logits ``[classes]``, or None.
        name: the name scope.

    Returns:
        The probabilities and the loss.
    """
    with name_scope(name, "softmax_classifier", [tensor_in, labels]):
        logits = xw_plus_b(tensor_in, weights, biases)
        if class_weight is not None:
            logits = multiply(logits, class_weight)
        return softmax(logits), softmax_cross_entropy(labels, logits)


@export("contrib.learn.ops.one_hot_matrix")
def one_hot_matrix(
    tensor_in: TensorLike, num_classes: int, on_value: float = 1.0, off_value: float = 0.0
) -> Tensor:
    """Returns one-hot rows of classes.

    Args:
        tensor_in: ids of classes, of any rank.
        num_classes: the number of classes.
        on_value: the value at a class.
        off_value: the value everywhere else.

    Returns:
        A float32 tensor of shape ``tensor_in.shape + [num_classes]``.
    """
    ids = convert_to_tensor(tensor_in, dtype=dtypes.int64)
    return one_hot(ids, num_classes, on_value, off_value)
