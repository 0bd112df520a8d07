"""A layout: at which index of a run's list of values each tensor and variable stands.

The values of a run live in a list. Every tensor that matters has an index in it, and so has every
variable: ops that read it take what stands there, ops that update it put the new value there. So
the order of the nodes alone decides which value an op sees.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeAlias

import numpy as np

from headwater.base.function_runtime import VariableHandle
from headwater.engine.analysis.variables import variable_of
from headwater.engine.analysis.waits import Waits
from headwater.engine.state import Pending, Slot, State, value_of
from headwater.graph import Operation, Tensor

# The values of one run, or of one iteration of a loop.
Values: TypeAlias = list[Any]

# A placeholder for a value that is never read.
NOTHING = np.zeros((), np.float32)


class Layout:
    """The indices of the values of a plan, or of a loop's body.

    Args:
        state: what the session keeps.
        fed: the tensors that are fed.

    Attributes:
        template: the values at the start: the constants, and None elsewhere.
        slots: index and slot of each variable and op state.
        variable_ops: index and op of each variable and each op with a state.
        feeds: indices of what comes in from outside.
        same: tensors that are the same value as another one.
        dynamic_shapes: indices of values made on the host that may have another shape in each run,
            with the op type and the output that they are.
        conditional: whether nodes may be dead.
        waits: which items of the block may have to wait for each other; None if none do.
        placement: the JAX device of each op; None if all run on the default one.
        compile_after: how many runs of a segment with the same shapes make it worth compiling.
        iterates: whether the nodes are those of a loop.
        typical_rows: how many rows an unknown dimension stands for, if all do that stand for rows.
        awaited: whether every run waits for its results, as calls of functions from kernels do.
    """

    def __init__(self, state: State, fed: Collection[Tensor]) -> None:
        self.state = state
        self.lock = state.lock
        self.jit_mode = state.jit_mode
        self.fed = fed
        self.template: Values = []
        self.slots: dict[int, Slot] = {}
        self.variable_ops: dict[int, Operation] = {}
        self.feeds: list[int] = []
        self.same: dict[Tensor, Tensor] = {}
        self.dynamic_shapes: dict[int, tuple[str, int]] = {}
        self.conditional = False
        self.waits: Waits | None = None
        self.placement: dict[Operation, Any] | None = None
        self.compile_after = 2
        self.iterates = False
        self.awaited = False
        self.typical_rows: int | None = None
        # Fed tensors that stand for variables.
        self.bound: set[Tensor] = set()
        self._indices: dict[Any, int] = {}

    def device_of(self, op: Operation) -> Any:
        """The device of JAX on which a compiled op runs; None for the default one."""
        return None if self.placement is None else self.placement.get(op)

    def share_segment(self, op: Operation, other: Operation) -> bool:
        """Whether one program may contain both of two ops."""
        if self.waits is not None and self.waits.part_of(op) != self.waits.part_of(other):
            return False
        return self.device_of(op) is self.device_of(other)

    # Indices

    def new_index(self) -> int:
        """A new index, for a value that is not a tensor of the graph."""
        self.template.append(None)
        return len(self.template) - 1

    def index(self, tensor: Tensor) -> int:
        """The index of a tensor; the variable's index for a reference."""
        while tensor in self.same:
            tensor = self.same[tensor]
        if tensor not in self._indices:
            variable = variable_of(tensor, self.fed)
            if variable is None:
                self._indices[tensor] = self.new_index()
            else:
                self._indices[tensor] = self.slot_index(variable)
        return self._indices[tensor]

    def slot_index(self, op: Operation) -> int:
        """The index of a variable, or of what an op keeps between runs."""
        slot = self.state.slot_of(op)
        if slot not in self._indices:
            index = self._indices[slot] = self.new_index()
            self.slots[index] = slot
            self.variable_ops[index] = op
        return self._indices[slot]

    def keyed_index(self, key: tuple[str, Tensor]) -> tuple[int, bool]:
        """The index of a value that is derived from a tensor, and whether it is new."""
        is_new = key not in self._indices
        if is_new:
            self._indices[key] = self.new_index()
        return self._indices[key], is_new

    def alive_index(self, tensor: Tensor) -> int:
        """An index whose value is dead if the tensor is, also where that is a reference."""
        if variable_of(tensor, self.fed) is None:
            return self.index(tensor)
        return self.keyed_index(("alive", tensor))[0]

    def nothing_index(self) -> int:
        """The index of a placeholder for a value that is never read."""
        if "nothing" not in self._indices:
            index = self._indices["nothing"] = self.new_index()
            self.template[index] = NOTHING
        return self._indices["nothing"]

    def handle_index(self, tensor: Tensor) -> int:
        """The index of the handle of a variable; that of the value for any other tensor."""
        index = self.index(tensor)
        if index not in self.slots:
            return index
        handle, is_new = self.keyed_index(("handle", tensor))
        if is_new:
            self.template[handle] = VariableHandle(self.variable_ops[index], self.slots[index])
        return handle

    def bind(self, tensor: Tensor, handle: VariableHandle) -> None:
        """Makes a fed tensor stand for a variable."""
        if handle.slot not in self._indices:
            index = self._indices[handle.slot] = self.new_index()
            self.slots[index] = handle.slot
            self.variable_ops[index] = handle.op
        self._indices[tensor] = self._indices[handle.slot]
        self.bound.add(tensor)

    # Variables

    def read(self, slot: Slot, pending: Pending) -> Any:
        """The value of a variable as this run sees it, for the host."""
        with self.lock:
            return value_of(slot, pending)

    def existence(self, slot: Slot, pending: Pending) -> Any:
        """None for a variable without a value as this run sees it, else a placeholder."""
        with self.lock:
            return None if pending.get(slot, slot.value) is None else NOTHING

    def publish(self, pending: Pending) -> None:
        """Puts new values into their slots, for all runs to see."""
        self.state.publish(pending)
