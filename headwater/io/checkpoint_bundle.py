"""Checkpoints of format V2: an index table and files of raw values."""

from __future__ import annotations

import math
import os
import struct
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType, as_dtype
from headwater.base.lazy import LazyModule
from headwater.io import checkpoint_slices as slices
from headwater.io.atomic_file import AtomicFile
from headwater.io.checkpoint_files import HEADER_KEY, data_path, index_path, publish
from headwater.io.checkpoint_table import damaged, read_table, read_varint, varint
from headwater.io.checksum import crc32c, masked
from headwater.io.draft_files import abandon_shard_folder, hold_shard_folder, remove_abandoned_near
from headwater.io.files import folder_of, make_folder, open_file, read_bytes
from headwater.io.tensor_proto import shape_proto, variant_proto, variant_value
from headwater.protos.lazy import tensor_bundle_pb2, tensor_pb2

_google_crc32c: Any = LazyModule("google_crc32c")
_message: Any = LazyModule("google.protobuf.message")

_CHECK_BYTES = 4
_ALIGNMENT = 64
_UINT32_MAX = 2**32 - 1


def _extend(crc: int, data: bytes) -> int:
    return _google_crc32c.extend(crc, data)


def _lengths_crc(lengths: list[int]) -> int:
    crc = 0
    for length in lengths:
        crc = _extend(crc, struct.pack("<I" if length <= _UINT32_MAX else "<Q", length))
    return crc


def _string_bytes(array: np.ndarray) -> tuple[bytes, int]:
    """Strings as lengths, checksum of the lengths, and contents; and the checksum of the whole."""
    items = [bytes(item) for item in array.reshape(-1).tolist()]
    crc = _lengths_crc([len(item) for item in items])
    check = struct.pack("<I", masked(crc))
    content = b"".join(items)
    lengths = b"".join([varint(len(item)) for item in items])
    return lengths + check + content, _extend(_extend(crc, check), content)


def _variant_bytes(array: np.ndarray) -> tuple[bytes, int]:
    """Variants as protos, each with its length and a checksum; and the checksum of the whole."""
    parts, crc = [], 0
    for value in array.reshape(-1).tolist():
        content = variant_proto(value).SerializeToString(deterministic=True)
        crc = _extend(_extend(crc, struct.pack("<Q", len(content))), content)
        check = struct.pack("<I", masked(crc))
        crc = _extend(crc, check)
        parts += [varint(len(content)), content, check]
    return b"".join(parts), crc


class BundleWriter:
    """Writes a checkpoint, which becomes visible with `finish`.

    Args:
        prefix: the beginning of the names of its files.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._entries: dict[str, Any] = {}
        self._slices: dict[bytes, bytes] = {}
        self._offset = 0
        folder = folder_of(prefix)
        make_folder(folder)
        hold_shard_folder(folder)
        remove_abandoned_near(prefix)
        self._file = AtomicFile(data_path(prefix, 0, 1))

    def reserve(self, size: int) -> None:
        """Asks for the space of so many bytes of values, which makes writing them faster."""
        self._file.reserve(size)

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
        data: Any
        if dtype.name == "string":
            data, crc = _string_bytes(array)
        elif dtype.name == "variant":
            data, crc = _variant_bytes(array)
        else:
            # A view: large values are not copied.
            data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            crc = crc32c(data)
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
        """Closes the files and renames them to their final names."""
        entries = {name.encode(): e.SerializeToString() for name, e in self._entries.items()}
        try:
            self._file.close()
            publish(self._prefix, [self._file.rename], {**self._slices, **entries})
        except errors.OpError:
            self.abandon()
            raise
        self._file.release()

    def abandon(self) -> None:
        """Discards what was written."""
        self._file.abandon()
        abandon_shard_folder(folder_of(self._prefix))


class BundleReader:
    """Reads a checkpoint.

    Args:
        prefix: the beginning of the names of its files.

    Raises:
        NotFoundError: if there is no such checkpoint.
        DataLossError: if the index is damaged.
        OutOfRangeError: if a block of the index lies outside the file.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        try:
            data = read_bytes(index_path(prefix))
        except errors.NotFoundError:
            text = f"Failed to find any matching files for {prefix}"
            raise errors.NotFoundError(
                None, None, f"Unsuccessful TensorSliceReader constructor: {text}"
            ) from None
        try:
            self._table = read_table(data)
        except errors.DataLossError as error:
            error.hint = f"the damaged file is {index_path(prefix)}."
            raise
        if HEADER_KEY not in self._table:
            raise damaged(f"Header entry not found in {index_path(prefix)}")
        header = parsed(
            tensor_bundle_pb2.BundleHeaderProto,
            self._table[HEADER_KEY],
            f"Unable to parse header entry in {index_path(prefix)}",
        )
        self.shards = header.num_shards
        if header.endianness != tensor_bundle_pb2.BundleHeaderProto.LITTLE:
            raise errors.UnimplementedError(
                None, None, "Reading a bundle with different endianness from the reader"
            )

    def names(self) -> list[str]:
        """The names of all tensors, sorted."""
        keys = [key for key in self._table if key and not key.startswith(b"\0")]
        return sorted(key.decode("utf-8", "surrogateescape") for key in keys)

    def raw_entries(self) -> dict[bytes, bytes]:
        """All entries of the index except the header."""
        return {key: value for key, value in self._table.items() if key != HEADER_KEY}

    def __contains__(self, name: str) -> bool:
        return bool(name) and _key(name) in self._table

    def _entry(self, key: bytes, name: str) -> Any:
        if not key or key not in self._table:
            raise errors.NotFoundError(None, None, f"Key {name} not found in checkpoint")
        entry = parsed(
            tensor_bundle_pb2.BundleEntryProto,
            self._table[key],
            f"Entry for key {name} not parseable.",
        )
        wrong = _fault_of_entry(entry)
        if wrong:
            raise damaged(f"Invalid entry for key {name} in {index_path(self._prefix)}: {wrong}")
        return entry

    def dtype_and_shape(self, name: str) -> tuple[DType, tuple[int, ...]]:
        """The type and shape of a tensor; raises NotFoundError if there is none."""
        entry = self._entry(_key(name), name)
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
        entry = self._entry(_key(name), name)
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
        places = [slices.from_proto(proto) for proto in entry.slices]
        parts = [self._entry(slices.slice_key(name, place), name) for place in places]
        for place, part in zip(places, parts):
            if not slices.inside(shape, place) or _shape(part) != slices.sizes(shape, place):
                raise damaged(f"A slice of {name} lies outside its shape {_text(shape)}")
        # Checked before memory is allocated for the shape, which may be corrupt.
        if sum(math.prod(_shape(part)) for part in parts) < math.prod(shape):
            raise errors.InvalidArgumentError(
                None, None, f"The slices of {name} do not cover its shape {_text(shape)}"
            )
        result = np.empty(shape, dtype.numpy_dtype)
        for place, part in zip(places, parts):
            result[slices.ranges(shape, place)] = self._value(part)
        return result

    def _value(self, entry: Any) -> np.ndarray:
        path = data_path(self._prefix, entry.shard_id, self.shards)
        dtype, shape = as_dtype(entry.dtype), _shape(entry)
        count = math.prod(shape)
        wanted = None if dtype.name in ("string", "variant") else count * dtype.size
        if wanted is not None and wanted != entry.size:
            raise damaged(
                f"Invalid size in bundle entry of {path}: stored size {entry.size}; expected size "
                f"{wanted}"
            )
        data = _bytes_of_file(path, entry.offset, entry.size)
        array: np.ndarray
        if dtype.name == "string":
            array, crc = _strings(data.tobytes(), count)
        elif dtype.name == "variant":
            array, crc = _variants(data.tobytes(), count)
        else:
            array, crc = data.view(np.dtype(dtype.numpy_dtype)), crc32c(data)
        if masked(crc) != entry.crc32c:
            raise damaged(
                f"Checksum does not match: stored {entry.crc32c} vs. calculated on the restored "
                f"bytes {masked(crc)}"
            )
        return array.reshape(shape)


def _bytes_of_file(path: str, offset: int, size: int) -> np.ndarray:
    """Reads a part of a file into memory that devices can share; OutOfRangeError if it is short."""
    with open_file(path, "rb") as file:
        # A corrupt size must not cause a huge allocation.
        if offset + size > file.seek(0, os.SEEK_END):
            raise errors.OutOfRangeError(None, None, "Read less bytes than requested")
        file.seek(offset)
        memory = np.empty(size + _ALIGNMENT, np.uint8)
        start = -memory.ctypes.data % _ALIGNMENT
        data = memory[start : start + size]
        if file.readinto(data) < size:  # type: ignore[attr-defined]
            raise errors.OutOfRangeError(None, None, "Read less bytes than requested")
    return data


def _shape(entry: Any) -> tuple[int, ...]:
    return tuple([dim.size for dim in entry.shape.dim])


def _key(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def parsed(message: Any, data: bytes, failure: str) -> Any:
    """Parses a message; DataLossError with the text `failure` if it is damaged."""
    try:
        return message.FromString(data)
    except _message.DecodeError:
        raise damaged(failure) from None


def _fault_of_entry(entry: Any) -> str:
    """What makes a BundleEntryProto unusable; "" if nothing does."""
    try:
        dtype = as_dtype(entry.dtype)
    except TypeError:
        dtype = None
    if dtype is None or (dtype.numpy_dtype is None and dtype.name != "variant"):
        return f"data type {entry.dtype}"
    shape = _shape(entry)
    if entry.shape.unknown_rank or min(shape, default=0) < 0:
        return f"shape {_text(shape)}"
    if min(entry.offset, entry.size, entry.shard_id) < 0:
        return f"shard {entry.shard_id}, offset {entry.offset}, size {entry.size}"
    return ""


def _text(shape: tuple[int, ...]) -> str:
    return "[" + ",".join(str(size) for size in shape) + "]"


def _strings(data: bytes, count: int) -> tuple[np.ndarray, int]:
    place, lengths = 0, []
    # Each length takes at least one byte.
    if count + _CHECK_BYTES > len(data):
        raise damaged("The lengths of strings are cut off")
    for _ in range(count):
        length, place = read_varint(data, place)
        lengths.append(length)
    stored = int.from_bytes(data[place : place + _CHECK_BYTES], "little")
    if stored != (found := masked(_lengths_crc(lengths))):
        raise damaged(
            f"The length checksum does not match: expected {stored} but actual is {found}"
        )
    place += _CHECK_BYTES
    if place + sum(lengths) != len(data):
        raise damaged("The lengths of strings do not add up to their bytes")
    result = np.empty(count, object)
    for i, length in enumerate(lengths):
        result[i] = data[place : place + length]
        place += length
    return result, _string_bytes(result)[1]


def _variants(data: bytes, count: int) -> tuple[np.ndarray, int]:
    place = 0
    # Each variant takes a length and a checksum.
    if count * (1 + _CHECK_BYTES) > len(data):
        raise damaged("The variants are cut off")
    result = np.empty(count, object)
    for i in range(count):
        length, place = read_varint(data, place)
        if place + length + _CHECK_BYTES > len(data):
            raise damaged("The variants are cut off")
        content = data[place : place + length]
        failure = "Could not parse a variant"
        result[i] = parsed(tensor_pb2.VariantTensorDataProto, content, failure)
        place += length + _CHECK_BYTES
    crc = _variant_bytes(result)[1]
    for i in range(count):
        result[i] = variant_value(result[i])
    return result, crc
