"""Dictionaries that become attributes of tracked objects."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

from headwater.model.trackable.base import TrackableReference
from headwater.model.trackable.containers import (
    NoDependency,
    TrackableDataStructure,
    UntrackableError,
    wrap_or_unwrap,
    wraps,
)

_HINT = (
    "If you don't need this dictionary checkpointed, wrap it in a tf.contrib.checkpoint."
    "NoDependency object; it will be automatically un-wrapped and subsequently ignored."
)


@wraps(dict, OrderedDict)
class DictWrapper(TrackableDataStructure):
    """A dictionary whose values are dependencies as far as they are trackable.

    It stands for the dictionary that it wraps, whatever the class of that is, and changes it. A
    dictionary with tracked values under keys that are not strings, or one that was changed behind
    the wrapper, cannot be saved.

    Args:
        wrapped_dict: the dictionary.
    """

    def __init__(self, wrapped_dict: dict[Any, Any] | None = None) -> None:
        self.__wrapped__: dict[Any, Any] = {} if wrapped_dict is None else wrapped_dict
        super().__init__()
        self._self_non_string_key = False
        self._self_external_modification = False
        for key, value in list(self.__wrapped__.items()):
            self.__wrapped__[key] = self._track_value(value, key)
        self._self_last_wrapped_dict_snapshot: dict[Any, Any] | None = None
        self._update_snapshot()

    @property
    def _object_identifier(self) -> str:
        return "trackable_dict_wrapper"

    @property
    def _values(self) -> Iterable[Any]:
        # Those of names first, in their order, so that equal dictionaries have equal layers.
        items = sorted(self.__wrapped__.items(), key=lambda item: str(item[0]))
        return [value for _, value in items]

    def _track_value(self, value: Any, name: Any) -> Any:
        is_name = isinstance(name, str)
        try:
            tracked = super()._track_value(value, name if is_name else "-non_string_key")
        except UntrackableError:
            # Other values are kept, and not saved.
            return wrap_or_unwrap(value)
        if not is_name and not isinstance(value, NoDependency):
            self._self_non_string_key = True
        return tracked

    # Saving

    @property
    def _dirty(self) -> bool:
        """Whether it cannot be saved."""
        self._check_self_external_modification()
        return self._self_external_modification or self._self_non_string_key

    def _check_self_external_modification(self) -> None:
        """Notes whether the wrapped dictionary was changed behind the wrapper."""
        if self._self_external_modification or self._self_non_string_key:
            return
        if self.__wrapped__ != self._self_last_wrapped_dict_snapshot:
            self._self_external_modification = True
            self._self_last_wrapped_dict_snapshot = None

    def _update_snapshot(self) -> None:
        """Notes a change through the wrapper."""
        if not (self._self_external_modification or self._self_non_string_key):
            self._self_last_wrapped_dict_snapshot = dict(self.__wrapped__)

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        self._check_self_external_modification()
        saved = (
            f"Unable to save the object {self.__wrapped__} (a dictionary wrapper constructed "
            "automatically on attribute assignment)."
        )
        if self._self_non_string_key:
            raise ValueError(
                f"{saved} The wrapped dictionary contains a non-string key which maps to a "
                f"trackable object or mutable data structure.\n\n{_HINT}"
            )
        if self._self_external_modification:
            raise ValueError(
                f"{saved} The wrapped dictionary was modified outside the wrapper (its final value "
                f"was {self.__wrapped__}, its value when a checkpoint dependency was added was "
                f"{self._self_last_wrapped_dict_snapshot}), which breaks restoration on object "
                f"creation.\n\n{_HINT}"
            )
        return super()._checkpoint_dependencies

    # The interface of the wrapped dictionary

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # `isinstance(wrapper, dict)` holds
        return type(self.__wrapped__)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_self_") or name == "__wrapped__":
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)

    def __setattr__(self, name: str, value: Any) -> None:
        own = name.startswith("_self_") or name == "__wrapped__" or hasattr(type(self), name)
        object.__setattr__(self if own else self.__wrapped__, name, value)

    def __getitem__(self, key: Any) -> Any:
        return self.__wrapped__[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check_self_external_modification()
        self.__wrapped__[key] = self._track_value(value, key)
        self._update_snapshot()

    def __delitem__(self, key: Any) -> None:
        self._check_self_external_modification()
        del self.__wrapped__[key]
        self._update_snapshot()

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Adds and replaces entries.

        Args:
            *args: the arguments of `dict`.
            **kwargs: the arguments of `dict`.
        """
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __copy__(self) -> DictWrapper:
        return self._copied(copy.copy(self.__wrapped__))

    def __deepcopy__(self, memo: dict[int, Any]) -> DictWrapper:
        return self._copied(copy.deepcopy(self.__wrapped__, memo))

    def copy(self) -> DictWrapper:
        """A dictionary of the same objects."""
        return copy.copy(self)

    def _copied(self, wrapped: dict[Any, Any]) -> DictWrapper:
        result = DictWrapper(wrapped)
        result._self_external_modification = self._self_external_modification
        result._self_non_string_key = self._self_non_string_key
        return result

    def __reduce_ex__(self, protocol: Any) -> Any:
        return DictWrapper, (self.__wrapped__,)

    def __len__(self) -> int:
        return len(self.__wrapped__)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.__wrapped__)

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self.__wrapped__)

    def __contains__(self, key: object) -> bool:
        return key in self.__wrapped__

    def __eq__(self, other: object) -> bool:
        return self.__wrapped__ == getattr(other, "__wrapped__", other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"DictWrapper({self.__wrapped__!r})"

    def __str__(self) -> str:
        return str(self.__wrapped__)
