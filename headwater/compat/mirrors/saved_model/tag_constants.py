"""tensorflow.python.saved_model.tag_constants."""

from __future__ import annotations

from headwater.serving.saved_model.constants import EVAL, GPU, SERVING, TPU, TRAINING

__all__ = ["EVAL", "GPU", "SERVING", "TPU", "TRAINING"]
