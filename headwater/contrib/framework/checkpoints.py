"""Assigning the values of a checkpoint to variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import logging
from headwater.base.export import export
from headwater.base.typing import NestedTensors
from headwater.contrib.framework.tensors import get_variable_full_name
from headwater.graph import Operation, group
from headwater.io.files import path_text
from headwater.ops.array.constant import placeholder
from headwater.train.checkpoints.checkpoint_reader import CheckpointReader
from headwater.train.checkpoints.saver import Saver

if TYPE_CHECKING:
    from headwater.session.session import Session

_V1 = 1


def _named(var_list: NestedTensors) -> dict[str, list[Any]]:
    """Variables as {name in the checkpoint: list of variables}."""
    pairs = (
        var_list.items()
        if isinstance(var_list, dict)
        else [(get_variable_full_name(variable), variable) for variable in var_list]
    )
    named: dict[str, list[Any]] = {}
    for name, item in pairs:
        named.setdefault(name, []).extend(item if isinstance(item, (list, tuple)) else [item])
    return named


@export("contrib.framework.assign_from_checkpoint", "contrib.slim.assign_from_checkpoint")
def assign_from_checkpoint(
    model_path: str, var_list: NestedTensors, ignore_missing_vars: bool = False
) -> tuple[Operation, dict[Any, np.ndarray]]:
    """Makes the op that assigns the values of a checkpoint, which are fed.

    Args:
        model_path: the path of the checkpoint.
        var_list: variables as a list, or as {name in the checkpoint: variable or list of them}.
        ignore_missing_vars: whether variables that are not in the checkpoint are left out.

    Returns:
        The Operation and the feed dictionary to run it with.

    Raises:
        ValueError: if a variable is not in the checkpoint or has another shape.
    """
    reader = CheckpointReader(path_text(model_path))
    feeds: dict[Any, np.ndarray] = {}
    assigned: list[Any] = []
    for name, variables in _named(var_list).items():
        if not reader.has_tensor(name):
            text = f"Checkpoint is missing variable [{name}]"
            if not ignore_missing_vars:
                raise ValueError(text)
            logging.warning(text)
            continue
        whole = np.asarray(reader.get_tensor(name))
        for variable in variables:
            value, info = whole, variable._get_save_slice_info()
            if info is not None:
                value = whole[
                    tuple(slice(o, o + s) for o, s in zip(info.var_offset, info.var_shape))
                ]
            if value.shape != variable.get_shape():
                raise ValueError(
                    f"Total size of new array must be unchanged for {name} lh_shape: "
                    f"[{value.shape}], rh_shape: [{tuple(variable.get_shape().as_list())}]"
                )
            shape = value.shape
            fed = placeholder(
                variable.dtype.base_dtype, shape, name=f"placeholder/{variable.op.name}"
            )
            assigned.append(variable.assign(fed))
            feeds[fed] = value
    return group(*assigned), feeds


@export("contrib.framework.assign_from_checkpoint_fn", "contrib.slim.assign_from_checkpoint_fn")
def assign_from_checkpoint_fn(
    model_path: str,
    var_list: NestedTensors,
    ignore_missing_vars: bool = False,
    reshape_variables: bool = False,
) -> Callable[[Any], None] | None:
    """Makes a function of a session that assigns the values of a checkpoint.

    Args:
        model_path: the path of the checkpoint.
        var_list: variables as a list, or as {name in the checkpoint: variable}.
        ignore_missing_vars: whether variables that are not in the checkpoint are left out.
        reshape_variables: whether values take the shape of the variable.

    Returns:
        A function of a Session, or None if no variable is left.

    Raises:
        ValueError: if `var_list` is empty.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    wanted: NestedTensors = var_list
    if ignore_missing_vars:
        reader = CheckpointReader(path_text(model_path))
        pairs = (
            var_list.items()
            if isinstance(var_list, dict)
            else [(variable.op.name, variable) for variable in var_list]
        )
        wanted = {}
        for name, variable in pairs:
            if reader.has_tensor(name):
                wanted[name] = variable
            else:
                logging.warning("Variable %s missing in checkpoint %s", name, model_path)
    if not wanted:
        logging.warning("No Variables to restore")
        return None
    saver = Saver(wanted, reshape=reshape_variables, write_version=_V1)

    def callback(session: Session) -> None:
        saver.restore(session, model_path)

    return callback
