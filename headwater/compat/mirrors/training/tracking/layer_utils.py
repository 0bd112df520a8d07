"""tensorflow.python.training.tracking.layer_utils: variables of layers inside of objects."""

from __future__ import annotations

from headwater.model.trackable.layer_weights import (
    filter_empty_layer_containers,
    gather_non_trainable_weights,
    gather_trainable_weights,
    has_weights,
    is_layer,
)

__all__ = [
    "filter_empty_layer_containers",
    "gather_non_trainable_weights",
    "gather_trainable_weights",
    "has_weights",
    "is_layer",
]
