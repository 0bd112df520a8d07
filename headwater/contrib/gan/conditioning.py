"""tf.contrib.gan.features: networks that depend on labels."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.contrib.layers.fully_connected import linear
from headwater.contrib.layers.reshaping import flatten
from headwater.graph import Tensor
from headwater.model.nn.embedding import embedding_lookup
from headwater.model.variables.variable_scope import get_variable
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.ops.math.arg_extrema import argmax


@export("contrib.gan.features.condition_tensor")
def condition_tensor(tensor: Tensor, conditioning: Tensor) -> Tensor:
    """Adds a linear function of other values to a tensor.

    Args:
        tensor: [batch, ...]; all sizes but the first are known.
        conditioning: [batch, ...].

    Returns:
        A tensor of the shape of `tensor`.

    Raises:
        ValueError: if sizes are not known or `conditioning` has fewer than two dimensions.
    """
    tensor.shape[1:].assert_is_fully_defined()
    num_features = tensor.shape[1:].num_elements()
    if conditioning.shape.ndims < 2:  # type: ignore[operator]
        raise ValueError(f"conditioning must be at least 2D, but saw shape: {conditioning.shape}")
    mapped: Any = linear(flatten(conditioning), num_features)
    if not mapped.shape.is_compatible_with(tensor.shape):
        sizes: Any = shape(tensor)
        known = tensor.shape.as_list()
        mapped = reshape(mapped, [sizes[0] if known[0] is None else known[0], *known[1:]])
    total: Tensor = tensor + mapped
    return total


@export("contrib.gan.features.condition_tensor_from_onehot")
def condition_tensor_from_onehot(
    tensor: Tensor, one_hot_labels: Tensor, embedding_size: int = 256
) -> Tensor:
    """Adds a linear function of the embedding of labels to a tensor.

    Args:
        tensor: [batch, ...]; all sizes but the first are known.
        one_hot_labels: [batch, classes].
        embedding_size: how many numbers represent a class.

    Returns:
        A tensor of the shape of `tensor`.

    Raises:
        ValueError: if sizes are not known or the labels are no matrix.
    """
    one_hot_labels.shape.assert_has_rank(2)
    one_hot_labels.shape[1:].assert_is_fully_defined()
    classes = argmax(one_hot_labels, axis=1)
    num_classes = one_hot_labels.shape.as_list()[1]
    embedding = get_variable("embedding", [num_classes, embedding_size])
    embedded = embedding_lookup(embedding, classes, name="token_to_embedding")
    return condition_tensor(tensor, embedded)
