"""A plan: what one kind of run (these fetches, these feeds) does, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from headwater.base.function_runtime import VariableHandle
from headwater.engine.analysis.control_flow import RECEIVES, SWITCHES, Conditions, items_of
from headwater.engine.analysis.inlining import has_calls, inlined
from headwater.engine.analysis.ordering import needed_ops, with_effect
from headwater.engine.analysis.placement import physical_placement, runs_on_host
from headwater.engine.analysis.waits import arranged
from headwater.engine.blocks.block import Block
from headwater.engine.blocks.schedule import Schedule
from headwater.engine.devices import check_placement
from headwater.engine.loops.loop import Loop
from headwater.engine.nodes.kernels import uninitialized
from headwater.engine.nodes.layout import Layout, Values
from headwater.engine.state import Pending, State
from headwater.graph import Graph, Operation, Tensor
from headwater.protos.lazy import resource_handle_pb2

_CONDITIONAL = SWITCHES | RECEIVES


class Plan(Block):
    """The steps of a run, or of a call of a function.

    Args:
        graph: the graph.
        state: what the session keeps.
        fetches: the tensors whose values are wanted.
        targets: the ops to run.
        feeds: the tensors whose values are given.
        bound: tensors that stand for variables.
        compile_after: how many runs of a segment with the same shapes make it worth compiling.
        awaited: whether every run waits for its results.
        typical_rows: how many rows an unknown dimension stands for, if all do that stand for rows.

    Attributes:
        feeds: the index of each fed tensor.
        fetched: the fetched tensors.
        fetches: the index of each of them.
    """

    def __init__(
        self,
        graph: Graph,
        state: State,
        fetches: Sequence[Tensor],
        targets: Sequence[Operation],
        feeds: Sequence[Tensor],
        bound: Mapping[Tensor, VariableHandle] | None = None,
        compile_after: int = 2,
        awaited: bool = False,
        typical_rows: int | None = None,
    ) -> None:
        bound = bound or {}
        fed = dict.fromkeys([*feeds, *bound])
        layout = Layout(state, fed)
        layout.compile_after = compile_after
        layout.awaited = awaited
        layout.typical_rows = typical_rows
        for tensor, handle in bound.items():
            layout.bind(tensor, handle)
        super().__init__(layout, Loop)
        self.merges_identities = awaited
        self.changes = graph.changes
        self.fetched = list(fetches)
        ops = needed_ops(fetches, targets, fed)
        if has_calls(ops):
            fetches, targets = inlined(graph, ops, fetches, targets, fed)
            ops = needed_ops(fetches, targets, fed)
        check_placement(ops, state.devices, state.soft_placement)
        order, layout.waits = arranged(items_of(ops), fed, runs_on_host)
        live = with_effect(ops, [*targets, *(t._op for t in fetches)])
        conditional = any(op._record.name in _CONDITIONAL for op in ops)
        self.feeds = layout.feeds = [layout.index(t) for t in feeds]
        layout.placement = physical_placement(ops, state.devices)
        self.nodes = self.make_nodes(order, live, Conditions(order) if conditional else None)
        self.fetches = [layout.index(t) for t in fetches]
        self.fetched_slots = [i for i in dict.fromkeys(self.fetches) if i in self.layout.slots]
        self._handles = {i for i in self.fetched_slots if _is_handle(self.layout.variable_ops[i])}
        updated = {i for node in self.nodes for i in node.updates} | self._handles
        self._only_fetched = [i for i in self.fetched_slots if i not in updated]
        self.find_last_uses(self.nodes, self.fetches)
        self.schedule = Schedule(layout, self.nodes, self.fetches, final=True)

    def __str__(self) -> str:
        return "\n".join(str(step) for step in self.schedule.steps)

    def same_work(self, other: Plan) -> bool:
        """Whether another plan consists of the same ops with the same inputs and attrs."""
        return self._work() == other._work()

    def _work(self) -> list[Any]:
        ops = [op for node in self.nodes for op in sorted(node.members, key=_creation)]
        return [(op, op._inputs, tuple(op._control_inputs)) for op in ops]

    # Variables

    def check_fetched(self) -> None:
        """Raises the error of a fetched variable that has no value and gets none."""
        for index in self._only_fetched:
            if self.layout.slots[index].value is None:
                op = self.layout.variable_ops[index]
                raise uninitialized(op, op._outputs[0])

    def read_fetched(self, values: Values, pending: Pending) -> None:
        """Reads the fetched variables, at the end of the run."""
        for index in self.fetched_slots:
            if index in self._handles:
                values[index] = _handle_bytes(self.layout.variable_ops[index], self.layout.state)
            else:
                values[index] = self.layout.read(self.layout.slots[index], pending)


def _is_handle(op: Operation) -> bool:
    return op._outputs[0]._dtype.name == "resource"


def _handle_bytes(op: Operation, state: State) -> np.ndarray:
    """A handle as a session returns it: the bytes of a ResourceHandleProto."""
    proto = resource_handle_pb2.ResourceHandleProto(
        device=op.device or state.devices[0].name,
        container=op._attrs.get("container") or state.default_container,
        name=op._attrs.get("shared_name") or op.name,
    )
    return np.frombuffer(proto.SerializeToString(), [("resource", np.uint8)])


def _creation(op: Operation) -> int:
    return op._id_value
