"""Python values as NumPy arrays, by TensorFlow's rules for constants."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from headwater.base import dtypes
from headwater.base.array_errors import (
    NUMPY_2,
    dense_shape,
    fail_convert,
    fail_dense,
    fail_expected,
    fail_incompatible,
    fail_nested,
)
from headwater.base.compat_strings import as_bytes
from headwater.base.dimension import Dimension
from headwater.base.dtypes import DType, as_dtype
from headwater.base.typing import DTypeLike

_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1

# A constant of one value repeated is computed with as one value from this many elements on.
_BROADCAST_FROM = 4096

_STRING_TYPES = frozenset({str, bytes, np.str_, np.bytes_})
_INTEGER_TYPES = frozenset(
    {np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64}
)
_FLOAT_TYPES = frozenset({np.float16, np.float32, np.float64})
_COMPLEX_TYPES = frozenset({np.complex64, np.complex128})

# The types of the leaves of almost every list: none of them is a sequence to NumPy or symbolic.
_PLAIN_TYPES: frozenset[type] = (
    frozenset({bool, int, float, complex, np.bool_})
    | _STRING_TYPES
    | _INTEGER_TYPES
    | _FLOAT_TYPES
    | _COMPLEX_TYPES
)


class _Rule(NamedTuple):
    """What a Python value may be to become an element of a dtype."""

    array_dtype: np.dtype
    exact: frozenset[type]
    abstract: tuple[type, ...]


_INTEGER_RULE: tuple[frozenset[type], tuple[type, ...]] = (
    frozenset({bool, int}) | _INTEGER_TYPES,
    (int, np.integer, Dimension),
)
_REAL_RULE: tuple[frozenset[type], tuple[type, ...]] = (
    frozenset({bool, int, float}) | _INTEGER_TYPES | _FLOAT_TYPES,
    (numbers.Real, np.integer, np.floating),
)
_COMPLEX_RULE: tuple[frozenset[type], tuple[type, ...]] = (
    _REAL_RULE[0] | {complex} | _COMPLEX_TYPES,
    (numbers.Complex, np.number),
)
_RULES: dict[DType, _Rule] = {
    dtype: _Rule(np.dtype(dtype.numpy_dtype), *rule)
    for rule, names in (
        (_INTEGER_RULE, ("int8", "int16", "int32", "int64")),
        (_INTEGER_RULE, ("uint8", "uint16", "uint32", "uint64")),
        (_REAL_RULE, ("float16", "bfloat16", "float32", "float64")),
        (_COMPLEX_RULE, ("complex64", "complex128")),
        ((frozenset({bool}), (bool,)), ("bool",)),
        ((_STRING_TYPES, (str, bytes)), ("string",)),
    )
    for dtype in map(as_dtype, names)
}

# The dtypes that hold every int32, at least approximately.
_WIDE_DTYPES = frozenset({dtypes.int64, dtypes.float32, dtypes.float64})

_symbolic_types: tuple[type, ...] = ()


def register_symbolic_type(cls: type) -> None:
    """Declares instances of `cls` to be tensors rather than values."""
    global _symbolic_types
    _symbolic_types += (cls,)


def as_array(
    values: Any,
    dtype: DTypeLike | None = None,
    shape: Any = None,
    verify_shape: bool = False,
) -> tuple[np.ndarray, DType]:
    """Makes the array that a constant of `values` holds.

    Python floats become float32, Python integers int32 (int64 or uint64 if they need it), NumPy
    arrays and scalars keep their dtype; NumPy scalars inside lists count as Python numbers.
    Integers that do not fit a given integer dtype wrap around.

    Args:
      values: a number, string, nested list of such, NumPy array, or an object with `__array__`.
      dtype: a DType or what stands for one; None to take it from the values.
      shape: dimensions of the result; missing elements repeat the last one.
      verify_shape: whether the values must have exactly this shape.

    Returns:
      The array, which shares no memory with `values` (and is a read-only broadcast of one element
      if that is what the shape is filled with), and its DType. Strings are object arrays of
      bytes.

    Raises:
      TypeError: if a value does not fit the dtype, or the shape is not that of `values`.
      ValueError: if `values` is None or not rectangular, or has more elements than `shape`.
    """
    try:
        array, element_type = array_of_elements(values, dtype, shape, verify_shape)
    except RecursionError:
        fail_nested()
    if shape is None:
        return array, element_type
    return filled(array, shape_tuple(shape)), element_type


def array_of_elements(
    values: Any,
    dtype: DTypeLike | None = None,
    shape: Any = None,
    verify_shape: bool = False,
) -> tuple[np.ndarray, DType]:
    """`as_array` without filling: the array has just the given elements.

    If their number is that of `shape`, the array has that shape.
    """
    wanted = None if dtype is None else as_dtype(dtype).base_dtype
    if shape is None:
        return _converted(values, wanted)
    dims = shape_tuple(shape)
    size = math.prod(dims)
    if size == 0 and values is not None and not isinstance(values, (np.ndarray, np.generic)):
        wanted = wanted or dtypes.float32
        return np.zeros(dims, wanted.numpy_dtype), wanted
    array, element_type = _converted(values, wanted)
    if array.shape == dims:
        return array, element_type
    if verify_shape:
        raise TypeError(f"Expected Tensor's shape: {dims}, got {array.shape}.")
    if array.size > size:
        raise ValueError(
            f"Too many elements provided. Needed at most {size}, but received {array.size}"
        )
    if array.size == size:
        array = array.reshape(dims)
    return array, element_type


def shape_tuple(shape: Any) -> tuple[int, ...]:
    """Returns a fully known shape (a TensorShape or any iterable of integers) as a tuple."""
    if type(shape) is tuple and all(type(size) is int for size in shape):
        return shape
    return tuple([int(size) for size in shape])


def filled(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Fills a shape with the given elements, repeating the last one.

    The result is a read-only broadcast if one element fills several places: a TensorProto of it
    holds that element only. Without any element, it is all zero or empty.
    """
    if array.shape == shape:
        return array
    size = math.prod(shape)
    if array.size == 0:
        empty: Any = b"" if array.dtype == object else 0
        if size >= _BROADCAST_FROM:
            return np.broadcast_to(np.full((), empty, array.dtype), shape)
        return np.full(shape, empty, array.dtype)
    if array.size == 1 and size > 1:
        # As `np.broadcast_to`, which takes five times as long.
        repeated: np.ndarray = np.ndarray(shape, array.dtype, array, strides=(0,) * len(shape))
        repeated.flags.writeable = False
        return repeated
    if array.size >= size:
        return array.reshape(-1)[:size].reshape(shape)
    whole = _Filled(shape, array.dtype)
    places = whole.reshape(-1)
    places[: array.size] = array.reshape(-1)
    places[array.size :] = array.reshape(-1)[-1]
    whole.given = array.size
    return whole.view(np.ndarray)


class _Filled(np.ndarray):
    """The memory of an array whose last elements repeat one.

    Attributes:
        given: how many elements there are up to the one that is repeated.
    """

    given: int


def given_elements(array: np.ndarray) -> np.ndarray:
    """The elements of which `filled` has made an array, in a row, or all elements of others."""
    base = array.base
    if not isinstance(base, _Filled) or array.size != base.size or not array.flags.c_contiguous:
        return array
    elements = array.reshape(-1)
    # Somebody may have changed the array.
    if np.any(elements[base.given :] != elements[base.given - 1]):
        return array
    return elements[: base.given]


def is_broadcast(array: np.ndarray) -> bool:
    """Whether several elements of an array are one in memory."""
    return array.size > 1 and not any(array.strides)


def expanded(array: np.ndarray) -> np.ndarray:
    """An array with memory for all of its elements, unless it is a large broadcast."""
    if array.size < _BROADCAST_FROM and is_broadcast(array):
        return array.copy()
    return array


def _converted(values: Any, dtype: DType | None) -> tuple[np.ndarray, DType]:
    cls = type(values)
    if cls is list or cls is tuple:
        return _from_sequence(values, dtype)
    if cls is int:
        if _INT32_MIN <= values <= _INT32_MAX:
            if dtype is None or dtype is dtypes.int32:
                return np.array(values, np.int32), dtypes.int32
            if dtype in _WIDE_DTYPES:
                return np.array(values, dtype.numpy_dtype), dtype
    elif cls is float:
        if dtype is None or dtype is dtypes.float32:
            return np.array(_single(values), np.float32), dtypes.float32
        if dtype is dtypes.float64:
            return np.array(values), dtype
    elif isinstance(values, (np.ndarray, np.generic)):
        return _from_array(values, dtype)
    elif values is None:
        raise ValueError("None values not supported.")
    if isinstance(values, (list, tuple)):
        return _from_sequence(values, dtype)
    if cls is range:
        return _from_sequence(list(values), dtype)
    if cls not in _PLAIN_TYPES and not isinstance(values, _symbolic_types):
        if isinstance(values, (memoryview, bytearray)) or hasattr(values, "__array_interface__"):
            return _from_array(np.asarray(values), dtype)
        if callable(getattr(values, "__array__", None)):
            return _from_array(np.asarray(values.__array__()), dtype)
    if dtype is None:
        return _inferred(values, {cls})
    return _typed(values, dtype, {cls})


def _single(value: float) -> float | np.float32:
    # Beyond the range of float32 NumPy would warn; the value is infinite either way.
    if abs(value) > 3.4e38:
        with np.errstate(over="ignore"):
            return np.float64(value).astype(np.float32)
    return value


def _from_array(values: Any, dtype: DType | None) -> tuple[np.ndarray, DType]:
    if dtype is None:
        dtype = as_dtype(values.dtype)
        if dtype is dtypes.string:
            return _strings_of_array(np.asarray(values)), dtype
        # The dtype of the result is named because `values` may have the other byte order.
        return np.array(values, dtype.numpy_dtype), dtype
    if dtype is dtypes.string:
        return _strings_of_array(np.asarray(values)), dtype
    if dtype.is_quantized:
        target = np.dtype(dtype.numpy_dtype)
        if values.dtype == target:
            return np.array(values), dtype
        return np.array(values, _quantized_base(target)).view(target), dtype
    rule = _RULES.get(dtype)
    if rule is None:
        fail_incompatible(dtype, values.dtype, values)
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            return np.array(np.asarray(values).astype(rule.array_dtype)), dtype
        except UnicodeDecodeError:
            fail_expected(dtype, values)


def _from_sequence(values: Any, dtype: DType | None) -> tuple[np.ndarray, DType]:
    if dtype is None:
        return _inferred(values, _leaf_types(values))
    if dtype.is_quantized:
        return _quantized(values, dtype), dtype
    return _typed(values, dtype, _leaf_types(values))


def _inferred(values: Any, types: set[type]) -> tuple[np.ndarray, DType]:
    if not types <= _PLAIN_TYPES:
        if _symbolic_types and any(isinstance(leaf, _symbolic_types) for leaf in _leaves(values)):
            raise TypeError("List of Tensors when single Tensor expected")
    elif types and types <= _STRING_TYPES:
        return _strings(values), dtypes.string
    try:
        if types == {float}:
            with np.errstate(over="ignore"):
                array = np.array(values, np.float32)
        elif types == {int} and NUMPY_2:
            array = _int32_or_wider(values)
        else:
            array = np.array(values)
    except (ValueError, OverflowError):
        fail_dense(values)
    if list(array.shape) != dense_shape(values):
        fail_dense(values)
    array_dtype = array.dtype
    if array_dtype == np.int32:
        return array, dtypes.int32
    if array_dtype == np.float32:
        return array, dtypes.float32
    if array_dtype == np.float64:
        with np.errstate(over="ignore"):
            return array.astype(np.float32), dtypes.float32
    if array_dtype == np.int64:
        narrow = array.astype(np.int32)
        if (narrow == array).all():
            return narrow, dtypes.int32
        return array, dtypes.int64
    if array_dtype.kind in "OSU":
        fail_convert(values)
    return _from_array(array, None)


def _int32_or_wider(values: Any) -> np.ndarray:
    try:
        return np.array(values, np.int32)
    except OverflowError:
        return np.array(values)


def _typed(values: Any, dtype: DType, types: set[type]) -> tuple[np.ndarray, DType]:
    rule = _RULES.get(dtype)
    if rule is None:
        if dtype.is_quantized:
            fail_expected(dtype, values)
        fail_incompatible(dtype, np.array(values).dtype, values)
    if not types <= rule.exact:
        for leaf in _leaves(values):
            if not isinstance(leaf, rule.abstract):
                fail_expected(dtype, leaf)
    if dtype is dtypes.string:
        return _strings(values), dtype
    kind = rule.array_dtype.kind
    if kind in "iu":
        array = _integers(values, rule.array_dtype)
    else:
        with np.errstate(over="ignore"):
            if dtype is dtypes.bfloat16:
                array = np.array(values, np.float32).astype(rule.array_dtype)
            else:
                array = np.array(values, rule.array_dtype)
    if list(array.shape) != dense_shape(values):
        fail_dense(values)
    return array, dtype


def _integers(values: Any, array_dtype: np.dtype) -> np.ndarray:
    try:
        array = np.array(values, np.int64)
    except OverflowError:
        if array_dtype == np.uint64:
            return np.array(values, np.uint64)
        raise OverflowError("Python int too large to convert to C long") from None
    return array if array_dtype == np.int64 else array.astype(array_dtype)


def _leaf_types(values: Iterable[Any]) -> set[type]:
    types = set(map(type, values))
    if types <= _PLAIN_TYPES:
        return types
    found: set[type] = set()
    for value in values:
        if isinstance(value, (list, tuple)):
            found |= _leaf_types(value)
        else:
            found.add(type(value))
    return found


def _leaves(values: Any) -> Iterator[Any]:
    if isinstance(values, (list, tuple)):
        for value in values:
            yield from _leaves(value)
    else:
        yield values


def _strings(values: Any) -> np.ndarray:
    if isinstance(values, (str, bytes)):
        single = np.empty((), object)
        single[()] = as_bytes(values)
        return single
    try:
        array = np.array(values, object)
    except ValueError:
        fail_dense(values)
    if list(array.shape) != dense_shape(values):
        fail_dense(values)
    return _strings_of_array(array)


def _strings_of_array(array: np.ndarray) -> np.ndarray:
    encoded = np.empty(array.size, object)
    encoded[:] = [bytes(as_bytes(value)) for value in array.reshape(-1).tolist()]
    return encoded.reshape(array.shape)


def _quantized_base(array_dtype: np.dtype) -> np.dtype:
    """The integer dtype in the one field of a quantized element."""
    assert array_dtype.fields is not None
    return next(iter(array_dtype.fields.values()))[0]


def _quantized(values: Any, dtype: DType) -> np.ndarray:
    array_dtype = np.dtype(dtype.numpy_dtype)

    def unpacked(value: Any) -> Any:
        if isinstance(value, tuple):
            for element in value:
                if not isinstance(element, (int, np.integer)):
                    fail_expected(dtype, element)
            if len(value) != 1:
                raise ValueError(
                    f"could not assign tuple of length {len(value)} to structure with 1 fields."
                )
            return value[0]
        if isinstance(value, list):
            return [unpacked(element) for element in value]
        fail_expected(dtype, value)

    return _integers(unpacked(values), _quantized_base(array_dtype)).view(array_dtype)
