"""Classes of tf.contrib.model_pruning that programs take from their modules."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.contrib.model_pruning import masked_layers

_LAYERS = "tensorflow.contrib.model_pruning.python.layers.core_layers"
internal(f"{_LAYERS}.MaskedConv2D")(masked_layers.MaskedConv2D)
internal(f"{_LAYERS}.MaskedFullyConnected")(masked_layers.MaskedFullyConnected)
