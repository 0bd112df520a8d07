"""`assert_element_shape`: elements whose shapes are checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.contrib.framework.tensor_shapes import with_shape
from headwater.data.datasets import nest, structure
from headwater.graph import Tensor


@export("contrib.data.assert_element_shape")
def assert_element_shape(expected_shapes: Any) -> Callable[[Any], Any]:
    """Checks the shapes of elements.

    Args:
        expected_shapes: a nested structure of TensorShapes, in the structure of an element.

    Returns:
        A function from a dataset to a dataset, whose elements have these static shapes. A run
        raises an InvalidArgumentError for an element of another shape.

    Raises:
        ValueError: if a static shape does not fit.
    """

    wanted = nest.flatten(expected_shapes)

    def apply(dataset: Any) -> Any:
        for spec, shape in zip(structure.flat_specs(dataset.element_spec), wanted):
            spec.shape.merge_with(shape)

        def _check_shape(*elements: Any) -> Any:
            pairs = zip(wanted, nest.flatten(elements))
            checked = [_checked(TensorShape(shape), tensor) for shape, tensor in pairs]
            return nest.pack_sequence_as(dataset.element_spec, checked)

        return dataset.map(_check_shape)

    return apply


def _checked(shape: TensorShape, tensor: Tensor) -> Tensor:
    if shape.dims is None:
        return tensor
    checked = with_shape([-1 if n is None else n for n in shape.as_list()], tensor)
    checked.set_shape(shape)
    return checked
