"""A block: nodes that share one layout."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.array_values import expanded
from headwater.base.dtypes import as_dtype, proto_name
from headwater.base.typing import Array
from headwater.engine.analysis.control_flow import (
    MERGES,
    SWITCHES,
    Conditions,
    Frame,
    Item,
    says_whether_dead,
)
from headwater.engine.analysis.placement import is_host_value, runs_on_host
from headwater.engine.analysis.variables import is_alias, variable_of
from headwater.engine.blocks.common_subexpressions import CommonSubexpressions
from headwater.engine.blocks.schedule import Step
from headwater.engine.nodes.layout import Layout
from headwater.engine.nodes.node import Node
from headwater.graph import Operation, RunsOn, Tensor, lookup


class Block:
    """The nodes of a plan or of a loop's body.

    Args:
        layout: where their values stand.
        make_loop: makes the step of a frame from the block around it, the frame, the ops that have
            to be executed, and the indices that are dead if the loop does not run.

    Attributes:
        scalars: ops that run on the host because that costs less than to read their results back.
    """

    # In a loop, or in a function of elements, an identity is not worth a node; in the plan of a run
    # it has one, for traces.
    merges_identities = False

    def __init__(self, layout: Layout, make_loop: Callable[..., Step]) -> None:
        self.layout = layout
        self.scalars: Collection[Operation] = ()
        self._make_loop = make_loop

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
        layout = self.layout
        layout.conditional = conditions is not None
        nodes: list[Any] = []
        made: dict[Operation, Node] = {}
        common = CommonSubexpressions(layout)
        for item in order:
            guards = [] if conditions is None else self._guards(conditions, item, made)
            if isinstance(item, Frame):
                if not item.members.isdisjoint(live):
                    nodes.append(self._make_loop(self, item, live, guards))
            elif item._record.name == "Const":
                if item._outputs[0] not in layout.fed:
                    value = _constant(item)
                    if not common.merge_constant(item):
                        layout.template[layout.index(item._outputs[0])] = value
            elif item in live and self._needs_node(item, guards):
                alike = common.alike(item)
                node = common.merge(item, guards, alike) if alike else None
                if node is None:
                    node = self._node(item, guards)
                    nodes.extend(self._reads_before(node, conditions, made))
                    nodes.append(node)
                    if alike is not None:
                        alike.append(node)
                made[item] = node
        return nodes

    def _guards(self, conditions: Conditions, item: Item, made: dict[Operation, Node]) -> list[int]:
        return [self._guard_index(t, made) for t in conditions.guards(item)]

    def _guard_index(self, tensor: Tensor, made: dict[Operation, Node]) -> int:
        """An index whose value is dead if the tensor is, and otherwise a value for programs."""
        layout = self.layout
        # A Switch of a variable makes these indices itself.
        stands_for_variable = variable_of(tensor) is not None
        if stands_for_variable or not is_host_value(tensor) or tensor._op not in made:
            return layout.alive_index(tensor)
        index, is_new = layout.keyed_index(("guard", tensor))
        if is_new:
            made[tensor._op].alive.append((layout.index(tensor), index))
        return index

    def _node(self, op: Operation, guards: list[int]) -> Node:
        layout = self.layout
        in_turn = bool(op._record.state) and layout.state.takes_turns
        node = Node(layout, op, in_turn or op in self.scalars or runs_on_host(op))
        if op._record.name in SWITCHES and variable_of(op._outputs[0]) is not None:
            # Both outputs stand for the variable; only whether they are dead is computed.
            node.inputs = [layout.nothing_index(), layout.index(op._inputs[1])]
            node.outputs = [layout.alive_index(t) for t in op._outputs]
        else:
            self._check_updates(op)
            index_of = layout.handle_index if op._record.takes_handles else layout.index
            node.inputs = [index_of(t) for t in op._inputs]
            node.updates = [node.inputs[i] for i in op._record.updated_inputs(op._attrs)]
            # A fed output is not overwritten by what the op makes.
            node.outputs = [
                layout.new_index() if t in layout.fed else layout.index(t)
                for t in op._outputs
                if t in layout.fed or variable_of(t, layout.fed) is None
            ]
        if op._record.state:
            node.state = layout.slot_index(op)
        node.guards = guards
        node.reads = [*node.inputs, *guards]
        node.slots_read = [i for i in node.inputs if i in layout.slots]
        if node.host:
            node.note_dynamic_shapes()
        return node

    def _check_updates(self, op: Operation) -> None:
        """Refuses to assign to a variable that a fed value replaces."""
        fed = self.layout.fed
        for position in op._record.updated_inputs(op._attrs):
            tensor = op._inputs[position]
            if tensor in fed and tensor not in self.layout.bound:
                name = proto_name(tensor._dtype.base_dtype)
                source = f"_arg_{tensor._op.name}_{tensor._value_index}_"
                raise errors.InvalidArgumentError(
                    op.node_def,
                    op,
                    f"Input {position} of node {op.name} was passed {name} from "
                    f"{source}{list(fed).index(tensor)}:0 incompatible with expected {name}_ref.",
                    hint=f"{tensor._op.name} is fed in this run, so it cannot be assigned to.",
                )

    def _reads_before(
        self, node: Node, conditions: Conditions | None, made: dict[Operation, Node]
    ) -> list[Node]:
        """Nodes that read variables before the node, which needs plain values.

        A merge takes the variable or constant of the branch that is alive; and a program cannot be
        made for the value of a variable, only for a value that comes in.
        """
        layout = self.layout
        if node.op._record.name in MERGES:
            positions = [i for i, t in enumerate(node.op._inputs) if not says_whether_dead(t)]
        elif node.host:
            return []
        else:
            positions = [
                i
                for i in node.record.concrete_inputs(node.op._attrs)
                if node.inputs[i] in layout.slots
            ]
        reads = []
        for position in positions:
            tensor = node.op._inputs[position]
            hosted = node.host or node.op._record.name not in MERGES
            read = Node(layout, node.op, hosted, lookup("Identity"))
            read.inputs = [node.inputs[position]]
            if conditions is not None:
                read.guards = [self._guard_index(t, made) for t in conditions.deciding(tensor)]
            read.reads = [*read.inputs, *read.guards]
            read.slots_read = [i for i in read.inputs if i in layout.slots]
            read.outputs = [layout.new_index()]
            node.inputs[position] = read.outputs[0]
            reads.append(read)
        node.reads = [*node.inputs, *node.guards]
        node.slots_read = [i for i in node.inputs if i in layout.slots]
        return reads

    def _is_handle(self, op: Operation) -> bool:
        """Whether an op does nothing but stand for a variable."""
        if op._record.variable:
            return True
        return is_alias(op) and variable_of(op._outputs[0], self.layout.fed) is not None

    def _needs_node(self, op: Operation, guards: list[int]) -> bool:
        """Whether an op makes values or changes something.

        One that takes nothing and makes nothing has done its work when the order stands; others
        only stand for a variable or for the value of another tensor.
        """
        if self._is_handle(op) or not (
            op._inputs or op._outputs or op._record.runs_on is RunsOn.HOST
        ):
            return False
        if not op._outputs:
            return True
        output = op._outputs[0]
        plain = output not in self.layout.fed and not output._dtype._is_ref_dtype
        if self.merges_identities and is_alias(op) and plain and not guards:
            self.layout.same[output] = op._inputs[0]
        return output not in self.layout.same

    def find_last_uses(self, nodes: Sequence[Step], kept: Iterable[int]) -> None:
        """Sets the `released` indices of each node: those that no later node reads.

        Args:
            nodes: the nodes in order.
            kept: the indices that are read after all of them.
        """
        seen = {*kept, *self.layout.slots}
        seen.update(i for i, value in enumerate(self.layout.template) if value is not None)
        for node in reversed(nodes):
            used = {*node.reads, *node.outputs}
            node.released = [i for i in used if i not in seen]
            seen.update(used)


def _constant(op: Operation) -> Array:
    """The value of a Const.

    Raises:
        InvalidArgumentError: if its type is not the one that the op declares.
    """
    value: Array = op._attrs["value"]
    declared = op._outputs[0]._dtype.base_dtype
    if value.dtype != (declared.numpy_dtype or np.dtype(object)):
        raise errors.InvalidArgumentError(
            op.node_def,
            op,
            f"Type mismatch between value ({proto_name(as_dtype(value.dtype))}) and dtype "
            f"({proto_name(declared)})",
        )
    return expanded(value)
