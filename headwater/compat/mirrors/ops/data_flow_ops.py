"""tensorflow.python.ops.data_flow_ops: what is not public of it."""

from __future__ import annotations

from headwater.model.queues.barrier import Barrier
from headwater.model.queues.component_shapes import as_shape_list as _as_shape_list
from headwater.model.queues.component_shapes import as_type_list as _as_type_list
from headwater.model.queues.queue_base import names_of as _as_name_list
from headwater.model.queues.staging import BaseStagingArea, MapStagingArea, StagingArea

__all__ = [
    "Barrier",
    "BaseStagingArea",
    "MapStagingArea",
    "StagingArea",
    "_as_name_list",
    "_as_shape_list",
    "_as_type_list",
]
