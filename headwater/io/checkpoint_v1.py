"""Checkpoints of format V1: one table with a description and the values of slices of tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType, as_dtype, string
from headwater.base.lazy import LazyModule
from headwater.base.progress import LARGE_BYTES, bytes_progress
from headwater.io import checkpoint_slices as slices
from headwater.io.atomic_file import AtomicFile
from headwater.io.checkpoint_bundle import BundleReader
from headwater.io.checkpoint_files import index_path
from headwater.io.checkpoint_shards import shard_files
from headwater.io.checkpoint_table import Table, TableWriter, damaged
from headwater.io.checkpoint_v1_values import read_values, slice_parts
from headwater.io.draft_files import remove_abandoned
from headwater.io.files import folder_of, is_file, open_file
from headwater.io.tensor_proto import shape_proto, value_field
from headwater.protos.lazy import saved_tensor_slice_pb2

_message: Any = LazyModule("google.protobuf.message")

_META_KEY = b""


class SlicesWriter:
    """Writes a file of tensors, which becomes visible with `finish`.

    Args:
        path: the file.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._meta: dict[str, Any] = {}
        # The serialized values in parts, which share the memory of the arrays.
        self._values: dict[bytes, list[Any]] = {}

    def add(self, name: str, array: np.ndarray, dtype: DType, spec: str = "") -> None:
        """Adds a tensor, or a slice of one.

        Args:
            name: its name.
            array: the value.
            dtype: the type of the elements.
            spec: the full shape and the place of the slice; "" for a whole tensor.

        Raises:
            InvalidArgumentError: if the slice has another shape.
        """
        shape: tuple[int, ...] = array.shape
        extents: slices.Extents = (None,) * array.ndim
        if spec:
            shape, extents = slices.parse_spec(spec)
            if slices.sizes(shape, extents) != array.shape:
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    "Slice in shape_and_slice specification does not match the shape of the "
                    f"tensor to  save: {spec}, tensor: [{','.join(map(str, array.shape))}]",
                )
        found = self._meta.get(name)
        if found is None:
            found = self._meta[name] = saved_tensor_slice_pb2.SavedSliceMeta(
                name=name, shape=shape_proto(shape), type=dtype.as_datatype_enum
            )
        place = slices.to_proto(extents)
        found.slice.add().CopyFrom(place)
        self._values[slices.slice_key(name, extents)] = slice_parts(name, place, array, dtype)

    def finish(self) -> None:
        """Writes the file under its final name."""
        description = saved_tensor_slice_pb2.SavedTensorSlices()
        description.meta.tensor.extend(self._meta.values())
        description.meta.versions.producer = 1
        remove_abandoned(folder_of(self._path) or ".")
        file = AtomicFile(self._path)
        try:
            table = TableWriter(file.write)
            table.add(_META_KEY, description.SerializeToString())
            total = sum(len(part) for parts in self._values.values() for part in parts)
            file.reserve(total)
            with bytes_progress(f"Saving {self._path}", total, least=LARGE_BYTES) as advance:
                for key in sorted(self._values):
                    table.add(key, *self._values[key])
                    advance(sum(map(len, self._values[key])))
            table.finish()
            file.close()
        except errors.OpError as error:
            file.abandon()
            raise _not_written(error) from None
        except BaseException:
            file.abandon()
            raise
        file.commit()


class SlicesReader:
    """Reads the files of a checkpoint.

    Args:
        pattern: the path of a file, or a pattern of several (shards).

    Raises:
        NotFoundError: if there is no such file.
        DataLossError: if a file is not a table or is damaged.
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._tables: list[Table] = []
        self._meta: dict[str, tuple[DType, tuple[int, ...], list[slices.Extents]]] = {}
        try:
            self._open_all(pattern)
        except errors.NotFoundError:
            # Another process has just replaced the checkpoint.
            self._open_all(pattern)

    def _open_all(self, pattern: str) -> None:
        self._tables.clear()
        self._meta.clear()
        files = _matching_files(pattern)
        if not files:
            raise errors.NotFoundError(
                None,
                None,
                "Unsuccessful TensorSliceReader constructor: Failed to find any matching files "
                f"for {pattern}",
            )
        for file in files:
            self._open(file)

    def _open(self, file: str) -> None:
        try:
            table = Table(partial(open_file, file, "rb"))
            content = table.get(_META_KEY)
        except (
            errors.DataLossError,
            errors.OutOfRangeError,
            errors.FailedPreconditionError,
        ) as error:
            raise damaged(
                f"Unable to open table file {file}: {errors.status_text(error)}: perhaps your file "
                "is in a different file format and you need to use a different restore operator?"
            ) from None
        self._tables.append(table)
        if content is None:
            raise _damaged(file)
        description = _read(content, file)
        for tensor in description.meta.tensor:
            shape = tuple([dim.size for dim in tensor.shape.dim])
            places = [slices.from_proto(place) for place in tensor.slice]
            try:
                dtype = as_dtype(tensor.type)
                value_field(dtype)
            except (KeyError, TypeError):
                if tensor.type != string.as_datatype_enum:
                    raise _damaged(file) from None
            if min(shape, default=0) < 0 or not all(slices.inside(shape, p) for p in places):
                raise _damaged(file)
            known = self._meta.setdefault(tensor.name, (dtype, shape, []))
            known[2].extend(places)

    def names(self) -> list[str]:
        """The names of all tensors, sorted."""
        return sorted(self._meta)

    def __contains__(self, name: str) -> bool:
        return name in self._meta

    def _entry(self, name: str) -> tuple[DType, tuple[int, ...], list[slices.Extents]]:
        if name not in self._meta:
            raise errors.NotFoundError(
                None, None, f'Tensor name "{name}" not found in checkpoint files {self._pattern}'
            )
        return self._meta[name]

    def dtype_and_shape(self, name: str) -> tuple[DType, tuple[int, ...]]:
        """The type and shape of a tensor; raises NotFoundError if there is none."""
        return self._entry(name)[:2]

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
        """
        dtype, shape, places = self._entry(name)
        if not spec:
            return self._whole(name, dtype, shape, places)
        wanted, extents = slices.parse_spec(spec)
        if wanted != shape:
            raise errors.InvalidArgumentError(
                None,
                None,
                "Shape in shape_and_slice spec does not match the shape in the save file: "
                f"{_text(wanted)}, save file shape: {_text(shape)}",
            )
        if extents in places:
            return self._value(name, dtype, shape, extents)
        return np.array(self._whole(name, dtype, shape, places)[slices.ranges(shape, extents)])

    def _whole(
        self, name: str, dtype: DType, shape: tuple[int, ...], places: list[slices.Extents]
    ) -> np.ndarray:
        if places and slices.sizes(shape, places[0]) == shape:
            return self._value(name, dtype, shape, places[0])
        # Checked before memory is allocated for the shape, which may be corrupt.
        if sum(math.prod(slices.sizes(shape, place)) for place in places) < math.prod(shape):
            raise errors.InvalidArgumentError(
                None, None, f"The slices of {name} do not cover its shape {_text(shape)}"
            )
        result = np.empty(shape, dtype.numpy_dtype)
        for extents in places:
            result[slices.ranges(shape, extents)] = self._value(name, dtype, shape, extents)
        return result

    def _value(
        self, name: str, dtype: DType, shape: tuple[int, ...], extents: slices.Extents
    ) -> np.ndarray:
        key = slices.slice_key(name, extents)
        for table in self._tables:
            try:
                content = table.get(key)
                if content is not None:
                    return read_values(content, dtype, slices.sizes(shape, extents))
            except errors.DataLossError as error:
                raise damaged(f"A slice of {name} is damaged: {error.message}") from None
        raise errors.DataLossError(None, None, f"A slice of {name} is missing in {self._pattern}")


def _not_written(error: errors.OpError) -> errors.OpError:
    """The error of a file that could be opened but not written, as TensorFlow has it."""
    if isinstance(error, errors.ResourceExhaustedError):
        text = f"Error writing (tmp) checkpoint file: {errors.status_text(error)}"
        return errors.InternalError(None, None, text, hint=error.hint)
    return error


def open_checkpoint(prefix: str) -> BundleReader | SlicesReader:
    """Opens a checkpoint of either format.

    Args:
        prefix: its path as `Saver.save` returns it.

    Raises:
        NotFoundError: if there is no such checkpoint.
        DataLossError: if it is damaged.
    """
    if is_file(index_path(prefix)):
        return BundleReader(prefix)
    return SlicesReader(prefix)


def _matching_files(pattern: str) -> list[str]:
    """The files of a path or of a pattern of shards, sorted."""
    try:
        return shard_files(pattern)
    except errors.OpError as error:
        text = f"Failed to get matching files on {pattern}: {errors.status_text(error)}"
        raise errors.InvalidArgumentError(
            None, None, f"Unsuccessful TensorSliceReader constructor: {text}", hint=error.hint
        ) from None


def _damaged(file: str) -> errors.DataLossError:
    return damaged(f"Unable to open table file {file}: Data loss: it describes no tensors")


def _read(data: memoryview, file: str) -> Any:
    """Parses a SavedTensorSlices; DataLossError if it is damaged."""
    try:
        return saved_tensor_slice_pb2.SavedTensorSlices.FromString(bytes(data))
    except _message.DecodeError:
        raise _damaged(file) from None


def _text(shape: Sequence[int]) -> str:
    return "[" + ",".join(str(size) for size in shape) + "]"
