"""Interprets nodes: calls their kernels one after the other.

What `run_node` asks of each node in every run is asked here once, when the calls are listed
(calls.py). The values stand in a list of their own while the nodes run. An op that hands its input
on is no call, nor is one whose results nobody reads, and arithmetic on shapes is called only for
new shapes (remembered_arithmetic.py). The ops of the gradient of a broadcast are one call
(broadcast_gradients.py), and so are those that keep the rows of a mask (filtered_rows.py), and
equal ops on different values (joint_calls.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from headwater.base.dead import DEAD
from headwater.engine.analysis.distinct import finds_all, sums_single_rows
from headwater.engine.analysis.purity import is_pure
from headwater.engine.analysis.variables import is_alias
from headwater.engine.compiling.broadcast_gradients import (
    BroadcastGradient,
    Joined,
    broadcast_gradients,
    without_unread,
)
from headwater.engine.compiling.calls import Branch, Call, branch_of, run, run_among_branches
from headwater.engine.compiling.filtered_rows import filtered_rows
from headwater.engine.compiling.joint_calls import joined_calls
from headwater.engine.compiling.remembered_arithmetic import RememberedArithmetic, arithmetic_groups
from headwater.engine.nodes.layout import Layout, Values
from headwater.engine.nodes.node import Node
from headwater.engine.state import on_host
from headwater.graph.registry import RunsOn
from headwater.graph.shapes import is_static, number_of_elements

# Values of up to so many elements are not worth a release before the end.
_SMALL = 1024


def can_interpret(node: Node, with_state: bool = False) -> bool:
    """Whether an Interpreter may have a node: it needs nothing but its inputs.

    Args:
        node: the node.
        with_state: whether it may keep something between runs; the caller sees to it that no other
            run changes that meanwhile.
    """
    record = node.record
    return not (
        record is not node.op._record
        or (node.state is not None and not with_state)
        or record.runs_on is RunsOn.XLA
        or record.exchanges
        or record.calls_python
        or record.takes_handles
        or record.opaque
    )


def _hands_on(node: Node) -> bool:
    """Whether the first result of a node is its first input."""
    op, layout = node.op, node.layout
    if not node.inputs or not node.outputs or node.inputs[0] in layout.slots:
        return False
    if node.guards or node.alive:
        return False
    return is_alias(op) or finds_all(op, layout.fed) or sums_single_rows(op, layout.fed)


def _updating_state(call: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of an op with a state, which it takes last and returns first."""

    def updated(*values: Any) -> list[Any]:
        results, state = call(*values[:-1], state=values[-1])
        return [state, *(results if isinstance(results, (tuple, list)) else (results,))]

    return updated


def _positions(dtype: np.dtype, elements: np.ndarray) -> np.ndarray:
    return np.arange(len(elements), dtype=dtype)


class Interpreter:
    """Some nodes as a list of calls.

    Args:
        layout: where their values stand.
        nodes: the nodes in order, all of which `can_interpret`.
        released: the indices that nothing reads after them.
    """

    def __init__(self, layout: Layout, nodes: Sequence[Node], released: set[int]) -> None:
        self._layout = layout
        self._run = run_among_branches if layout.conditional else run
        # By index in the layout, the place in the list of this interpreter.
        self._places: dict[int, int] = {}
        self._template: list[Any] = []
        self._taken: list[tuple[int, int, bool]] = []
        # Values of which only is asked whether they are dead.
        self._guards = {index for node in nodes for index in node.guards}
        self._guards.difference_update(index for node in nodes for index in node.inputs)
        self._sizes: dict[int, int | None] = {}
        made: dict[int, None] = {}
        called: list[Node] = []
        for node in nodes:
            kept = [] if node.state is None else [node.state]
            for index in (*node.reads, *kept):
                if index not in self._places:
                    self._take(index, index in released)
            if _hands_on(node):
                self._places[node.outputs[0]] = self._places[node.inputs[0]]
            self._make(node)
            if len(node.outputs) > 1 or not _hands_on(node):
                called.append(node)
            made.update(dict.fromkeys((*kept, *node.updates, *node.outputs)))
            made.update(dict.fromkeys(alive for _, alive in node.alive))
        self._given = [(index, self._places[index]) for index in made if index not in released]
        self._gradients = broadcast_gradients(called, self._places)
        self._filtered = filtered_rows(called, self._places)
        joined: dict[Node, Joined] = {**self._gradients, **self._filtered}
        if joined:
            given = {place for _, place in self._given}
            called = without_unread(called, joined, self._places, given)
        calls = map(self._call, arithmetic_groups(called, self._places, joined))
        self._calls = self._needed(joined_calls(list(calls)))

    def _new_place(self, value: Any = None) -> int:
        self._template.append(value)
        return len(self._template) - 1

    def _make(self, node: Node) -> None:
        """Gives the results of a node places."""
        tensors = node.op._outputs
        for position, index in enumerate(node.outputs):
            if index in self._places:
                continue
            place = self._places[index] = self._new_place()
            if len(tensors) == len(node.outputs) and is_static(tensors[position]._shape):
                self._sizes[place] = number_of_elements(tensors[position]._shape)
        for _, index in node.alive:
            if index not in self._places:
                self._places[index] = self._new_place()

    def _take(self, index: int, released: bool) -> None:
        """Gives a value that comes from outside a place."""
        constant = self._layout.template[index]
        if constant is not None and index not in self._layout.slots:
            self._places[index] = self._new_place(constant)
        else:
            self._places[index] = self._new_place()
            self._taken.append((index, self._places[index], released))

    def _call(self, item: Node | list[Node]) -> Call:
        if isinstance(item, list):
            return self._remembered_call(item)
        if item in self._gradients:
            return self._gradient_call(self._gradients[item])
        if item in self._filtered:
            rows = self._filtered[item]
            branch = Branch(outputs=(rows.output,))
            return Call(item.op, rows, rows.inputs, rows.output, (rows.output,), branch=branch)
        return self._single_call(item)

    def _single_call(self, item: Node) -> Call:
        places = self._places
        kept = [] if item.state is None else [item.state]
        outputs = tuple(places[i] for i in (*kept, *item.updates, *item.outputs))
        output = outputs[0] if len(outputs) == 1 else -1
        inputs = tuple(places[i] for i in (*item.inputs, *kept))
        if _hands_on(item):
            # The second result of a Unique.
            numbers = partial(_positions, item.op._attrs["out_idx"].numpy_dtype)
            branch = Branch(outputs=outputs[1:])
            return Call(item.op, numbers, inputs, outputs[1], outputs[1:], branch=branch)
        branch = branch_of(item, places)
        function = _updating_state(item.call) if kept else item.call
        return Call(item.op, function, inputs, output, outputs, branch=branch)

    def _gradient_call(self, gradient: BroadcastGradient) -> Call:
        calls = list(map(self._single_call, gradient.nodes))
        gradient.compute = partial(run, calls)
        op, output = gradient.nodes[-1].op, gradient.output
        branch = Branch(members=tuple(calls))
        return Call(op, gradient, gradient.inputs, output, (output,), branch=branch)

    def _remembered_call(self, nodes: list[Node]) -> Call:
        calls = [self._call(node) for node in nodes]
        arithmetic = RememberedArithmetic(nodes, self._places, lambda local: run(calls, local))
        inputs, outputs = arithmetic.inputs, arithmetic.outputs
        branch = Branch(members=tuple(calls))
        return Call(nodes[0].op, arithmetic, inputs, -1, outputs, branch=branch)

    def _needed(self, calls: list[Call]) -> list[Call]:
        """The calls that have results for others, each with the large values that it releases."""
        read = {place for _, place in self._given}
        kept = {p for p, value in enumerate(self._template) if value is not None}
        result = []
        for call in reversed(calls):
            if (
                is_pure(call.op._record)
                and not call.op._record.checks
                and read.isdisjoint(call.makes)
            ):
                continue
            last = {*call.reads, *call.outputs} - read - kept
            read.update(call.reads)
            large = [p for p in last if (self._sizes.get(p) or _SMALL + 1) > _SMALL]
            result.append(call._replace(released=tuple(large)))
        return result[::-1]

    def run(self, values: Values) -> bool:
        """Runs the nodes on the values of a run.

        Returns:
            False if a value is missing; then nothing has been done.

        Raises:
            OpError: if an op fails.
        """
        taken = []
        for index, _, _ in self._taken:
            value = values[index]
            if type(value) is not np.ndarray and index not in self._guards:
                if value is None or (value is DEAD and not self._layout.conditional):
                    return False
                value = on_host(value)
            taken.append(value)
        local = self._template.copy()
        for (index, place, released), value in zip(self._taken, taken):
            local[place] = value
            if released:
                values[index] = None
        del taken
        self._run(self._calls, local)
        for index, place in self._given:
            values[index] = local[place]
        return True
