"""tensorflow.python.saved_model.utils."""

from __future__ import annotations

from headwater.serving.saved_model.tensor_infos import (
    build_tensor_info,
    build_tensor_info_from_op,
    get_tensor_from_tensor_info,
)

__all__ = ["build_tensor_info", "build_tensor_info_from_op", "get_tensor_from_tensor_info"]
