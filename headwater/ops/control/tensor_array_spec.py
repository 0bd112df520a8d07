"""`tf.TensorArraySpec`: what is known of a TensorArray."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, ShapeLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.graph.type_spec import TensorSpec, TypeSpec
from headwater.ops.control.tensor_array_class import TensorArray


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
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        self._element_shape = TensorShape(element_shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @property
    def value_type(self) -> type:
        """The class of the values: TensorArray."""
        return TensorArray

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_shape, *self._options()

    @property
    def _component_specs(self) -> list[TensorSpec]:
        return [TensorSpec([], dtypes.variant)]

    def _to_components(self, value: TensorArray) -> list[Tensor]:
        if not isinstance(value, TensorArray):
            raise TypeError(f"value must be a TensorArray, but saw: {type(value)}")
        with name_scope("convert_tensor_array"):
            rest = value.element_shape.as_list() if value.element_shape.ndims is not None else -1
            return [build.TensorListFromTensor(value.stack(), _as_tensor(rest))]

    def _from_components(self, components: list[Tensor]) -> TensorArray:
        (values,) = components
        rest = self._element_shape
        rows = build.TensorListStack(
            values,
            _as_tensor(rest.as_list() if rest.ndims is not None else -1),
            element_dtype=self._dtype,
        )
        rows.set_shape(TensorShape([None]).concatenate(rest))
        array = TensorArray(
            self._dtype,
            build.TensorListLength(values),
            dynamic_size=self._dynamic_size,
            clear_after_read=False,
            infer_shape=self._infer_shape,
            element_shape=rest if self._infer_shape else None,
        )
        return array.unstack(rows)

    def _to_legacy_output_types(self) -> DType:
        return self._dtype

    def _to_legacy_output_shapes(self) -> TensorShape:
        # TensorFlow puts the options before the shape of the elements.
        options = [int(bool(self._dynamic_size)), int(bool(self._infer_shape))]
        return TensorShape(options).concatenate(self._element_shape)

    @classmethod
    def _from_legacy(cls, dtype: DType, shape: TensorShape) -> TensorArraySpec:
        """The specification whose legacy type and shape these are."""
        if shape.ndims is None:
            return cls(None, dtype)
        dynamic_size, infer_shape = shape.as_list()[:2]
        return cls(shape[2:], dtype, bool(dynamic_size), bool(infer_shape))

    def _options(self) -> tuple[Any, ...]:
        return self._dtype, self._dynamic_size, self._infer_shape

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a TensorArray or another specification can be what this one describes.

        Args:
            other: a TensorArray or a TensorArraySpec.
        """
        if isinstance(other, TensorArray):
            other = TensorArraySpec.from_value(other)
        return (
            isinstance(other, TensorArraySpec)
            and self._options() == other._options()
            and self._element_shape.is_compatible_with(other._element_shape)
        )

    def most_specific_compatible_type(self, other: TypeSpec) -> TensorArraySpec:
        """The narrowest specification that describes what this one or another one does.

        Args:
            other: a TensorArraySpec.

        Raises:
            ValueError: if they differ in more than the shape.
        """
        if not isinstance(other, TensorArraySpec) or not self.is_compatible_with(other):
            raise ValueError("Types are not compatible")
        shape = self._element_shape.most_specific_compatible_shape(other._element_shape)
        return TensorArraySpec(shape, *self._options())

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

    def __repr__(self) -> str:
        return (
            f"TensorArraySpec({self._element_shape!r}, {self._dtype!r}, {self._dynamic_size}, "
            f"{self._infer_shape})"
        )


def _as_tensor(dims: Any) -> Tensor:
    """An element shape as TensorList ops take it."""
    dims = [-1 if dim is None else dim for dim in dims] if isinstance(dims, list) else dims
    return convert_to_tensor(dims, dtypes.int32)


def _spec_of(value: TensorArray) -> TensorArraySpec:
    return TensorArraySpec.from_value(value)


TensorArray._type_spec = property(_spec_of)  # type: ignore[attr-defined]
