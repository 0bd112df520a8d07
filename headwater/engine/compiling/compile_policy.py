"""When shapes recur often enough that a program is compiled for them."""

from __future__ import annotations

from typing import Any

# With so many programs, further ones are compiled only for shapes that keep recurring.
_FREE_PROGRAMS = 3
_MOST_KEYS = 4096


class CompilePolicy:
    """Counts the runs of one segment or loop by key, and decides which keys are compiled.

    Args:
        jit_mode: auto, always, or never.
        rare: keys with fewer than one run in this number are not compiled.
        initial: the count with which a new key begins.
    """

    def __init__(self, jit_mode: str, rare: int, initial: int = 0) -> None:
        self._jit_mode = jit_mode
        self._rare = rare
        self._initial = initial
        self._runs: dict[Any, int] = {}
        self._all_runs = 0

    def note(self, key: Any) -> int:
        """Counts one run and returns how many there have been with this key."""
        runs = self._runs.get(key, self._initial) + 1
        if len(self._runs) > _MOST_KEYS:
            self._runs.clear()
        self._runs[key] = runs
        self._all_runs += 1
        return runs

    def is_enough(self, runs: int, needed: int, programs: int) -> bool:
        """Whether a program is compiled for a key with so many runs.

        Args:
            runs: the runs with this key.
            needed: the runs after which the first programs are compiled.
            programs: how many programs there are.
        """
        if self._jit_mode != "auto":
            return self._jit_mode == "always"
        if runs < needed or runs * self._rare < self._all_runs:
            return False
        extra = programs - _FREE_PROGRAMS
        return extra < 0 or runs >= 2 ** (extra + 2)

    def start_again(self, initial: int) -> None:
        """Forgets the runs."""
        self._runs.clear()
        self._initial = initial
