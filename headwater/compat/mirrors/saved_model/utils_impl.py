"""tensorflow.python.saved_model.utils_impl."""

from __future__ import annotations

from headwater.serving.saved_model.files import (
    get_assets_dir,
    get_or_create_assets_dir,
    get_or_create_variables_dir,
    get_variables_dir,
    get_variables_path,
)
from headwater.serving.saved_model.tensor_infos import (
    build_tensor_info,
    build_tensor_info_from_op,
    get_element_from_tensor_info,
    get_tensor_from_tensor_info,
)

build_tensor_info_internal = build_tensor_info

__all__ = [
    "build_tensor_info",
    "build_tensor_info_from_op",
    "build_tensor_info_internal",
    "get_assets_dir",
    "get_element_from_tensor_info",
    "get_or_create_assets_dir",
    "get_or_create_variables_dir",
    "get_tensor_from_tensor_info",
    "get_variables_dir",
    "get_variables_path",
]
