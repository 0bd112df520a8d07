"""Specifications of values that are made of several tensors, and the class of these values."""

from __future__ import annotations

import abc
from typing import Any

from headwater.base import dtypes, nest
from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.nest_levels import register_composite
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike
from headwater.graph.builders import build
from headwater.graph.indexed_slices import IndexedSlices
from headwater.graph.sparse_tensor import SparseTensor, SparseTensorValue
from headwater.graph.type_spec import (
    BatchableTypeSpec,
    TensorSpec,
    TypeSpec,
    register_type_spec_from_value_converter,
)


class CompositeTensor(abc.ABC):
    """A value that is made of tensors, as its TypeSpec describes.

    `tf.nest` takes such values apart with `expand_composites`.
    """

    @property
    @abc.abstractmethod
    def _type_spec(self) -> TypeSpec:
        """The specification of this value."""

    def _to_components(self) -> Any:
        return self._type_spec._to_components(self)

    def _consumers(self) -> list[Any]:
        found = [op for tensor in _flat(self) for op in tensor.consumers()]
        return list(dict.fromkeys(found))


def _flat(value: Any) -> list[Any]:
    return nest.flatten(value._type_spec._to_components(value), expand_composites=True)


def _rebuilt(old: Any, tensors: list[Any]) -> Any:
    return old._type_spec._from_compatible_tensor_list(list(tensors))


def replace_composites_with_components(structure: Any) -> Any:
    """A structure in which lists of tensors stand for values made of them."""
    if nest.is_nested(structure):
        flat = [replace_composites_with_components(part) for part in nest.flatten(structure)]
        return nest.pack_sequence_as(structure, flat)
    if isinstance(structure, CompositeTensor):
        return replace_composites_with_components(structure._type_spec._to_components(structure))
    return structure


@export("SparseTensorSpec")
class SparseTensorSpec(BatchableTypeSpec):
    """The shape and type of a SparseTensor.

    Args:
        shape: the static shape of the whole.
        dtype: the type of the values.
    """

    __slots__ = ("_dtype", "_shape")

    def __init__(self, shape: Any = None, dtype: DTypeLike = dtypes.float32) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """The specification of a SparseTensor or SparseTensorValue.

        Raises:
            TypeError: if it is neither.
        """
        if isinstance(value, SparseTensor):
            return cls(value.shape, value.dtype)
        if isinstance(value, SparseTensorValue):
            value = SparseTensor.from_value(value)
            return cls(value.shape, value.dtype)
        raise TypeError("Expected SparseTensor or SparseTensorValue")

    @property
    def shape(self) -> TensorShape:
        """The static shape of the whole."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._dtype

    @property
    def value_type(self) -> Any:
        """The class of the values: SparseTensor."""
        return SparseTensor

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype

    @property
    def _component_specs(self) -> Any:
        rank = self._shape.ndims
        return [
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], dtypes.int64),
        ]

    def _to_components(self, value: Any) -> Any:
        if isinstance(value, SparseTensorValue):
            value = SparseTensor.from_value(value)
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components: Any) -> Any:
        return SparseTensor(*components)

    # An element of a dataset is one variant tensor, of shape [3].

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        return [TensorSpec(None, dtypes.variant)]

    def _to_tensor_list(self, value: Any) -> list[Any]:
        if not isinstance(value, SparseTensor | SparseTensorValue):
            raise TypeError(f"Neither a SparseTensor nor SparseTensorValue: {value}.")
        parts = self._to_components(value)
        return [build.SerializeSparse(*parts, out_type=dtypes.variant)]

    def _to_batched_tensor_list(self, value: Any) -> list[Any]:
        rank = value.dense_shape.get_shape().with_rank(1)[0].value
        if rank is None or rank < 1:
            raise ValueError("Unbatching a sparse tensor is only supported for rank >= 1")
        parts = self._to_components(value)
        return [build.SerializeManySparse(*parts, out_type=dtypes.variant)]

    def _from_compatible_tensor_list(self, tensor_list: list[Any]) -> Any:
        rank = self._shape.ndims
        indices, values, shape = build.DeserializeSparse(tensor_list[0], dtype=self._dtype)
        indices.set_shape([None, rank])
        shape.set_shape([rank])
        return SparseTensor(indices, values, shape)

    def _batch(self, batch_size: int | None) -> SparseTensorSpec:
        return SparseTensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> SparseTensorSpec:
        if self._shape.ndims == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return SparseTensorSpec(None if self._shape.ndims is None else self._shape[1:], self._dtype)

    def _to_legacy_output_types(self) -> DType:
        return self._dtype

    def _to_legacy_output_shapes(self) -> TensorShape:
        return self._shape


@export("IndexedSlicesSpec")
class IndexedSlicesSpec(TypeSpec):
    """The shapes and types of IndexedSlices.

    Args:
        shape: the static shape of the whole.
        dtype: the type of the values.
        indices_dtype: the type of the indices.
        dense_shape_dtype: the type of the shape of the whole, or None if there is none.
        indices_shape: the static shape of the indices.
    """

    __slots__ = (
        "_dense_shape_dtype",
        "_indices_dtype",
        "_indices_shape",
        "_shape",
        "_values_dtype",
    )

    def __init__(
        self,
        shape: Any = None,
        dtype: DTypeLike = dtypes.float32,
        indices_dtype: DTypeLike = dtypes.int64,
        dense_shape_dtype: DTypeLike | None = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._values_dtype = as_dtype(dtype)
        self._indices_dtype = as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self._indices_shape = TensorShape(indices_shape).with_rank(1)

    @property
    def value_type(self) -> Any:
        """The class of the values: IndexedSlices."""
        return IndexedSlices

    def _serialize(self) -> tuple[Any, ...]:
        return (
            self._shape,
            self._values_dtype,
            self._indices_dtype,
            self._dense_shape_dtype,
            self._indices_shape,
        )

    @property
    def _component_specs(self) -> Any:
        rest = TensorShape(None) if self._shape.ndims is None else self._shape[1:]
        specs = [
            TensorSpec(self._indices_shape.concatenate(rest), self._values_dtype),
            TensorSpec(self._indices_shape, self._indices_dtype),
        ]
        if self._dense_shape_dtype is not None:
            specs.append(TensorSpec([self._shape.ndims], self._dense_shape_dtype))
        return tuple(specs)

    def _to_components(self, value: Any) -> Any:
        parts = (value.values, value.indices)
        return parts if value.dense_shape is None else (*parts, value.dense_shape)

    def _from_components(self, components: Any) -> Any:
        return IndexedSlices(*components)


def _slices_spec(value: IndexedSlices) -> IndexedSlicesSpec:
    dense_shape = value.dense_shape
    rows = value.values.shape
    known = TensorShape(None) if rows.ndims is None else TensorShape([None, *rows[1:].as_list()])
    return IndexedSlicesSpec(
        known if dense_shape is None else value.shape,
        value.dtype,
        value.indices.dtype,
        None if dense_shape is None else dense_shape.dtype,
        value.indices.shape,
    )


register_type_spec_from_value_converter(SparseTensorValue, SparseTensorSpec.from_value)
CompositeTensor.register(SparseTensor)
CompositeTensor.register(IndexedSlices)
SparseTensor._type_spec = property(SparseTensorSpec.from_value)  # type: ignore[attr-defined]
IndexedSlices._type_spec = property(_slices_spec)  # type: ignore[attr-defined]
register_composite(CompositeTensor, _flat, _rebuilt)
