"""tensorflow.python.ops.variables: what is not public of it."""

from __future__ import annotations

from headwater.model.variables.partitioned_variable import PartitionedVariable
from headwater.model.variables.ref_variable import RefVariable

__all__ = ["PartitionedVariable", "RefVariable"]
