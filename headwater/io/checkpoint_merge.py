"""Merges the checkpoints of several devices into one."""

from __future__ import annotations

from functools import partial
from typing import Any

from headwater.io.checkpoint_bundle import BundleReader, parsed
from headwater.io.checkpoint_files import data_path, index_path, publish
from headwater.io.files import folder_of, make_folders, remove_file, rename_file
from headwater.protos.lazy import tensor_bundle_pb2


def merge_bundles(prefixes: list[str], destination: str) -> None:
    """Merges several checkpoints into one by moving their files."""
    readers = [BundleReader(prefix) for prefix in prefixes]
    merged: dict[bytes, Any] = {}
    renames: list[Any] = []
    for prefix, reader in zip(prefixes, readers):
        for key, value in reader.raw_entries().items():
            entry = parsed(
                tensor_bundle_pb2.BundleEntryProto, value, f"Damaged entry in {index_path(prefix)}"
            )
            entry.shard_id += len(renames)
            if key in merged and entry.slices:
                merged[key].slices.extend(entry.slices)
            else:
                merged[key] = entry
        sources = [data_path(prefix, shard, reader.shards) for shard in range(reader.shards)]
        renames += [partial(rename_file, source) for source in sources]
    make_folders(folder_of(destination))
    publish(destination, renames, {k: e.SerializeToString() for k, e in merged.items()})
    for prefix in prefixes:
        remove_file(index_path(prefix), missing_ok=True)
