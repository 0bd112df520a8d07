"""Initial values of variables from checkpoints."""

from __future__ import annotations

import re
from typing import Any

from headwater.base import logging
from headwater.base.export import export
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import build, get_default_graph, replication
from headwater.model.variables.checkpoint_source import register_init_from_checkpoint
from headwater.model.variables.partitioned_variable import PartitionedVariable
from headwater.model.variables.resource_variable import is_resource_variable
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_store import variable_store
from headwater.train.checkpoints.checkpoint_reader import checkpoint_file, load_checkpoint
from headwater.train.checkpoints.saveables import (
    ReferenceSaveable,
    ResourceSaveable,
    saveables_for,
)

_PART = re.compile(r"/part_[0-9]+$")


@export("train.init_from_checkpoint")
def init_from_checkpoint(ckpt_dir_or_file: str, assignment_map: dict[str, Any]) -> None:
    """Makes the initializers of variables read their values from a checkpoint.

    Args:
        ckpt_dir_or_file: the path of the checkpoint, or of a folder for its latest one.
        assignment_map: {name in the checkpoint: variable, list of its parts, or name of a variable
            of `tf.get_variable`}; {"scope/": "other_scope/"} stands for all variables of a scope,
            "/" for the top.

    Raises:
        ValueError: if a tensor is not in the checkpoint, has another shape, or a name is of no
            variable.
    """
    file = checkpoint_file(ckpt_dir_or_file)
    reader = load_checkpoint(ckpt_dir_or_file)
    shapes = reader.get_variable_to_shape_map()
    pairs = assignment_map.items() if isinstance(assignment_map, dict) else assignment_map
    for old_name, target in sorted(pairs, key=lambda pair: pair[0]):
        variable = target if _is_variable(target) else _variable_of(target)
        if variable is None:
            _init_scope(file, ckpt_dir_or_file, shapes, old_name, target)
            continue
        if old_name not in shapes:
            raise ValueError(
                f"Tensor {old_name} is not found in {ckpt_dir_or_file} checkpoint {shapes}"
            )
        _check_shape(variable, old_name, shapes[old_name])
        _init(variable, file, old_name)
        logging.debug("Initialize variable %s from checkpoint %s", target, ckpt_dir_or_file)


register_init_from_checkpoint(init_from_checkpoint)


def _is_variable(target: TensorLike) -> bool:
    if isinstance(target, (list, tuple)):
        return bool(target) and all(isinstance(part, Variable) for part in target)
    return isinstance(target, (Variable, PartitionedVariable))


def _variable_of(name: Any) -> NestedTensors | None:
    """The variable, or the parts of one, that `tf.get_variable` has made under a name."""
    known = variable_store()._vars
    if name in known:
        return known[name]
    if name + "/part_0" not in known:
        return None
    parts: list[Any] = []
    while f"{name}/part_{len(parts)}" in known:
        parts.append(known[f"{name}/part_{len(parts)}"])
    return parts


def _parts(variable: NestedTensors) -> list[Any] | None:
    if isinstance(variable, PartitionedVariable):
        return list(variable)
    return list(variable) if isinstance(variable, (list, tuple)) else None


def _check_shape(variable: NestedTensors, old_name: str, shape: list[int]) -> None:
    parts = _parts(variable)
    if parts is not None:
        if all(part._get_save_slice_info() is not None for part in parts):
            return
        variable = parts[0]
    if not variable.get_shape().is_compatible_with(shape):
        raise ValueError(
            f"Shape of variable {variable.name} ({variable.get_shape()}) doesn't match with shape "
            f"of tensor {old_name} ({shape}) from checkpoint reader."
        )


def _init_scope(
    file: str, given: str, shapes: dict[str, list[int]], old_scope: str, target: str
) -> None:
    scope = target[: target.rindex("/")] if "/" in target else ""
    if not old_scope.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {scope} should map to scope only {old_scope}. "
            "Should be 'scope/': 'other_scope/'."
        )
    for name, variable in list(variable_store()._vars.items()):
        if scope and not name.startswith(scope + "/"):
            continue
        local = name if target == "/" else name[len(scope) + 1 :]
        old_name = local if old_scope == "/" else old_scope + local
        if old_name not in shapes:
            old_name = _PART.sub("", old_name)
        if old_name not in shapes:
            raise ValueError(
                f"Tensor {old_name} ({local} in {old_scope}) is not found in {given} checkpoint"
            )
        _init(variable, file, old_name)


def _init(variable: NestedTensors, file: str, old_name: str) -> None:
    parts = _parts(variable)
    for part in [variable] if parts is None else parts:
        info = part._get_save_slice_info()
        set_initializer(part, file, old_name, "" if info is None else info.spec)


def set_initializer(
    variable: TensorLike,
    file: str,
    old_name: str,
    spec: str,
    name: str = "checkpoint_initializer",
) -> None:
    """Makes the initializer of a variable read its value from a checkpoint.

    Args:
        variable: a Variable.
        file: the path of the checkpoint.
        old_name: the name in the checkpoint.
        spec: the full shape and the place of a slice; "" for a whole variable.
        name: the name of the node that reads.
    """
    dtype = variable.dtype.base_dtype
    with get_default_graph().device(variable.device), get_default_graph().device("/cpu:0"):
        (restored,) = build.RestoreV2(file, [old_name], [spec], dtypes=[dtype], name=name)
    restored.set_shape(variable.get_shape())
    saveable: Any
    if replication.has_copies(variable):
        (saveable,) = saveables_for(old_name, variable)
    elif is_resource_variable(variable):
        saveable = ResourceSaveable(variable, spec, old_name)
    else:
        saveable = ReferenceSaveable(variable._ref(), variable._ref(), spec, old_name)
    assigned = saveable.restore([restored], None)
    variable._initializer_op = assigned if is_resource_variable(variable) else assigned.outputs[0]
    variable._initial_value = restored
