"""Ops that write and read checkpoints of format V2."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType, proto_name
from headwater.base.progress import LARGE_BYTES, bytes_progress
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.io.checkpoint_bundle import BundleWriter
from headwater.io.checkpoint_merge import merge_bundles
from headwater.io.checkpoint_slices import parse_spec, ranges
from headwater.io.checkpoint_v1 import open_checkpoint
from headwater.io.draft_files import release_shard_folder
from headwater.io.files import folder_of, names_in, remove_folder


def _text(value: Array) -> str:
    item = value.item() if isinstance(value, (np.ndarray, np.generic)) else value
    return item.decode() if isinstance(item, bytes) else str(item)


def _texts(values: Array) -> list[str]:
    return [_text(value) for value in np.asarray(values).reshape(-1).tolist()]


def kernel_save(
    xp: ArrayModule,
    prefix: Array,
    tensor_names: Array,
    shape_and_slices: Array,
    tensors: list[Any],
    *,
    dtypes: list[DType],
) -> tuple[()]:
    path = _text(prefix)
    writer = BundleWriter(path)
    values = [np.asarray(value) for value in tensors]
    total = sum(value.nbytes for value in values)
    try:
        writer.reserve(total)
        with bytes_progress(f"Saving {path}", total, least=LARGE_BYTES) as advance:
            for name, spec, value, dtype in zip(
                _texts(tensor_names), _texts(shape_and_slices), values, dtypes
            ):
                writer.add(name, value, dtype, spec)
                advance(value.nbytes)
    except BaseException:
        writer.abandon()
        raise
    writer.finish()
    return ()


def kernel_restore(
    xp: ArrayModule,
    prefix: Array,
    tensor_names: Array,
    shape_and_slices: Array,
    *,
    dtypes: list[DType],
) -> list[np.ndarray]:
    path = _text(prefix)
    reader = open_checkpoint(path)
    names, total = _texts(tensor_names), 0
    for name, dtype in zip(names, dtypes):
        found, shape = reader.dtype_and_shape(name)
        if found is not dtype.base_dtype:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"tensor_name = {name}; expected dtype {proto_name(dtype)} does not equal "
                f"original dtype {proto_name(found)}",
            )
        total += math.prod(shape) * (dtype.size or 1)
    results = []
    with bytes_progress(f"Restoring {path}", total, least=LARGE_BYTES) as advance:
        for name, spec in zip(names, _texts(shape_and_slices)):
            results.append(reader.read(name, spec))
            advance(results[-1].nbytes)
    return results


def shape_restore(c: shapes.ShapeContext) -> list[Any]:
    count = len(c.attr("dtypes"))
    specs = c.value("shape_and_slices")
    if specs is None or specs.size != count:
        return [None] * count
    result: list[Any] = []
    for spec in _texts(specs):
        if spec:
            full, extents = parse_spec(spec)
            result.append(tuple([part.stop - part.start for part in ranges(full, extents)]))
        else:
            result.append(None)
    return result


def kernel_merge(
    xp: ArrayModule, checkpoint_prefixes: Array, destination_prefix: Array, *, delete_old_dirs: bool
) -> tuple[()]:
    prefixes, destination = _texts(checkpoint_prefixes), _text(destination_prefix)
    merge_bundles(prefixes, destination)
    if delete_old_dirs:
        for folder in {folder_of(prefix) for prefix in prefixes} - {folder_of(destination)}:
            release_shard_folder(folder)
            if not names_in(folder):
                remove_folder(folder)
    return ()


def kernel_sharded_filename(
    xp: ArrayModule, basename: Array, shard: Array, num_shards: Array
) -> np.ndarray:
    text = f"{_text(basename)}-{int(shard):05d}-of-{int(num_shards):05d}"
    return np.array(text.encode(), object)


register_op(
    "SaveV2",
    inputs="prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes",
    attrs="dtypes: list(type) >= 1",
    shape=shapes.none,
    kernel=kernel_save,
    runs_on=RunsOn.HOST,
    stateful=True,
)
register_op(
    "RestoreV2",
    inputs="prefix: string, tensor_names: string, shape_and_slices: string",
    outputs="tensors: dtypes",
    attrs="dtypes: list(type) >= 1",
    shape=shape_restore,
    kernel=kernel_restore,
    runs_on=RunsOn.HOST,
    stateful=True,
    dynamic_shape=True,
)
register_op(
    "MergeV2Checkpoints",
    inputs="checkpoint_prefixes: string, destination_prefix: string",
    attrs="delete_old_dirs: bool = true",
    shape=shapes.none,
    kernel=kernel_merge,
    runs_on=RunsOn.HOST,
    stateful=True,
)
register_op(
    "ShardedFilename",
    inputs="basename: string, shard: int32, num_shards: int32",
    outputs="filename: string",
    shape=shapes.scalar,
    kernel=kernel_sharded_filename,
    runs_on=RunsOn.HOST,
)
