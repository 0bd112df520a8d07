"""Lists and mappings that a checkpoint can save: what they have in common, `List` and `Mapping`."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Mapping as AbstractMapping
from typing import Any, TypeVar

from headwater.base.export import export
from headwater.model.trackable.base import Trackable
from headwater.model.trackable.layer_weights import (
    filter_empty_layer_containers,
    gather_non_trainable_weights,
    gather_trainable_weights,
    has_weights,
    is_layer,
)


@export("contrib.checkpoint.NoDependency")
class NoDependency:
    """Marks a value that becomes an attribute of an object without being tracked.

    Args:
        value: the value; the attribute is this very object.
    """

    def __init__(self, value: Any) -> None:
        self.value = value


# The wrapper of values of a type.
_WRAPPERS: dict[type, Callable[[Any], Trackable]] = {}
_W = TypeVar("_W", bound=Callable[[Any], Trackable])


def wraps(*types: type) -> Callable[[_W], _W]:
    """Makes a class the wrapper of values of given types, subclasses excluded.

    Args:
        *types: the types. Their subclasses may have an interface that the wrapper lacks.
    """

    def decorator(wrapper: _W) -> _W:
        _WRAPPERS.update(dict.fromkeys(types, wrapper))
        return wrapper

    return decorator


def wrap_or_unwrap(value: Any) -> Any:
    """A value as a tracked object stores it.

    Args:
        value: anything.

    Returns:
        The value of a NoDependency; a wrapper of a list or dict; otherwise the value itself.
    """
    if isinstance(value, NoDependency):
        return value.value
    wrapper = _WRAPPERS.get(type(value))
    return value if wrapper is None else wrapper(value)


def sticky_attribute_assignment(trackable: Trackable, name: str, value: Any) -> Any:
    """Makes a value that is set as an attribute a dependency, if it can be one.

    Args:
        trackable: the object.
        name: the name of the attribute.
        value: the value.

    Returns:
        What is to be set in its place.
    """
    stored = wrap_or_unwrap(value)
    if isinstance(stored, Trackable) and not isinstance(value, NoDependency):
        trackable._track_trackable(stored, name=name, overwrite=True)
    return stored


class UntrackableError(ValueError):
    """A value that no checkpoint can save was put into a container.

    Args:
        value: the value.
    """

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self._value = value

    def __str__(self) -> str:
        return (
            "Only trackable objects (such as Layers or Optimizers) may be stored in a List object. "
            f"Got {self._value}, which does not inherit from Trackable."
        )


class TrackableDataStructure(Trackable):
    """The base of containers: their layers and variables, and equality by identity."""

    def __init__(self) -> None:
        self._self_trainable = True
        # Variables of its own, outside of layers.
        self._self_extra_variables: list[Any] = []

    @property
    def trainable(self) -> bool:
        """Whether the variables are trained."""
        return self._self_trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._self_trainable = value

    def _track_value(self, value: Any, name: str) -> Any:
        """Adds a value as a dependency.

        Raises:
            UntrackableError: if it cannot be saved.
        """
        value = sticky_attribute_assignment(self, name, value)
        if not isinstance(value, Trackable):
            raise UntrackableError(value)
        if hasattr(value, "initializer") and hasattr(value, "trainable"):
            self._self_extra_variables.append(value)
        if hasattr(value, "_use_resource_variables"):
            value._use_resource_variables = True
        return value

    @property
    def _values(self) -> Iterable[Any]:
        """The values of the container."""
        raise NotImplementedError("Abstract method")

    @property
    def _layers(self) -> list[Any]:
        """Layers and containers among the values."""
        return [
            value
            for value in self._values
            if isinstance(value, TrackableDataStructure) or is_layer(value) or has_weights(value)
        ]

    @property
    def layers(self) -> list[Any]:
        """The layers, and those of containers inside."""
        return filter_empty_layer_containers(self._layers)

    @property
    def trainable_weights(self) -> list[Any]:
        """The trainable variables."""
        return gather_trainable_weights(self.trainable, self._layers, self._self_extra_variables)

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables."""
        return gather_non_trainable_weights(
            self.trainable, self._layers, self._self_extra_variables
        )

    @property
    def weights(self) -> list[Any]:
        """All variables, trainable ones first."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def trainable_variables(self) -> list[Any]:
        """`trainable_weights`."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """`non_trainable_weights`."""
        return self.non_trainable_weights

    @property
    def variables(self) -> list[Any]:
        """`weights`."""
        return self.weights

    @property
    def updates(self) -> list[Any]:
        """The updates of the layers."""
        return [u for layer in self.layers if is_layer(layer) for u in layer.updates]

    @property
    def losses(self) -> list[Any]:
        """The losses of the layers."""
        return [loss for layer in self.layers if is_layer(layer) for loss in layer.losses]

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


@export("contrib.checkpoint.List")
class List(TrackableDataStructure, Sequence):
    """A list of trackable objects to which more can be appended.

    The dependencies are called "0", "1" and so on.

    Args:
        *args: the arguments of `list`.
        **kwargs: the arguments of `list`.

    Raises:
        UntrackableError: if a value is not trackable.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self._storage = self._make_storage(*args, **kwargs)
        for index, value in enumerate(self._storage):
            self._storage[index] = self._track_value(value, name=self._name_element(index))

    def _make_storage(self, *args: Any, **kwargs: Any) -> list[Any]:
        return list(*args, **kwargs)

    def _name_element(self, index: int) -> str:
        return str(index)

    @property
    def _values(self) -> Iterable[Any]:
        return self

    def __copy__(self) -> List:
        return type(self)(copy.copy(self._storage))

    def __deepcopy__(self, memo: dict[int, Any]) -> List:
        return type(self)(copy.deepcopy(self._storage, memo))

    def copy(self) -> List:
        """A list of the same objects."""
        return copy.copy(self)

    def append(self, value: Any) -> None:
        """Adds an object at the end.

        Args:
            value: a trackable object.
        """
        value = self._track_value(value, self._name_element(len(self._storage)))
        self._storage.append(value)

    def extend(self, values: Iterable[Any]) -> None:
        """Adds objects at the end.

        Args:
            values: trackable objects.
        """
        for value in values:
            self.append(value)

    def __iadd__(self, values: Iterable[Any]) -> List:
        self.extend(values)
        return self

    def __add__(self, other: Iterable[Any]) -> List:
        return type(self)(self._storage + list(getattr(other, "_storage", other)))

    def __imul__(self, count: int) -> List:
        if count <= 0:
            raise ValueError(
                f"List only supports append, multiplying in place by {count} removes elements."
            )
        present = list(self._storage)
        for _ in range(count - 1):
            self.extend(present)
        return self

    def __mul__(self, count: int) -> List:
        return type(self)(self._storage * count)

    def __rmul__(self, count: int) -> List:
        return self * count

    def __radd__(self, other: Iterable[Any]) -> List:
        return type(self)(list(other)) + self

    def __getitem__(self, key: Any) -> Any:
        return self._storage[key]

    def __len__(self) -> int:
        return len(self._storage)

    def __repr__(self) -> str:
        return f"List({self._storage!r})"


@export("contrib.checkpoint.Mapping")
class Mapping(TrackableDataStructure, AbstractMapping):
    """A mapping of strings to trackable objects to which more can be added.

    Args:
        *args: the arguments of `dict`.
        **kwargs: the arguments of `dict`.

    Raises:
        TypeError: if a key is not a string.
        UntrackableError: if a value is not trackable.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self._storage = self._make_storage(*args, **kwargs)
        # In the order of the keys, so that equal mappings have equal object graphs.
        self._storage.update(
            {
                key: self._track_value(value, name=self._name_element(key))
                for key, value in sorted(self._storage.items(), key=lambda item: str(item[0]))
            }
        )

    def __copy__(self) -> Mapping:
        return type(self)(copy.copy(self._storage))

    def __deepcopy__(self, memo: dict[int, Any]) -> Mapping:
        return type(self)(copy.deepcopy(self._storage, memo))

    def _make_storage(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        return dict(*args, **kwargs)

    @property
    def _values(self) -> Iterable[Any]:
        # In the order of the keys.
        return [self[key] for key in sorted(self)]

    def _name_element(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(f"Mapping accepts only string keys, but got a key {key!r}.")
        return str(key)

    def __setitem__(self, key: str, value: Any) -> None:
        name = self._name_element(key)
        value = wrap_or_unwrap(value)
        current = self._storage.setdefault(key, value)
        if current is not value:
            raise ValueError(
                "Mappings are an append-only data structure. Tried to overwrite the key "
                f"'{key}' with value {value}, but it already contains {current}"
            )
        try:
            self._track_value(value, name)
        except UntrackableError:
            del self._storage[key]
            raise

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Adds entries.

        Args:
            *args: the arguments of `dict`.
            **kwargs: the arguments of `dict`.
        """
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __getitem__(self, key: str) -> Any:
        return self._storage[key]

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[str]:
        return iter(self._storage)

    def __repr__(self) -> str:
        return f"Mapping({self._storage!r})"
