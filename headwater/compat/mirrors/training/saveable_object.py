"""tensorflow.python.training.saveable_object: what can be saved."""

from __future__ import annotations

from headwater.model.trackable.saveable import SaveableObject, SaveSpec

__all__ = ["SaveSpec", "SaveableObject"]
