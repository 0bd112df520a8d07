"""Feeds: from a feed_dict to a flat list of checked arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from headwater.base.tensor_shape import TensorShape
from headwater.graph import Graph, Tensor
from headwater.session.fetches import conversion_of


class FeedMap:
    """The flat feeds of feed_dicts with the same keys.

    Attributes:
        tensors: the fed tensors in order.
    """

    def __init__(self, graph: Graph, feed_dict: Mapping[Any, Any]) -> None:
        self.tensors: list[Tensor] = []
        self._expand: list[Callable[[Any], list[Any]]] | None = None
        if not all(isinstance(key, Tensor) for key in feed_dict):
            self._expand = []
        for key in feed_dict:
            elements, expand = _parts(key)
            if self._expand is not None:
                self._expand.append(expand)
            for element in elements:
                try:
                    tensor = graph.as_graph_element(element, allow_operation=False)
                except (TypeError, ValueError, KeyError) as error:
                    text = error.args[0] if error.args else error
                    raise TypeError(f"Cannot interpret feed_dict key as Tensor: {text}") from None
                if not graph.is_feedable(tensor):
                    raise ValueError(f"Tensor {tensor} may not be fed.")
                self.tensors.append(tensor)

    def arrays(self, feed_dict: Mapping[Any, Any]) -> list[np.ndarray]:
        """The values of a feed_dict as checked arrays, in the order of `tensors`."""
        values: Any = feed_dict.values()
        if self._expand is not None:
            values = [part for expand, value in zip(self._expand, values) for part in expand(value)]
        return [feed_array(tensor, value) for tensor, value in zip(self.tensors, values)]


def _parts(key: Any) -> tuple[list[Any], Callable[[Any], list[Any]]]:
    """The graph elements that a key of a feed_dict stands for, and how its value is split."""
    if isinstance(key, tuple):
        parts = [_parts(item) for item in key]

        def expand(value: Any) -> list[Any]:
            return [v for (_, inner), item in zip(parts, value, strict=True) for v in inner(item)]

        return [element for elements, _ in parts for element in elements], expand
    conversion = None if isinstance(key, Tensor) else conversion_of(key)
    if conversion is None:
        return [key], lambda value: [value]
    elements = conversion[3](key)
    return elements, lambda value: [part for _, part in conversion[2](key, value)]


def feed_array(tensor: Tensor, value: Any) -> np.ndarray:
    """A fed value as an array of the tensor's type, checked against its shape.

    Raises:
        TypeError: if the value is a Tensor or does not fit the type.
        ValueError: if the shape does not fit.
    """
    dtype = tensor._dtype.base_dtype.numpy_dtype
    if type(value) is np.ndarray and value.dtype is dtype and dtype.kind != "O":
        array = value
    elif type(value) is float and dtype.kind == "f":  # type: ignore[union-attr]
        array = np.asarray(value, dtype)
    else:
        array = _as_feed(tensor, value, dtype)
    static = tensor._shape
    if static is not None and array.shape != static:
        shape = array.shape
        if len(shape) != len(static) or any(
            s is not None and s != d for s, d in zip(static, shape)
        ):
            raise ValueError(
                f"Cannot feed value of shape {shape!r} for Tensor {tensor.name!r}, which has shape "
                f"'{TensorShape(static)}'"
            )
    return array


def _as_feed(tensor: Tensor, value: Any, dtype: Any) -> np.ndarray:
    if isinstance(value, Tensor) or hasattr(value, "_as_graph_element"):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
            "Python scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, the "
            f"tensor object was {value!s} which was passed to the feed with key {tensor!s}."
        )
    if dtype is None:
        # A resource or variant: its value is a Python object.
        box = np.empty((), object)
        box[()] = value
        return box
    if isinstance(value, int) and not isinstance(value, bool) and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if not limits.min <= value <= limits.max:
            raise TypeError(
                f"Type of feed value {value} with type {type(value)} is not compatible with "
                f"Tensor type {tensor._dtype.as_numpy_dtype}. Try explicitly setting the type of "
                "the feed tensor to a larger type (e.g. int64)."
            )
    if dtype.kind == "O":
        return _strings(value)
    with np.errstate(all="ignore"):
        return np.asarray(value, dtype=dtype)


def _strings(value: Any) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind == "S":
        # NumPy drops trailing zero bytes of its own byte strings; those of objects stay.
        array = np.asarray(value, dtype=object)
    if array.dtype.kind in "UO":
        flat = [v.encode() if isinstance(v, str) else v for v in array.ravel().tolist()]
        result = np.empty(array.size, object)
        result[:] = flat
        return result.reshape(array.shape)
    return array.astype(object)
