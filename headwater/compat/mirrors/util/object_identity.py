"""tensorflow.python.util.object_identity: sets and dicts of objects compared as objects."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from typing import Any

from headwater.graph.reference import Reference

__all__ = [
    "ObjectIdentityDictionary",
    "ObjectIdentitySet",
    "ObjectIdentityWeakKeyDictionary",
    "ObjectIdentityWeakSet",
    "Reference",
]


class ObjectIdentityDictionary(MutableMapping):
    """A dict whose keys are compared as objects."""

    def __init__(self) -> None:
        self._storage: dict[int, tuple[Any, Any]] = {}

    def __getitem__(self, key: Any) -> Any:
        try:
            return self._storage[id(key)][1]
        except KeyError:
            raise KeyError(key) from None

    def __setitem__(self, key: Any, value: Any) -> None:
        self._storage[id(key)] = (key, value)

    def __delitem__(self, key: Any) -> None:
        try:
            del self._storage[id(key)]
        except KeyError:
            raise KeyError(key) from None

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key, _ in self._storage.values()])


class ObjectIdentityWeakKeyDictionary(ObjectIdentityDictionary):
    """`ObjectIdentityDictionary` with weak references to its keys."""

    def __getitem__(self, key: Any) -> Any:
        return self._storage[id(key)][1]

    def __setitem__(self, key: Any, value: Any) -> None:
        storage, number = self._storage, id(key)
        storage[number] = (weakref.ref(key, lambda _: storage.pop(number, None)), value)

    def __iter__(self) -> Iterator[Any]:
        found = [reference() for reference, _ in self._storage.values()]
        return iter([key for key in found if key is not None])


class ObjectIdentitySet(MutableSet):
    """A set whose elements are compared as objects.

    Args:
      *args: nothing, or an iterable of elements.
    """

    _dictionary: type[ObjectIdentityDictionary] = ObjectIdentityDictionary

    def __init__(self, *args: Iterable[Any]) -> None:
        self._elements = self._dictionary()
        for elements in args:
            self.update(elements)

    def __contains__(self, item: object) -> bool:
        return item in self._elements

    def add(self, item: Any) -> None:
        """Adds an element."""
        self._elements[item] = None

    def discard(self, item: Any) -> None:
        """Removes an element, if it is there."""
        self._elements.pop(item, None)

    def update(self, items: Iterable[Any]) -> None:
        """Adds elements."""
        for item in items:
            self.add(item)

    def intersection(self, items: Iterable[Any]) -> ObjectIdentitySet:
        """Returns the elements that are among others."""
        return type(self)([item for item in items if item in self])

    def difference(self, items: Iterable[Any]) -> ObjectIdentitySet:
        """Returns the elements that are not among others."""
        others = ObjectIdentitySet(items)
        return type(self)([item for item in self if item not in others])

    def __len__(self) -> int:
        return len(self._elements)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._elements)


class ObjectIdentityWeakSet(ObjectIdentitySet):
    """`ObjectIdentitySet` with weak references to its elements."""

    _dictionary = ObjectIdentityWeakKeyDictionary
