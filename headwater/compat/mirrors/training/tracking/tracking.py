"""tensorflow.python.training.tracking.tracking: objects whose attributes are dependencies."""

from __future__ import annotations

from headwater.model.trackable.auto import (
    AutoTrackable,
    CapturableResource,
    NotTrackable,
    ResourceTracker,
    TrackableAsset,
    TrackableResource,
    delete_tracking,
    resource_tracker_scope,
)

__all__ = [
    "AutoTrackable",
    "CapturableResource",
    "NotTrackable",
    "ResourceTracker",
    "TrackableAsset",
    "TrackableResource",
    "delete_tracking",
    "resource_tracker_scope",
]
