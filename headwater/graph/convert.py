"""Conversion of Python values to tensors, and its registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import array_values, dtypes
from headwater.base.dimension import Dimension
from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.signatures import signature
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph.default_graph import get_default_graph
from headwater.graph.operation import Operation, Tensor
from headwater.graph.registry import lookup
from headwater.io.tensor_proto import array_of_proto

array_values.register_symbolic_type(Tensor)
# The largest constant, in bytes: a GraphDef cannot hold more.
_MAX_BYTES = 1 << 31

# (type, function) by priority; the first whose type fits and that does not decline converts.
_by_priority: dict[int, list[tuple[Any, Callable[..., Any]]]] = {}
_cache: dict[type, list[tuple[Any, Callable[..., Any]]]] = {}


@export("register_tensor_conversion_function")
def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Registers a conversion of a type for `convert_to_tensor`.

    Args:
        base_type: a class, or a tuple of classes.
        conversion_func: function ``(value, dtype, name, as_ref)`` that returns a Tensor, or
            NotImplemented to leave the value to others.
        priority: smaller ones are asked first.

    Raises:
        TypeError: if an argument is of the wrong kind.
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not types or not all(isinstance(t, type) for t in types):
        raise TypeError("base_type must be a type or a tuple of types.")
    if not callable(conversion_func):
        raise TypeError("conversion_func must be callable.")
    _by_priority.setdefault(priority, []).append((base_type, conversion_func))
    _cache.clear()


def _converters(kind: type) -> list[tuple[Any, Callable[..., Any]]]:
    found = _cache.get(kind)
    if found is None:
        found = _cache[kind] = [
            (base, function)
            for priority in sorted(_by_priority)
            for base, function in _by_priority[priority]
            if issubclass(kind, base)
        ]
    return found


def to_tensor(
    value: Any,
    dtype: DType | None = None,
    name: str | None = None,
    preferred: DType | None = None,
    as_ref: bool = False,
) -> Tensor:
    """`convert_to_tensor` on checked arguments; see there."""
    if isinstance(value, Tensor):
        if dtype is not None and value._dtype.base_dtype is not dtype.base_dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                f"{value._dtype.name}: {value!r}"
            )
        return value
    if dtype is None and preferred is not None:
        try:
            return _convert(value, preferred, name, as_ref)
        except (TypeError, ValueError):
            pass
    return _convert(value, dtype, name, as_ref)


def _convert(value: Any, dtype: DType | None, name: str | None, as_ref: bool) -> Tensor:
    for base, function in _converters(type(value)):
        result = function(value, dtype=dtype, name=name, as_ref=as_ref)
        if result is NotImplemented:
            continue
        if not isinstance(result, Tensor):
            raise RuntimeError(
                f"{_prefix(name)}Conversion function {function!r} for type {base} returned "
                f"non-Tensor: {result!r}"
            )
        if dtype is not None and not dtype.is_compatible_with(result._dtype):
            raise RuntimeError(
                f"{_prefix(name)}Conversion function {function!r} for type {base} returned "
                f"incompatible dtype: requested = {dtype.base_dtype.name}, "
                f"actual = {result._dtype.name}"
            )
        return result
    return constant_node(value, dtype, name)


def _prefix(name: str | None) -> str:
    return f"Error converting {name}: " if name else ""


def constant_node(
    value: Any, dtype: DType | None = None, name: str | None = None, shape: Any = None
) -> Tensor:
    """A Const node of a Python value; see `tf.constant`."""
    if isinstance(value, np.ndarray) and value.nbytes >= _MAX_BYTES:
        raise ValueError("Cannot create a tensor proto whose content is larger than 2GB.")
    if type(value).__name__ == "TensorProto":
        array, found = array_of_proto(value), as_dtype(value.dtype)
    else:
        array, found = array_values.as_array(value, dtype, shape)
    graph = get_default_graph()
    attrs = {"value": array, "dtype": found}
    op = graph.add_node(lookup("Const"), (), attrs, [found], graph.new_name(name or "Const"))
    output = op._outputs[0]
    output._shape = array.shape
    return output


def _convert_shape(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    """Converts a known TensorShape to an integer vector."""
    if not value.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape to a Tensor: {value}")
    sizes = value.as_list()
    if dtype is None:
        large = any(size > dtypes.int32.max for size in sizes)
        dtype = dtypes.int64 if large else dtypes.int32
    elif dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"Cannot convert a TensorShape to dtype: {dtype}")
    elif dtype == dtypes.int32 and any(size > dtypes.int32.max for size in sizes):
        largest = next(size for size in sizes if size > dtypes.int32.max)
        raise ValueError(
            f"Cannot convert a TensorShape to dtype int32; a dimension is too large ({largest})"
        )
    return constant_node(sizes, dtype, name or "shape_as_tensor")


def _convert_size(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    """Converts a known Dimension to an integer scalar."""
    if value.value is None:
        raise ValueError(f"Cannot convert an unknown Dimension to a Tensor: {value}")
    if dtype is None:
        dtype = dtypes.int64 if value.value > dtypes.int32.max else dtypes.int32
    elif dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"Cannot convert a TensorShape to dtype: {dtype}")
    return constant_node(value.value, dtype, name or "shape_as_tensor")


def _refuse_operation(
    value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False
) -> Tensor:
    raise TypeError(
        f"Can't convert Operation '{value.name}' to Tensor (target dtype={dtype!r}, name={name!r}, "
        f"as_ref={as_ref!r})"
    )


register_tensor_conversion_function(Operation, _refuse_operation, 0)
register_tensor_conversion_function(TensorShape, _convert_shape)
register_tensor_conversion_function(Dimension, _convert_size)


@export("convert_to_tensor")
@signature("value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None")
def convert_to_tensor(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
    as_ref: bool = False,
) -> Tensor:
    """Converts a value to a tensor.

    Args:
        value: a Tensor, a Python or NumPy value, or an object of a registered type.
        dtype: the type that the tensor must have; None takes it from the value.
        name: the name of a node that has to be made.
        preferred_dtype: a type that is tried first if `dtype` is None.
        dtype_hint: newer name of `preferred_dtype`.
        as_ref: whether a variable may be given as a mutable tensor.

    Returns:
        A Tensor.

    Raises:
        TypeError: if the value does not fit the type or is of no known type.
        ValueError: if the value is None, or a Tensor of another type.

    Example:
        >>> x = tf.convert_to_tensor([1.0, 2.0])
        >>> print(x.dtype, x.shape)
        <dtype: 'float32'> (2,)
    """
    if isinstance(preferred_dtype, bool):
        as_ref, preferred_dtype = preferred_dtype, None
    hint = preferred_dtype if preferred_dtype is not None else dtype_hint
    return to_tensor(
        value,
        None if dtype is None else as_dtype(dtype),
        name,
        None if hint is None else as_dtype(hint),
        as_ref,
    )


def convert_n_to_tensor(
    values: Any, dtype: DTypeLike | None = None, name: str | None = None, as_ref: bool = False
) -> list[Tensor]:
    """Converts each element of a list; names are numbered."""
    return [
        convert_to_tensor(v, dtype, None if name is None else f"{name}_{i}", as_ref=as_ref)
        for i, v in enumerate(values)
    ]


def is_tensor_like(value: Any) -> bool:
    """Whether `value` is a Tensor or stands for one (a variable)."""
    return isinstance(value, Tensor) or hasattr(value, "_as_graph_element")
