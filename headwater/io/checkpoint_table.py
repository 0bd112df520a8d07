"""Sorted tables of byte strings: the file format of checkpoint indices.

Blocks of entries with shared prefixes, an index block, and a footer, as in LevelDB.
"""

from __future__ import annotations

import bisect
import io
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np

from headwater.base import errors
from headwater.io.checksum import extended, masked, masked_crc32c

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


def read_varint(data: Any, place: int) -> tuple[int, int]:
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
    """Entries with shared prefixes; values may be given in parts, which are not copied."""

    def __init__(self, interval: int) -> None:
        self._interval = interval
        self._parts: list[Any] = []
        self.size = 0
        self._restarts = [0]
        self._count = 0
        self.last_key = b""

    def add(self, key: bytes, value: Sequence[Any]) -> None:
        shared = 0
        if self._count < self._interval:
            limit = min(len(key), len(self.last_key))
            while shared < limit and key[shared] == self.last_key[shared]:
                shared += 1
        else:
            self._restarts.append(self.size)
            self._count = 0
        size = sum(map(len, value))
        head = varint(shared) + varint(len(key) - shared) + varint(size) + key[shared:]
        self._parts += [head, *value]
        self.size += len(head) + size
        self.last_key = key
        self._count += 1

    def finished(self) -> list[Any]:
        count = len(self._restarts)
        return [*self._parts, struct.pack(f"<{count}II", *self._restarts, count)]


class TableWriter:
    """Writes a table in pieces.

    Args:
        write: takes the next bytes of the file: an object with a buffer of bytes.
    """

    def __init__(self, write: Callable[[Any], Any]) -> None:
        self._write = write
        self._offset = 0
        self._index = _Block(1)
        self._block = _Block(_RESTART_INTERVAL)
        self._handle = b""

    def add(self, key: bytes, *value: Any) -> None:
        """Adds an entry.

        Args:
            key: comes after those of all earlier entries.
            *value: the parts of the value: bytes, or arrays of uint8 that the writer does not copy.
        """
        if self._handle:
            self._index.add(_separator(self._block.last_key, key), [self._handle])
            self._handle, self._block = b"", _Block(_RESTART_INTERVAL)
        self._block.add(key, value)
        if self._block.size >= _BLOCK_BYTES:
            self._handle = self._put(self._block)

    def finish(self) -> None:
        """Ends the table."""
        handle = self._handle or self._put(self._block)
        meta = self._put(_Block(_RESTART_INTERVAL))
        self._index.add(_successor(self._block.last_key), [handle])
        footer = meta + self._put(self._index)
        self._write(footer.ljust(_FOOTER_BYTES - 8, b"\0") + struct.pack("<Q", _MAGIC))

    def _put(self, block: _Block) -> bytes:
        """Writes a block; returns its place."""
        parts = [*block.finished(), b"\0"]
        crc = 0
        for part in parts:
            crc = extended(crc, part)
            self._write(part)
        self._write(struct.pack("<I", masked(crc)))
        size = sum(map(len, parts)) - 1
        handle = varint(self._offset) + varint(size)
        self._offset += size + _TRAILER_BYTES
        return handle


def table_bytes(entries: dict[bytes, bytes]) -> bytes:
    """A table as the content of a file.

    Args:
        entries: values by key; they are sorted by key.
    """
    output = bytearray()
    writer = TableWriter(output.extend)
    for key in sorted(entries):
        writer.add(key, entries[key])
    writer.finish()
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
    entries: dict[bytes, memoryview] = {}
    table = Table(lambda: io.BytesIO(data))
    for handle in table.handles:
        entries.update(_entries(table.block(handle)))
    return {key: bytes(value) for key, value in entries.items()}


class Table:
    """A table in a file, of which only those blocks are read that are asked for.

    Args:
        open_file: opens the file for reading in binary mode.

    Raises:
        DataLossError: if it is not a table, or its index is damaged.
        OutOfRangeError: if the index lies outside the file.
    """

    def __init__(self, open_file: Callable[[], BinaryIO]) -> None:
        self._open_file = open_file
        with open_file() as file:
            self._size = file.seek(0, os.SEEK_END)
            if self._size < _FOOTER_BYTES:
                raise damaged("file is too short to be an sstable")
            file.seek(self._size - _FOOTER_BYTES)
            footer = file.read(_FOOTER_BYTES)
        if struct.unpack("<Q", footer[-8:])[0] != _MAGIC:
            raise damaged("not an sstable (bad magic number)")
        _, place = read_varint(footer, 0)
        _, place = read_varint(footer, place)
        index = dict(_entries(self._block(footer, place)))
        self._last_keys = list(index)
        self.handles = [bytes(handle) for handle in index.values()]

    def get(self, key: bytes) -> memoryview | None:
        """The value of a key; None if there is none.

        Raises:
            DataLossError: if the block of the key is damaged.
            OutOfRangeError: if the block lies outside the file.
        """
        place = bisect.bisect_left(self._last_keys, key)
        if place == len(self._last_keys):
            return None
        return dict(_entries(self.block(self.handles[place]))).get(key)

    def block(self, handle: bytes) -> memoryview:
        """The content of the block of an entry of the index."""
        return self._block(handle, 0)

    def _block(self, handle: bytes, place: int) -> memoryview:
        offset, place = read_varint(handle, place)
        size, _ = read_varint(handle, place)
        if offset + size + _TRAILER_BYTES > self._size:
            raise errors.OutOfRangeError(None, None, "Read less bytes than requested")
        with self._open_file() as file:
            file.seek(offset)
            data = file.read(size + _TRAILER_BYTES)
        if len(data) < size + _TRAILER_BYTES:
            raise errors.OutOfRangeError(None, None, "Read less bytes than requested")
        content = np.frombuffer(data, np.uint8)
        if masked_crc32c(content[: size + 1]) != struct.unpack("<I", data[-4:])[0]:
            raise damaged("block checksum mismatch")
        if data[size] == 1:
            return memoryview(_expanded(data[:size]))
        if data[size]:
            raise damaged("bad block type")
        return memoryview(data)[:size]


def _entries(block: memoryview) -> Iterator[tuple[bytes, memoryview]]:
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
        key = key[:shared] + bytes(block[place : place + rest])
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
