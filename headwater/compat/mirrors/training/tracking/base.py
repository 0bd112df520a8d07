"""tensorflow.python.training.tracking.base: the base of objects in checkpoints."""

from __future__ import annotations

from headwater.model.trackable.base import (
    Trackable,
    TrackableReference,
    no_automatic_dependency_tracking,
    no_automatic_dependency_tracking_scope,
)
from headwater.model.trackable.python_saveables import (
    NoRestoreSaveable,
    PythonStateSaveable,
    PythonStringStateSaveable,
)
from headwater.model.trackable.restoration import (
    OBJECT_GRAPH_PROTO_KEY,
    VARIABLE_VALUE_KEY,
    CheckpointPosition,
)

__all__ = [
    "OBJECT_GRAPH_PROTO_KEY",
    "VARIABLE_VALUE_KEY",
    "CheckpointPosition",
    "NoRestoreSaveable",
    "PythonStateSaveable",
    "PythonStringStateSaveable",
    "Trackable",
    "TrackableReference",
    "no_automatic_dependency_tracking",
    "no_automatic_dependency_tracking_scope",
]
