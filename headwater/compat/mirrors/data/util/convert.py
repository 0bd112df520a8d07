"""tensorflow.python.data.util.convert: arguments of datasets as tensors."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.data.datasets.batching import partial_shape as partial_shape_to_tensor
from headwater.data.datasets.files import optional_tensor
from headwater.graph import Tensor

__all__ = ["optional_param_to_tensor", "partial_shape_to_tensor"]


def optional_param_to_tensor(
    argument_name: str,
    argument_value: Any,
    argument_default: Any = 0,
    argument_dtype: Any = dtypes.int64,
) -> Tensor:
    """The value of an argument as a tensor; a default if it is None."""
    return optional_tensor(argument_name, argument_value, argument_default, argument_dtype)
