"""What a session keeps between runs: the values of variables and the states of ops."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from headwater.base import errors
from headwater.base.backend_errors import as_op_error
from headwater.base.cancellation import uninterrupted
from headwater.base.function_runtime import FunctionRuntime
from headwater.engine.devices import Device, local_devices
from headwater.graph import Operation

JIT_MODES = ("auto", "always", "never")


class Slot:
    """The place of one variable or of the state of one op; `value` is None until it is set.

    The value is a NumPy array, or a device array, which may be donated to the next program.

    Attributes:
        is_private: whether nobody else can have the value, an array of the host: who holds the
            lock of the state may overwrite it. It ends when anybody reads `value`.
    """

    __slots__ = ("_first", "_value", "is_private", "name")

    def __init__(self, name: str, value: Any = None) -> None:
        self.name = name
        self._value = self._first = value
        self.is_private = False

    @property
    def value(self) -> Any:
        self.is_private = False
        return self._value

    @value.setter
    def value(self, value: Any) -> None:
        self.is_private = False
        self._value = value

    def lent(self) -> Any:
        """The value, for one who holds the lock of the state until nothing of it is kept."""
        return self._value

    def private(self) -> np.ndarray:
        """The value as an array that may be overwritten: a copy where others may have it."""
        if not self.is_private:
            self._value = np.array(on_host(self._value))
            self.is_private = True
        value: np.ndarray = self._value
        return value

    def lose(self) -> None:
        """Forgets a value that was donated to a failed program."""
        self.value = self._first


# New values of slots that are not published yet.
Pending: TypeAlias = dict[Slot, Any]


class State:
    """All slots of a session.

    `lock` is held while values are read and exchanged. Compiled programs are dispatched under it
    and run asynchronously; host ops that can block never run under it. `jit_mode` says when
    segments are compiled: at their second run (auto), at once (always), or never; None leaves it
    to the environment variable HEADWATER_JIT. `devices` are those that ops may ask for;
    `soft_placement` ignores requests for others.
    """

    # Whether calls share what ops keep: an op then publishes at once.
    takes_turns = False
    # What errors and handles call the container of ops that name none.
    default_container = "localhost"

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
        # Set by the session: the engine's lower rooms cannot run plans.
        self.functions: FunctionRuntime | None = None
        # Held while an op on the host takes what it keeps and puts the new value back.
        self.op_lock = threading.RLock()
        # What runs have not published yet, by identity.
        self.unpublished: dict[int, Pending] = {}
        # Resources that ops have made for nobody but the holders of their handles.
        self.anonymous: dict[int, Any] = {}
        self._slots: dict[str, Slot] = {}

    def slot_of(self, op: Operation) -> Slot:
        """The slot of a variable op, or of an op with a state."""
        key = slot_key(op)
        slot = self._slots.get(key)
        if slot is None:
            with self.lock:
                slot = self._slots.get(key)
                if slot is None:
                    record = op._record
                    value = record.state(op._attrs) if record.state else None
                    slot = self._slots[key] = Slot(op.name, value)
        return slot

    def publish(self, pending: Pending) -> None:
        """Puts new values into their slots, for all runs to see."""
        with self.lock, uninterrupted():
            self.exchange(pending)

    def exchange(self, pending: Pending) -> None:
        """As `publish`, for a caller that holds `lock` and that Ctrl-C does not interrupt."""
        for slot, value in pending.items():
            slot.value = value
        pending.clear()
        if self.unpublished:
            self.unpublished.pop(id(pending), None)

    def hold(self, pending: Pending) -> None:
        """Notes the values that a run will publish; the caller holds `lock`."""
        if pending:
            self.unpublished[id(pending)] = pending

    def drop(self, pending: Pending) -> None:
        """Forgets the values of a failed run."""
        with self.lock, uninterrupted():
            pending.clear()
            self.unpublished.pop(id(pending), None)

    def settle(self, slots: Iterable[Slot], pending: Pending) -> None:
        """Publishes what other runs hold for some slots, before a run updates those.

        So no update is lost: a run that others follow on the same variable can no longer take
        its values back. The caller holds `lock`.

        Args:
            slots: the slots that are to be updated.
            pending: what the run itself holds.
        """
        for other in [p for p in self.unpublished.values() if p is not pending]:
            if not other.keys().isdisjoint(slots):
                self.publish(other)

    def clear(self, containers: list[str] | None = None) -> None:
        """Forgets the values of the given containers (the default one is ""), or of all."""
        with self.lock:
            for key, slot in list(self._slots.items()):
                if containers is None or key.split("|")[0] in containers:
                    if hasattr(slot.value, "close_resource"):
                        slot.value.close_resource()
                    slot.value = None
                    del self._slots[key]
            if containers is None:
                for resource in self.anonymous.values():
                    # Functions that end the work of iterators may still ask for it.
                    resource.close_resource()


class FunctionState(State):
    """What an instance of a function keeps between calls; the rest is that of the session.

    Calls in several threads share it, so an op takes what it keeps and puts the new value back
    under `op_lock`: no two calls draw the same random numbers.
    """

    takes_turns = True

    def __init__(self, session_state: State) -> None:
        super().__init__(
            session_state.jit_mode, session_state.devices, session_state.soft_placement
        )
        self.lock = session_state.lock
        self.unpublished = session_state.unpublished
        self.functions = session_state.functions
        self._session_state = session_state
        # Ops that keep what another one keeps: those of a body for many elements.
        self.sources: dict[Operation, Operation] = {}

    def slot_of(self, op: Operation) -> Slot:
        """The slot of a variable or resource of the session, or of an op of the function."""
        op = self.sources.get(op, op)
        record = op._record
        if record.variable or record.resource:
            return self._session_state.slot_of(op)
        return super().slot_of(op)


def slot_key(op: Operation) -> str:
    """Ops with equal keys share one slot: variables, and resources of one kind, by their names."""
    attrs = op._attrs
    name = attrs.get("shared_name") or op.name
    return f"{attrs.get('container', '')}|{op._record.resource}|{name}"


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
        # Reading the result of a failed program would abort the process.
        value.block_until_ready()
    except RuntimeError as error:
        raise as_op_error(error) or error from error
    return np.asarray(value)


def value_of(slot: Slot, pending: Pending, lent: bool = False) -> Any:
    """The value of a slot as a run sees it, for the host.

    Args:
        slot: the slot.
        pending: what the run has not published.
        lent: as in `Slot.lent`.

    Raises:
        OpError: if the program that should have made it has failed; the slot is empty then.
    """
    value = pending[slot] if slot in pending else slot.lent() if lent else slot.value
    if type(value) is np.ndarray:
        return value
    try:
        return on_host(value)
    except errors.OpError:
        if slot.lent() is value:
            slot.lose()
        raise


def is_lost(value: Any) -> bool:
    """Whether a device array has no value: its program has failed, or it was donated."""
    if not hasattr(value, "block_until_ready"):
        return False
    try:
        value.block_until_ready()
    except RuntimeError:
        return True
    return bool(value.is_deleted())


class Memory:
    """The memory of some values, which may change later.

    Args:
        values: any values; those that are arrays of the host count.
    """

    def __init__(self, values: Iterable[Any]) -> None:
        arrays = [value for value in values if isinstance(value, np.ndarray)]
        # What NumPy itself has allocated is shared only by an array and its views.
        self._owners = {id(_owner(array)) for array in arrays}
        self._others = [array for array in arrays if _owner(array) is None]
        self._arrays = arrays

    def unaliased(self, value: Any) -> Any:
        """A value that shares none of this memory: the value itself, or a copy."""
        if not isinstance(value, np.ndarray):
            return value
        owner = _owner(value)
        unknown = owner is None or id(owner) in self._owners
        candidates = self._arrays if unknown else self._others
        shared = any(np.may_share_memory(value, array) for array in candidates)
        return value.copy() if shared else value


def _owner(array: np.ndarray) -> np.ndarray | None:
    """The array that owns the memory of an array; None if that is not known."""
    base = array if array.base is None else array.base
    return base if isinstance(base, np.ndarray) and base.flags.owndata else None
