"""`tf.TensorArraySpec`: what is known of a TensorArray."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, ShapeLike
from headwater.graph import export
from headwater.graph.type_spec import (
    TensorSpec,
    TypeSpec,
    register_type_spec_from_value_converter,
    type_spec_from_value,
)
from headwater.ops.control.tensor_array_class import TensorArray
from headwater.ops.control.tensor_array_list import TensorListArray, list_of


@export("TensorArraySpec")
class TensorArraySpec(TypeSpec):
    """The type and shape of the elements of a TensorArray, and how it may be used.

    Args:
        element_shape: what is known of the shape of the elements.
        dtype: their type.
        dynamic_size: whether writes may make it longer.
        infer_shape: whether all elements must have one shape.
    """

    __slots__ = ("_dtype", "_dynamic_size", "_element_shape", "_infer_shape")

    def __init__(
        self,
        element_shape: ShapeLike = None,
        dtype: DTypeLike = dtypes.float32,
        dynamic_size: bool | None = False,
        infer_shape: bool | None = True,
    ) -> None:
        self._element_shape = TensorShape(element_shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @property
    def value_type(self) -> type:
        """The class of the values: TensorArray."""
        return TensorArray

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a TensorArray or another specification can be what this one describes.

        Args:
            spec_or_value: a TensorArray or a TypeSpec.
        """
        is_spec = isinstance(spec_or_value, TypeSpec)
        other = spec_or_value if is_spec else type_spec_from_value(spec_or_value)
        return (
            isinstance(other, TensorArraySpec)
            and self._dtype.is_compatible_with(other._dtype)
            and self._element_shape.is_compatible_with(other._element_shape)
            and self._dynamic_size == other._dynamic_size
        )

    def most_specific_compatible_type(self, other: Any) -> TensorArraySpec:
        """The narrowest specification that describes what this one or another one does.

        Args:
            other: a TensorArraySpec.

        Raises:
            ValueError: if they differ in more than the shape.
        """
        if not self.is_compatible_with(other):
            raise ValueError("Types are not compatible")
        shape = self._element_shape.most_specific_compatible_shape(other._element_shape)
        infer_shape = self._infer_shape and other._infer_shape
        return TensorArraySpec(shape, self._dtype, self._dynamic_size, infer_shape)

    @staticmethod
    def from_value(value: TensorArray) -> TensorArraySpec:
        """What is known of a TensorArray.

        Args:
            value: a TensorArray.

        Raises:
            TypeError: if it is something else.
        """
        if not isinstance(value, TensorArray):
            raise TypeError(f"Expected value to be a TensorArray, but saw: {type(value)}")
        return TensorArraySpec(
            value.element_shape, value.dtype, value.dynamic_size, value._infer_shape
        )

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape

    @property
    def _component_specs(self) -> Any:
        return [TensorSpec([], dtypes.variant)]

    def _to_components(self, value: TensorArray) -> Any:
        if not isinstance(value, TensorArray):
            raise TypeError(f"value must be a TensorArray, but saw: {type(value)}")
        return [list_of(value)]

    def _from_components(self, components: Any) -> TensorArray:
        return TensorListArray(
            self._dtype, components[0], [self._element_shape], self._dynamic_size, self._infer_shape
        )

    def _to_legacy_output_types(self) -> DType:
        return self._dtype

    def _to_legacy_output_shapes(self) -> TensorShape:
        # The options are the first dimensions, as TensorFlow has them.
        options: list[Any] = [self._dynamic_size, self._infer_shape]
        return TensorShape(options).concatenate(self._element_shape)

    def _to_legacy_output_classes(self) -> type:
        return TensorArray


register_type_spec_from_value_converter(
    TensorArray, TensorArraySpec.from_value, allow_subclass=True
)
