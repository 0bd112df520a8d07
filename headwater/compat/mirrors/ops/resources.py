"""tensorflow.python.ops.resources."""

from headwater.model.resources import (
    initialize_resources,
    local_resources,
    register_resource,
    report_uninitialized_resources,
    shared_resources,
)

__all__ = [
    "initialize_resources",
    "local_resources",
    "register_resource",
    "report_uninitialized_resources",
    "shared_resources",
]
