"""tensor_shape, ops and context: small functions around shapes and tensors."""

from __future__ import annotations

import itertools
from typing import Any

from headwater.base import dimension, tensor_shape
from headwater.compat.internals import internal
from headwater.graph import get_default_graph, versions
from headwater.graph.device import canonical_name
from headwater.model.py_function import EagerTensor
from headwater.protos.lazy import node_def_pb2

_uids = itertools.count(1)


for _name in ("as_shape", "scalar", "vector", "matrix", "unknown_shape"):
    internal(f"framework.tensor_shape.{_name}")(getattr(tensor_shape, _name))
internal("framework.ops.EagerTensor")(EagerTensor)
internal("framework.tensor_shape.as_dimension")(dimension.as_dimension)
for _name in (
    "GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER",
):
    internal(f"framework.versions.{_name}")(getattr(versions, _name))


@internal("framework.ops._NodeDef")
def node_def(op_type: str, name: str, device: Any = None, attrs: Any = None) -> Any:
    """Returns a NodeDef."""
    proto = node_def_pb2.NodeDef(name=name, op=op_type)
    for key, value in (attrs or {}).items():
        proto.attr[key].CopyFrom(value)
    if device is not None:
        proto.device = device(proto) if callable(device) else canonical_name(device)
    return proto


@internal("framework.ops.uid")
def uid() -> int:
    """Returns a number that no other call in this process returns."""
    return next(_uids)


@internal("framework.ops.inside_function")
def inside_function() -> bool:
    """Tells whether the default graph is that of a function."""
    return bool(get_default_graph()._building_function)


@internal("framework.ops.executing_eagerly_outside_functions")
def in_eager_mode() -> bool:
    """Tells whether ops run at once; they never do."""
    return False
