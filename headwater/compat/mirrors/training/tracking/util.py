"""tensorflow.python.training.tracking.util: checkpoints of objects."""

from __future__ import annotations

from headwater.model.variables.dependencies import (
    add_variable,
    capture_dependencies,
    default_getter,
)
from headwater.train.checkpoints.object_graphs import object_metadata
from headwater.train.objects.checkpoint import Checkpoint as CheckpointV1
from headwater.train.objects.checkpoint import CheckpointV2 as Checkpoint
from headwater.train.objects.coordinator import RestoreCoordinator
from headwater.train.objects.load_status import (
    CheckpointLoadStatus,
    InitializationOnlyStatus,
    NameBasedSaverStatus,
    get_session,
)
from headwater.train.objects.object_saver import (
    TrackableSaver,
    frozen_saver,
    gather_initializers,
    list_objects,
    saver_with_op_caching,
    streaming_restore,
)

__all__ = [
    "Checkpoint",
    "CheckpointLoadStatus",
    "CheckpointV1",
    "InitializationOnlyStatus",
    "NameBasedSaverStatus",
    "TrackableSaver",
    "_CheckpointRestoreCoordinator",
    "_default_getter",
    "add_variable",
    "capture_dependencies",
    "frozen_saver",
    "gather_initializers",
    "get_session",
    "list_objects",
    "object_metadata",
    "saver_with_op_caching",
    "streaming_restore",
]

_CheckpointRestoreCoordinator = RestoreCoordinator
_default_getter = default_getter
