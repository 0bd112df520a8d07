"""tensorflow.python.autograph.core.ag_ctx: whether functions are converted."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple


class Status(enum.Enum):
    """Whether conversion is on."""

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


class ControlStatusCtx(NamedTuple):
    """Where conversion is on or off."""

    status: Status
    options: Any = None


def control_status_ctx() -> ControlStatusCtx:
    """Returns the state of conversion: functions decide by their marks alone."""
    return ControlStatusCtx(Status.UNSPECIFIED)
