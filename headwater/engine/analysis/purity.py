"""Which ops are pure: equal inputs and attrs mean equal results. Which see only shapes."""

from __future__ import annotations

from functools import cache

from headwater.engine.analysis.control_flow import (
    LOOP_CONDITIONS,
    MERGES,
    NEXT_ITERATIONS,
    SWITCHES,
)
from headwater.graph import OpRecord

# Ops of control flow, whose nodes decide what runs.
_CONTROL_FLOW = (
    SWITCHES | MERGES | LOOP_CONDITIONS | NEXT_ITERATIONS | {"Enter", "RefEnter", "Exit", "RefExit"}
)

# Ops that see nothing of an input but its shape.
OF_SHAPES = frozenset(("Shape", "ShapeN", "Size", "Rank"))


@cache
def is_pure(record: OpRecord) -> bool:
    """Whether equal inputs and attrs mean equal results, and running an op once is enough."""
    return not (
        record.stateful
        or record.updates
        or record.state
        or record.variable
        or record.exchanges
        or record.calls_python
        or record.takes_handles
        or record.joins
        or record.body
        or record.name in _CONTROL_FLOW
        or not record.schema.outputs
        # Old TensorArrays have handles that are strings.
        or any(arg.name == "handle" for arg in record.schema.inputs)
        or "functions" in record.kernel_attrs
    )
