"""Bytes read as numbers, and decompressed: DecodeRaw, DecodePaddedRaw, DecodeCompressed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType
from headwater.base.typing import ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)
from headwater.ops.strings.elements import each, invalid, strings


def _numbers(data: bytes, dtype: DType, little_endian: bool) -> np.ndarray:
    kind = np.dtype(dtype.numpy_dtype)
    if little_endian:
        return np.frombuffer(data, kind.newbyteorder("<")).astype(kind)
    if kind.kind == "c":
        # All bytes of a complex number are reversed, so its two parts are swapped.
        parts = np.frombuffer(data, np.dtype(f">f{kind.itemsize // 2}")).reshape(-1, 2)
        return np.ascontiguousarray(parts[:, ::-1].astype(f"f{kind.itemsize // 2}")).view(kind)[
            :, 0
        ]
    return np.frombuffer(data, kind.newbyteorder(">")).astype(kind)


def shape_decode_raw(c: shapes.ShapeContext) -> Shape:
    shape = c.shape("bytes")
    return None if shape is None else (*shape, None)


def kernel_decode_raw(
    xp: ArrayModule, x: np.ndarray, *, out_type: DType, little_endian: bool
) -> np.ndarray:
    values = x.ravel().tolist()
    size = len(values[0]) if values else 0
    for i, value in enumerate(values):
        if len(value) != size:
            invalid(
                "DecodeRaw requires input strings to all be the same size, but "
                f"element {i} has size {size} != {len(value)}"
            )
    width = np.dtype(out_type.numpy_dtype).itemsize
    if size % width:
        invalid(
            f"Input to DecodeRaw has length {size} that is not a multiple of {width}, "
            f"the size of {_type(out_type)}"
        )
    return _numbers(b"".join(values), out_type, little_endian).reshape(*x.shape, size // width)


def _type(dtype: DType) -> str:
    return {"float16": "half", "float32": "float", "float64": "double"}.get(dtype.name, dtype.name)


def samples_decode_raw() -> Iterator[Sample]:
    x = np.array([[b"\0\1\0\1\0\1\0\1" * 2], [b"abcdefgh" * 2]], object)
    for kind in (np.float16, np.float64, np.int32, np.uint16, np.uint8, np.int64, np.complex64):
        for little_endian in (True, False):
            yield Sample(x, out_type=kind, little_endian=little_endian)
    yield Sample(np.array([b"\0\1"], object), out_type=np.bool_)


register_op(
    "DecodeRaw",
    inputs="bytes: string",
    outputs="output: out_type",
    attrs="out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, "
    "complex128, bool}, little_endian: bool = true",
    shape=shape_decode_raw,
    kernel=kernel_decode_raw,
    samples=samples_decode_raw,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
    gradient=NOT_DIFFERENTIABLE,
)


def shape_decode_padded_raw(c: shapes.ShapeContext) -> Shape:
    shape, length_shape = c.shape("input_bytes"), c.shape("fixed_length")
    length = c.value("fixed_length")
    if length_shape:
        c.fail(f"Input must be scalar but has rank {len(length_shape)}")
    size = None
    if length is not None:
        size = int(length)
        width = np.dtype(c.attr("out_type").numpy_dtype).itemsize
        if size < 0:
            c.fail(f"Dimension size, given by scalar input 1, must be non-negative but is {size}")
        if size % width:
            c.fail(f"Dimension size must be evenly divisible by {width} but is {size}")
        size //= width
    return None if shape is None else (*shape, size)


def kernel_decode_padded_raw(
    xp: ArrayModule,
    x: np.ndarray,
    fixed_length: np.ndarray,
    *,
    out_type: DType,
    little_endian: bool,
) -> np.ndarray:
    if fixed_length.ndim:
        invalid(f"k must be scalar, got shape {list(fixed_length.shape)}")
    length = int(fixed_length)
    width = np.dtype(out_type.numpy_dtype).itemsize
    if length <= 0:
        invalid(f"fixed_length ({length}) must be greater than zero.")
    if length % width:
        invalid(f"fixed_length ({length}) must be a multiple of the size of out_type ({width})")
    data = b"".join(value[:length].ljust(length, b"\0") for value in x.ravel().tolist())
    return _numbers(data, out_type, little_endian).reshape(*x.shape, length // width)


def samples_decode_padded_raw() -> Iterator[Sample]:
    x = np.array([[b"abcdefgh"], [b"abc"], [b""]], object)
    yield Sample(x, np.int32(4), out_type=np.uint8)
    yield Sample(x, np.int32(4), out_type=np.int16, little_endian=False)


register_op(
    "DecodePaddedRaw",
    inputs="input_bytes: string, fixed_length: int32",
    outputs="output: out_type",
    attrs="out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64}, "
    "little_endian: bool = true",
    shape=shape_decode_padded_raw,
    kernel=kernel_decode_padded_raw,
    samples=samples_decode_padded_raw,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
    gradient=NOT_DIFFERENTIABLE,
)

_WINDOW_BITS = {"ZLIB": 15, "GZIP": 31}


def kernel_decode_compressed(
    xp: ArrayModule, x: np.ndarray, *, compression_type: str
) -> np.ndarray:
    if compression_type == "":
        return strings(x.ravel().tolist(), x.shape)
    if compression_type not in _WINDOW_BITS:
        invalid("Only ZLIB, GZIP or NONE are supported compressions")
    bits = _WINDOW_BITS[compression_type]
    return each(lambda value: _decompressed(value, bits), x)


def _decompressed(data: bytes, bits: int) -> bytes:
    """What can be read of compressed data; as in TensorFlow, it may be cut off.

    Raises:
        DataLossError: if it is damaged.
    """
    stream = zlib.decompressobj(bits)
    result = bytearray()
    try:
        for at in range(0, len(data), 4096):
            result += stream.decompress(data[at : at + 4096])
        result += stream.flush()
    except zlib.error as error:
        # "Error -3 while decompressing data: incorrect header check"
        code, _, reason = str(error).removeprefix("Error ").partition(" while decompressing data: ")
        raise errors.DataLossError(
            None, None, f"inflate() failed with error {code}: {reason}"
        ) from error
    return bytes(result)


def samples_decode_compressed() -> Iterator[Sample]:
    yield Sample(np.array([b"a", b""], object))
    yield Sample(np.array([zlib.compress(b"hello" * 9)], object), compression_type="ZLIB")


register_op(
    "DecodeCompressed",
    inputs="bytes: string",
    outputs="output: string",
    attrs="compression_type: string = ''",
    shape=shapes.like_first,
    kernel=kernel_decode_compressed,
    samples=samples_decode_compressed,
    runs_on=RunsOn.HOST,
)


@export("decode_raw", "io.decode_raw")
def decode_raw(
    input_bytes: TensorLike | None = None,
    out_type: DTypeLike | None = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Tensor:
    """Reads the bytes of strings as numbers.

    Args:
        input_bytes: a string tensor, all strings of one length.
        out_type: the type of the numbers.
        little_endian: whether the lowest byte of a number comes first.
        name: the name of the node.
        bytes: the old name of `input_bytes`.

    Returns:
        A tensor with one more dimension.

    Raises:
        ValueError: if the input is given under both of its names.
    """
    if bytes is not None:
        if input_bytes is not None:
            raise ValueError("Cannot specify both 'input_bytes' and 'bytes'")
        input_bytes = bytes
    return build.DecodeRaw(input_bytes, out_type=out_type, little_endian=little_endian, name=name)


def decode_raw_v2(
    input_bytes: TensorLike,
    out_type: DTypeLike,
    little_endian: bool = True,
    fixed_length: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Reads the bytes of strings as numbers.

    Args:
        input_bytes: a string tensor, all strings of one length unless `fixed_length` is given.
        out_type: the type of the numbers.
        little_endian: whether the lowest byte of a number comes first.
        fixed_length: to how many bytes strings are cut, or filled up with zeros; or None.
        name: the name of the node.

    Returns:
        A tensor with one more dimension.
    """
    if fixed_length is None:
        return decode_raw(input_bytes, out_type, little_endian, name)
    return build.DecodePaddedRaw(
        input_bytes, fixed_length, out_type=out_type, little_endian=little_endian, name=name
    )


@export("decode_compressed", "io.decode_compressed")
def decode_compressed(
    bytes: TensorLike, compression_type: str = "", name: str | None = None
) -> Tensor:
    """Decompresses strings.

    Args:
        bytes: a string tensor.
        compression_type: "ZLIB", "GZIP", or "" for none.
        name: the name of the node.

    Returns:
        A string tensor of the same shape.
    """
    return build.DecodeCompressed(bytes, compression_type=compression_type, name=name)
