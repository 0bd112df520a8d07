"""Layers without variables that change the form of tensors."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.framework.arg_scope import add_arg_scope
from headwater.contrib.layers.utils import collect_named_outputs
from headwater.graph import Tensor, convert_to_tensor, name_scope
from headwater.model.layers.core import flatten as flattened
from headwater.ops.array.one_hot import one_hot
from headwater.ops.math.cast import to_int64


@export("contrib.layers.flatten", "contrib.slim.flatten")
@add_arg_scope
def flatten(
    inputs: TensorLike,
    outputs_collections: str | Sequence[str] | None = None,
    scope: str | None = None,
) -> Tensor:
    """Makes one vector of each example.

    Args:
        inputs: a tensor ``[batch, ...]``.
        outputs_collections: the collections for the output.
        scope: the name scope.

    Returns:
        A tensor of rank 2.

    Raises:
        ValueError: if the rank is 0.
    """
    with name_scope(scope, "Flatten", [inputs]) as name:
        outputs = flattened(convert_to_tensor(inputs))
        return collect_named_outputs(outputs_collections, name, outputs)


@export("contrib.layers.one_hot_encoding", "contrib.slim.one_hot_encoding")
@add_arg_scope
def one_hot_encoding(
    labels: TensorLike,
    num_classes: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    outputs_collections: str | Sequence[str] | None = None,
    scope: str | None = None,
) -> Tensor:
    """Makes labels one-hot vectors.

    Args:
        labels: a tensor of integers ``[batch]``.
        num_classes: the length of the vectors.
        on_value: the value at the place of the label.
        off_value: the value elsewhere.
        outputs_collections: the collections for the output.
        scope: the name scope.

    Returns:
        A float32 tensor ``[batch, num_classes]``.
    """
    with name_scope(scope, "OneHotEncoding", [labels, num_classes]) as name:
        labels = convert_to_tensor(labels)
        if labels.dtype == dtypes.int32:
            labels = to_int64(labels)
        outputs = one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return collect_named_outputs(outputs_collections, name, outputs)
