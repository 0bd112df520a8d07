"""tensorflow.contrib.recurrent.python.ops.recurrent: recurrences."""

from __future__ import annotations

from headwater.contrib.recurrent.recurrence import Recurrent

__all__ = ["Recurrent"]
