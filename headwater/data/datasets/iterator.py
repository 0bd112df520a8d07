"""`Iterator`: hands the elements of datasets to runs."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.data.datasets import structure
from headwater.graph import Operation, Tensor, build


@export("data.Iterator")
class Iterator:
    """Hands out the elements of a dataset.

    Args:
        iterator_resource: the resource tensor of an iterator op.
        initializer: the op that begins to iterate; None if there is none.
        output_types: the nested TypeSpec of the elements, or their nested types.
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
        self._initializer = initializer
        self._element_spec = output_types
        if output_shapes is not None or output_classes is not None:
            self._element_spec = structure.from_legacy(output_types, output_shapes, output_classes)
        self._string_handle = build.IteratorToStringHandle(iterator_resource)

    @property
    def initializer(self) -> Operation:
        """The op that begins to iterate over the dataset.

        Raises:
            ValueError: if the iterator has none.
        """
        if self._initializer is None:
            raise ValueError(f"Iterator does not have an initializer. {self}")
        return self._initializer

    def get_next(self, name: str | None = None) -> Any:
        """A nested structure of tensors: the next element in each run.

        Args:
            name: the name of the op.

        Returns:
            Tensors in the structure of an element.
        """
        spec = self._element_spec
        flat = build.IteratorGetNext(
            self._iterator_resource, name=name, **structure.flat_attrs(spec)
        )
        return structure.from_tensor_list(spec, flat)
