"""tensorflow.python.util.memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any


def dismantle_ordered_dict(ordered_dict: OrderedDict[Any, Any]) -> None:
    """Empties an OrderedDict that is no longer needed."""
    ordered_dict.clear()
