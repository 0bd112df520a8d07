"""The nodes of a Saver: those that write a checkpoint and those that read it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_node,
    control_dependencies,
    convert_to_tensor,
    get_default_graph,
    group,
    name_scope,
    shape_tensor,
    with_dependencies,
)
from headwater.protos.lazy import saver_pb2
from headwater.train.saver_saveables import SaveableObject

_ON_CPU = "/device:CPU:0"


def build_nodes(
    saveables: list[SaveableObject],
    *,
    name: str | None,
    reshape: bool,
    sharded: bool,
    filename: str,
    max_to_keep: int,
    keep_hours: float,
) -> Any:
    """Makes the nodes and returns the SaverDef that names them."""
    with name_scope(name, "save", _tensors(saveables)):
        default = build.PlaceholderWithDefault(filename or "model", shape=(), name="filename")
        path = build.PlaceholderWithDefault(default, shape=(), name="Const")
        save = _save_sharded if sharded else _save
        saved = save(path, saveables)
        if sharded:
            shard = _restore(path, saveables, reshape, "restore_shard")
            restored = group(shard, name="restore_all")
        else:
            restored = _restore(path, saveables, reshape, "restore_all")
    return saver_pb2.SaverDef(
        filename_tensor_name=path.name,
        save_tensor_name=saved.name,
        restore_op_name=restored.name,
        max_to_keep=max_to_keep,
        sharded=sharded,
        keep_checkpoint_every_n_hours=keep_hours,
        version=saver_pb2.SaverDef.V2,
    )


def _tensors(saveables: Iterable[SaveableObject]) -> list[Any]:
    ops: list[Any] = []
    for saveable in saveables:
        ops.extend(saveable.op if isinstance(saveable.op, (list, tuple)) else [saveable.op])
    return ops


def _save(path: Tensor, saveables: list[SaveableObject]) -> Tensor:
    specs = [spec for saveable in saveables for spec in saveable.specs]
    save = build.SaveV2(
        path, [s.name for s in specs], [s.slice_spec for s in specs], [s.tensor for s in specs]
    )
    return with_dependencies([save], path)


def _save_sharded(path: Tensor, saveables: list[SaveableObject]) -> Tensor:
    """One shard: all variables are in this process; the merge gives it its final name."""
    graph = get_default_graph()
    folder = constant_node(f"_temp_{uuid.uuid4().hex}/part", name="StringJoin/inputs_1")
    draft = build.StringJoin([path, folder])
    count = constant_node(1, name="num_shards")
    with graph.device(_ON_CPU):
        saved = _save(build.ShardedFilename(draft, 0, count), saveables)
    with graph.device(_ON_CPU), control_dependencies([saved]):
        merge = build.MergeV2Checkpoints([saved], path, delete_old_dirs=True)
    with graph.device(_ON_CPU), control_dependencies([saved, merge]):
        return build.Identity(path)


def _restore(
    path: Tensor,
    saveables: list[SaveableObject],
    reshape: bool,
    name: str,
) -> Operation:
    specs = [spec for saveable in saveables for spec in saveable.specs]
    with get_default_graph().device(_ON_CPU):
        tensors = build.RestoreV2(
            path,
            [s.name for s in specs],
            [s.slice_spec for s in specs],
            dtypes=[s.dtype for s in specs],
        )
    assigned: list[Operation] = []
    rest = iter(tensors)
    for saveable in saveables:
        shapes = [_shape_of(spec.tensor) for spec in saveable.specs] if reshape else None
        restored = [next(rest) for _ in saveable.specs]
        assigned.append(saveable.restore(restored, shapes))
    return group(*assigned, name=name)


def _shape_of(tensor: Tensor) -> Any:
    shape = tensor.get_shape()
    return shape.as_list() if shape.is_fully_defined() else shape_tensor(convert_to_tensor(tensor))
