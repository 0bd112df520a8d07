"""Sparse gradients (IndexedSlices) and sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from headwater.base import dtypes
from headwater.base.dtypes import DType
from headwater.base.export import export
from headwater.base.nest_levels import register_composite
from headwater.base.signatures import signature
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph.basic_nodes import shape_tensor
from headwater.graph.builders import build
from headwater.graph.constant_value import constant_value_as_shape
from headwater.graph.convert import register_tensor_conversion_function, to_tensor
from headwater.graph.operation import Operation, Tensor


@export("IndexedSlicesValue")
class IndexedSlicesValue(NamedTuple):
    """The fetched or fed value of an IndexedSlices."""

    values: Any
    indices: Any
    dense_shape: Any


@export("IndexedSlices")
class IndexedSlices:
    """Some slices of a larger tensor along its first dimension; indices may repeat (and add up).

    Args:
        values: tensor of shape [n, ...].
        indices: integer tensor of shape [n].
        dense_shape: shape of the whole as a tensor, or None.
    """

    def __init__(self, values: Tensor, indices: Tensor, dense_shape: Tensor | None = None) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self) -> Tensor:
        """The slices, of shape [n, ...]."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """The positions of the slices, of shape [n]."""
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        """The shape of the whole as a tensor, or None."""
        return self._dense_shape

    @property
    def name(self) -> str:
        """The name of the values."""
        return self._values.name

    @property
    def device(self) -> str:
        """The device of the values."""
        return self._values.device

    @property
    def op(self) -> Operation:
        """The op that makes the values."""
        return self._values.op

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._values.dtype

    @property
    def graph(self) -> Any:
        """The Graph of the tensors."""
        return self._values.graph

    @property
    def shape(self) -> TensorShape:
        """The static shape of the whole."""
        if self._dense_shape is None:
            return TensorShape(None)
        return TensorShape(constant_value_as_shape(self._dense_shape))

    def consumers(self) -> list[Operation]:
        """The ops that take one of the tensors as an input, each once."""
        parts = _parts(self)
        return list(dict.fromkeys(op for part in parts for op in part.consumers()))

    def _map_values(self, function: Callable[[Tensor], Tensor]) -> IndexedSlices:
        return IndexedSlices(function(self._values), self._indices, self._dense_shape)

    def __neg__(self) -> IndexedSlices:
        return self._map_values(build.Neg)

    def __str__(self) -> str:
        dense = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{dense})"


def _parts(value: IndexedSlices) -> list[Tensor]:
    parts = [value.values, value.indices]
    return parts if value.dense_shape is None else [*parts, value.dense_shape]


register_composite(IndexedSlices, _parts, lambda old, parts: IndexedSlices(*parts))


def _dense(value: IndexedSlices, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
    """Converts IndexedSlices to the whole tensor."""
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError(
            f"Tensor conversion requested dtype {dtype.name} for IndexedSlices with dtype "
            f"{value.dtype.name}"
        )
    if value.dense_shape is None:
        raise ValueError(
            "Tensor conversion requested for IndexedSlices without dense_shape: " + str(value)
        )
    # Indexing of tensors is defined with the ops.
    rows = value.dense_shape[0]
    return build.UnsortedSegmentSum(value.values, value.indices, rows, name=name)


register_tensor_conversion_function(IndexedSlices, _dense)


@export("convert_to_tensor_or_indexed_slices")
@signature("value, dtype=None, name=None")
def convert_to_tensor_or_indexed_slices(
    value: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, as_ref: bool = False
) -> Any:
    """`convert_to_tensor` that leaves IndexedSlices (and SparseTensor) as they are.

    Args:
        value: IndexedSlices, or what converts to a tensor.
        dtype: the type that the result must have.
        name: the name of a node that has to be made.
        as_ref: whether a variable may be given as a mutable tensor.

    Returns:
        A Tensor, IndexedSlices or SparseTensor.

    Raises:
        ValueError: if the value has another type.
    """
    if isinstance(value, IndexedSlices):
        if dtype and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
            raise ValueError(
                f"Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} for Tensor with "
                f"dtype {value.dtype.name}: {str(value)!r}"
            )
        return value
    if hasattr(value, "dense_shape") and hasattr(value, "indices"):
        return value
    return to_tensor(value, None if dtype is None else dtypes.as_dtype(dtype), name, as_ref=as_ref)


def concatenated(slices: list[IndexedSlices]) -> IndexedSlices:
    """The sum of several IndexedSlices as one, with all slices concatenated."""
    shape = next((s.dense_shape for s in slices if s.dense_shape is not None), None)
    indices = [s.indices for s in slices]
    if len({t.dtype for t in indices}) > 1:
        indices = [
            t if t.dtype is dtypes.int64 else build.Cast(t, DstT=dtypes.int64) for t in indices
        ]
    return IndexedSlices(
        build.ConcatV2([s.values for s in slices], 0, name="concat"),
        build.ConcatV2(indices, 0, name="concat"),
        shape,
    )


def as_indexed_slices(value: TensorLike, optimize: bool = True) -> IndexedSlices:
    """A dense tensor as IndexedSlices over its whole first dimension.

    Args:
        value: a tensor; IndexedSlices are returned as they are.
        optimize: whether a known shape becomes a constant.
    """
    if isinstance(value, IndexedSlices):
        return value
    shape = shape_tensor(value, optimize=optimize)
    # Indexing of tensors is defined with the ops.
    return IndexedSlices(value, build.Range(0, shape[0], 1, name="range"), shape)
