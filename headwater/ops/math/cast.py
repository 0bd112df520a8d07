"""Conversion between types of elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType, as_dtype
from headwater.base.typing import Array, ArrayModule, DTypeLike, TensorLike
from headwater.graph import (
    IndexedSlices,
    Operation,
    Sample,
    SparseTensor,
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shapes,
)

_FLOWING = {
    dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bfloat16, dtypes.complex64,
    dtypes.complex128,
}  # fmt: skip


def kernel_cast(xp: ArrayModule, x: Array, *, DstT: DType) -> Array:
    target: Any = DstT.numpy_dtype
    if x.dtype == target:
        return x
    if x.dtype.names:
        x = np.asarray(x).view(x.dtype[0])
    if target.names:
        return kernel_cast(np, x, DstT=as_dtype(target[0])).view(target)
    if x.dtype.kind == "c" and target.kind != "c":
        x = x.real
    if target.kind == "b":
        return x != x.dtype.type(0)
    if target.kind in "iu" and x.dtype.kind not in "iub":
        return _to_integer(xp, x, target)
    return x.astype(target)


def _to_integer(xp: ArrayModule, x: Array, target: np.dtype) -> Array:
    """Rounds towards zero; values that are out of range or NaN become what x86 gives."""
    wide: np.dtype = np.dtype(np.int64 if target.itemsize == 8 else np.int32)
    if target == np.uint32:
        wide = np.dtype(np.int64)
    info = np.iinfo(wide)
    if x.dtype.itemsize < 4:
        x = x.astype(np.float32)
    kind = x.dtype.type
    inside = (x >= kind(info.min)) & (x < kind(-kind(info.min)))
    if target == np.uint64:
        above = x >= kind(2**63)
        low = xp.where(above, x - kind(2**63), x)
        inside = (low >= kind(info.min)) & (low < kind(2**63))
        number = xp.where(inside, low, kind(0)).astype(np.int64)
        number = xp.where(inside, number, np.int64(info.min)).astype(np.uint64)
        return xp.where(above, number + np.uint64(2**63), number)
    number = xp.where(inside, x, kind(0)).astype(wide)
    number = xp.where(inside, number, wide.type(info.min))
    return number if wide == target else number.astype(target)


def reference_cast(x: Array, *, DstT: DType) -> Array:
    target: DTypeLike = DstT.numpy_dtype
    with np.errstate(all="ignore"):
        return (x.real if x.dtype.kind == "c" and target.kind != "c" else x).astype(target)


def gradient_cast(op: Operation, grad: Tensor) -> Tensor | None:
    source = op.inputs[0].dtype.base_dtype
    if source not in _FLOWING or grad.dtype.base_dtype not in _FLOWING:
        return None
    return cast(grad, source)


def samples_cast() -> Iterator[Sample]:
    x = np.array([[1.7, -2.2, 0.0], [100.4, 5.0, -6.6]], np.float32)
    for target in (np.float64, np.int32, np.int64, np.complex64, np.int8, np.bool_):
        yield Sample(x, DstT=target)
    yield Sample(x, DstT=np.float16, gradient=())
    yield Sample(np.array([-1, 0, 300], np.int32), DstT=np.uint8)
    yield Sample(np.array([-1, 0, 3], np.int32), DstT=np.float32)
    yield Sample(np.array([True, False]), DstT=np.float32)
    yield Sample(np.array([1 + 2j], np.complex128), DstT=np.complex64)


register_op(
    "Cast",
    inputs="x: SrcT",
    outputs="y: DstT",
    attrs="SrcT: type, DstT: type, Truncate: bool = false",
    shape=shapes.like_first,
    kernel=kernel_cast,
    gradient=gradient_cast,
    reference=reference_cast,
    samples=samples_cast,
)


@export("cast", "dtypes.cast")
def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Any:
    """Converts a tensor to another type.

    Args:
        x: a Tensor, IndexedSlices or SparseTensor of numbers or booleans.
        dtype: the type of the result.
        name: the name of the node.

    Returns:
        What `x` is, of type `dtype`; `x` itself if it has this type.

    Example:
        >>> print(tf.cast([1.8, -2.2], tf.int32).eval())
        [ 1 -2]
    """
    target = as_dtype(dtype).base_dtype
    if isinstance(x, Tensor) and x.dtype is target:
        return x
    with name_scope(name, "Cast", [x]) as scope:
        if isinstance(x, IndexedSlices):
            return x._map_values(lambda values: _cast_values(values, target, scope))
        if isinstance(x, SparseTensor):
            return SparseTensor(x.indices, cast(x.values, target, scope), x.dense_shape)
        x = convert_to_tensor(x, name="x")
        if x.dtype.base_dtype is not target:
            x = build.Cast(x, DstT=target, name=scope)
        return x


def _cast_values(values: Tensor, target: DType, scope: str) -> Tensor:
    if values.dtype.base_dtype is target:
        return values
    return build.Cast(values, DstT=target, name=scope)


@export("saturate_cast", "dtypes.saturate_cast")
def saturate_cast(value: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """Converts to another type; values out of range are clamped to the smallest or largest number.

    Args:
        value: a tensor of numbers.
        dtype: the type of the result.
        name: the name of the node.

    Returns:
        A tensor of type `dtype`.
    """
    with name_scope(name, "saturate_cast", [value]) as scope:
        value = convert_to_tensor(value, name="value")
        target = as_dtype(dtype).base_dtype
        own = value.dtype
        if own.min < target.min:
            value = build.Maximum(value, constant_node(target.min, own.base_dtype, "min"))
        if own.max > target.max:
            value = build.Minimum(value, constant_node(target.max, own.base_dtype, "max"))
        return cast(value, target, name=scope)


@export("to_float")
def to_float(
    x: TensorLike,
    name: str | None = "ToFloat",
) -> Tensor:
    """Converts to float32; the older form of `tf.cast`.

    Args:
        x: a tensor of numbers.
        name: the name of the node.

    Returns:
        A tensor of type float32.

    Example:
        >>> print(tf.to_float([1, 2]).eval())
        [1. 2.]
    """
    return cast(x, dtypes.float32, name=name)


@export("to_double")
def to_double(
    x: TensorLike,
    name: str | None = "ToDouble",
) -> Tensor:
    """Converts to float64; the older form of `tf.cast`.

    Args:
        x: a tensor of numbers.
        name: the name of the node.

    Returns:
        A tensor of type float64.
    """
    return cast(x, dtypes.float64, name=name)


@export("to_int32")
def to_int32(
    x: TensorLike,
    name: str | None = "ToInt32",
) -> Tensor | SparseTensor:
    """Converts to int32; the older form of `tf.cast`.

    Args:
        x: a tensor of numbers.
        name: the name of the node.

    Returns:
        A tensor of type int32.
    """
    return cast(x, dtypes.int32, name=name)


@export("to_int64")
def to_int64(
    x: TensorLike,
    name: str | None = "ToInt64",
) -> Tensor:
    """Converts to int64; the older form of `tf.cast`.

    Args:
        x: a tensor of numbers.
        name: the name of the node.

    Returns:
        A tensor of type int64.
    """
    return cast(x, dtypes.int64, name=name)


@export("to_bfloat16")
def to_bfloat16(
    x: TensorLike,
    name: str | None = "ToBFloat16",
) -> Tensor:
    """Converts to bfloat16; the older form of `tf.cast`.

    Args:
        x: a tensor of numbers.
        name: the name of the node.

    Returns:
        A tensor of type bfloat16.
    """
    return cast(x, dtypes.bfloat16, name=name)


@export("to_complex64")
def to_complex64(
    x: TensorLike,
    name: str | None = "ToComplex64",
) -> Tensor:
    """Converts to complex64; the older form of `tf.cast`.

    Args:
        x: a tensor of numbers.
        name: the name of the node.

    Returns:
        A tensor of type complex64.
    """
    return cast(x, dtypes.complex64, name=name)


@export("to_complex128")
def to_complex128(
    x: TensorLike,
    name: str | None = "ToComplex128",
) -> Tensor:
    """Converts to complex128; the older form of `tf.cast`.

    Args:
        x: a tensor of numbers.
        name: the name of the node.

    Returns:
        A tensor of type complex128.
    """
    return cast(x, dtypes.complex128, name=name)
