"""Initial values of variables from checkpoints, for code that comes before the readers of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import declarations
from headwater.model.variables.partitioned_variable import PartitionedVariable

_HOOK = "init_from_checkpoint"
_init_from_checkpoint: list[Callable[[str, dict[str, Any]], None]] = []


def register_init_from_checkpoint(function: Callable[[str, dict[str, Any]], None]) -> None:
    """Makes `tf.train.init_from_checkpoint` known here.

    Args:
        function: the function of a path and an assignment map.
    """
    _init_from_checkpoint[:] = [function]
    declarations.declare(declarations.HOOK, _HOOK)


def restore_initially(variable: Any, ckpt_to_load_from: str, tensor_name: str | None) -> None:
    """Makes the initializer of a variable read its value from a checkpoint.

    Args:
        variable: the variable, which may have parts.
        ckpt_to_load_from: the path of the checkpoint or its folder.
        tensor_name: the name in the checkpoint.

    Raises:
        ValueError: if the tensor is not in the checkpoint or has another shape.
    """
    if isinstance(variable, PartitionedVariable):
        variable = variable._get_variable_list()
    declarations.load(declarations.HOOK, _HOOK)
    (init,) = _init_from_checkpoint
    init(ckpt_to_load_from, {str(tensor_name): variable})
