"""State of with blocks that belongs to a thread, and how another thread gets a copy of it."""

from __future__ import annotations

import threading
from typing import Any

_inherited: list[threading.local] = []


def inherited(state: Any) -> Any:
    """Registers the state of a module, for threads that go on with the code of another one.

    Args:
        state: an object of a subclass of `threading.local`.

    Returns:
        It.
    """
    _inherited.append(state)
    return state


def copy_of(state: threading.local) -> tuple[threading.local, dict[str, Any]]:
    """A thread's state and the values of its attributes; lists are copied."""
    values = {
        name: list(value) if isinstance(value, list) else value
        for name, value in vars(state).items()
    }
    return state, values


def captured() -> list[tuple[threading.local, dict[str, Any]]]:
    """A copy of what this thread has in the registered states."""
    return [copy_of(state) for state in _inherited]


def restore(states: list[tuple[threading.local, dict[str, Any]]]) -> None:
    """Gives this thread the values of copies."""
    for state, values in states:
        for name, value in values.items():
            setattr(state, name, value)
