"""tensorflow.python.saved_model.builder."""

from __future__ import annotations

from headwater.serving.saved_model.builder import SavedModelBuilder
from headwater.serving.saved_model.builder import SignatureSavedModelBuilder as _SavedModelBuilder

__all__ = ["SavedModelBuilder", "_SavedModelBuilder"]
