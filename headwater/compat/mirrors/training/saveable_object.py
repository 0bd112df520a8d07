"""tensorflow.python.training.saveable_object: what can be saved."""

from __future__ import annotations

from headwater.train.checkpoints.saveables import SaveableObject, SaveSpec

__all__ = ["SaveSpec", "SaveableObject"]
