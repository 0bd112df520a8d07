"""How often each variable scope has been opened since the scope around it was."""

from __future__ import annotations

from collections.abc import Iterator


class ScopeCounts:
    """Counts by full scope name.

    Every scope of a program is opened and closed, so neither may cost more with many scopes.
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        # The counted scopes below each scope, as sets that keep their order.
        self._below: dict[str, dict[str, None]] = {}
        # What restoring has to undo: (name, count before).
        self._journal: list[tuple[str, int]] = []
        self._marks = 0

    def __getitem__(self, name: str) -> int:
        return self._counts.get(name, 0)

    def open(self, name: str) -> None:
        """Counts one more opening."""
        self._set(name, self[name] + 1)

    def close_below(self, name: str) -> None:
        """Forgets the scopes below `name`; an empty name means all scopes."""
        inner = list(self._below.pop(name, ())) if name else list(self._counts)
        for scope in inner:
            if self[scope]:
                self._set(scope, 0)

    def mark(self) -> int:
        """The current state, for `restore`."""
        self._marks += 1
        return len(self._journal)

    def restore(self, mark: int) -> None:
        """Goes back to the state of a mark; marks are restored in reverse order."""
        while len(self._journal) > mark:
            name, count = self._journal.pop()
            self._put(name, count)
        self._marks -= 1

    def _set(self, name: str, count: int) -> None:
        if self._marks:
            self._journal.append((name, self[name]))
        self._put(name, count)

    def _put(self, name: str, count: int) -> None:
        if not count:
            self._counts.pop(name, None)
            return
        self._counts[name] = count
        for outer in _outer_scopes(name):
            self._below.setdefault(outer, {})[name] = None


def _outer_scopes(name: str) -> Iterator[str]:
    end = name.rfind("/")
    while end > 0:
        yield name[:end]
        end = name.rfind("/", 0, end)
