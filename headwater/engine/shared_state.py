"""The state of a session that shares variables and other resources by name with other sessions."""

from __future__ import annotations

from headwater.engine.state import Slot, State
from headwater.graph import Operation

# Resources that their nodes' names make known to all sessions, as variables are; those of other
# kinds are shared only under a name that the program has given them.
_SHARED_BY_NODE_NAME = frozenset(
    (
        "accumulator",
        "barrier",
        "fertile stats",
        "decision tree",
        "map staging area",
        "mutex",
        "ordered map staging area",
        "quantile streams",
        "sparse accumulator",
        "staging area",
        "tree ensemble",
    )
)


class SharingState(State):
    """The state of one session: what it shares is in the state of the server.

    What is shared outlives the session. What single nodes keep between runs, such as the counters
    of random numbers, belongs to the session alone, and so do resources without a name.

    Args:
        shared: the state of the server.
        jit_mode: when segments are compiled; None leaves it to the environment.
        soft_placement: whether requests for devices that are not there are ignored.
    """

    def __init__(
        self, shared: State, jit_mode: str | None = None, soft_placement: bool = False
    ) -> None:
        super().__init__(jit_mode, shared.devices, soft_placement)
        self.lock = shared.lock
        self.op_lock = shared.op_lock
        self.unpublished = shared.unpublished
        self.default_container = shared.default_container
        self._shared = shared

    def slot_of(self, op: Operation) -> Slot:
        """The slot of a variable op, or of an op with a state."""
        return self._shared.slot_of(op) if _is_shared(op) else super().slot_of(op)


def _is_shared(op: Operation) -> bool:
    record, attrs = op._record, op._attrs
    if record.variable:
        return True
    if not record.resource:
        return False
    return bool(
        attrs.get("shared_name")
        or attrs.get("use_node_name_sharing")
        or record.resource in _SHARED_BY_NODE_NAME
    )
