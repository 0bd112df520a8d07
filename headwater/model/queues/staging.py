"""Staging areas: values that one run stores for a later one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.graph import Operation, Tensor, build, get_default_graph, name_scope
from headwater.graph.default_graph import colocate_with
from headwater.ops.control.identity import identity, no_op


class BaseStagingArea:
    """The base of all staging areas.

    Args:
        dtypes: the types of the components.
        shapes: their shapes, or None.
        names: their names, which make elements dictionaries; or None.
        shared_name: the name under which nodes find the area; None for a new one.
        capacity: how many elements it holds; 0 for any number.
        memory_limit: how many bytes they may have; 0 for any number.

    Raises:
        ValueError: if the lists differ in length.
    """

    def __init__(
        self,
        dtypes: list[DTypeLike],
        shapes: Sequence[Sequence[int]] | None = None,
        names: Any = None,
        shared_name: str | None = None,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        if shared_name is None:
            self._name = get_default_graph().unique_name(type(self).__name__)
        elif isinstance(shared_name, str):
            self._name = shared_name
        else:
            raise ValueError("shared_name must be a string")
        self._dtypes = dtypes
        if shapes is None:
            self._shapes = [TensorShape(None) for _ in dtypes]
        elif len(shapes) != len(dtypes):
            raise ValueError("StagingArea shapes must be the same length as dtypes")
        else:
            self._shapes = [TensorShape(shape) for shape in shapes]
        if names and len(names) != len(dtypes):
            raise ValueError("StagingArea names must be the same length as dtypes")
        self._names = names or None
        self._capacity = capacity
        self._memory_limit = memory_limit
        # All nodes of the area are colocated with this one.
        with name_scope(f"{self._name}_root"):
            self._coloc_op = no_op()

    @property
    def name(self) -> str:
        """The shared name, by which nodes find the area."""
        return self._name

    @property
    def dtypes(self) -> list[DType]:
        """The types of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, or None."""
        return self._names

    @property
    def capacity(self) -> int:
        """How many elements it holds; 0 for any number."""
        return self._capacity

    @property
    def memory_limit(self) -> int:
        """How many bytes they may have; 0 for any number."""
        return self._memory_limit

    def _attrs(self, name: str | None, what: str) -> dict[str, Any]:
        return {
            "dtypes": self._dtypes,
            "capacity": self._capacity,
            "memory_limit": self._memory_limit,
            "shared_name": self._name,
            "name": f"{self._name}_{what}" if name is None else name,
        }

    def _checked(self, vals: NestedTensors, indices: Any = None) -> tuple[list[Tensor], list[int]]:
        """Values with the positions of their components.

        Raises:
            ValueError: if they do not fit.
        """
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Staging areas must have names to enqueue a dictionary")
            if not set(vals).issubset(self._names):
                raise ValueError(
                    "Keys in dictionary to put do not match names of staging area. Dictionary: "
                    f"({sorted(vals)}), Queue: ({sorted(self._names)})"
                )
            pairs = [(vals[name], i) for i, name in enumerate(self._names) if name in vals]
            vals, positions = [v for v, _ in pairs], [i for _, i in pairs]
        else:
            if self._names:
                raise ValueError("You must enqueue a dictionary in a staging area with names")
            if indices is None:
                raise ValueError("Indices must be supplied when inserting a list of tensors")
            if len(indices) != len(vals):
                raise ValueError("Number of indices does not match number of values")
            vals = [vals] if not isinstance(vals, (list, tuple)) else list(vals)
            positions = list(indices)
        for tensor, i in zip(vals, positions):
            if tensor.dtype != as_dtype(self._dtypes[i]):
                raise ValueError(
                    f"Datatypes do not match. '{tensor.dtype!s}' != '{as_dtype(self._dtypes[i])!s}'"
                )
            tensor.get_shape().assert_is_compatible_with(self._shapes[i])
        return vals, positions

    def _element(self, tensors: Sequence[Tensor], positions: Sequence[int]) -> NestedTensors:
        """The outputs of an op, with static shapes, in the form that the user gets."""
        for tensor, i in zip(tensors, positions):
            tensor.set_shape(self._shapes[i])
        if self._names:
            return {self._names[i]: t for t, i in zip(tensors, positions)}
        return list(tensors)

    def _got(self, make: Callable[[], Any]) -> list[NestedTensors]:
        """The outputs of a colocated node, on the caller's device."""
        with colocate_with(self._coloc_op):
            tensors = make()
        tensors = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
        if no_op().device != self._coloc_op.device:
            tensors = [
                [identity(t) for t in part] if isinstance(part, list) else identity(part)
                for part in tensors
            ]
        return tensors


@export("contrib.staging.StagingArea")
class StagingArea(BaseStagingArea):
    """A first-in first-out staging area; see `BaseStagingArea`."""

    def put(self, values: NestedTensors, name: str | None = None) -> Operation:
        """Makes an op that adds an element; it waits while the area is full.

        Args:
            values: a tensor, a list with one per component, or a dictionary by name.
            name: the name of the op.

        Returns:
            An Operation.
        """
        attrs = self._attrs(name, "put")
        with name_scope(attrs.pop("name"), None, _flat(values)) as scope:
            if not isinstance(values, (dict, list, tuple)):
                values = [values]
            if isinstance(values, dict) and self._names:
                given, wanted = sorted(values), sorted(self._names)
                if given != wanted:
                    raise ValueError(
                        "Keys in dictionary to put do not match names of staging area. "
                        f"Dictionary: ({given}), Queue: ({wanted})"
                    )
            tensors, _ = self._checked(values, range(len(values)))
            with colocate_with(self._coloc_op):
                del attrs["dtypes"]
                return build.Stage(tensors, name=scope, **attrs)

    def get(self, name: str | None = None) -> NestedTensors:
        """Takes the first element; waits until there is one.

        Args:
            name: the name of the op.

        Returns:
            A list of tensors, or a dictionary by name.
        """
        tensors = self._got(lambda: build.Unstage(**self._attrs(name, "get")))
        return self._element(tensors, range(len(tensors)))

    def peek(self, index: TensorLike, name: str | None = None) -> NestedTensors:
        """An element, which stays in the area; waits until it exists.

        Args:
            index: its place.
            name: the name of the op.

        Returns:
            A list of tensors, or a dictionary by name.
        """
        tensors = self._got(lambda: build.StagePeek(index, **self._attrs(name, "peek")))
        return self._element(tensors, range(len(tensors)))

    def size(self, name: str | None = None) -> Tensor:
        """An int32 tensor with the number of elements."""
        return build.StageSize(**self._attrs(name, "size"))

    def clear(self, name: str | None = None) -> Operation:
        """Makes an op that drops all elements."""
        return build.StageClear(**self._attrs(name, "clear"))


class MapStagingArea(BaseStagingArea):
    """A staging area with keys; components may be added and removed at different times.

    Args:
        dtypes: the types of the components.
        shapes: their shapes, or None.
        names: their names, or None.
        shared_name: the name under which nodes find the area; None for a new one.
        ordered: whether elements that are taken without a key come in the order of keys.
        capacity: how many elements it holds; 0 for any number.
        memory_limit: how many bytes they may have; 0 for any number.
    """

    def __init__(
        self,
        dtypes: list[DType],
        shapes: Sequence[Sequence[int]] | None = None,
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        ordered: bool = False,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)
        self._prefix = "OrderedMap" if ordered else "Map"

    def _builder(self, what: str) -> Callable[..., Any]:
        return getattr(build, f"{self._prefix}{what}")

    def put(
        self,
        key: Tensor,
        vals: NestedTensors,
        indices: Sequence[int] | None = None,
        name: str | None = None,
    ) -> Operation:
        """Makes an op that adds an element, or some components of it.

        Args:
            key: an int64 scalar tensor.
            vals: a list of tensors, or a dictionary by name.
            indices: which components a list has.
            name: the name of the op.

        Returns:
            An Operation.
        """
        attrs = self._attrs(name, "put")
        with name_scope(attrs.pop("name"), None, _flat(vals)) as scope:
            tensors, positions = self._checked(vals, indices)
            with colocate_with(self._coloc_op):
                return self._builder("Stage")(
                    key, np.array(positions, np.int32), tensors, name=scope, **attrs
                )

    def _positions(self, indices: Sequence[Any] | None) -> list[int]:
        """The indices of the requested components.

        Raises:
            ValueError: if a name is unknown, or a number too large.
        """
        if indices is None:
            return list(range(len(self._dtypes)))
        if not isinstance(indices, (list, tuple)):
            raise TypeError(f"Invalid indices type '{type(indices)}'")
        if all(isinstance(i, str) for i in indices):
            if self._names is None:
                raise ValueError(
                    f"String indices provided '{indices}', but this Staging Area was not created "
                    "with names."
                )
            unknown = [i for i in indices if i not in self._names]
            if unknown:
                raise ValueError(
                    f"Named index '{unknown[0]}' not in Staging Area names '{self._names}'"
                )
            return [self._names.index(i) for i in indices]
        if not all(isinstance(i, int) for i in indices):
            raise TypeError(f"Mixed types in indices '{indices}'. May only be str or int")
        for i in indices:
            if i >= len(self._dtypes):
                raise ValueError(f"Index '{i}' out of bounds '{len(self._dtypes)}'")
        return list(indices)

    def _some(self, positions: Sequence[int], name: str | None, what: str) -> dict[str, Any]:
        attrs = self._attrs(name, what)
        return {**attrs, "dtypes": [self._dtypes[i] for i in positions]}

    def get(
        self,
        key: TensorLike | None = None,
        indices: Sequence[Any] | None = None,
        name: str | None = None,
    ) -> tuple[NestedTensors, ...]:
        """Takes an element, or some components of it; waits until it is there.

        Args:
            key: an int64 scalar tensor; None for any element.
            indices: names or numbers of components; None for all.
            name: the name of the op.

        Returns:
            The key, and a list of tensors or a dictionary by name.
        """
        positions = self._positions(indices)
        numbers = np.array(positions, np.int32)
        if key is not None:
            attrs = self._some(positions, name, "get")
            tensors = self._got(lambda: self._builder("Unstage")(key, numbers, **attrs))
            return key, self._element(tensors, positions)
        attrs = self._some(positions, name, "get_nokey")
        taken = self._got(lambda: self._builder("UnstageNoKey")(numbers, **attrs))
        tensors = taken[1]
        no_op()
        return taken[0], self._element(tensors, positions)

    def peek(
        self, key: Tensor, indices: TensorLike | None = None, name: str | None = None
    ) -> list[Tensor]:
        """An element, which stays in the area; waits until it is there.

        Args:
            key: an int64 scalar tensor.
            indices: names or numbers of components; None for all.
            name: the name of the op.

        Returns:
            A list of tensors, or a dictionary by name.
        """
        positions = self._positions(indices)
        numbers = np.array(positions, np.int32)
        attrs = self._some(positions, name, "pop")
        tensors = self._got(lambda: self._builder("Peek")(key, numbers, **attrs))
        return self._element(tensors, positions)

    def size(self, name: str | None = None) -> Tensor:
        """An int32 tensor with the number of complete elements."""
        return self._builder("Size")(**self._attrs(name, "size"))

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """An int32 tensor with the number of incomplete elements."""
        return self._builder("IncompleteSize")(**self._attrs(name, "incomplete_size"))

    def clear(self, name: str | None = None) -> Operation:
        """Makes an op that drops all elements."""
        return self._builder("Clear")(**self._attrs(name, "clear"))


def _flat(values: NestedTensors) -> list[Any]:
    if isinstance(values, dict):
        return list(values.values())
    return list(values) if isinstance(values, (list, tuple)) else [values]
