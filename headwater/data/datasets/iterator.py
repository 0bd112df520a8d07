"""`Iterator`: hands the elements of datasets to runs."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

from headwater.base import dtypes
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.data.datasets import nest, structure
from headwater.data.datasets.iterator_state import IteratorSaveable
from headwater.graph import (
    Operation,
    Tensor,
    build,
    colocate_with,
    convert_to_tensor,
    get_default_graph,
    name_scope,
)
from headwater.model.trackable.base import Trackable

# With so many calls of `get_next`, a program probably calls it in its training loop.
MANY_CALLS = 32
MANY_CALLS_WARNING = (
    "An unusually high number of `Iterator.get_next()` calls was detected. This often "
    "indicates that `Iterator.get_next()` is being called inside a training loop, "
    "which will cause gradual slowdown and eventual resource exhaustion. If this is "
    "the case, restructure your code to call `next_element = iterator.get_next()` once"
    " outside the loop, and use `next_element` as the input to some computation that "
    "is invoked inside the loop."
)

# The collection of the resource tensors of all iterators.
GLOBAL_ITERATORS = "iterators"


@export("data.Iterator")
class Iterator(Trackable):
    """Hands out the elements of a dataset.

    Args:
        iterator_resource: the resource tensor of an iterator op.
        initializer: the op that begins to iterate; None if there is none.
        output_types: the nested types of the elements, or their nested TypeSpec.
        output_shapes: their nested shapes, if types are given.
        output_classes: their nested classes, if types are given.
    """

    def __init__(
        self,
        iterator_resource: Tensor,
        initializer: Operation | None,
        output_types: Any,
        output_shapes: Any = None,
        output_classes: Any = None,
    ) -> None:
        self._iterator_resource = iterator_resource
        get_default_graph().add_to_collection(GLOBAL_ITERATORS, iterator_resource)
        self._initializer = initializer
        self._element_spec = output_types
        if output_shapes is not None or output_classes is not None:
            self._element_spec = structure.from_legacy(output_types, output_shapes, output_classes)
        self._string_handle = build.IteratorToStringHandle(iterator_resource)
        self._get_next_calls = 0

    @staticmethod
    def from_structure(
        output_types: Any,
        output_shapes: Any = None,
        shared_name: str | None = None,
        output_classes: Any = None,
    ) -> Iterator:
        """An iterator over datasets that `make_initializer` chooses.

        Args:
            output_types: the nested types of an element.
            output_shapes: its nested shapes; unknown by default.
            shared_name: sessions share iterators of one name.
            output_classes: its nested classes; Tensor by default.

        Returns:
            An Iterator.
        """
        spec = structure.from_legacy(output_types, output_shapes, output_classes)
        with get_default_graph().device("/cpu:0"):
            resource = build.IteratorV2(
                container="", shared_name=shared_name or "", **structure.flat_attrs(spec)
            )
        return Iterator(resource, None, spec)

    @staticmethod
    def from_string_handle(
        string_handle: TensorLike,
        output_types: Any,
        output_shapes: Any = None,
        output_classes: Any = None,
    ) -> Iterator:
        """The iterator that a handle names.

        Args:
            string_handle: a string scalar: what `string_handle` of an iterator gave.
            output_types: the nested types of an element.
            output_shapes: its nested shapes; unknown by default.
            output_classes: its nested classes; Tensor by default.

        Returns:
            An Iterator.
        """
        spec = structure.from_legacy(output_types, output_shapes, output_classes)
        handle = convert_to_tensor(string_handle, dtype=dtypes.string)
        with get_default_graph().device("/cpu:0"):
            resource = build.IteratorFromStringHandleV2(handle, **structure.flat_attrs(spec))
        return Iterator(resource, None, spec)

    @property
    def initializer(self) -> Operation:
        """The op that begins to iterate over the dataset.

        Raises:
            ValueError: if the iterator has none.
        """
        if self._initializer is None:
            raise ValueError("Iterator does not have an initializer.")
        return self._initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Operation:
        """An op that begins to iterate over a dataset.

        Args:
            dataset: a Dataset whose elements have the structure of this iterator's.
            name: the name of the op.

        Returns:
            The Operation.

        Raises:
            TypeError: if types, shapes or classes do not fit.
            ValueError: if the structures differ.
        """
        with name_scope(name, "make_initializer") as scope:
            _check_fits(self._element_spec, dataset.element_spec)
        variant = dataset._variant_tensor
        with colocate_with(self._iterator_resource):
            op: Operation = build.MakeIterator(variant, self._iterator_resource, name=scope)
        return op

    def get_next(self, name: str | None = None) -> Any:
        """A nested structure of tensors: the next element in each run.

        Runs raise an OutOfRangeError after the last element.

        Args:
            name: the name of the op.

        Returns:
            Tensors in the structure of an element.
        """
        self._get_next_calls += 1
        if self._get_next_calls > MANY_CALLS:
            warnings.warn(MANY_CALLS_WARNING, stacklevel=2)
        spec = self._element_spec
        flat = build.IteratorGetNext(
            self._iterator_resource, name=name, **structure.flat_attrs(spec)
        )
        return structure.from_tensor_list(spec, flat)

    def string_handle(self, name: str | None = None) -> Tensor:
        """A string scalar that names the iterator.

        Args:
            name: the name of the op.
        """
        if name is None:
            return self._string_handle
        handle: Tensor = build.IteratorToStringHandle(self._iterator_resource, name=name)
        return handle

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        resource = self._iterator_resource
        return {"ITERATOR": partial(IteratorSaveable, resource, name=resource.name)}

    @property
    def element_spec(self) -> Any:
        """The nested TypeSpec of an element."""
        return self._element_spec

    @property
    @deprecated(None, "Use `tf.compat.v1.data.get_output_types(iterator)`.")
    def output_types(self) -> Any:
        """The nested types of an element."""
        return structure.legacy_types(self._element_spec)

    @property
    @deprecated(None, "Use `tf.compat.v1.data.get_output_shapes(iterator)`.")
    def output_shapes(self) -> Any:
        """The nested shapes of an element."""
        return structure.legacy_shapes(self._element_spec)

    @property
    @deprecated(None, "Use `tf.compat.v1.data.get_output_classes(iterator)`.")
    def output_classes(self) -> Any:
        """The nested classes of an element."""
        return structure.legacy_classes(self._element_spec)


def _check_fits(spec: Any, given: Any) -> None:
    """Raises an error unless an iterator over one structure may go over another."""
    types, given_types = structure.legacy_types(spec), structure.legacy_types(given)
    nest.assert_same_structure(types, given_types)
    classes, given_classes = structure.legacy_classes(spec), structure.legacy_classes(given)
    shapes, given_shapes = structure.legacy_shapes(spec), structure.legacy_shapes(given)

    def differs(fits: Any, wanted: Any, found: Any) -> bool:
        return not all(fits(a, b) for a, b in zip(nest.flatten(wanted), nest.flatten(found)))

    if differs(lambda a, b: a == b, classes, given_classes):
        raise TypeError(
            f"Expected output classes {classes!r} but got dataset with output class "
            f"{given_classes!r}."
        )
    if differs(lambda a, b: a == b, types, given_types):
        raise TypeError(
            f"Expected output types {types!r} but got dataset with output types {given_types!r}."
        )
    if differs(_may_fit, shapes, given_shapes):
        raise TypeError(
            f"Expected output shapes compatible with {shapes!r} but got dataset with output shapes "
            f"{given_shapes!r}."
        )


def _may_fit(shape: Any, other: Any) -> bool:
    """Whether elements of one shape may have another; those of datasets are compared as types."""
    return not isinstance(shape, TensorShape) or shape.is_compatible_with(other)
