"""Sorted tables of byte strings: the file format of checkpoint indices.

Blocks of entries with shared prefixes, an index block, and a footer, as in LevelDB.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from headwater.base import errors
from headwater.io.checksum import masked_crc32c

_MAGIC = 0xDB4775248B80FB57
_FOOTER_BYTES = 48
_TRAILER_BYTES = 5
_BLOCK_BYTES = 1 << 18
_RESTART_INTERVAL = 16
_VARINT_BITS = 64


def varint(value: int) -> bytes:
    """A number as a varint: 7-bit groups, the lowest first."""
    result = bytearray()
    while value > 127:
        result.append(value & 127 | 128)
        value >>= 7
    result.append(value)
    return bytes(result)


def read_varint(data: bytes, place: int) -> tuple[int, int]:
    """A varint and the position after it; DataLossError if it is truncated."""
    value = shift = 0
    while True:
        if place >= len(data) or shift >= _VARINT_BITS:
            raise damaged("bad varint")
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
        shift += 7


class _Block:
    def __init__(self, interval: int) -> None:
        self._interval = interval
        self.data = bytearray()
        self._restarts = [0]
        self._count = 0
        self.last_key = b""

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self._count < self._interval:
            limit = min(len(key), len(self.last_key))
            while shared < limit and key[shared] == self.last_key[shared]:
                shared += 1
        else:
            self._restarts.append(len(self.data))
            self._count = 0
        self.data += varint(shared) + varint(len(key) - shared) + varint(len(value))
        self.data += key[shared:] + value
        self.last_key = key
        self._count += 1

    def finished(self) -> bytes:
        count = len(self._restarts)
        return bytes(self.data) + struct.pack(f"<{count}II", *self._restarts, count)


def table_bytes(entries: dict[bytes, bytes]) -> bytes:
    """A table as the content of a file.

    Args:
        entries: values by key; they are sorted by key.
    """
    output = bytearray()

    def put(block: bytes) -> bytes:
        handle = varint(len(output)) + varint(len(block))
        typed = block + b"\0"
        output.extend(typed + struct.pack("<I", masked_crc32c(typed)))
        return handle

    index = _Block(1)
    block = _Block(_RESTART_INTERVAL)
    handle = b""
    for key in sorted(entries):
        if handle:
            index.add(_separator(block.last_key, key), handle)
            handle, block = b"", _Block(_RESTART_INTERVAL)
        block.add(key, entries[key])
        if len(block.data) >= _BLOCK_BYTES:
            handle = put(block.finished())
    if not handle:
        handle = put(block.finished())
    meta = put(_Block(_RESTART_INTERVAL).finished())
    index.add(_successor(block.last_key), handle)
    footer = meta + put(index.finished())
    output += footer.ljust(_FOOTER_BYTES - 8, b"\0") + struct.pack("<Q", _MAGIC)
    return bytes(output)


def _separator(low: bytes, high: bytes) -> bytes:
    """A short key k with low <= k < high."""
    shared = 0
    while shared < min(len(low), len(high)) and low[shared] == high[shared]:
        shared += 1
    if shared < min(len(low), len(high)) and low[shared] + 1 < high[shared]:
        return low[:shared] + bytes([low[shared] + 1])
    return low


def _successor(key: bytes) -> bytes:
    """A short key k >= key."""
    for i, byte in enumerate(key):
        if byte != 255:
            return key[:i] + bytes([byte + 1])
    return key


def damaged(text: str) -> errors.DataLossError:
    """The error of a file whose content is damaged."""
    return errors.DataLossError(None, None, text)


def read_table(data: bytes) -> dict[bytes, bytes]:
    """The entries of a table.

    Args:
        data: the content of the file.

    Raises:
        DataLossError: if it is not a table or is damaged.
        OutOfRangeError: if a block lies outside the file.
    """
    if len(data) < _FOOTER_BYTES:
        raise damaged("file is too short to be an sstable")
    if struct.unpack("<Q", data[-8:])[0] != _MAGIC:
        raise damaged("not an sstable (bad magic number)")
    footer = data[-_FOOTER_BYTES:]
    _, place = read_varint(footer, 0)
    _, place = read_varint(footer, place)
    entries: dict[bytes, bytes] = {}
    for _, handle in _entries(_block(data, footer, place)):
        entries.update(_entries(_block(data, handle, 0)))
    return entries


def _block(data: bytes, handle: bytes, place: int) -> bytes:
    offset, place = read_varint(handle, place)
    size, _ = read_varint(handle, place)
    block = data[offset : offset + size]
    trailer = data[offset + size : offset + size + _TRAILER_BYTES]
    if len(trailer) < _TRAILER_BYTES:
        raise errors.OutOfRangeError(None, None, "Read less bytes than requested")
    if masked_crc32c(block + trailer[:1]) != struct.unpack("<I", trailer[1:])[0]:
        raise damaged("block checksum mismatch")
    if trailer[0] == 1:
        return _expanded(block)
    if trailer[0]:
        raise damaged("bad block type")
    return block


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    if len(block) < 4:
        raise damaged("bad block contents")
    (restarts,) = struct.unpack("<I", block[-4:])
    end = len(block) - 4 * (restarts + 1)
    if end < 0:
        raise damaged("bad block contents")
    place, key = 0, b""
    while place < end:
        shared, place = read_varint(block, place)
        rest, place = read_varint(block, place)
        size, place = read_varint(block, place)
        if shared > len(key) or place + rest + size > end:
            raise damaged("bad entry in block")
        key = key[:shared] + block[place : place + rest]
        place += rest
        yield key, block[place : place + size]
        place += size


def _expanded(data: bytes) -> bytes:
    """Decompresses Snappy's block format: literals and copies of earlier bytes."""
    length, place = read_varint(data, 0)
    result = bytearray()
    while place < len(data):
        size, offset, place = _snappy_tag(data, place)
        if not offset:
            result += data[place : place + size]
            place += size
            continue
        start = len(result) - offset
        if start < 0:
            raise damaged("corrupted compressed block contents")
        for i in range(start, start + size):
            result.append(result[i])
    if len(result) != length:
        raise damaged("corrupted compressed block contents")
    return bytes(result)


def _snappy_tag(data: bytes, place: int) -> tuple[int, int, int]:
    """Size and offset (0 for a literal) of an element, and the position after its tag."""

    def number(count: int) -> int:
        if place + 1 + count > len(data):
            raise damaged("corrupted compressed block contents")
        return int.from_bytes(data[place + 1 : place + 1 + count], "little")

    tag = data[place]
    kind, upper = tag & 3, tag >> 2
    if kind == 0:
        extra = max(0, upper - 59)
        return (number(extra) if extra else upper) + 1, 0, place + 1 + extra
    if kind == 1:
        offset = tag >> 5 << 8 | number(1)
        size, extra = (upper & 7) + 4, 1
    else:
        extra = 2 if kind == 2 else 4
        size, offset = upper + 1, number(extra)
    if not offset:
        raise damaged("corrupted compressed block contents")
    return size, offset, place + 1 + extra
