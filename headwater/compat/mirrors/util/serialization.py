"""tensorflow.python.util.serialization."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.dimension import Dimension
from headwater.base.tensor_shape import TensorShape


def get_json_type(obj: Any) -> Any:
    """Returns what JSON can hold in place of an object.

    Args:
      obj: an array, a shape, a dimension, a function or a class.

    Returns:
      A list, a number or a name.

    Raises:
      TypeError: if there is no such thing.
    """
    if hasattr(obj, "get_config"):
        return {"class_name": type(obj).__name__, "config": obj.get_config()}
    if isinstance(obj, np.ndarray | np.generic):
        return obj.tolist() if isinstance(obj, np.ndarray) else obj.item()
    if isinstance(obj, TensorShape):
        return obj.as_list()
    if isinstance(obj, Dimension):
        return obj.value
    if hasattr(obj, "__name__"):
        return obj.__name__
    raise TypeError("Not JSON Serializable:", obj)
