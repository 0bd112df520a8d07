"""tensorflow.python.keras.utils.layer_utils: variables of layers, the table of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import namespace
from headwater.keras.engine.summary import count_params, print_summary
from headwater.model.trackable.layer_weights import (
    gather_non_trainable_weights,
    gather_trainable_weights,
)

__all__ = [
    "convert_dense_weights_data_format",
    "count_params",
    "gather_non_trainable_weights",
    "gather_trainable_weights",
    "is_builtin_layer",
    "print_summary",
]


def is_builtin_layer(layer: Any) -> bool:
    """Tells whether an object's class is one of `tf.keras.layers`, the base class left out."""
    name = type(layer).__name__
    return name != "Layer" and getattr(namespace.root().keras.layers, name, None) is type(layer)


def convert_dense_weights_data_format(
    dense: Any,
    previous_feature_map_shape: Sequence[int],
    target_data_format: str = "channels_first",
) -> None:
    """Reorders the rows of a dense layer after a flattened image of another data format.

    Args:
        dense: the layer.
        previous_feature_map_shape: the shape of the image, in the format to be converted to,
            without the batch.
        target_data_format: the format after the conversion.
    """
    assert target_data_format in ("channels_last", "channels_first")
    kernel, bias = dense.get_weights()
    shape = tuple(previous_feature_map_shape)
    rows = np.arange(kernel.shape[0])
    if target_data_format == "channels_first":
        channels, height, width = shape
        rows = rows.reshape((height, width, channels)).transpose((2, 0, 1))
    else:
        height, width, channels = shape
        rows = rows.reshape((channels, height, width)).transpose((1, 2, 0))
    dense.set_weights([kernel[rows.reshape(-1)], bias])
