"""RaggedTensorSpec, and ragged tensors as elements of nests, fetches and feeds."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes, nest
from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.nest_levels import register_composite
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, ShapeLike, TensorLike
from headwater.graph import Tensor, build, name_scope
from headwater.graph.type_spec import (
    BatchableTypeSpec,
    TensorSpec,
    register_type_spec_from_value_converter,
)
from headwater.model.ragged.tensor import RaggedTensor
from headwater.model.ragged.value import RaggedTensorValue
from headwater.session.fetches import register_session_run_conversion_functions


def _value_of(parts: list[Any]) -> RaggedTensorValue:
    *splits, value = parts
    for part in reversed(splits):
        value = RaggedTensorValue(value, part)
    return value


@export("RaggedTensorSpec")
class RaggedTensorSpec(BatchableTypeSpec):
    """The shape and type of a RaggedTensor.

    Args:
        shape: the static shape.
        dtype: the type of the values.
        ragged_rank: the number of levels; one less than the rank of `shape` by default.
        row_splits_dtype: the type of the splits.

    Raises:
        ValueError: if `ragged_rank` is missing or does not fit.
    """

    __slots__ = ("_dtype", "_ragged_rank", "_row_splits_dtype", "_shape")

    def __init__(
        self,
        shape: ShapeLike = None,
        dtype: DTypeLike = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
    ) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        rank = self._shape.ndims
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        elif not isinstance(ragged_rank, int):
            raise TypeError("ragged_rank must be an int")
        if rank is not None and ragged_rank >= rank:
            raise ValueError("ragged_rank must be less than rank.")
        self._ragged_rank = ragged_rank

    @classmethod
    def from_value(cls, value: RaggedTensor) -> RaggedTensorSpec:
        """The spec of a ragged tensor.

        Args:
            value: a RaggedTensor.

        Returns:
            A RaggedTensorSpec.
        """
        kind = value.row_splits.dtype.base_dtype
        return cls(value.shape, value.dtype, value.ragged_rank, kind)

    @property
    def value_type(self) -> Any:
        """The class of the values: RaggedTensor."""
        return RaggedTensor if self._ragged_rank else Tensor

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype

    @property
    def _component_specs(self) -> Any:
        if not self._ragged_rank:
            return [TensorSpec(self._shape, self._dtype)]
        rank = self._shape.ndims
        inner = None if rank is None else [None, *self._shape.as_list()[self._ragged_rank + 1 :]]
        rows = None if rank is None else self._shape[0].value
        outer = TensorSpec([None if rows is None else rows + 1], self._row_splits_dtype)
        levels = [TensorSpec([None], self._row_splits_dtype)] * (self._ragged_rank - 1)
        return [TensorSpec(inner, self._dtype), outer, *levels]

    def _to_components(self, value: RaggedTensor) -> list[Tensor]:
        if isinstance(value, (RaggedTensor, RaggedTensorValue)):
            return [value.flat_values, *value.nested_row_splits]
        return [value]

    def _from_components(self, components: Any) -> Any:
        flat, *splits = components
        for part in reversed(splits):
            flat = RaggedTensor.from_row_splits(flat, part, validate=False)
        return flat

    # An element of a dataset is one variant tensor, a scalar.

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        return [TensorSpec(None, dtypes.variant)]

    def _to_tensor_list(self, value: Any) -> list[Any]:
        rank = value.ragged_rank if isinstance(value, RaggedTensor) else 0
        if rank != self._ragged_rank:
            raise ValueError(
                f"Ragged rank of value ({rank}) does not match ragged rank of type "
                f"({self._ragged_rank})"
            )
        return [self._variant(value, batched=False)]

    def _to_batched_tensor_list(self, value: Any) -> list[Any]:
        rank = value.ragged_rank if isinstance(value, RaggedTensor) else 0
        if rank <= 0:
            raise ValueError(f"ragged_rank must be non-negative; got {self._ragged_rank}.")
        return [self._variant(value, batched=True)]

    @staticmethod
    def _variant(value: Any, batched: bool) -> Tensor:
        with name_scope(None, "RaggedToVariant"):
            splits = list(value.nested_row_splits)
            encoded: Tensor = build.RaggedTensorToVariant(
                splits, value.flat_values, batched_input=batched
            )
        return encoded

    def _from_compatible_tensor_list(self, tensor_list: list[Any]) -> Any:
        if self._ragged_rank <= 0:
            raise ValueError(f"ragged_rank must be non-negative; got {self._ragged_rank}.")
        rank = tensor_list[0].shape.ndims
        with name_scope(None, "RaggedFromVariant"):
            splits, flat = build.RaggedTensorFromVariant(
                tensor_list[0],
                input_ragged_rank=-1 if rank is None else self._ragged_rank - rank,
                output_ragged_rank=self._ragged_rank,
                Tvalues=self._dtype,
                Tsplits=self._row_splits_dtype,
            )
        result = RaggedTensor.from_nested_row_splits(flat, splits, validate=False)
        if self._shape.ndims is not None:
            rows = self._shape[0].value
            splits[0].set_shape([None if rows is None else rows + 1])
            flat.set_shape([None, *self._shape.as_list()[self._ragged_rank + 1 :]])
        return result

    def _batch(self, batch_size: int | None) -> RaggedTensorSpec:
        return RaggedTensorSpec(
            TensorShape([batch_size]).concatenate(self._shape),
            self._dtype,
            self._ragged_rank + 1,
            self._row_splits_dtype,
        )

    def _unbatch(self) -> RaggedTensorSpec:
        return RaggedTensorSpec(
            self._shape[1:], self._dtype, self._ragged_rank - 1, self._row_splits_dtype
        )

    def _to_legacy_output_types(self) -> DType:
        return self._dtype

    def _to_legacy_output_shapes(self) -> TensorShape:
        return self._shape


def _fetch(value: RaggedTensor) -> tuple[Any, ...]:
    return [*value.nested_row_splits, value.flat_values], _value_of


def _feed(tensor: RaggedTensor, value: RaggedTensorValue) -> list[tuple[TensorLike, ...]]:
    parts = (*tensor.nested_row_splits, tensor.flat_values)
    if not isinstance(value, RaggedTensorValue):
        raise TypeError(f"a RaggedTensor is fed with a RaggedTensorValue, not {value!r}")
    return list(zip(parts, (*value.nested_row_splits, value.flat_values)))


register_session_run_conversion_functions(
    RaggedTensor, _fetch, _feed, lambda t: [*t.nested_row_splits, t.flat_values]
)
RaggedTensor._make_spec = RaggedTensorSpec.from_value
register_type_spec_from_value_converter(RaggedTensor, RaggedTensorSpec.from_value)
register_composite(
    RaggedTensor,
    lambda value: nest.flatten(RaggedTensorSpec.from_value(value)._to_components(value)),
    lambda old, parts: RaggedTensorSpec.from_value(old)._from_components(list(parts)),
)
