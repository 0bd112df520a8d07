"""`tf.TensorArraySpec`: what is known of a TensorArray."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, ShapeLike
from headwater.graph import export
from headwater.ops.control.tensor_array_class import TensorArray


@export("TensorArraySpec")
class TensorArraySpec:
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

    def _options(self) -> tuple[Any, ...]:
        return self._dtype, self._dynamic_size, self._infer_shape

    def is_compatible_with(self, other: TensorArray | TensorArraySpec) -> bool:
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

    def most_specific_compatible_type(self, other: TensorArraySpec) -> TensorArraySpec:
        """The narrowest specification that describes what this one or another one does.

        Args:
            other: a TensorArraySpec.

        Raises:
            ValueError: if they differ in more than the shape.
        """
        if not self.is_compatible_with(other):
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

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TensorArraySpec)
            and self._options() == other._options()
            and repr(self._element_shape) == repr(other._element_shape)
        )

    def __hash__(self) -> int:
        return hash((repr(self._element_shape), self._options()))

    def __repr__(self) -> str:
        return (
            f"TensorArraySpec({self._element_shape!r}, {self._dtype!r}, {self._dynamic_size}, "
            f"{self._infer_shape})"
        )
