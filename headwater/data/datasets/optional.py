"""`Optional`: an element that may be missing."""

from __future__ import annotations

import abc
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.data.datasets import structure
from headwater.data.datasets.iterator import Iterator
from headwater.graph import Tensor, build, name_scope
from headwater.graph.type_spec import TensorSpec, TypeSpec


@export("data.experimental.Optional", "contrib.data.Optional")
class Optional(abc.ABC):
    """An element that may be missing."""

    @abc.abstractmethod
    def has_value(self, name: str | None = None) -> Tensor:
        """A bool scalar: whether there is an element.

        Args:
            name: the name of the op.
        """

    @abc.abstractmethod
    def get_value(self, name: str | None = None) -> Any:
        """The element, a nested structure of tensors.

        An InvalidArgumentError is raised in a run if it is missing.

        Args:
            name: the name of the op.
        """

    @property
    @abc.abstractmethod
    def value_structure(self) -> Any:
        """The nested TypeSpec of the element."""

    @staticmethod
    def from_value(value: Any) -> Optional:
        """An optional that has an element.

        Args:
            value: a nested structure of tensors.

        Returns:
            An Optional.
        """
        with name_scope("optional") as scope:
            with name_scope("value"):
                spec = structure.spec_of(value)
                tensors = structure.to_tensor_list(spec, value)
            return OptionalImpl(build.OptionalFromValue(tensors, name=scope), spec)

    @staticmethod
    def none_from_structure(value_structure: Any) -> Optional:
        """An optional without an element.

        Args:
            value_structure: the nested TypeSpec of the missing element.

        Returns:
            An Optional.
        """
        return OptionalImpl(build.OptionalNone(), value_structure)


class OptionalImpl(Optional):
    """An optional of a variant tensor.

    Args:
        variant_tensor: the scalar variant tensor.
        value_structure: the nested TypeSpec of the element.
    """

    def __init__(self, variant_tensor: Tensor, value_structure: Any) -> None:
        self._variant_tensor = variant_tensor
        self._value_structure = value_structure

    def has_value(self, name: str | None = None) -> Tensor:
        result: Tensor = build.OptionalHasValue(self._variant_tensor, name=name)
        return result

    def get_value(self, name: str | None = None) -> Any:
        with name_scope(name, "OptionalGetValue", [self._variant_tensor]) as scope:
            flat = build.OptionalGetValue(
                self._variant_tensor, name=scope, **structure.flat_attrs(self._value_structure)
            )
        return structure.from_tensor_list(self._value_structure, flat)

    @property
    def value_structure(self) -> Any:
        return self._value_structure

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._value_structure)


@export("OptionalSpec", "data.experimental.OptionalStructure")
class OptionalSpec(TypeSpec):
    """The structure of an optional.

    Args:
        value_structure: the nested TypeSpec of its element.
    """

    __slots__ = ("_value_structure",)

    def __init__(self, value_structure: Any) -> None:
        self._value_structure = value_structure

    @property
    def value_type(self) -> Any:
        """The class of the values: Optional."""
        return OptionalImpl

    def _serialize(self) -> tuple[Any, ...]:
        return (self._value_structure,)

    @property
    def _component_specs(self) -> Any:
        return TensorSpec(TensorShape([]), dtypes.variant)

    def _to_components(self, value: Any) -> Any:
        return value._variant_tensor

    def _from_components(self, components: Any) -> Any:
        return OptionalImpl(components, self._value_structure)

    @staticmethod
    def from_value(value: Any) -> OptionalSpec:
        """The specification of an optional.

        Args:
            value: an Optional.
        """
        return OptionalSpec(value.value_structure)

    def _to_legacy_output_types(self) -> Any:
        return self

    def _to_legacy_output_shapes(self) -> Any:
        return self

    def _to_legacy_output_classes(self) -> Any:
        return self


@export("data.experimental.get_next_as_optional", "contrib.data.get_next_as_optional")
def get_next_as_optional(iterator: Iterator) -> Optional:
    """The next element of an iterator; without an element at the end.

    Args:
        iterator: an Iterator.

    Returns:
        An Optional.
    """
    spec = iterator.element_spec
    variant = build.IteratorGetNextAsOptional(
        iterator._iterator_resource, **structure.flat_attrs(spec)
    )
    return OptionalImpl(variant, spec)
