"""Slices of tensors in checkpoints: their specifications and their keys in the table."""

from __future__ import annotations

import re
from typing import Any

from headwater.base import errors
from headwater.protos.lazy import tensor_slice_pb2

_PAIR = re.compile(r"\d+,\d+")

# (start, length) per dimension; None stands for the whole dimension.
Extents = tuple[tuple[int, int] | None, ...]


def parse_spec(spec: str) -> tuple[tuple[int, ...], Extents]:
    """Parses a specification such as ``"4 2 0,2:-"``: the full shape, then the slice.

    Raises:
        InvalidArgumentError: if the text is of another form.
    """
    try:
        *dims, text = spec.split(" ")
        shape = tuple([int(size) for size in dims])
        extents: list[tuple[int, int] | None] = []
        for part in text.split(":") if text else []:
            if part != "-" and not _PAIR.fullmatch(part):
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"Expected a pair of numbers or '-' but got '{part}': string = {text}",
                )
            start, _, length = part.partition(",")
            extents.append(None if part == "-" else (int(start), int(length)))
        if len(extents) != len(shape):
            raise ValueError(spec)
    except ValueError:
        raise errors.InvalidArgumentError(
            None, None, f"Expected shape and slice specification, got '{spec}'"
        ) from None
    return shape, tuple(extents)


def ranges(shape: tuple[int, ...], extents: Extents) -> tuple[slice, ...]:
    """The slice as an index of an array."""
    return tuple(
        [
            slice(0, size) if extent is None else slice(extent[0], extent[0] + extent[1])
            for size, extent in zip(shape, extents)
        ]
    )


def inside(shape: tuple[int, ...], extents: Extents) -> bool:
    """Whether a slice lies in a tensor of this shape."""
    return len(extents) == len(shape) and all(
        extent is None or (min(extent) >= 0 and sum(extent) <= size)
        for size, extent in zip(shape, extents)
    )


def sizes(shape: tuple[int, ...], extents: Extents) -> tuple[int, ...]:
    """The shape of a slice."""
    return tuple([size if e is None else e[1] for size, e in zip(shape, extents)])


def to_proto(extents: Extents) -> Any:
    """A slice as a TensorSliceProto."""
    proto = tensor_slice_pb2.TensorSliceProto()
    for extent in extents:
        item = proto.extent.add()
        if extent is not None:
            if extent[0]:
                item.start = extent[0]
            item.length = extent[1]
    return proto


def from_proto(proto: Any) -> Extents:
    """A TensorSliceProto as a slice."""
    return tuple([(e.start, e.length) if e.HasField("length") else None for e in proto.extent])


def slice_key(name: str, extents: Extents) -> bytes:
    """The key of a slice, which sorts before the keys of whole tensors."""
    escaped = (
        name.encode("utf-8", "surrogateescape")
        .replace(b"\0", b"\0\xff")
        .replace(b"\xff", b"\xff\0")
    )
    key = b"\0" + escaped + b"\0\x01" + _number(len(extents))
    for extent in extents:
        start, length = (0, -1) if extent is None else extent
        key += _signed(start) + _signed(length)
    return key


def _number(value: int) -> bytes:
    """An order-preserving encoding of a number >= 0: the length, then big endian."""
    size = (value.bit_length() + 7) // 8
    return bytes([size]) + value.to_bytes(size, "big")


def _signed(value: int) -> bytes:
    """An order-preserving encoding of a signed number: leading ones give the length."""
    magnitude = ~value if value < 0 else value
    size = max(1, -(-(magnitude.bit_length() + 1) // 7))
    header = ((1 << size) - 1) << (size * 8 - size)
    bits = value & ((1 << size * 8) - 1)
    return (bits ^ header).to_bytes(size, "big")
