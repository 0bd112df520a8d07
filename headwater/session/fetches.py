"""Fetches: a structure of fetches as a flat list of tensors, and the values in that structure."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.graph import (
    Graph,
    IndexedSlices,
    IndexedSlicesValue,
    Operation,
    SparseTensor,
    SparseTensorValue,
    Tensor,
)
from headwater.session.handles import TensorHandle, fetched_handle, makes_handle

Rebuild = Callable[[list[Any]], Any]

# (type, fetch function, feed function, feed function for partial runs), newest first.
_conversions: list[tuple[type, Any, Any, Any]] = []


def register_session_run_conversion_functions(
    tensor_type: type,
    fetch_function: Callable[[Any], Any],
    feed_function: Callable[[Any, Any], Any] | None = None,
    feed_function_for_partial_run: Callable[[Any], Any] | None = None,
) -> None:
    """Registers how `Session.run` fetches and feeds objects of a type.

    Args:
        tensor_type: the class.
        fetch_function: from an object to (list of graph elements, function from values to result).
        feed_function: from (object, value) to a list of (tensor, value).
        feed_function_for_partial_run: from an object to the tensors it feeds.

    Raises:
        ValueError: if the type is registered already.
    """
    if any(issubclass(tensor_type, known) for known, *_ in _conversions):
        raise ValueError(f"{tensor_type} has already been registered so ignore it.")
    _conversions.insert(
        0, (tensor_type, fetch_function, feed_function, feed_function_for_partial_run)
    )


def conversion_of(value: Any) -> tuple[type, Any, Any, Any] | None:
    """The registered conversion for an object, or None."""
    for entry in _conversions:
        if isinstance(value, entry[0]):
            return entry
    return None


def _slices_parts(value: IndexedSlices) -> list[Tensor]:
    parts = [value.values, value.indices]
    return parts if value.dense_shape is None else [*parts, value.dense_shape]


register_session_run_conversion_functions(
    SparseTensor,
    lambda s: ([s.indices, s.values, s.dense_shape], lambda v: SparseTensorValue(*v)),
    lambda s, value: list(zip((s.indices, s.values, s.dense_shape), value)),
    lambda s: [s.indices, s.values, s.dense_shape],
)
register_session_run_conversion_functions(
    IndexedSlices,
    lambda s: (
        _slices_parts(s),
        lambda v: IndexedSlicesValue(v[0], v[1], v[2] if len(v) == 3 else None),
    ),
    lambda s, value: list(zip(_slices_parts(s), value)),
    _slices_parts,
)


class FetchMap:
    """The flat fetches of one structure.

    Args:
        graph: the graph of the session.
        fetches: the structure.
        session: the session that keeps the tensors of fetched handles.

    Attributes:
        tensors: the tensors to compute, each once.
        operations: the ops to run for their effect.
    """

    def __init__(self, graph: Graph, fetches: Any, session: Any = None) -> None:
        self._graph = graph
        # A session keeps its fetch maps.
        self._session = weakref.ref(session) if session is not None else lambda: None
        self._positions: dict[Tensor, int] = {}
        self.operations: list[Operation] = []
        self._rebuild = self._collect(fetches)
        self.tensors = list(self._positions)

    def result(self, values: list[Any]) -> Any:
        """Puts the values of `tensors` into the structure of the fetches; ops give None."""
        return self._rebuild(values)

    def _collect(self, fetch: Any) -> Rebuild:
        if isinstance(fetch, Tensor):
            return self._element(fetch, fetch)
        if isinstance(fetch, (list, tuple)):
            return self._sequence(fetch)
        if isinstance(fetch, Mapping):
            kind: Any = type(fetch)
            wrapped = getattr(fetch, "__wrapped__", None)
            if wrapped is not None:
                inside = self._collect(wrapped)
                return lambda values: kind(inside(values))
            keys = list(fetch)
            parts = [self._collect(fetch[key]) for key in keys]
            make: Callable[[Any], Any]
            if issubclass(kind, dict) and kind.__init__ is not dict.__init__:
                make = lambda items: _filled_copy(kind, fetch, items)  # noqa: E731
            else:
                make = kind
            return lambda values: make([(k, p(values)) for k, p in zip(keys, parts)])
        if hasattr(type(fetch), "__attrs_attrs__"):
            fields = [a.name for a in type(fetch).__attrs_attrs__]
            parts = [self._collect(getattr(fetch, name)) for name in fields]
            return lambda values: type(fetch)(*(p(values) for p in parts))
        conversion = conversion_of(fetch)
        if conversion is not None:
            elements, contraction = conversion[1](fetch)
            parts = [self._element(fetch, e) for e in elements]
            return lambda values: contraction([p(values) for p in parts])
        return self._element(fetch, fetch)

    def _sequence(self, fetch: Any) -> Rebuild:
        parts = [self._collect(item) for item in fetch]
        # A class of tuples with a constructor of its own takes the items, as a named tuple does.
        if isinstance(fetch, tuple) and type(fetch).__new__ is not tuple.__new__:
            return lambda values: type(fetch)(*[p(values) for p in parts])
        if isinstance(fetch, list):
            return lambda values: [p(values) for p in parts]
        return lambda values: tuple([p(values) for p in parts])

    def _element(self, fetch: Any, element: Any) -> Rebuild:
        if fetch is None:
            raise TypeError(f"Fetch argument {fetch!r} has invalid type {type(fetch)!r}")
        try:
            found = self._graph.as_graph_element(element, allow_tensor=True, allow_operation=True)
        except TypeError as error:
            raise TypeError(
                f"Fetch argument {element!r} has invalid type {type(element)!r}, must be a string "
                f"or Tensor. ({error})"
            ) from None
        except ValueError as error:
            raise ValueError(
                f"Fetch argument {element!r} cannot be interpreted as a Tensor. ({error})"
            ) from None
        except KeyError as error:
            raise ValueError(
                f"Fetch argument {element!r} cannot be interpreted as a Tensor. ({error})"
            ) from None
        if not self._graph.is_fetchable(found):
            name = found.op.name if isinstance(found, Tensor) else found.name
            raise errors.InaccessibleTensorError(
                f"Operation {name!r} has been marked as not fetchable. Typically this happens when "
                "it is defined in another function or code block. Use return values,explicit "
                "Python locals or TensorFlow collections to access it."
            )
        if isinstance(found, Operation):
            if found not in self.operations:
                self.operations.append(found)
            return lambda values: None
        position = self._positions.setdefault(found, len(self._positions))
        if makes_handle(found):
            return lambda values: self._handle(found, values, position)
        if found.dtype.is_quantized:
            return lambda values: _integers(values[position])
        return lambda values: values[position]

    def _handle(self, tensor: Tensor, values: list[Any], position: int) -> Any:
        """The TensorHandle of a fetched handle; the same one wherever it is fetched."""
        if not isinstance(values[position], TensorHandle):
            values[position] = fetched_handle(tensor, values[position], self._session())
        return values[position]


def _integers(value: Any) -> Any:
    """The plain integers of a quantized array."""
    return np.asarray(value).view(value.dtype[0]) if value.dtype.names else value


def _filled_copy(kind: type, original: Any, items: list[tuple[Any, Any]]) -> Any:
    result = kind(original.default_factory) if hasattr(original, "default_factory") else kind()
    result.update(items)
    return result


def fetch_key(fetches: Any) -> Any:
    """A hashable key of a structure of fetches, or None if a part of it is not hashable."""
    if isinstance(fetches, (Tensor, Operation, str)):
        return fetches
    if type(fetches) in (list, tuple):
        parts = [fetch_key(item) for item in fetches]
        return None if None in parts else (type(fetches), *parts)
    if type(fetches) is dict:
        parts = [fetch_key(item) for item in fetches.values()]
        return None if None in parts else (dict, *fetches, *parts)
    return fetches if hasattr(fetches, "_as_graph_element") else None
