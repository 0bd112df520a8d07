"""The nodes of a Saver: those that write a checkpoint and those that read it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

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
from headwater.graph.device import DeviceSpec, canonical_name
from headwater.model.trackable.saveable import SaveableObject
from headwater.protos.lazy import saver_pb2

if TYPE_CHECKING:
    from headwater.protos.saver_pb2 import SaverDef

_ON_CPU = "/device:CPU:0"
_V1, _V2 = 1, 2


def build_nodes(
    saveables: list[SaveableObject],
    *,
    name: str | None,
    reshape: bool,
    sharded: bool,
    filename: str,
    max_to_keep: int,
    keep_hours: float,
    version: int,
    builder: Any = None,
    sequentially: bool = False,
) -> SaverDef:
    """Makes the nodes and returns the SaverDef that names them.

    A builder of the program makes those that write (`save_op`) and read (`bulk_restore`).
    """
    nodes = _Nodes(version, reshape, builder, sequentially)
    with name_scope(name, "save", _tensors(saveables)):
        default = build.PlaceholderWithDefault(filename or "model", shape=(), name="filename")
        path = build.PlaceholderWithDefault(default, shape=(), name="Const")
        saved: Tensor
        if sharded:
            shards = shards_of(saveables)
            saved = (_save_shards_v1 if version == _V1 else _save_shards)(path, shards, nodes)
            restored = _restore_shards(path, shards, nodes)
        else:
            saved = with_dependencies([nodes.save(path, saveables)], path)
            restored = group(*nodes.restore(path, saveables), name="restore_all")
    return saver_pb2.SaverDef(
        filename_tensor_name=path.name,
        save_tensor_name=saved.name,
        restore_op_name=restored.name,
        max_to_keep=max_to_keep,
        sharded=sharded,
        keep_checkpoint_every_n_hours=keep_hours,
        version=version,
    )


class _Nodes(NamedTuple):
    """How the nodes of a Saver are made."""

    version: int
    reshape: bool
    builder: Any
    sequentially: bool

    def save(self, path: Tensor, saveables: list[SaveableObject]) -> Operation:
        if self.builder is None:
            return save_op(path, saveables, self.version)
        made: Operation = self.builder.save_op(path, saveables)
        return made

    def restore(self, path: Tensor, saveables: list[SaveableObject]) -> list[Operation]:
        if self.builder is None:
            return restore_each(path, saveables, self.reshape)
        values = self.builder.bulk_restore(path, saveables, -1, self.sequentially)
        return _assign_each(saveables, values, self.reshape)


def _tensors(saveables: Iterable[SaveableObject]) -> list[Any]:
    ops: list[Any] = []
    for saveable in saveables:
        ops.extend(saveable.op if isinstance(saveable.op, (list, tuple)) else [saveable.op])
    return ops


def save_op(path: Tensor, saveables: list[SaveableObject], version: int = _V2) -> Operation:
    """Makes the node that writes a file.

    Args:
        path: a string tensor: the path.
        saveables: what is written.
        version: the format, V1 or V2 of SaverDef.
    """
    specs = [spec for saveable in saveables for spec in saveable.specs]
    names, parts = [s.name for s in specs], [s.slice_spec for s in specs]
    tensors = [s.tensor for s in specs]
    if version == _V1:
        return build.SaveSlices(path, names, parts, tensors, name="save")
    return build.SaveV2(path, names, parts, tensors)


def shards_of(saveables: list[SaveableObject]) -> list[tuple[str, list[SaveableObject]]]:
    """The saveable objects of each device, sorted by the name of the device."""
    groups: dict[str, list[SaveableObject]] = {}
    for saveable in saveables:
        devices = {canonical_name(spec.device) for spec in saveable.specs}
        if len(devices) != 1:
            raise ValueError(
                f"All tensors of saveable {saveable.name} must be on the same device. Received: "
                f"{sorted(devices)}"
            )
        groups.setdefault(devices.pop(), []).append(saveable)
    return sorted(groups.items(), key=lambda item: item[0])


def cpu_of(device: str) -> str:
    """The first CPU of the task of a device."""
    spec = DeviceSpec.from_string(device)
    spec.device_type, spec.device_index = "CPU", 0
    return spec.to_string()


def _save_shards(
    path: Tensor, shards: list[tuple[str, list[SaveableObject]]], nodes: _Nodes
) -> Tensor:
    """Each device writes its own files under temporary names; they are then renamed."""
    graph = get_default_graph()
    folder = constant_node(f"_temp_{uuid.uuid4().hex}/part", name="StringJoin/inputs_1")
    draft = build.StringJoin([path, folder])
    count = constant_node(len(shards), name="num_shards")
    files, saved = [], []
    for i, (device, saveables) in enumerate(shards):
        with graph.device(cpu_of(device)):
            file = build.ShardedFilename(draft, i, count)
            files.append(file)
            saved.append(with_dependencies([nodes.save(file, saveables)], file))
    last = graph.device(cpu_of(shards[-1][0]))
    with last, control_dependencies(saved):
        merge = build.MergeV2Checkpoints(files, path, delete_old_dirs=True)
        with control_dependencies([merge]):
            return build.Identity(path)


def _save_shards_v1(
    path: Tensor, shards: list[tuple[str, list[SaveableObject]]], nodes: _Nodes
) -> Tensor:
    """Each device writes its own file."""
    graph = get_default_graph()
    count = constant_node(len(shards), name="num_shards")
    saved = []
    for i, (device, saveables) in enumerate(shards):
        with graph.device(device):
            file = build.ShardedFilename(path, i, count)
            saved.append(with_dependencies([nodes.save(file, saveables)], file))
    with control_dependencies(saved):
        return build.ShardedFilespec(path, count)


def _restore_shards(
    path: Tensor, shards: list[tuple[str, list[SaveableObject]]], nodes: _Nodes
) -> Operation:
    graph = get_default_graph()
    restored = []
    for device, saveables in shards:
        with graph.device(device):
            restored.append(group(*nodes.restore(path, saveables), name="restore_shard"))
    return group(*restored, name="restore_all")


def restore_each(
    path: Tensor, saveables: list[SaveableObject], reshape: bool = False
) -> list[Operation]:
    """Makes the nodes that read values and assign them.

    Args:
        path: a string tensor: the path of the checkpoint.
        saveables: what is restored.
        reshape: whether values take the shapes of the variables.

    Returns:
        The op that restores each of the saveable objects.
    """
    return _assign_each(saveables, read_each(path, saveables), reshape)


def read_each(path: Tensor, saveables: list[SaveableObject]) -> list[Tensor]:
    """Makes the node that reads the values of saveable objects from a checkpoint.

    Args:
        path: a string tensor: the path of the checkpoint.
        saveables: what is read.

    Returns:
        The values of all their specs.
    """
    specs = [spec for saveable in saveables for spec in saveable.specs]
    with get_default_graph().device(_ON_CPU):
        tensors: list[Tensor] = build.RestoreV2(
            path,
            [s.name for s in specs],
            [s.slice_spec for s in specs],
            dtypes=[s.dtype for s in specs],
        )
    return tensors


def _assign_each(
    saveables: list[SaveableObject], values: Iterable[Tensor], reshape: bool
) -> list[Operation]:
    assigned: list[Operation] = []
    rest = iter(values)
    for saveable in saveables:
        shapes = [_shape_of(spec.tensor) for spec in saveable.specs] if reshape else None
        restored = [next(rest) for _ in saveable.specs]
        assigned.append(saveable.restore(restored, shapes))
    return assigned


def _shape_of(tensor: Tensor) -> Any:
    shape = tensor.get_shape()
    return shape.as_list() if shape.is_fully_defined() else shape_tensor(convert_to_tensor(tensor))
