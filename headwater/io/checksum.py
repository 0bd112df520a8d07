"""CRC32C checksums in the masked form that records and checkpoints hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from headwater.base.lazy import LazyModule

_google_crc32c: Any = LazyModule("google_crc32c")

_MASK: Final = 0xA282EAD8


def crc32c(data: Any) -> int:
    """The CRC32C of bytes, or of a contiguous array of uint8."""
    return _google_crc32c.value(data)


def extended(crc: int, data: Any) -> int:
    """The CRC32C of bytes of which `crc` is that of the first part, and `data` is the rest."""
    return _google_crc32c.extend(crc, data)


def checksum_function() -> Callable[[bytes], int]:
    """The function that `crc32c` calls, for loops over many byte strings."""
    return _google_crc32c.value


def masked(crc: Any) -> Any:
    """The masked form of a checksum, or of an array of them (uint64), as files store it.

    It is rotated right by 15 bits and shifted by a constant, since the checksum of data that
    contain their own checksum is degenerate.
    """
    return (((crc >> 15) | (crc << 17)) + _MASK) & 0xFFFFFFFF


def masked_crc32c(data: Any) -> int:
    """The masked CRC32C of bytes, or of a contiguous array of uint8."""
    return masked(crc32c(data))
