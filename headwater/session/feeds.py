"""Feeds: from a feed_dict to a flat list of checked arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from headwater.base import native, nest
from headwater.base.tensor_shape import TensorShape
from headwater.graph import Graph, Tensor
from headwater.session.fetches import conversion_of
from headwater.session.handles import TensorHandle, fed_value


class FeedMap:
    """The flat feeds of feed_dicts with the same keys.

    Args:
        graph: the graph of the session.
        feed_dict: a feed_dict with these keys.
        partial: whether it only says what a partial run will be fed.

    Attributes:
        tensors: the fed tensors in order.
    """

    def __init__(self, graph: Graph, feed_dict: Mapping[Any, Any], partial: bool = False) -> None:
        self.tensors: list[Tensor] = []
        self._expand: list[Callable[[Any], list[Any]]] | None = None
        if not all(isinstance(key, Tensor) for key in feed_dict):
            self._expand = []
        for key, value in feed_dict.items():
            elements, expand = _parts(key, value, partial)
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
        values = feed_dict.values() if self._expand is None else self._values(feed_dict)
        return [feed_array(t, value) for t, value in zip(self.tensors, values)]

    @property
    def is_plain(self) -> bool:
        """Whether every key is a tensor."""
        return self._expand is None

    def fits(self, feed_dict: Mapping[Any, Any]) -> bool:
        """Whether a feed_dict with the same keys feeds the same tensors.

        A SparseTensor of a constant shape may be fed with and without it.
        """
        return self._expand is None or len(self._values(feed_dict)) == len(self.tensors)

    def _values(self, feed_dict: Mapping[Any, Any]) -> Any:
        values: Any = feed_dict.values()
        if self._expand is None:
            return values
        return [part for expand, value in zip(self._expand, values) for part in expand(value)]


_Expand = Callable[[Any], list[Any]]


def _parts(key: Any, value: Any, partial: bool) -> tuple[list[Any], _Expand]:
    """The graph elements that a key of a feed_dict stands for, and how its value is split."""
    if nest.is_nested(key):
        flat_key = nest.flatten(key)
        seen: set[Any] = set()
        for item in flat_key:
            if item in seen:
                raise ValueError(f"Could not flatten dictionary: key {item} is not unique.")
            seen.add(item)

        def flat_value(value: Any) -> list[Any]:
            flat = nest.flatten(value)
            if len(flat) != len(flat_key):
                raise ValueError(
                    f"Could not flatten dictionary. Key had {len(flat_key)} elements, but value "
                    f"had {len(flat)} elements. Key: {flat_key}, value: {flat}."
                )
            return flat

        flat = [None] * len(flat_key) if partial else flat_value(value)
        parts = [_parts(item, v, partial) for item, v in zip(flat_key, flat)]

        def expand(value: Any) -> list[Any]:
            return [v for (_, inner), item in zip(parts, flat_value(value)) for v in inner(item)]

        return [element for elements, _ in parts for element in elements], expand
    conversion = None if isinstance(key, Tensor) else conversion_of(key)
    if conversion is None:
        return [key], lambda value: [value]
    if partial:
        return conversion[3](key), lambda value: [value]
    elements = [element for element, _ in conversion[2](key, value)]
    return elements, lambda value: [part for _, part in conversion[2](key, value)]


def feed_array(tensor: Tensor, value: Any) -> np.ndarray:
    """A fed value as an array of the tensor's type, checked against its shape.

    Raises:
        TypeError: if the value is a Tensor or does not fit the type.
        ValueError: if the shape does not fit.
    """
    dtype = tensor._dtype.base_dtype.numpy_dtype
    if dtype is None:
        array = _as_feed(tensor, value, dtype)
    elif type(value) is np.ndarray and value.dtype is dtype and dtype.kind != "O":
        array = value
    elif type(value) is float and dtype.kind == "f":
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
    if isinstance(value, TensorHandle):
        return np.asarray(fed_value(tensor, value))
    if dtype is None:
        # A resource or variant: its value is a Python object.
        box = np.empty((), object)
        box[()] = value
        return box
    if isinstance(value, int) and not _holds(dtype, value):
        raise TypeError(
            f"Type of feed value {value} with type {type(value)} is not compatible with "
            f"Tensor type {tensor._dtype.as_numpy_dtype}. Try explicitly setting the type of "
            "the feed tensor to a larger type (e.g. int64)."
        )
    if dtype.kind == "O":
        return _strings(value)
    with np.errstate(all="ignore"):
        return np.asarray(value, dtype=dtype)


def _holds(dtype: np.dtype, value: int) -> bool:
    """Whether a type can hold an integer exactly."""
    if dtype.kind == "O":
        return False
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return bool(limits.min <= value <= limits.max)
    try:
        with np.errstate(all="ignore"):
            return bool(complex(dtype.type(value)) == value)
    except OverflowError:
        return False


def _strings(value: Any) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind in "SU":
        # NumPy drops trailing zeros of its own strings; those of objects stay.
        array = np.asarray(value, dtype=object)
    if array.dtype == object:
        encoded: np.ndarray | None = native.host().encode(array)
        if encoded is not None:
            return encoded
    if array.dtype.kind in "UO":
        flat = array.ravel().tolist()
        if flat and type(flat[0]) is bytes and set(map(type, flat)) == {bytes}:
            return array.copy(order="C")
        try:
            flat = list(map(str.encode, flat))
        except TypeError:
            # Not all of them are str.
            flat = [v.encode() if isinstance(v, str) else v for v in flat]
        result = np.empty(array.size, object)
        result[:] = flat
        return result.reshape(array.shape)
    return array.astype(object)
