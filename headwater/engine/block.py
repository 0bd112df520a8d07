"""A block: nodes that share one frame of values, and the steps that they are run in.

Values live in a list, the frame; every tensor that matters has an index in it. A variable has one
index too: ops that read it take what stands there, ops that update it put the new value there. So
the order of the nodes alone decides who sees which value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from headwater.base import dtypes, errors
from headwater.base.cancellation import uninterrupted
from headwater.base.dead import DEAD
from headwater.base.dtypes import proto_name
from headwater.engine.flow import MERGES, SWITCHES, Conditions, Frame, Item, says_whether_dead
from headwater.engine.host import host_call, run_node
from headwater.engine.row_updates import parted
from headwater.engine.segment import Segment, unaliased
from headwater.engine.state import Slot, State, is_alias, on_host, variable_of
from headwater.graph import Operation, OpRecord, Tensor, lookup
from headwater.graph.shapes import is_static

_HOST_TYPES = {dtypes.string, dtypes.variant, dtypes.resource} | dtypes.QUANTIZED_DTYPES
_NOTHING = np.zeros((), np.float32)

Values = list[Any]
Pending = dict[Slot, Any]


class Step(Protocol):
    """What a block consists of: nodes and loops, and the segments that nodes are put into.

    Attributes:
        host: whether it stands alone between segments.
        reads: frame indices of what it takes, with those that only decide whether it runs.
        outputs: frame indices of what it makes.
        released: indices that nobody reads after it.
        members: its ops.
    """

    host: bool
    reads: list[int]
    outputs: list[int]
    released: list[int]
    members: Collection[Operation]

    def run(self, frame: Values, pending: Pending) -> None:
        """Does its work on a frame; new values of variables go to `pending`."""


class Node:
    """One op of a plan, with its kernel and the frame indices of what it reads and makes."""

    __slots__ = (
        "alive",
        "block",
        "call",
        "cell",
        "guards",
        "host",
        "inputs",
        "op",
        "outputs",
        "reads",
        "record",
        "released",
        "slots_read",
        "updates",
    )

    def __init__(
        self, block: Block, op: Operation, host: bool, record: OpRecord | None = None
    ) -> None:
        self.block = block
        self.op = op
        self.record = record or op._record
        self.host = host
        self.call: Callable[..., Any] = host_call(op, self.record)
        self.inputs: list[int] = []
        self.outputs: list[int] = []
        self.updates: list[int] = []
        self.cell: int | None = None
        # Indices of values that, where they are dead, keep the node from running.
        self.guards: list[int] = []
        # Indices of outputs, each with an index for segments that only ask whether it is dead.
        self.alive: list[tuple[int, int]] = []
        self.reads: list[int] = []
        # Those of the inputs that are variables.
        self.slots_read: list[int] = []
        self.released: list[int] = []

    def __repr__(self) -> str:
        return f"<{'host' if self.host else 'device'} {self.op.type} {self.op.name!r}>"

    @property
    def members(self) -> tuple[Operation]:
        """The op."""
        return (self.op,)

    def run(self, frame: Values, pending: Pending) -> None:
        """Runs the node on the host with the variables that it reads and updates."""
        self._run(frame, pending)
        for output, alive in self.alive:
            frame[alive] = DEAD if frame[output] is DEAD else _NOTHING

    def _run(self, frame: Values, pending: Pending) -> None:
        slots, read = self.block.slots, self.slots_read
        if pending and self.record.exchanges:
            self.block.publish(pending)
        cell = [] if self.cell is None else [self.cell]
        if not read and not cell:
            run_node(self, frame)
            return
        for index in (*read, *cell):
            frame[index] = self.block.read(slots[index], pending)
        before = [frame[i] for i in read]
        state = frame[cell[0]] if cell else None
        if self.record.opaque:
            # What such a node keeps must not change with the variable.
            for index in read:
                frame[index] = np.array(frame[index])
        if not run_node(self, frame):
            return
        if before:
            # A view of a variable would change with it when a program reuses its buffer.
            for index in (*self.outputs, *self.updates):
                frame[index] = unaliased(frame[index], before)
        for index in self.updates:
            pending[slots[index]] = frame[index]
        # A resource stays the same object.
        if cell and frame[cell[0]] is not state:
            pending[slots[cell[0]]] = frame[cell[0]]


class Schedule:
    """Some nodes of a block as steps: host nodes, loops, and segments of compilable nodes.

    Args:
        block: the block.
        nodes: the nodes in order.
        wanted: indices that are read when all steps have run.
        final: whether nothing can fail after the last step, so that a segment there may publish
            the new values of variables at once.
    """

    def __init__(
        self, block: Block, nodes: Iterable[Any], wanted: Iterable[int], final: bool
    ) -> None:
        self._wanted = set(wanted)
        self._final = final
        self.steps: list[Any] = []
        run: list[Node] = []
        for node in nodes:
            if node.host:
                if run:
                    self.steps.append(Segment(block, run))
                    run = []
                self.steps.append(node)
            else:
                if run and block.device_of(node.op) is not block.device_of(run[-1].op):
                    self.steps.append(Segment(block, run))
                    run = []
                run.append(node)
        if run:
            self.steps.append(Segment(block, run))
        self.find_boundaries()

    def find_boundaries(self) -> None:
        """Tells each segment what later steps want of it."""
        wanted = set(self._wanted)
        fallible_after = not self._final
        for step in reversed(self.steps):
            if isinstance(step, Segment):
                step.schedule = self
                step.set_boundary(wanted, last=not fallible_after)
                wanted.update(step.inputs)
            else:
                wanted.update(step.reads)
            fallible_after = True

    def replace(self, segment: Segment, steps: list[Any]) -> None:
        """Puts other steps in the place of a segment."""
        if segment not in self.steps:
            # Another thread was faster.
            return
        position = self.steps.index(segment)
        # A new list: runs that are under way go on with the old one.
        self.steps = [*self.steps[:position], *steps, *self.steps[position + 1 :]]
        self.find_boundaries()

    def move_to_host(self, segment: Segment, nodes: list[Node]) -> None:
        """Puts steps in the place of a segment of which the given nodes run on the host."""
        self.replace(segment, parted(segment, nodes))


class Block:
    """The nodes of a plan or of a loop's body.

    Attributes:
        template: the frame at the start, with the constants filled in.
        slots: frame index and Slot of each variable and hidden state.
        feeds: frame indices of what comes in from outside.
        unsteady: frame indices of values made on the host that may have another shape in each run,
            with the op type and the output that they are.
        conditional: whether nodes may be dead.
        scalars: ops that run on the host because that costs less than to read their results back.
        compile_after: how many runs of a segment with the same shapes make it worth compiling.
    """

    compile_after = 2
    # In a loop an identity is not worth a node; in a plan it is one that a trace shows.
    merges_identities = False

    def __init__(
        self, state: State, fed: Collection[Tensor], make_loop: Callable[..., Any]
    ) -> None:
        self.template: Values = []
        self.slots: dict[int, Slot] = {}
        self.feeds: list[int] = []
        self.unsteady: dict[int, tuple[str, int]] = {}
        self.conditional = False
        self.scalars: Collection[Operation] = ()
        self.state = state
        self._make_loop = make_loop
        self.lock = state.lock
        self.jit_mode = state.jit_mode
        self._indices: dict[Any, int] = {}
        self.variable_ops: dict[int, Operation] = {}
        self.fed = fed
        # The device of JAX for each op; None if all stand on the default one.
        self.placement: dict[Operation, Any] | None = None
        # Tensors that are the same value as another one.
        self.same: dict[Tensor, Tensor] = {}

    def device_of(self, op: Operation) -> Any:
        """The device of JAX on which a compiled op runs; None for the default one."""
        return None if self.placement is None else self.placement.get(op)

    # Indices

    def _new_index(self) -> int:
        self.template.append(None)
        return len(self.template) - 1

    def index(self, tensor: Tensor) -> int:
        """The frame index of a tensor; the variable's index for a reference."""
        while tensor in self.same:
            tensor = self.same[tensor]
        if tensor not in self._indices:
            variable = variable_of(tensor, self.fed)
            if variable is None:
                self._indices[tensor] = self._new_index()
            else:
                self._indices[tensor] = self.slot_index(variable)
        return self._indices[tensor]

    def slot_index(self, op: Operation) -> int:
        slot = self.state.slot_of(op)
        if slot not in self._indices:
            index = self._indices[slot] = self._new_index()
            self.slots[index] = slot
            self.variable_ops[index] = op
        return self._indices[slot]

    def _alive_index(self, tensor: Tensor) -> int:
        """An index whose value is dead if the tensor is, also where that is a reference."""
        if variable_of(tensor, self.fed) is None:
            return self.index(tensor)
        key = ("alive", tensor)
        if key not in self._indices:
            self._indices[key] = self._new_index()
        return self._indices[key]

    # Nodes

    def make_nodes(
        self,
        order: Sequence[Item],
        live: Collection[Operation],
        conditions: Conditions | None,
    ) -> list[Any]:
        """The nodes of the ops that have to be executed, in order; constants go to the template.

        Args:
            order: the items of the block in the order in which they run.
            live: the ops that have to be executed.
            conditions: on which switches the items depend; None if there are no switches.
        """
        self.conditional = conditions is not None
        nodes: list[Any] = []
        made: dict[Operation, Node] = {}
        for item in order:
            guards = [] if conditions is None else self._guards(conditions, item, made)
            if isinstance(item, Frame):
                if not item.members.isdisjoint(live):
                    nodes.append(self._make_loop(self, item, live, guards))
            elif item._record.name == "Const":
                if item._outputs[0] not in self.fed:
                    self.template[self.index(item._outputs[0])] = item._attrs["value"]
            elif item in live and self._needs_node(item, guards):
                node = self._node(item, guards)
                nodes.extend(self._reads_before(node, conditions, made))
                nodes.append(node)
                made[item] = node
        return nodes

    def _guards(self, conditions: Conditions, item: Item, made: dict[Operation, Node]) -> list[int]:
        return [self._guard_index(t, made) for t in conditions.guards(item)]

    def _guard_index(self, tensor: Tensor, made: dict[Operation, Node]) -> int:
        """An index whose value is dead if the tensor is, and otherwise a value for programs."""
        if not _is_host_value(tensor) or tensor._op not in made:
            return self._alive_index(tensor)
        key = ("guard", tensor)
        if key not in self._indices:
            self._indices[key] = self._new_index()
            made[tensor._op].alive.append((self.index(tensor), self._indices[key]))
        return self._indices[key]

    def _node(self, op: Operation, guards: list[int]) -> Node:
        node = Node(self, op, op in self.scalars or runs_on_host(op))
        if op._record.name in SWITCHES and variable_of(op._outputs[0]) is not None:
            # The variable itself takes no part: both outputs stand for it.
            node.inputs = [self._nothing(), self.index(op._inputs[1])]
            node.outputs = [self._alive_index(t) for t in op._outputs]
        else:
            self._check_updates(op)
            node.inputs = [self.index(t) for t in op._inputs]
            node.updates = [node.inputs[i] for i in op._record.update_positions]
            # A fed output is not overwritten by what the op makes.
            node.outputs = [
                self._new_index() if t in self.fed else self.index(t)
                for t in op._outputs
                if t in self.fed or variable_of(t, self.fed) is None
            ]
        if op._record.cell:
            node.cell = self.slot_index(op)
        node.guards = guards
        node.reads = [*node.inputs, *guards]
        node.slots_read = [i for i in node.inputs if i in self.slots]
        if node.host:
            self.note_unsteady(node)
        return node

    def _check_updates(self, op: Operation) -> None:
        """Refuses to assign to a variable whose place a fed value has taken."""
        for position in op._record.update_positions:
            tensor = op._inputs[position]
            if tensor in self.fed:
                name = proto_name(tensor._dtype.base_dtype)
                source = f"_arg_{tensor._op.name}_{tensor._value_index}_"
                raise errors.InvalidArgumentError(
                    op.node_def,
                    op,
                    f"Input {position} of node {op.name} was passed {name} from "
                    f"{source}{list(self.fed).index(tensor)}:0 incompatible with expected "
                    f"{name}_ref.",
                    hint=f"{tensor._op.name} is fed in this run, so it cannot be assigned to.",
                )

    def note_unsteady(self, node: Node) -> None:
        """Notes those outputs of a node on the host whose shapes may change."""
        for index, tensor in zip(node.outputs, node.op._outputs):
            if not is_static(tensor._shape):
                self.unsteady[index] = (node.record.name, tensor._value_index)

    def _reads_before(
        self, node: Node, conditions: Conditions | None, made: dict[Operation, Node]
    ) -> list[Node]:
        """Nodes that read variables whose values the node must have as they are before it.

        A merge takes the variable or constant of the branch that is alive; and a program cannot be
        made for the value of a variable, only for a value that comes in.
        """
        if node.op._record.name in MERGES:
            positions = [i for i, t in enumerate(node.op._inputs) if not says_whether_dead(t)]
        elif node.host:
            return []
        else:
            positions = [
                i
                for i in node.record.concrete_inputs(node.op._attrs)
                if node.inputs[i] in self.slots
            ]
        reads = []
        for position in positions:
            tensor = node.op._inputs[position]
            hosted = node.host or node.op._record.name not in MERGES
            read = Node(self, node.op, hosted, lookup("Identity"))
            read.inputs = [node.inputs[position]]
            if conditions is not None:
                read.guards = [self._guard_index(t, made) for t in conditions.deciding(tensor)]
            read.reads = [*read.inputs, *read.guards]
            read.slots_read = [i for i in read.inputs if i in self.slots]
            read.outputs = [self._new_index()]
            node.inputs[position] = read.outputs[0]
            reads.append(read)
        node.reads = [*node.inputs, *node.guards]
        node.slots_read = [i for i in node.inputs if i in self.slots]
        return reads

    def _nothing(self) -> int:
        """The index of a constant that stands for a value which nobody looks at."""
        if "nothing" not in self._indices:
            index = self._indices["nothing"] = self._new_index()
            self.template[index] = _NOTHING
        return self._indices["nothing"]

    def _is_handle(self, op: Operation) -> bool:
        """Whether an op does nothing but stand for a variable."""
        if op._record.variable:
            return True
        return is_alias(op) and variable_of(op._outputs[0], self.fed) is not None

    def _needs_node(self, op: Operation, guards: list[int]) -> bool:
        """Whether an op makes values or changes something.

        One that takes nothing and makes nothing has done its work when the order stands; others
        only stand for a variable or for the value of another tensor.
        """
        if self._is_handle(op) or not (op._inputs or op._outputs or op._record.host):
            return False
        if not op._outputs:
            return True
        output = op._outputs[0]
        plain = output not in self.fed and not output._dtype._is_ref_dtype
        if self.merges_identities and is_alias(op) and plain and not guards:
            self.same[output] = op._inputs[0]
        return output not in self.same

    def find_last_uses(self, nodes: Sequence[Step], kept: Iterable[int]) -> None:
        """Tells each node which indices nobody reads after it.

        Args:
            nodes: the nodes in order.
            kept: the indices that are read after all of them.
        """
        seen = {*kept, *self.slots}
        seen.update(i for i, value in enumerate(self.template) if value is not None)
        for node in reversed(nodes):
            used = {*node.reads, *node.outputs}
            node.released = [i for i in used if i not in seen]
            seen.update(used)

    # Variables

    def read(self, slot: Slot, pending: Pending) -> Any:
        """The value of a variable as this run sees it, for the host."""
        with self.lock:
            return on_host(pending.get(slot, slot.value))

    def publish(self, pending: Pending) -> None:
        """Puts new values into their slots, for all runs to see."""
        with self.lock, uninterrupted():
            for slot, value in pending.items():
                slot.value = value
            pending.clear()


def runs_on_host(item: Item) -> bool:
    """Whether an item cannot be part of a compiled program."""
    if isinstance(item, Frame):
        return True
    record = item._record
    if record.host or record.dynamic_shape:
        return True
    if any(_is_host_value(t) for t in item._outputs):
        return True
    return any(
        _is_host_value(t) and not (record.labels and t._op._record.name == "Const")
        for t in item._inputs
    )


def _is_host_value(tensor: Tensor) -> bool:
    return tensor._dtype.base_dtype in _HOST_TYPES and variable_of(tensor) is None
