"""tensorflow.python.saved_model.builder_impl."""

from __future__ import annotations

from headwater.serving.saved_model.assets import asset_path_of as _asset_path_from_tensor
from headwater.serving.saved_model.builder import SavedModelBuilder
from headwater.serving.saved_model.builder import SignatureSavedModelBuilder as _SavedModelBuilder

__all__ = ["SavedModelBuilder", "_SavedModelBuilder", "_asset_path_from_tensor"]
