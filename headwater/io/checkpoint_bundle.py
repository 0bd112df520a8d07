"""Checkpoints of format V2: an index table and files of raw values."""

from __future__ import annotations

import math
import os
import struct
import threading
from pathlib import Path
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType, as_dtype
from headwater.base.lazy import LazyModule
from headwater.io import checkpoint_slices as slices
from headwater.io.checkpoint_table import read_table, read_varint, table_bytes, varint
from headwater.io.checksum import masked
from headwater.io.opening import file_error, open_file
from headwater.io.tensor_proto import shape_proto
from headwater.protos.lazy import tensor_bundle_pb2

_google_crc32c: Any = LazyModule("google_crc32c")

_HEADER_KEY = b""
_UINT32_MAX = 2**32 - 1


def index_path(prefix: str) -> str:
    """The file of the index."""
    return f"{prefix}.index"


def data_path(prefix: str, shard: int, shards: int) -> str:
    """The file of the values of one shard."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


def _extend(crc: int, data: bytes) -> int:
    return _google_crc32c.extend(crc, data)


def _string_bytes(array: np.ndarray) -> tuple[bytes, int]:
    """Strings as lengths, checksum of the lengths and contents; and the checksum of all."""
    items = [bytes(item) for item in array.reshape(-1).tolist()]
    crc = 0
    for item in items:
        crc = _extend(crc, struct.pack("<I" if len(item) <= _UINT32_MAX else "<Q", len(item)))
    check = struct.pack("<I", masked(crc))
    content = b"".join(items)
    lengths = b"".join([varint(len(item)) for item in items])
    return lengths + check + content, _extend(_extend(crc, check), content)


class BundleWriter:
    """Writes a checkpoint; nothing is seen of it before `finish`.

    Args:
        prefix: the beginning of the names of its files.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._entries: dict[str, Any] = {}
        self._slices: dict[bytes, bytes] = {}
        self._offset = 0
        self._draft = f"{data_path(prefix, 0, 1)}.tempstate{os.getpid()}_{threading.get_ident()}"
        try:
            Path(prefix).parent.mkdir(parents=True, exist_ok=True)
            self._file = open_file(self._draft, "wb")
        except OSError as error:
            raise file_error(error, self._draft) from None

    def add(self, name: str, array: np.ndarray, dtype: DType, spec: str = "") -> None:
        """Adds a tensor, or a slice of one.

        Args:
            name: its name.
            array: the value.
            dtype: the type of the elements.
            spec: the full shape and the place of the slice; "" for a whole tensor.
        """
        if not spec:
            if name in self._entries:
                raise errors.InvalidArgumentError(None, None, f"Adding duplicate key: {name}")
            self._entries[name] = self._put(array, dtype)
            return
        shape, extents = slices.parse_spec(spec)
        if tuple(part.stop - part.start for part in slices.ranges(shape, extents)) != array.shape:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Slice in shape_and_slice specification does not match the shape of the tensor "
                f"to save: {spec}, tensor: [{','.join(map(str, array.shape))}]",
            )
        full = self._entries.get(name)
        if full is None:
            full = self._entries[name] = tensor_bundle_pb2.BundleEntryProto(
                dtype=dtype.as_datatype_enum, shape=shape_proto(shape)
            )
        full.slices.add().CopyFrom(slices.to_proto(extents))
        key = slices.slice_key(name, extents)
        self._slices[key] = self._put(array, dtype).SerializeToString()

    def _put(self, array: np.ndarray, dtype: DType) -> Any:
        if dtype.name == "string":
            data, crc = _string_bytes(array)
        else:
            data = np.ascontiguousarray(array).tobytes()
            crc = _google_crc32c.value(data)
        self._file.write(data)
        entry = tensor_bundle_pb2.BundleEntryProto(
            dtype=dtype.as_datatype_enum,
            shape=shape_proto(array.shape),
            offset=self._offset,
            size=len(data),
            crc32c=masked(crc),
        )
        self._offset += len(data)
        return entry

    def finish(self) -> None:
        """Ends the files and gives them their names."""
        self._file.close()
        entries = {name.encode(): e.SerializeToString() for name, e in self._entries.items()}
        try:
            Path(self._draft).replace(data_path(self._prefix, 0, 1))
        except OSError as error:
            raise file_error(error, self._draft) from None
        write_index(self._prefix, {**self._slices, **entries}, 1)

    def abandon(self) -> None:
        """Forgets what was written."""
        self._file.close()
        Path(self._draft).unlink(missing_ok=True)


def write_index(prefix: str, entries: dict[bytes, bytes], shards: int) -> None:
    """Writes the index of a checkpoint.

    Args:
        prefix: the beginning of the names of its files.
        entries: serialized BundleEntryProto by key.
        shards: how many files of values there are.
    """
    header = tensor_bundle_pb2.BundleHeaderProto(num_shards=shards)
    header.version.producer = 1
    draft = Path(f"{index_path(prefix)}.tempstate{os.getpid()}_{threading.get_ident()}")
    try:
        draft.write_bytes(table_bytes({_HEADER_KEY: header.SerializeToString(), **entries}))
        draft.replace(index_path(prefix))
    except OSError as error:
        raise file_error(error, draft) from None


class BundleReader:
    """Reads a checkpoint.

    Args:
        prefix: the beginning of the names of its files.

    Raises:
        NotFoundError: if there is no such checkpoint.
        DataLossError: if the index is damaged.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        try:
            data = Path(index_path(prefix)).read_bytes()
        except FileNotFoundError:
            text = f"Failed to find any matching files for {prefix}"
            raise errors.NotFoundError(
                None, None, f"Unsuccessful TensorSliceReader constructor: {text}"
            ) from None
        except OSError as error:
            raise file_error(error, index_path(prefix)) from None
        self._table = read_table(data)
        header = tensor_bundle_pb2.BundleHeaderProto.FromString(self._table.get(_HEADER_KEY, b""))
        self.shards = header.num_shards
        if header.endianness != tensor_bundle_pb2.BundleHeaderProto.LITTLE:
            raise errors.UnimplementedError(
                None, None, "Reading a bundle with different endianness from the reader"
            )

    def names(self) -> list[str]:
        """The names of all tensors, sorted."""
        return sorted(k.decode() for k in self._table if k and not k.startswith(b"\0"))

    def raw_entries(self) -> dict[bytes, bytes]:
        """All entries of the index except the header."""
        return {key: value for key, value in self._table.items() if key != _HEADER_KEY}

    def __contains__(self, name: str) -> bool:
        return bool(name) and name.encode() in self._table

    def _entry(self, key: bytes, name: str) -> Any:
        if not key or key not in self._table:
            raise errors.NotFoundError(None, None, f"Key {name} not found in checkpoint")
        return tensor_bundle_pb2.BundleEntryProto.FromString(self._table[key])

    def dtype_and_shape(self, name: str) -> tuple[DType, tuple[int, ...]]:
        """The type and shape of a tensor; raises NotFoundError if there is none."""
        entry = self._entry(name.encode(), name)
        return as_dtype(entry.dtype), _shape(entry)

    def read(self, name: str, spec: str = "") -> np.ndarray:
        """Reads a tensor or a slice of it.

        Args:
            name: its name.
            spec: the full shape and the slice; "" for the whole tensor.

        Returns:
            A new array.

        Raises:
            NotFoundError: if there is no such tensor.
            InvalidArgumentError: if the shape is another one.
            DataLossError: if a checksum does not fit.
        """
        entry = self._entry(name.encode(), name)
        shape = _shape(entry)
        if spec:
            wanted, extents = slices.parse_spec(spec)
            if wanted != shape:
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"Shape in shape_and_slice spec {_text(wanted)} does not match the shape in "
                    f"checkpoint: {_text(shape)}",
                )
            key = slices.slice_key(name, extents)
            if key in self._table:
                return self._value(self._entry(key, name))
            return np.array(self._whole(name, entry)[slices.ranges(shape, extents)])
        return self._whole(name, entry)

    def _whole(self, name: str, entry: Any) -> np.ndarray:
        if not entry.slices:
            return self._value(entry)
        shape, dtype = _shape(entry), as_dtype(entry.dtype)
        result = np.empty(shape, dtype.numpy_dtype)
        covered = 0
        for proto in entry.slices:
            extents = slices.from_proto(proto)
            part = self._value(self._entry(slices.slice_key(name, extents), name))
            result[slices.ranges(shape, extents)] = part
            covered += part.size
        if covered < result.size:
            raise errors.InvalidArgumentError(
                None, None, f"The slices of {name} do not cover its shape {_text(shape)}"
            )
        return result

    def _value(self, entry: Any) -> np.ndarray:
        path = data_path(self._prefix, entry.shard_id, self.shards)
        try:
            with Path(path).open("rb") as file:
                file.seek(entry.offset)
                data = file.read(entry.size)
        except OSError as error:
            raise file_error(error, path) from None
        if len(data) < entry.size:
            raise errors.DataLossError(None, None, f"{path}: file is too short")
        dtype, shape = as_dtype(entry.dtype), _shape(entry)
        if dtype.name == "string":
            array, crc = _strings(data, math.prod(shape))
        else:
            array = np.frombuffer(bytearray(data), dtype.numpy_dtype)
            crc = _google_crc32c.value(data)
        if masked(crc) != entry.crc32c:
            raise errors.DataLossError(
                None,
                None,
                f"Checksum does not match: stored {entry.crc32c} vs. calculated on the restored "
                f"bytes {masked(crc)}",
            )
        return array.reshape(shape)


def _shape(entry: Any) -> tuple[int, ...]:
    return tuple([dim.size for dim in entry.shape.dim])


def _text(shape: tuple[int, ...]) -> str:
    return "[" + ",".join(str(size) for size in shape) + "]"


def _strings(data: bytes, count: int) -> tuple[np.ndarray, int]:
    place, lengths = 0, []
    for _ in range(count):
        length, place = read_varint(data, place)
        lengths.append(length)
    place += 4
    result = np.empty(count, object)
    for i, length in enumerate(lengths):
        result[i] = data[place : place + length]
        place += length
    return result, _string_bytes(result)[1]


def merge_bundles(prefixes: list[str], destination: str) -> None:
    """Makes one checkpoint of several, whose files are moved."""
    readers = [BundleReader(prefix) for prefix in prefixes]
    shards = sum(reader.shards for reader in readers)
    merged: dict[bytes, Any] = {}
    first = 0
    for prefix, reader in zip(prefixes, readers):
        for key, value in reader.raw_entries().items():
            entry = tensor_bundle_pb2.BundleEntryProto.FromString(value)
            entry.shard_id += first
            if key in merged and entry.slices:
                merged[key].slices.extend(entry.slices)
            else:
                merged[key] = entry
        for shard in range(reader.shards):
            source = data_path(prefix, shard, reader.shards)
            try:
                Path(destination).parent.mkdir(parents=True, exist_ok=True)
                Path(source).replace(data_path(destination, first + shard, shards))
            except OSError as error:
                raise file_error(error, source) from None
        first += reader.shards
    write_index(destination, {k: e.SerializeToString() for k, e in merged.items()}, shards)
    for prefix in prefixes:
        Path(index_path(prefix)).unlink(missing_ok=True)
