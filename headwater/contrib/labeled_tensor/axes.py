"""Axes: names, with a size or with a label for each index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.tensor_shape import Dimension

AxisValue = Any
_SEQUENCES = (list, tuple, range, np.ndarray)


def check_type(value: Any, allowed: type | tuple[type, ...], name: str, where: str) -> None:
    """Raises TypeError unless a value is of an allowed type.

    Args:
        value: the value.
        allowed: the types.
        name: what the types are called.
        where: the function that got the value.
    """
    if not isinstance(value, allowed):
        raise TypeError(
            f"{value!r} of type {type(value)!r} is not an instance of the allowed type {name} "
            f"for {where}"
        )


@export("contrib.labeled_tensor.Axis")
class Axis:
    """A name with a size, which may be unknown, or with a label for each index.

    Args:
        name: the name.
        value: a size, None, a Dimension, or a sequence of different labels.
    """

    def __init__(self, name: str, value: AxisValue) -> None:
        check_type(name, str, "(str,)", "Axis")
        check_type(
            value,
            (*_SEQUENCES, int, Dimension, type(None)),
            "Union(Union(numpy.ndarray, range, list, tuple), "
            "Optional(Union(tensorflow.Dimension, int)))",
            "Axis",
        )
        labels = None
        if isinstance(value, _SEQUENCES):
            labels = tuple(value)
        elif value == 0 or (isinstance(value, Dimension) and value.value == 0):
            # Nothing has no labels that could be missing.
            labels = ()
        self._name = name
        self._labels = labels
        self._dimension = Dimension(value) if labels is None else Dimension(len(labels))
        self._places = {label: place for place, label in enumerate(labels or ())}
        if labels is not None and len(self._places) != len(labels):
            raise ValueError(f"Tick labels must be unique, but got {labels}")

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def dimension(self) -> Dimension:
        """The size as a Dimension."""
        return self._dimension

    @property
    def size(self) -> int | None:
        """The size, or None."""
        return self._dimension.value

    @property
    def value(self) -> AxisValue:
        """The labels, or the size as a Dimension."""
        return self._dimension if self._labels is None else self._labels

    @property
    def labels(self) -> tuple[Any, ...] | None:
        """The labels, or None."""
        return self._labels

    def index(self, value: Any) -> int:
        """Returns the index of a label."""
        if self._labels is None:
            raise ValueError("Axis does not have tick labels")
        return self._places[value]

    def __repr__(self) -> str:
        return f"Axis({self.name!r}, {self.value!r})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Axis)
            and self.name == other.name
            and self.size == other.size
            and self.labels == other.labels
        )

    def __hash__(self) -> int:
        return hash((self.name, self.size, self.labels))

    def __len__(self) -> int:
        if self.size is None:
            raise ValueError(f"axis {self.name!r} has unknown length")
        return self.size


@export("contrib.labeled_tensor.as_axis")
def as_axis(axis_data: Any) -> Axis:
    """Returns an axis.

    Args:
        axis_data: an Axis, or a pair of name and value.

    Returns:
        An Axis.
    """
    if isinstance(axis_data, Axis):
        return axis_data
    if not (isinstance(axis_data, tuple) and len(axis_data) == 2):
        check_type(
            axis_data, (), "Union(labeled_tensor.Axis, Tuple((str,), axis value))", "as_axis"
        )
    return Axis(*axis_data)


@export("contrib.labeled_tensor.Axes")
class Axes(Mapping[str, Axis]):
    """Axes in order, by name.

    Args:
        axes: axes, or pairs of name and value.
    """

    def __init__(self, axes: Iterable[Any]) -> None:
        self._axes: dict[str, Axis] = {}
        for data in axes:
            axis = as_axis(data)
            if axis.name in self._axes:
                raise ValueError(f"Duplicate axis name: {axis.name}")
            self._axes[axis.name] = axis

    def __iter__(self) -> Iterator[str]:
        return iter(self._axes)

    def __getitem__(self, name: str) -> Axis:
        return self._axes[name]

    def __contains__(self, name: object) -> bool:
        return name in self._axes

    def __len__(self) -> int:
        return len(self._axes)

    def __hash__(self) -> int:
        return hash(tuple(self._axes.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and dict(self) == dict(other)

    def __repr__(self) -> str:
        pairs = [repr((name, axis.value)) for name, axis in self._axes.items()]
        return "Axes([" + ",\n      ".join(pairs) + "])"

    def remove(self, axis_name: str) -> Axes:
        """Returns all axes but one."""
        if axis_name not in self:
            raise KeyError(axis_name)
        return Axes(axis for axis in self.values() if axis.name != axis_name)


def concat_axes(axes: Sequence[Axis]) -> Axis:
    """Returns the axis of concatenated tensors: with labels if all have some.

    Args:
        axes: axes of one name.
    """
    labels: list[Any] | None = []
    total: int | None = 0
    for axis in axes:
        total = None if total is None or axis.size is None else total + axis.size
        labels = None if labels is None or axis.labels is None else labels + list(axis.labels)
    return Axis(axes[0].name, total if labels is None else labels)
