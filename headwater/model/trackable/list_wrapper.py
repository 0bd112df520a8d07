"""Lists that become attributes of tracked objects."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, MutableSequence
from typing import TYPE_CHECKING, Any

from headwater.model.trackable.base import Trackable, TrackableReference
from headwater.model.trackable.containers import List, UntrackableError, wrap_or_unwrap, wraps

_HINT = (
    "If you don't need this list checkpointed, wrap it in a tf.contrib.checkpoint.NoDependency "
    "object; it will be automatically un-wrapped and subsequently ignored."
)


if TYPE_CHECKING:
    _ListLike = List
else:
    # The stubs of the standard library have no common order of these bases.
    class _ListLike(List, MutableSequence, list):
        pass


@wraps(list)
class ListWrapper(_ListLike):
    """A list whose elements are dependencies as far as they are trackable.

    It behaves as the list that it wraps, and changes it. A list that lost or replaced a tracked
    element, or was changed behind the wrapper, cannot be saved.

    Args:
        wrapped_list: the list.
    """

    def __init__(self, wrapped_list: list[Any]) -> None:
        # Whether an element was removed, replaced or moved.
        self._non_append_mutation = False
        self._external_modification = False
        super().__init__(wrapped_list)
        self._last_wrapped_list_snapshot: list[Any] | None = list(self._storage)

    @property
    def _object_identifier(self) -> str:
        return "trackable_list_wrapper"

    def _make_storage(self, wrapped_list: list[Any]) -> list[Any]:
        return wrapped_list

    def _track_value(self, value: Any, name: str) -> Any:
        try:
            return super()._track_value(value=value, name=name)
        except UntrackableError:
            # Other values are kept, and not saved.
            return wrap_or_unwrap(value)

    def __copy__(self) -> ListWrapper:
        return self._copied(copy.copy(self._storage))

    def __deepcopy__(self, memo: dict[int, Any]) -> ListWrapper:
        return self._copied(copy.deepcopy(self._storage, memo))

    def _copied(self, storage: list[Any]) -> ListWrapper:
        result = type(self)(storage)
        result._non_append_mutation = self._non_append_mutation
        result._external_modification = self._external_modification
        return result

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (type(self), (self._storage,))

    # Saving

    def _check_external_modification(self) -> None:
        """Notes whether the wrapped list was changed behind the wrapper."""
        if self._external_modification or self._non_append_mutation:
            return
        if self._storage != self._last_wrapped_list_snapshot:
            self._external_modification = True
            self._last_wrapped_list_snapshot = None

    def _update_snapshot(self) -> None:
        """Notes a change through the wrapper."""
        if not (self._external_modification or self._non_append_mutation):
            self._last_wrapped_list_snapshot = list(self._storage)

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        self._check_external_modification()
        saved = (
            f"Unable to save the object {self!r} (a list wrapper constructed to track trackable "
            "TensorFlow objects)."
        )
        if self._non_append_mutation:
            raise ValueError(
                f"{saved} A list element was replaced (__setitem__, __setslice__), deleted "
                "(__delitem__, __delslice__), or moved (sort). In order to support restoration on "
                "object creation, tracking is exclusively for append-only data structures.\n\n"
                f"{_HINT}"
            )
        if self._external_modification:
            raise ValueError(
                f"{saved} The wrapped list was modified outside the wrapper (its final value was "
                f"{self._storage}, its value when a checkpoint dependency was added was "
                f"{self._last_wrapped_list_snapshot}), which breaks restoration on object "
                f"creation.\n\n{_HINT}"
            )
        return super()._checkpoint_dependencies

    # The interface of list

    def __delitem__(self, key: Any) -> None:
        self._non_append_mutation = True
        del self._storage[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check_external_modification()
        if isinstance(key, slice):
            # The places of the elements after it change.
            self._non_append_mutation = True
            self._storage[key] = list(value)
        else:
            if isinstance(self._storage[key], Trackable):
                self._non_append_mutation = True
            index = range(len(self._storage))[key]
            self._storage[index] = self._track_value(value, self._name_element(index))
        self._update_snapshot()

    def append(self, value: Any) -> None:
        """Adds an element at the end.

        Args:
            value: anything.
        """
        self._check_external_modification()
        super().append(value)
        self._update_snapshot()

    def extend(self, values: Iterable[Any]) -> None:
        """Adds elements at the end.

        Args:
            values: the elements.
        """
        self._check_external_modification()
        super().extend(list(values))
        self._update_snapshot()

    def __imul__(self, count: int) -> ListWrapper:
        if count <= 0:
            self._check_external_modification()
            self._non_append_mutation = True
            self._storage *= count
            return self
        super().__imul__(count)
        return self

    def __eq__(self, other: object) -> bool:
        return self._storage == getattr(other, "_storage", other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: Any) -> bool:
        return self._storage < getattr(other, "_storage", other)

    def __le__(self, other: Any) -> bool:
        return self._storage <= getattr(other, "_storage", other)

    def __gt__(self, other: Any) -> bool:
        return self._storage > getattr(other, "_storage", other)

    def __ge__(self, other: Any) -> bool:
        return self._storage >= getattr(other, "_storage", other)

    __hash__ = None  # type: ignore[assignment]

    # The empty list that this object is as a `list` must not show.
    def __iter__(self) -> Iterator[Any]:
        return iter(self._storage)

    def __contains__(self, value: object) -> bool:
        return value in self._storage

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self._storage)

    def insert(self, index: Any, obj: Any) -> None:
        """Puts an element before another one.

        Args:
            index: the place of the other one.
            obj: anything.
        """
        self._non_append_mutation = True
        self._storage.insert(index, obj)

    def sort(self, **kwargs: Any) -> None:
        """Sorts the list.

        Args:
            **kwargs: the arguments of `list.sort`.
        """
        self._non_append_mutation = True
        self._storage.sort(**kwargs)

    def pop(self, index: Any = -1) -> Any:
        """Removes an element and returns it.

        Args:
            index: its place.
        """
        value = self._storage[index]
        del self[index]
        return value

    def remove(self, value: Any) -> None:
        """Removes the first element that equals a value.

        Args:
            value: the value.
        """
        del self[self._storage.index(value)]

    def clear(self) -> None:
        """Removes all elements."""
        del self[:]

    def reverse(self) -> None:
        """Reverses the order."""
        self._non_append_mutation = True
        self._storage.reverse()

    def index(self, *args: Any) -> int:
        """The place of an element; see `list.index`."""
        return self._storage.index(*args)

    def count(self, value: Any) -> int:
        """How many elements equal a value."""
        return self._storage.count(value)

    def __repr__(self) -> str:
        return f"ListWrapper({self._storage!r})"
