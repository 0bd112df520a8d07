"""A plan: what one kind of run (these fetches, these feeds) does, step by step.

Values live in one list per run, the frame; every tensor that matters has an index in it. A
variable has one index too: ops that read it take what stands there, ops that update it put the new
value there. So the order of the nodes alone decides who sees which value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.cancellation import uninterrupted
from headwater.engine.devices import check_placement
from headwater.engine.host import host_call, run_node, uninitialized
from headwater.engine.ordering import needed_ops, ordered, with_effect
from headwater.engine.segment import Segment, unaliased
from headwater.engine.state import Slot, State, is_alias, on_host, variable_of
from headwater.graph import Graph, Operation, Tensor

_HOST_TYPES = {dtypes.string, dtypes.variant, dtypes.resource} | dtypes.QUANTIZED_DTYPES


class Node:
    """One op of a plan, with its kernel and the frame indices of what it reads and makes."""

    __slots__ = (
        "call",
        "cell",
        "dead",
        "host",
        "inputs",
        "op",
        "outputs",
        "record",
        "updates",
    )

    def __init__(self, op: Operation, host: bool) -> None:
        self.op = op
        self.record = op._record
        self.host = host
        self.call: Callable[..., Any] = host_call(op)
        self.inputs: list[int] = []
        self.outputs: list[int] = []
        self.updates: list[int] = []
        self.cell: int | None = None
        # Indices that nobody reads after this node.
        self.dead: list[int] = []

    def __repr__(self) -> str:
        return f"<{'host' if self.host else 'device'} {self.op.type} {self.op.name!r}>"


class Plan:
    """The steps of a run.

    Attributes:
        steps: host nodes and segments, in order.
        feeds: the frame index of each fed tensor.
        fetches: the frame index of each fetched tensor.
        template: the frame at the start, with the constants filled in.
        slots: frame index and Slot of each variable and hidden state.
    """

    def __init__(
        self,
        graph: Graph,
        state: State,
        fetches: Sequence[Tensor],
        targets: Sequence[Operation],
        feeds: Sequence[Tensor],
    ) -> None:
        self.changes = graph.changes
        self.template: list[Any] = []
        self.slots: dict[int, Slot] = {}
        self._state = state
        self.lock = state.lock
        self.jit_mode = state.jit_mode
        self._indices: dict[Any, int] = {}
        self._variable_ops: dict[int, Operation] = {}
        self._fed = fed = dict.fromkeys(feeds)
        ops = needed_ops(fetches, targets, fed)
        check_placement(ops, state.devices, state.soft_placement)
        host = {op: runs_on_host(op) for op in ops}
        order = ordered(ops, fed, host.__getitem__)
        live = with_effect(ops, [*targets, *(t._op for t in fetches)])
        self.feeds = [self._index(t) for t in feeds]
        self.nodes = [
            self._node(op, host[op])
            for op in order
            if op in live and op._record.name != "Const" and not self._is_handle(op)
        ]
        for op in order:
            if op._record.name == "Const" and op._outputs[0] not in fed:
                self.template[self._index(op._outputs[0])] = op._attrs["value"]
        self.fetches = [self._index(t) for t in fetches]
        self.fetched_slots = [i for i in dict.fromkeys(self.fetches) if i in self.slots]
        updated = {i for node in self.nodes for i in node.updates}
        self._only_fetched = [i for i in self.fetched_slots if i not in updated]
        self._find_last_uses()
        self.steps = self._cut()

    def __str__(self) -> str:
        lines = []
        for step in self.steps:
            lines.append(str(step))
        return "\n".join(lines)

    # Indices

    def _new_index(self) -> int:
        self.template.append(None)
        return len(self.template) - 1

    def _index(self, tensor: Tensor) -> int:
        """The frame index of a tensor; the variable's index for a reference."""
        if tensor not in self._indices:
            variable = variable_of(tensor, self._fed)
            if variable is None:
                self._indices[tensor] = self._new_index()
            else:
                self._indices[tensor] = self._slot_index(variable)
        return self._indices[tensor]

    def _slot_index(self, op: Operation) -> int:
        slot = self._state.slot_of(op)
        if slot not in self._indices:
            index = self._indices[slot] = self._new_index()
            self.slots[index] = slot
            self._variable_ops[index] = op
        return self._indices[slot]

    # Nodes

    def _node(self, op: Operation, host: bool) -> Node:
        node = Node(op, host)
        node.inputs = [self._index(t) for t in op._inputs]
        node.updates = [node.inputs[i] for i in op._record.update_positions]
        if op._record.cell:
            node.cell = self._slot_index(op)
        # A fed output is not overwritten by what the op makes.
        node.outputs = [
            self._new_index() if t in self._fed else self._index(t)
            for t in op._outputs
            if t in self._fed or variable_of(t) is None
        ]
        return node

    def _is_handle(self, op: Operation) -> bool:
        """Whether an op does nothing but stand for a variable."""
        if op._record.variable:
            return True
        return is_alias(op) and variable_of(op._outputs[0], self._fed) is not None

    def _find_last_uses(self) -> None:
        kept = {*self.fetches, *self.slots}
        kept.update(i for i, value in enumerate(self.template) if value is not None)
        seen = set(kept)
        for node in reversed(self.nodes):
            used = {*node.inputs, *node.outputs}
            node.dead = [i for i in used if i not in seen]
            seen.update(used)

    # Steps

    def _cut(self) -> list[Node | Segment]:
        steps: list[Node | Segment] = []
        run: list[Node] = []
        for node in self.nodes:
            if node.host:
                if run:
                    steps.append(Segment(self, run))
                    run = []
                steps.append(node)
            else:
                run.append(node)
        if run:
            steps.append(Segment(self, run))
        self.steps = steps
        self.find_boundaries()
        return steps

    def find_boundaries(self) -> None:
        """Tells each segment what later steps and the fetches want of it."""
        wanted = set(self.fetches)
        fallible_after = False
        for step in reversed(self.steps):
            if isinstance(step, Segment):
                step.set_boundary(wanted, last=not fallible_after)
                wanted.update(step.inputs)
            else:
                wanted.update(step.inputs)
                fallible_after = True

    def same_work(self, other: Plan) -> bool:
        """Whether another plan consists of the same ops with the same inputs and attrs."""
        return self._work() == other._work()

    def _work(self) -> list[Any]:
        return [(n.op, n.op._inputs, tuple(n.op._control_inputs)) for n in self.nodes]

    # Slots outside of segments

    def check_fetched(self) -> None:
        """Raises the error of fetching a variable that neither has a value nor gets one."""
        for index in self._only_fetched:
            if self.slots[index].value is None:
                op = self._variable_ops[index]
                raise uninitialized(op, op._outputs[0])

    def read_fetched(self, frame: list[Any], pending: dict[Slot, Any]) -> None:
        """Reads the variables that are fetched: as they are at the end of the run."""
        with self.lock:
            for index in self.fetched_slots:
                slot = self.slots[index]
                frame[index] = on_host(pending.get(slot, slot.value))

    def run_host(self, node: Node, frame: list[Any], pending: dict[Slot, Any]) -> None:
        """Runs a node on the host with the variables that it reads and updates."""
        self._load_slots(node, frame, pending)
        run_node(node, frame)
        self._store_slots(node, frame, pending)

    def _load_slots(self, node: Node, frame: list[Any], pending: dict[Slot, Any]) -> None:
        """Gives a host node the values of the variables that it reads."""
        for index in (*node.inputs, *([] if node.cell is None else [node.cell])):
            slot = self.slots.get(index)
            if slot is not None:
                with self.lock:
                    frame[index] = on_host(pending.get(slot, slot.value))

    def _store_slots(self, node: Node, frame: list[Any], pending: dict[Slot, Any]) -> None:
        """Keeps the variables that a host node has updated until the run has succeeded."""
        read = [frame[i] for i in node.inputs if i in self.slots]
        if read:
            # A view of a variable would change with it when a program reuses its buffer.
            for index in (*node.outputs, *node.updates):
                frame[index] = unaliased(frame[index], read)
        for index in (*node.updates, *([] if node.cell is None else [node.cell])):
            pending[self.slots[index]] = frame[index]

    def publish(self, pending: dict[Slot, Any]) -> None:
        """Puts the new values of a run that has succeeded into their slots."""
        with self.lock, uninterrupted():
            for slot, value in pending.items():
                slot.value = value

    def replace(self, segment: Segment, steps: list[Any]) -> None:
        """Puts other steps in the place of a segment."""
        if segment not in self.steps:
            # Another thread was faster.
            return
        position = self.steps.index(segment)
        # A new list: runs that are under way go on with the old one.
        self.steps = [*self.steps[:position], *steps, *self.steps[position + 1 :]]
        self.find_boundaries()


def runs_on_host(op: Operation) -> bool:
    """Whether an op cannot be part of a compiled program."""
    record = op._record
    if record.host or record.dynamic_shape:
        return True
    if any(t._dtype.base_dtype in _HOST_TYPES for t in op._outputs):
        return True
    return any(
        t._dtype.base_dtype in _HOST_TYPES
        and variable_of(t) is None
        and not (record.labels and t._op._record.name == "Const")
        for t in op._inputs
    )
