"""tensorflow.python.training.tracking.python_state: values in Python in checkpoints."""

from __future__ import annotations

from headwater.train.objects.python_state import PythonState

__all__ = ["PythonState"]
