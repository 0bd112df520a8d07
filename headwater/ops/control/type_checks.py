"""Checks of types, made while the graph is built."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from headwater.base import dtypes
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import (
    Operation,
    SparseTensor,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
)

if TYPE_CHECKING:
    from headwater.base.dtypes import DType

_NUMERIC = [
    dtypes.float16,
    dtypes.float32,
    dtypes.float64,
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint8,
    dtypes.qint8,
    dtypes.qint32,
    dtypes.quint8,
    dtypes.complex64,
]


@export("assert_type", "debugging.assert_type")
def assert_type(
    tensor: TensorLike, tf_type: DTypeLike, message: str | None = None, name: str | None = None
) -> Operation:
    """Checks that a tensor has a type.

    Args:
        tensor: a tensor.
        tf_type: the type it must have.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that does nothing.

    Raises:
        TypeError: if the tensor has another type.
    """
    with name_scope(name, "assert_type", [tensor]):
        tensor = convert_to_tensor(tensor, name="tensor")
        if tensor.dtype != tf_type:
            raise TypeError(f"{message or ''}  {tensor.name} must be of type {tf_type}")
        return build.NoOp(name="statically_determined_correct_type")


@export("assert_integer", "debugging.assert_integer")
def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> Operation:
    """Checks that a tensor has an integer type.

    Args:
        x: a tensor.
        message: what the error begins with.
        name: a name scope.

    Returns:
        An op that does nothing.

    Raises:
        TypeError: if the tensor has another type.
    """
    with name_scope(name, "assert_integer", [x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            raise TypeError(
                f'{message or ""}  Expected "x" to be integer type.  Found: {x.name} of dtype '
                f"{x.dtype}"
            )
        return build.NoOp(name="statically_determined_was_integer")


@export("assert_proper_iterable", "debugging.assert_proper_iterable")
def assert_proper_iterable(values: TensorLike) -> None:
    """Checks that an argument is a list of values, and no single tensor or string.

    Args:
        values: what should be a list, tuple, ...

    Raises:
        TypeError: if it is something else.
    """
    if isinstance(values, Tensor | SparseTensor | str | bytes) or hasattr(values, "__array__"):
        raise TypeError(
            f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}'
        )
    if not isinstance(values, Iterable):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


@export(
    "assert_same_float_dtype",
    "debugging.assert_same_float_dtype",
    "contrib.framework.assert_same_float_dtype",
)
def assert_same_float_dtype(
    tensors: Sequence[TensorLike | None] | None = None, dtype: DTypeLike | None = None
) -> DType:
    """Checks that tensors have one and the same floating-point type.

    Args:
        tensors: tensors; None among them are left out.
        dtype: the type they must have; by default that of the first.

    Returns:
        The type; float32 if there is nothing to tell it.

    Raises:
        ValueError: if types differ, or are of another kind.
    """
    first = None
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    for tensor in tensors or ():
        if tensor is None:
            continue
        if wanted is None:
            first, wanted = tensor, tensor.dtype.base_dtype
        elif tensor.dtype.base_dtype != wanted:
            other = "" if first is None else f" as {first.name}"
            raise ValueError(
                f"{tensor.name}, type={tensor.dtype}, must be of the same type ({wanted}){other}."
            )
    if wanted is None:
        return dtypes.float32
    if not wanted.is_floating:
        raise ValueError(f"Expected floating point type, got {wanted}.")
    return wanted


@export("is_numeric_tensor", "debugging.is_numeric_tensor", "contrib.framework.is_numeric_tensor")
def is_numeric_tensor(tensor: TensorLike) -> bool:
    """Tells whether something is a tensor of numbers.

    Args:
        tensor: anything.

    Returns:
        True for tensors of a numeric type.
    """
    return isinstance(tensor, Tensor) and tensor.dtype.base_dtype in _NUMERIC
