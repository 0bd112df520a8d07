"""Sets and dicts of objects by identity, which keep none of them alive."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any


class IdentityWeakDict:
    """A dict whose keys are compared by identity and vanish with their objects."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref[Any], Any]] = {}

    def __setitem__(self, key: Any, value: Any) -> None:
        number = id(key)

        def forget(_: Any) -> None:
            self._entries.pop(number, None)

        self._entries[number] = (weakref.ref(key, forget), value)

    def setdefault(self, key: Any, default: Any) -> Any:
        """The value of a key, which becomes `default` if there is none."""
        if id(key) not in self._entries:
            self[key] = default
        return self._entries[id(key)][1]

    def items(self) -> list[tuple[Any, Any]]:
        """The keys that are alive, with their values."""
        pairs = [(reference(), value) for reference, value in list(self._entries.values())]
        return [(key, value) for key, value in pairs if key is not None]

    def __contains__(self, key: Any) -> bool:
        return id(key) in self._entries

    def __iter__(self) -> Iterator[Any]:
        return (key for key, _ in self.items())

    def __len__(self) -> int:
        return len(self._entries)


class IdentityWeakSet:
    """A set whose elements are compared by identity and vanish with their objects."""

    def __init__(self) -> None:
        self._entries = IdentityWeakDict()

    def add(self, value: Any) -> None:
        """Adds an object."""
        self._entries[value] = None

    def __contains__(self, value: Any) -> bool:
        return value in self._entries

    def __iter__(self) -> Iterator[Any]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
