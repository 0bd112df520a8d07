"""tensor_shape, ops and context: small functions around shapes and tensors."""

from __future__ import annotations

import itertools

from headwater.base import dimension, tensor_shape
from headwater.compat.internals import internal
from headwater.graph import Tensor

_uids = itertools.count(1)


for _name in ("as_shape", "scalar", "vector", "matrix", "unknown_shape"):
    internal(f"framework.tensor_shape.{_name}")(getattr(tensor_shape, _name))
internal("framework.tensor_shape.as_dimension")(dimension.as_dimension)


@internal("framework.ops.EagerTensor")
class EagerTensor(Tensor):
    """The type of eager tensors, of which graphs have none; for isinstance."""

    def __init__(self) -> None:
        raise TypeError("Headwater has no eager tensors: it runs graphs in sessions.")


@internal("framework.ops.uid")
def uid() -> int:
    """Returns a number that no other call in this process returns."""
    return next(_uids)


@internal("framework.ops.executing_eagerly_outside_functions", "eager.context.in_eager_mode")
def in_eager_mode() -> bool:
    """Tells whether ops run at once; they never do."""
    return False


@internal("eager.context.in_graph_mode")
def in_graph_mode() -> bool:
    """Tells whether ops become nodes of a graph; they always do."""
    return True
