"""tensorflow.python.training.training_util: what is not public of it."""

from __future__ import annotations

from headwater.model.global_step import (
    GLOBAL_STEP_READ_KEY,
    global_step_read,
    increment_global_step,
    read_global_step,
)

__all__ = [
    "GLOBAL_STEP_READ_KEY",
    "_get_global_step_read",
    "_get_or_create_global_step_read",
    "_increment_global_step",
]

_get_global_step_read = global_step_read
_get_or_create_global_step_read = read_global_step
_increment_global_step = increment_global_step
