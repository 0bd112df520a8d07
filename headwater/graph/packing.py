"""Conversion of lists that contain tensors."""

from __future__ import annotations

from typing import Any

from headwater.base.array_errors import fail_nested
from headwater.base.dtypes import DType
from headwater.graph.builders import build
from headwater.graph.convert import is_tensor_like, register_tensor_conversion_function, to_tensor
from headwater.graph.default_graph import get_default_graph
from headwater.graph.operation import Tensor


def _convert_sequence(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    """Packs a list that contains tensors; plain lists become constants."""
    try:
        found = _tensor_types(value)
    except RecursionError:
        fail_nested()
    if not found:
        return NotImplemented
    if dtype is None:
        dtype = found[0]
    elif found[0] is not dtype:
        value = _cast(value, dtype)
    graph = get_default_graph()
    with graph.name_scope(name or "packed") as scope:
        return _pack(value, dtype, scope)


def _cast(value: Any, dtype: DType) -> Any:
    """A nested list in which all tensors have one type."""
    if isinstance(value, (list, tuple)):
        return [_cast(item, dtype) for item in value]
    if not is_tensor_like(value) or value.dtype.base_dtype is dtype:
        return value
    return build.Cast(to_tensor(value), DstT=dtype)


def _tensor_types(value: Any) -> list[DType]:
    types: list[DType] = []
    for item in value:
        if isinstance(item, (list, tuple)):
            types.extend(_tensor_types(item))
        elif isinstance(item, Tensor) or hasattr(item, "_as_graph_element"):
            types.append(item.dtype.base_dtype)
    return types


def _pack(items: Any, dtype: DType, scope: str) -> Any:
    """A Pack of the items if there is a tensor among them, else the items."""
    graph = get_default_graph()
    parts: list[Any] = []
    for i, item in enumerate(items):
        if isinstance(item, (list, tuple)):
            # The name scope is taken even if nothing is made in it, as in TensorFlow.
            with graph.name_scope(str(i)) as inner:
                parts.append(_pack(item, dtype, inner))
        else:
            parts.append(item)
    if not any(is_tensor_like(part) for part in parts):
        return items
    tensors = []
    for i, part in enumerate(parts):
        if is_tensor_like(part) and part.dtype.base_dtype is not dtype:
            raise TypeError(
                f"Cannot convert a list containing a tensor of dtype {part.dtype!r} to {dtype!r} "
                f"(Tensor is: {part!r})"
            )
        tensors.append(to_tensor(part, dtype, name=str(i)))
    return build.Pack(tensors, name=scope)


register_tensor_conversion_function((list, tuple), _convert_sequence, 99)
