"""What a session keeps between runs: the values of variables and the hidden state of ops."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.backend_errors import as_op_error
from headwater.engine.devices import Device, local_devices
from headwater.graph import Operation, Tensor

JIT_MODES = ("auto", "always", "never")


class Slot:
    """The place of one variable or of one op's hidden state; `value` is None until it is set.

    The value is a NumPy array, or a device array that the next compiled program may take over.
    """

    __slots__ = ("_first", "name", "value")

    def __init__(self, name: str, value: Any = None) -> None:
        self.name = name
        self.value = self._first = value

    def lose(self) -> None:
        """Forgets a value that a failed program has taken over."""
        self.value = self._first


class State:
    """All slots of a session.

    `lock` is held while values are read and exchanged; compiled programs are dispatched under it
    (they run on their own), blocking host ops never run under it. `jit_mode` says when segments
    are compiled: at their second run (auto), at once (always), or never; None leaves it to the
    environment variable HEADWATER_JIT. `devices` are those that ops may ask for, and
    `soft_placement` lets ops that ask for others run all the same.
    """

    def __init__(
        self,
        jit_mode: str | None = None,
        devices: list[Device] | None = None,
        soft_placement: bool = False,
    ) -> None:
        self.devices = devices or local_devices()
        self.soft_placement = soft_placement
        self.lock = threading.RLock()
        self.jit_mode = jit_mode or os.environ.get("HEADWATER_JIT", "auto")
        if self.jit_mode not in JIT_MODES:
            raise ValueError(
                f"HEADWATER_JIT must be one of {', '.join(JIT_MODES)}. Received: {self.jit_mode!r}"
            )
        self._slots: dict[str, Slot] = {}

    def slot_of(self, op: Operation) -> Slot:
        """The slot of a variable op, or of an op with hidden state."""
        key = slot_key(op)
        slot = self._slots.get(key)
        if slot is None:
            with self.lock:
                slot = self._slots.get(key)
                if slot is None:
                    record = op._record
                    value = record.cell(op._attrs) if record.cell else None
                    slot = self._slots[key] = Slot(op.name, value)
        return slot

    def clear(self, containers: list[str] | None = None) -> None:
        """Forgets the values of the given containers (the default one is ""), or of all."""
        with self.lock:
            for key, slot in list(self._slots.items()):
                if containers is None or key.split("|")[0] in containers:
                    slot.value = None
                    del self._slots[key]


def slot_key(op: Operation) -> str:
    """Ops with equal keys share one slot: variables, and resources of one kind, by their names."""
    attrs = op._attrs
    name = attrs.get("shared_name") or op.name
    return f"{attrs.get('container', '')}|{op._record.resource}|{name}"


# Ops that hand the buffer of a variable on: what reads their output reads the variable.
_ALIASES = frozenset(("Identity", "RefIdentity", "StopGradient", "PreventGradient"))
# Ops of control flow that hand a reference or a resource on.
_PASSAGES = frozenset(
    (
        "Enter",
        "RefEnter",
        "Exit",
        "RefExit",
        "Switch",
        "RefSwitch",
        "NextIteration",
        "RefNextIteration",
    )
)


def variable_of(tensor: Tensor, fed: Collection[Tensor] = ()) -> Operation | None:
    """The variable op that a tensor stands for; None for a plain value.

    References and resources stand for their variable, and so does, as in TensorFlow, the identity
    of a reference variable: an op that runs after an update sees the new value even if the
    identity stands before it.

    Args:
        tensor: any tensor.
        fed: tensors with a value of their own.
    """
    while tensor not in fed:
        op = tensor._op
        record = op._record
        if record.variable:
            return op
        if record.update_positions:
            if not tensor._dtype._is_ref_dtype:
                # What a counter returns is no reference to the counter.
                return None
            tensor = op._inputs[record.update_positions[0]]
        elif record.name in _ALIASES or _hands_on(op, tensor):
            tensor = op._inputs[0]
        else:
            return None
    return None


def _hands_on(op: Operation, tensor: Tensor) -> bool:
    """Whether an op of control flow gives its output the buffer of its first input."""
    name = op._record.name
    if name == "RefMerge":
        # In a loop; the merge of two branches is of two variables.
        return any(t._op._record.name == "RefNextIteration" for t in op._inputs)
    if tensor._dtype._is_ref_dtype or tensor._dtype.name == "resource":
        return name in _PASSAGES
    # What enters a loop as a constant, or a branch, is read there.
    return name == "Switch" or (name == "Enter" and op._attrs["is_constant"])


def is_alias(op: Operation) -> bool:
    """Whether an op only hands on what may be the buffer of a variable."""
    return op._record.name in _ALIASES


def on_host(value: Any) -> Any:
    """A value as a NumPy array, without a copy where that is possible.

    Raises:
        OpError: if the program that should have made it has failed.
    """
    if isinstance(value, (np.ndarray, np.generic)) or value is None:
        return value
    if not hasattr(value, "block_until_ready"):
        return value
    try:
        # To read what a program has not made would abort the process.
        value.block_until_ready()
    except RuntimeError as error:
        raise as_op_error(error) or error from error
    return np.asarray(value)


def value_of(slot: Slot, pending: dict[Slot, Any]) -> Any:
    """The value of a slot as a run sees it, for the host.

    Raises:
        OpError: if the program that should have made it has failed; the slot is empty then.
    """
    value = pending.get(slot, slot.value)
    try:
        return on_host(value)
    except errors.OpError:
        if slot.value is value:
            slot.lose()
        raise


def is_lost(value: Any) -> bool:
    """Whether a device array has no value: a program has failed to make it, or has taken it."""
    if not hasattr(value, "block_until_ready"):
        return False
    try:
        value.block_until_ready()
    except RuntimeError:
        return True
    return bool(value.is_deleted())
