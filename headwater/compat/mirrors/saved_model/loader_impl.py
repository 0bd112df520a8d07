"""tensorflow.python.saved_model.loader_impl."""

from __future__ import annotations

from headwater.serving.saved_model.assets import get_asset_tensors
from headwater.serving.saved_model.files import maybe_saved_model_directory, parse_saved_model
from headwater.serving.saved_model.loader import SavedModelLoader, get_init_op, get_train_op, load

contains_saved_model = maybe_saved_model_directory
_parse_saved_model = parse_saved_model

__all__ = [
    "SavedModelLoader",
    "_parse_saved_model",
    "contains_saved_model",
    "get_asset_tensors",
    "get_init_op",
    "get_train_op",
    "load",
    "maybe_saved_model_directory",
    "parse_saved_model",
]
