"""The bits of a tensor read as another type: Bitcast."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType
from headwater.base.lazy import jnp, lax
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import Sample, Tensor, build, export, register_op, shapes

_TYPES = (
    "{bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, "
    "complex64, complex128, qint8, quint8, qint16, quint16, qint32}"
)


def shape_bitcast(c: shapes.ShapeContext) -> Shape:
    shape = c.shape("input")
    old, new = c.attr("T").size, c.attr("type").size
    if shape is None or old == new:
        return shape
    if old > new:
        return (*shape, old // new)
    last = shape[-1] if shape else 1
    if not shape or last not in (None, new // old):
        c.fail(f"Cannot bitcast due to shape. {last} does not match {new // old}")
    return shape[:-1]


def kernel_bitcast(xp: ArrayModule, x: Array, *, T: DType, type: DType) -> Array:
    old, new = T.size, type.size
    if new > old and (not x.shape or x.shape[-1] != new // old):
        raise errors.InvalidArgumentError(
            None, None, f"Cannot bitcast from {T.as_datatype_enum} to {type.as_datatype_enum}"
        )
    if xp is np:
        kind = type.numpy_dtype
        if old >= new:
            x = np.ascontiguousarray(x).reshape(x.shape)
            parts = x.shape if old == new else (*x.shape, old // new)
            return np.frombuffer(x.tobytes(), kind).reshape(parts)
        return np.frombuffer(np.ascontiguousarray(x).tobytes(), kind).reshape(x.shape[:-1])
    return _traced(x, T, type)


def _traced(x: Array, old: DType, new: DType) -> Array:
    """XLA bitcasts real types only; complex numbers are cast as pairs of reals."""
    if old is new:
        return x
    if old.is_complex:
        x = jnp.stack([x.real, x.imag], -1)
        if new.size == old.size and not new.is_complex:
            return lax.bitcast_convert_type(x, new.numpy_dtype)
        if new.size > x.dtype.itemsize and not new.is_complex:
            raise NotImplementedError(f"bitcast from {old.name} to {new.name}")
        bits = lax.bitcast_convert_type(x, new.numpy_dtype)
        return bits.reshape(*x.shape[:-1], -1)
    if new.is_complex:
        half = jnp.float32 if new.size == 8 else jnp.float64
        if old.size == new.size or old.size == half.dtype.itemsize:
            pairs = lax.bitcast_convert_type(x, half)
        else:
            pairs = lax.bitcast_convert_type(x.reshape(*x.shape[:-1], 2, -1), half)
        return lax.complex(pairs[..., 0], pairs[..., 1])
    return lax.bitcast_convert_type(x, new.numpy_dtype)


def samples_bitcast() -> Iterator[Sample]:
    x = np.array([[1.5, -2.0], [0.0, 3.25]], np.float32)
    for kind in (np.int32, np.uint8, np.int64, np.float64, np.complex64):
        yield Sample(x, type=kind, gradient=())
    yield Sample(np.array([1 + 2j], np.complex64), type=np.float32, gradient=())
    yield Sample(np.arange(4, dtype=np.uint8).reshape(2, 2), type=np.int16)
    yield Sample(np.array([-1, 5], np.int64), type=np.uint64)


register_op(
    "Bitcast",
    inputs="input: T",
    outputs="output: type",
    attrs=f"T: {_TYPES}, type: {_TYPES}",
    shape=shape_bitcast,
    kernel=kernel_bitcast,
    samples=samples_bitcast,
)


@export("bitcast")
def bitcast(input: TensorLike, type: DTypeLike, name: str | None = None) -> Tensor:
    """Reads the bits of a tensor as another type.

    Args:
        input: a tensor of numbers.
        type: the new type. If it is smaller, there is one more dimension; if it is larger, the
            last dimension must have the elements of one new number.
        name: the name of the node.

    Returns:
        A tensor of this type.

    Raises:
        ValueError: if the last dimension does not fit.
    """
    return build.Bitcast(input, type=type, name=name)
