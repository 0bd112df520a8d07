"""The files of a snapshot: elements of a dataset as records, and what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import errors
from headwater.base.dtypes import DType, as_dtype
from headwater.base.typing import Array
from headwater.io.atomic_file import write_atomically
from headwater.io.compressed_file import make_compressor
from headwater.io.files import file_exists, join_path, make_folders, open_file
from headwater.io.input_stream import InputStream, open_stream
from headwater.io.tensor_proto import make_ndarray, proto_with_content
from headwater.protos.lazy import snapshot_pb2

# A record is its length in this many bytes, little-endian, and a message.
_LENGTH_BYTES = 8
_METADATA = "snapshot.metadata"


def read_metadata(folder: str) -> Any:
    """The SnapshotMetadataRecord in a folder; None if there is none.

    Raises:
        DataLossError: if it cannot be read.
    """
    path = join_path(folder, _METADATA)
    if not file_exists(path):
        return None
    stream = open_stream(path)
    try:
        record = _read_record(stream, path)
    finally:
        stream.close()
    if record is None:
        raise errors.DataLossError(None, None, f"The snapshot metadata are empty: {path}")
    return _parsed(snapshot_pb2.SnapshotMetadataRecord(), record, path, 0)


def write_metadata(folder: str, metadata: Any) -> None:
    """Writes a SnapshotMetadataRecord to a folder, which is made if it does not exist."""
    make_folders(folder)
    write_atomically(join_path(folder, _METADATA), _framed(metadata))


def _framed(message: Any) -> bytes:
    data: bytes = message.SerializeToString()
    return len(data).to_bytes(_LENGTH_BYTES, "little") + data


def _read_record(stream: InputStream, path: str) -> bytes | None:
    offset = stream.offset
    header = stream.read(_LENGTH_BYTES)
    if not header:
        return None
    length = int.from_bytes(header, "little")
    if len(header) < _LENGTH_BYTES or len(data := stream.read(length)) < length:
        raise errors.DataLossError(None, None, f"truncated record at {offset} of {path}")
    return data


def _parsed(message: Any, data: bytes, path: str, offset: int) -> Any:
    try:
        message.ParseFromString(data)
    except Exception as error:
        # Protobuf's DecodeError; its module is loaded by the protos alone.
        if type(error).__name__ != "DecodeError":
            raise
        raise errors.DataLossError(None, None, f"corrupted record at {offset} of {path}") from None
    return message


class SnapshotWriter:
    """Writes elements to a new file.

    Args:
        path: its name.
        compression: "" or "GZIP".
    """

    def __init__(self, path: str, compression: str) -> None:
        self._file = open_file(path, "ab")
        self._compressor = make_compressor(compression, None) if compression else None

    def write(self, element: Sequence[Array], types: Sequence[DType]) -> None:
        """Adds an element."""
        record = snapshot_pb2.SnapshotRecord()
        for value, dtype in zip(element, types):
            record.tensor.append(proto_with_content(value, dtype))
        data = _framed(record)
        self._file.write(data if self._compressor is None else self._compressor.compress(data))

    def close(self) -> None:
        """Ends the file."""
        try:
            if self._compressor is not None:
                self._file.write(self._compressor.flush())
        finally:
            self._file.close()


class SnapshotReader:
    """Reads the elements of a file.

    Args:
        path: its name.
        compression: "" or "GZIP".
        types: the types of the components.
    """

    def __init__(self, path: str, compression: str, types: Sequence[DType]) -> None:
        self._path = path
        self._types = list(types)
        self._stream = open_stream(path, compression)

    def read(self) -> list[Array] | None:
        """The next element; None at the end.

        Raises:
            DataLossError: if the file is damaged, or has elements of other types.
        """
        offset = self._stream.offset
        data = _read_record(self._stream, self._path)
        if data is None:
            return None
        record = _parsed(snapshot_pb2.SnapshotRecord(), data, self._path, offset)
        try:
            values = [make_ndarray(tensor) for tensor in record.tensor]
            types = [as_dtype(tensor.dtype) for tensor in record.tensor]
        except (TypeError, ValueError):
            raise errors.DataLossError(
                None,
                None,
                f"Unable to parse tensor from proto. It is at {offset} of {self._path}",
            ) from None
        if types != self._types:
            names = ", ".join(dtype.name for dtype in types)
            raise errors.DataLossError(
                None, None, f"The element at {offset} of {self._path} has components of {names}."
            )
        return values

    def close(self) -> None:
        """Closes the file."""
        self._stream.close()
