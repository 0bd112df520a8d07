"""tensorflow.contrib.saved_model.python.saved_model.reader."""

from __future__ import annotations

from headwater.serving.saved_model.tag_sets import (
    get_saved_model_tag_sets,
    read_saved_model,
)

__all__ = ["get_saved_model_tag_sets", "read_saved_model"]
