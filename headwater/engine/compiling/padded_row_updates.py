"""Updates of single rows of variables, whose number differs from run to run.

Which rows a training step updates is known only at run time: the distinct words of a batch. A
program per number of rows would be compiled too often, and NumPy would copy the table.

Where nothing else of a step needs whole tables on the device, these stay on the host, which picks
their rows and overwrites them. Otherwise a program updates them: the rows are padded to a power of
two with indices out of range, which XLA ignores.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.cancellation import uninterrupted
from headwater.base.checks import are_distinct, in_range
from headwater.base.dead import DEAD
from headwater.base.overwriting import overwriting
from headwater.engine import trace
from headwater.engine.compiling.dynamic_shapes import regrouped
from headwater.engine.compiling.segment import Interpreted, Segment
from headwater.engine.compiling.small_work import is_worth_compiling
from headwater.engine.nodes.layout import Values
from headwater.engine.nodes.node import Node
from headwater.engine.nodes.picked_rows import picks_rows
from headwater.engine.state import Pending, on_host, value_of
from headwater.graph.shapes import number_of_elements

_FEWEST_ROWS = 16
# Tables of up to so many elements are copied rather than updated in place.
_SMALL_TABLE = 1 << 14
# If something reads whole tables after so many runs in a row, they are left to the device.
_MOST_COPIES = 3


class RowUpdates(Segment):
    """Nodes that update rows of variables, compiled for padded numbers of rows."""

    # The indices are checked before the run, so that the padding is not an error.
    has_checks = False

    def __init__(self, segment: Segment, nodes: list[Node], on_host: bool) -> None:
        super().__init__(segment.layout, nodes, runs=1)
        # In how many runs tables may still have to be copied before they are overwritten.
        self._copies_left = _MOST_COPIES if on_host else 0
        self._rows = [(node.updates[0], *_row_inputs(node)) for node in nodes]
        # The update of an optimizer depends on earlier updates of the same row.
        self._all_indices = {i for row in self._rows for i in row}.union(self.updated)
        self._distinct = {_row_inputs(node)[0] for node in nodes if _has(node, "grad")}

    def run(self, values: Values, pending: Pending) -> None:
        """Runs the segment; invalid rows are interpreted, so that kernels raise the errors."""
        if not all(self._fits(values, pending, *inputs) for inputs in self._rows):
            self.interpret(values, pending)
        elif not self._overwrite(values, pending):
            super().run(values, pending)

    def _overwrite(self, values: Values, pending: Pending) -> bool:
        """Updates the rows in the tables themselves; tells whether it could.

        Nothing that follows can fail, as `_fits` has checked the rows.
        """
        if not self._copies_left or not self.last or trace.tracers:
            return False
        with self.layout.lock, uninterrupted():
            state = self.layout.state
            if state.unpublished:
                state.settle(self._slots_updated, pending)
            if not self._can_overwrite(values, pending):
                return False
            is_copied = not all(slot.is_private for slot in self._slots_updated)
            self._copies_left = self._copies_left - 1 if is_copied else _MOST_COPIES
            tables = [slot.private() for slot in self._slots_updated]
            values_before = list(zip(self.updated, self._slots_updated, tables))
            for index, _, table in values_before:
                values[index] = table
            with overwriting(tables):
                self._run_nodes(values, None)
            for index, slot, table in values_before:
                if values[index] is not table:
                    pending[slot] = values[index]
            self._publish(pending)
        return True

    def _can_overwrite(self, values: Values, pending: Pending) -> bool:
        """Whether no update can fail; notes the values of the variables that are only read."""
        for index, slot in (*self._seen, *self._lent):
            if index not in self.updated:
                values[index] = value_of(slot, pending)
                if values[index] is None:
                    return False
        slots = self.layout.slots
        for node, (variable, _, rows) in zip(self.nodes, self._rows):
            shape = slots[variable].lent().shape
            tables = [slots[i] for i in node.updates]
            if any(s in pending or getattr(s.lent(), "shape", None) != shape for s in tables):
                return False
            numbers = (values[i] for i in node.inputs if i not in self._all_indices)
            if values[rows].shape[1:] != shape[1:] or any(n.ndim for n in numbers):
                return False
        return True

    def _fits(
        self, values: Values, pending: Pending, variable: int, indices: int, rows: int
    ) -> bool:
        slot = self.layout.slots[variable]
        table = pending[slot] if slot in pending else slot.lent()
        numbers = on_host(values[indices])
        if (
            table is None
            or numbers is DEAD
            or numbers.ndim != 1
            or values[rows].shape[:1] != numbers.shape
        ):
            return False
        if not in_range(numbers, len(table)):
            return False
        return indices not in self._distinct or are_distinct(numbers, len(table))

    def _taken(self, values: Values) -> dict[int, Any]:
        taken = {i: values[i] for i in self.inputs}
        most = max(len(values[indices]) for _, indices, _ in self._rows)
        size = max(_FEWEST_ROWS, 1 << (most - 1).bit_length())
        for _, indices, rows in self._rows:
            numbers = on_host(values[indices])
            taken[indices] = _filled(numbers, size, np.iinfo(numbers.dtype).max)
            taken[rows] = _filled(on_host(values[rows]), size, 0)
        return taken


def _filled(rows: np.ndarray, size: int, value: int) -> np.ndarray:
    """The rows, padded with one value to `size` rows."""
    result = np.full((size, *rows.shape[1:]), value, rows.dtype)
    result[: len(rows)] = rows
    return result


def _has(node: Node, name: str) -> bool:
    return any(arg.name == name for arg in node.record.schema.inputs)


def _is_small_table(node: Node) -> bool:
    """Whether copies of the tables that a node updates cost less than a part of a program."""
    variables = [node.layout.variable_ops[i] for i in node.updates]
    sizes = [number_of_elements(v._attrs.get("shape")) for v in variables]
    return all(size is not None and size <= _SMALL_TABLE for size in sizes)


def _row_inputs(node: Node) -> list[int]:
    """The indices of the row numbers and of the values of the rows.

    Returns:
        An empty list if the node does not update rows of floating-point numbers.
    """
    names = [arg.name for arg in node.record.schema.inputs]
    rows = [i for i, name in enumerate(names) if name in ("grad", "updates")]
    if not node.updates or "indices" not in names or len(rows) != 1:
        return []
    if not node.op._inputs[rows[0]]._dtype.is_floating:
        # Division by the zeros of the padding would be an error.
        return []
    return [node.inputs[names.index("indices")], node.inputs[rows[0]]]


def split_for_host(
    segment: Segment, hosted: list[Node], elements: dict[Node, int]
) -> list[Segment]:
    """Splits a segment into steps so that the given nodes run on the host.

    Nodes that update rows of variables are compiled nevertheless, if they come last. Nodes between
    hosted ones are hosted too, unless they are worth a program.

    Args:
        segment: the segment.
        hosted: those of its nodes that cannot be compiled.
        elements: how many elements the nodes of the segment make.
    """
    rows = [node for node in hosted if _row_inputs(node) and not _is_small_table(node)]
    picks = _picks_of(segment, rows)
    apart = {*hosted, *(picks or ())}
    groups = regrouped(segment.nodes, apart, rows)
    between = [g for level, g in groups if level > 0 and not level % 2]
    little = [node for g in between if not is_worth_compiling(g, elements) for node in g]
    if little:
        apart.update(little)
        groups = regrouped(segment.nodes, apart, rows)
    steps: list[Segment] = []
    others: list[Node] = []
    for level, group in groups:
        if group[0] not in apart:
            if others:
                steps.append(Interpreted(segment.layout, others))
                others = []
            # Its nodes may need fewer values than those of the whole segment.
            steps.append(Segment(segment.layout, group, runs=1))
            continue
        last = [node for node in group if level < 0 and node in rows]
        others = [*others, *(node for node in group if node not in last)]
        for node in group:
            if node not in last:
                node.host = True
                node.note_dynamic_shapes()
        if level < 0:
            if others:
                steps.append(Interpreted(segment.layout, others))
                others = []
            steps.extend([RowUpdates(segment, last, picks is not None)] if last else ())
    if others:
        steps.append(Interpreted(segment.layout, others))
    return steps


def _picks_of(segment: Segment, rows: list[Node]) -> list[Node] | None:
    """The nodes of a segment that pick rows of the tables that others update.

    Returns:
        None if the tables have to be on a device: others read more of them.
    """
    if any(device.device_type != "CPU" for device in segment.layout.state.devices):
        return None
    tables = {index for node in rows for index in node.updates}
    picks = []
    for node in segment.nodes:
        read = tables.intersection(node.reads)
        if read and node not in rows:
            if not all(picks_rows(node, index) for index in read):
                return None
            picks.append(node)
    return picks
