"""What ops with a state, such as random ones, return in several successive runs.

Where they have other inputs than constants, what they keep before each of the runs.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from headwater.base.typing import ArrayModule
from headwater.engine.analysis.control_flow import ENTERS, Conditions
from headwater.engine.nodes.kernels import host_call
from headwater.engine.state import State, on_host
from headwater.graph import Operation
from headwater.graph.constant_value import constant_value
from headwater.graph.registry import OpRecord, RunsOn
from headwater.graph.row_functions.row_op import row_record


class Draws:
    """Which of some ops with a state change it in every run, whatever the inputs are.

    Args:
        order: the ops of the runs, in order.
    """

    def __init__(self, order: Sequence[Operation]) -> None:
        self._conditions = Conditions(order)
        self._loops = any(op._record.name in ENTERS for op in order)

    def numbers(self, op: Operation) -> bool:
        """Whether an op depends on nothing but its state."""
        constant = all(constant_value(tensor) is not None for tensor in op._inputs)
        return constant and len(op._outputs) == 1 and self._in_all_runs(op)

    def states(self, op: Operation) -> bool:
        """Whether the next state of an op is known before the values of its inputs are."""
        if op._record.next_state is None or not self._in_all_runs(op):
            return False
        return _next_state(op, op._record.state(op._attrs)) is not None  # type: ignore[misc]

    def _in_all_runs(self, op: Operation) -> bool:
        """Whether an op has a state of its own, and is on no branch and in no loop."""
        record = op._record
        return (
            bool(record.state)
            and not (record.resource or record.variable or record.updates or record.calls_python)
            and record.runs_on is not RunsOn.XLA
            and not self._loops
            and not self._conditions.literals(op._outputs[0])
        )


def with_given_state(record: OpRecord) -> OpRecord:
    """The record of an op whose state is another input of its."""
    name, inputs, outputs, attrs = record.declaration
    kernel = record.kernel
    assert kernel is not None

    @functools.wraps(kernel)
    def call(xp: ArrayModule, *inputs: Any, **given: Any) -> Any:
        return kernel(xp, *inputs[:-1], state=inputs[-1], **given)[0]

    return replace(
        record,
        declaration=(f"{name}OfState", f"{inputs}, kept: uint32", outputs, attrs),
        kernel=call,
        row_kernel=None,
        runs_on=RunsOn.HOST,
        state=None,
        next_state=None,
        stateful=False,
        reference=None,
        samples=None,
    )


def _next_state(op: Operation, kept: Any) -> Any:
    """What an op keeps after its next run; None if that depends on its inputs."""
    record = op._record
    assert record.next_state is not None
    attrs = {name: op._attrs[name] for name in record.kernel_attrs}
    return record.next_state(kept, *map(constant_value, op._inputs), **attrs)


class DrawnNumbers:
    """The results of an op with a state in the next runs.

    Args:
        op: an op with such a state (`Draws`).
        state: what the session keeps.
    """

    def __init__(self, op: Operation, state: State) -> None:
        self._call = host_call(op, op._record, state.functions)
        self._rows = None
        if op._record.row_kernel is not None:
            self._rows = host_call(op, row_record(op._record), state.functions)
        self._inputs = [constant_value(tensor) for tensor in op._inputs]
        self._state = state
        self._slot = state.slot_of(op)
        # How many results there are, and what the op kept before and after them.
        self._drawn: tuple[int, Any, Any] | None = None

    def draw(self, count: int) -> np.ndarray:
        """The results of so many runs, stacked."""
        with self._state.op_lock, self._state.lock:
            if self._state.unpublished:
                self._state.settle([self._slot], {})
            before = on_host(self._slot.value)
            results, after = self._drawn_from(before, count)
            self._slot.value = after
            self._drawn = count, before, after
        return results

    def _drawn_from(self, kept: Any, count: int) -> tuple[np.ndarray, Any]:
        """The results of so many runs, stacked, and what the op keeps after them."""
        if self._rows is not None:
            rows = np.array([count], np.int32)
            results, kept = self._rows(rows, *self._inputs, state=kept)
            return results, kept
        single = []
        for _ in range(count):
            result, kept = self._call(*self._inputs, state=kept)
            single.append(result)
        return np.stack(single), kept

    def settle(self, used: int) -> None:
        """Takes back what all but the first results have changed, if no other run has drawn."""
        if self._drawn is None:
            return
        count, before, after = self._drawn
        self._drawn = None
        with self._state.op_lock, self._state.lock:
            if used < count and self._slot.value is after:
                self._slot.value = self._drawn_from(before, used)[1] if used else before


class DrawnStates(DrawnNumbers):
    """What an op with a state keeps before each of the next runs."""

    def __init__(self, op: Operation, state: State) -> None:
        super().__init__(op, state)
        self._op = op

    def _drawn_from(self, kept: Any, count: int) -> tuple[np.ndarray, Any]:
        states = []
        for _ in range(count):
            states.append(kept)
            kept = _next_state(self._op, kept)
        return np.stack(states), kept
