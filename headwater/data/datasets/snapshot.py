"""Datasets whose elements are kept in files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.data.datasets import structure
from headwater.graph import build, convert_to_tensor

COMPRESSION_GZIP = "GZIP"
COMPRESSION_NONE = None


def snapshot(
    path: TensorLike,
    compression: str | None = None,
    reader_path_prefix: str | None = None,
    writer_path_prefix: str | None = None,
    shard_size_bytes: int | None = None,
    pending_snapshot_expiry_seconds: int | None = None,
    num_reader_threads: int | None = None,
    reader_buffer_size: int | None = None,
    num_writer_threads: int | None = None,
    writer_buffer_size: int | None = None,
) -> Callable[[Any], Any]:
    """The elements of a dataset, read from a snapshot if there is one, and else written to one.

    Args:
        path: the folder of the snapshots; each dataset has a folder of its own in it.
        compression: "GZIP", or None.
        reader_path_prefix: what stands before the names of files that are read.
        writer_path_prefix: what stands before the names of files that are written.
        shard_size_bytes: with more bytes of elements, another file is begun; 10 GiB if None.
        pending_snapshot_expiry_seconds: after this time, a snapshot that its writer has not
            finished is written anew; a day if None.
        num_reader_threads: kept in the node; files are read one after the other.
        reader_buffer_size: kept in the node.
        num_writer_threads: how many files are written side by side; 1 if None.
        writer_buffer_size: kept in the node.

    Returns:
        A function from a dataset to a dataset.
    """

    def apply(dataset: Any) -> Any:
        spec = dataset.element_spec
        variant = build.SnapshotDataset(
            dataset._variant_tensor,
            convert_to_tensor(path, dtypes.string, name="path"),
            compression=compression or "",
            reader_path_prefix=reader_path_prefix or "",
            writer_path_prefix=writer_path_prefix or "",
            shard_size_bytes=_number(shard_size_bytes),
            pending_snapshot_expiry_seconds=_number(pending_snapshot_expiry_seconds),
            num_reader_threads=_number(num_reader_threads),
            reader_buffer_size=_number(reader_buffer_size),
            num_writer_threads=_number(num_writer_threads),
            writer_buffer_size=_number(writer_buffer_size),
            **structure.flat_attrs(spec),
        )
        return dataset._derived(variant, spec)

    return apply


def _number(value: int | None) -> int:
    return -1 if value is None else value
