"""Ops that write and read checkpoints of format V1."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.dtypes import DType, proto_name
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import RunsOn, register_op, shapes
from headwater.io.checkpoint_slices import parse_spec, sizes
from headwater.io.checkpoint_v1 import SlicesReader, SlicesWriter


def _text(value: Array) -> str:
    item = np.asarray(value).item()
    return item.decode() if isinstance(item, bytes) else str(item)


def kernel_save_slices(
    xp: ArrayModule,
    filename: Array,
    tensor_names: Array,
    shapes_and_slices: Array,
    data: list[Any],
    *,
    T: list[DType],
) -> tuple[()]:
    writer = SlicesWriter(_text(filename))
    specs = np.asarray(shapes_and_slices).reshape(-1)
    for name, spec, value, dtype in zip(np.asarray(tensor_names).reshape(-1), specs, data, T):
        writer.add(_text(name), np.asarray(value), dtype.base_dtype, _text(spec))
    writer.finish()
    return ()


def kernel_save(
    xp: ArrayModule,
    filename: Array,
    tensor_names: Array,
    data: list[Any],
    *,
    T: list[DType],
) -> tuple[()]:
    return kernel_save_slices(xp, filename, tensor_names, [b""] * len(data), data, T=T)


def shape_save(c: shapes.ShapeContext) -> list[Shape]:
    count = len(c.attr("T"))
    for name in ("tensor_names", "shapes_and_slices"):
        if name == "shapes_and_slices" and len(c.shapes) - count < 3:
            continue
        given = c.shape(name)
        if given is not None and (len(given) != 1 or given[0] not in (None, count)):
            if len(given) != 1:
                c.fail(f"Shape must be rank 1 but is rank {len(given)}")
            c.fail(f"Dimension must be {count} but is {given[0]}")
    return []


def kernel_restore_slice(
    xp: ArrayModule,
    file_pattern: Array,
    tensor_name: Array,
    shape_and_slice: Array,
    *,
    dt: DType,
) -> np.ndarray:
    reader, name = SlicesReader(_text(file_pattern)), _text(tensor_name)
    found, _ = reader.dtype_and_shape(name)
    if found is not dt.base_dtype:
        fail(
            f"Expected to restore a tensor of type {proto_name(dt.base_dtype)}, got a tensor of "
            f"type {proto_name(found)} instead: tensor_name = {name}"
        )
    return reader.read(name, _text(shape_and_slice))


def kernel_restore(
    xp: ArrayModule, file_pattern: Array, tensor_name: Array, *, dt: DType
) -> np.ndarray:
    return kernel_restore_slice(xp, file_pattern, tensor_name, b"", dt=dt)


def shape_restore_slice(c: shapes.ShapeContext) -> Shape:
    spec = c.value("shape_and_slice")
    if spec is None or not _text(spec):
        return None
    try:
        return sizes(*parse_spec(_text(spec)))
    except errors.InvalidArgumentError as error:
        c.fail(error.message)


def kernel_sharded_filespec(xp: ArrayModule, basename: Array, num_shards: Array) -> np.ndarray:
    return np.array(f"{_text(basename)}-?????-of-{int(num_shards):05d}".encode(), object)


register_op(
    "Save",
    inputs="filename: string, tensor_names: string, data: T",
    attrs="T: list(type) >= 1",
    shape=shape_save,
    kernel=kernel_save,
    runs_on=RunsOn.HOST,
    stateful=True,
)
register_op(
    "SaveSlices",
    inputs="filename: string, tensor_names: string, shapes_and_slices: string, data: T",
    attrs="T: list(type) >= 1",
    shape=shape_save,
    kernel=kernel_save_slices,
    runs_on=RunsOn.HOST,
    stateful=True,
)
register_op(
    "Restore",
    inputs="file_pattern: string, tensor_name: string",
    outputs="tensor: dt",
    attrs="dt: type, preferred_shard: int = -1",
    shape=shapes.unknown,
    kernel=kernel_restore,
    runs_on=RunsOn.HOST,
    stateful=True,
    dynamic_shape=True,
)
register_op(
    "RestoreSlice",
    inputs="file_pattern: string, tensor_name: string, shape_and_slice: string",
    outputs="tensor: dt",
    attrs="dt: type, preferred_shard: int = -1",
    shape=shape_restore_slice,
    kernel=kernel_restore_slice,
    runs_on=RunsOn.HOST,
    stateful=True,
    dynamic_shape=True,
)
register_op(
    "ShardedFilespec",
    inputs="basename: string, num_shards: int32",
    outputs="filename: string",
    shape=shapes.scalar,
    kernel=kernel_sharded_filespec,
    runs_on=RunsOn.HOST,
)
