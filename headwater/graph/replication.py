"""Which distribution strategy a thread is in, and what variables and optimizers ask of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from headwater.base.thread_state import inherited
from headwater.graph.default_graph import get_default_graph


class Mode(NamedTuple):
    """What a thread is doing.

    Attributes:
        strategy: the strategy.
        replica_context: the ReplicaContext, None across replicas.
        update_device: where a variable is updated, if one is.
    """

    strategy: Any
    replica_context: Any
    update_device: str | None = None


class _Stack(threading.local):
    def __init__(self) -> None:
        self.modes: list[Mode] = []


_stack: _Stack = inherited(_Stack())


def modes() -> list[Mode]:
    """The modes of this thread, the current one last; empty outside of all strategies."""
    return _stack.modes


class Entered:
    """A context in which a mode is in force.

    Args:
        mode: the mode.
    """

    def __init__(self, mode: Mode) -> None:
        self._mode = mode

    def __enter__(self) -> Any:
        _stack.modes.append(self._mode)
        return self._mode.strategy

    def __exit__(self, *details: object) -> None:
        _stack.modes.pop()


def replicating() -> Mode | None:
    """The current mode if its strategy keeps a copy of each variable per replica, else None."""
    mode = _stack.modes[-1] if _stack.modes else None
    return mode if mode is not None and mode.strategy.extended._copies_variables else None


def has_own_variables() -> bool:
    """Whether the strategy in force has variables in each of several processes."""
    mode = replicating()
    return mode is not None and mode.strategy.extended.experimental_between_graph


def replica_count() -> int:
    """The number of replicas that train together; 1 outside of all strategies."""
    count: int = _stack.modes[-1].strategy.num_replicas_in_sync if _stack.modes else 1
    return count


def is_later_replica() -> bool:
    """Whether the code of a replica runs that is not the first of this process."""
    mode = replicating()
    replica = None if mode is None else mode.replica_context
    return replica is not None and replica._number > 0


def colocated(variable: Any) -> AbstractContextManager[Any]:
    """A context whose variables are placed with another one, copy by copy if it has copies."""
    if replicating() is not None:
        return nullcontext()
    context: AbstractContextManager[Any] = get_default_graph().colocate_with(variable)
    return context


def local(variable: Any) -> Any:
    """The copy of a variable for the replica or device of the moment; others are returned as is."""
    component: Callable[[], Any] | None = getattr(variable, "_local_copy", None)
    return variable if component is None else component()


def has_copies(variable: Any) -> bool:
    """Whether a variable has a copy per replica."""
    return hasattr(variable, "_local_copy")


def container(variable: Any) -> Any:
    """The variable that a copy belongs to; others are returned as is."""
    return getattr(variable, "_copied_variable", variable)


def across_replicas(compute: Callable[[], Any]) -> Any:
    """What a function returns that deals with all replicas: called once, outside of the replicas.

    Args:
        compute: the function. Variables whose copies differ have their aggregated value in it.
    """
    mode = replicating()
    if mode is None or mode.replica_context is None:
        return compute()
    return mode.replica_context.merge_call(lambda strategy: compute())
