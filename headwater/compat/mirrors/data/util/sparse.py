"""tensorflow.python.data.util.sparse: sparse components as variant tensors."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.data.datasets import nest
from headwater.graph import SparseTensor, Tensor
from headwater.ops.sparse.serialize import (
    deserialize_sparse,
    serialize_many_sparse,
    serialize_sparse,
)


def any_sparse(classes: Any) -> bool:
    """Whether one of the nested classes is SparseTensor."""
    return any(kind is SparseTensor for kind in nest.flatten(classes))


def as_dense_shapes(shapes: Any, classes: Any) -> Any:
    """The nested shapes of the tensors that stand for components."""
    return _mapped(lambda shape: TensorShape(None), shapes, classes)


def as_dense_types(types: Any, classes: Any) -> Any:
    """The nested types of the tensors that stand for components."""
    return _mapped(lambda dtype: dtypes.variant, types, classes)


def _mapped(convert: Any, values: Any, classes: Any) -> Any:
    pairs = zip(nest.flatten(values), nest.flatten(classes))
    found = [convert(value) if kind is SparseTensor else value for value, kind in pairs]
    return nest.pack_sequence_as(values, found)


def get_classes(tensors: Any) -> Any:
    """The nested classes of components: SparseTensor or Tensor."""
    kinds = [SparseTensor if isinstance(t, SparseTensor) else Tensor for t in nest.flatten(tensors)]
    return nest.pack_sequence_as(tensors, kinds)


def serialize_sparse_tensors(tensors: Any) -> Any:
    """The nested tensors that stand for components."""
    return _serialized(serialize_sparse, tensors)


def serialize_many_sparse_tensors(tensors: Any) -> Any:
    """The nested tensors that stand for the rows of components."""
    return _serialized(serialize_many_sparse, tensors)


def _serialized(serialize: Any, tensors: Any) -> Any:
    found = [
        serialize(tensor, out_type=dtypes.variant) if isinstance(tensor, SparseTensor) else tensor
        for tensor in nest.flatten(tensors)
    ]
    return nest.pack_sequence_as(tensors, found)


def deserialize_sparse_tensors(tensors: Any, types: Any, shapes: Any, classes: Any) -> Any:
    """The nested components for which tensors stand."""
    leaves = zip(*map(nest.flatten, (tensors, types, shapes, classes)))
    found = []
    for tensor, dtype, shape, kind in leaves:
        if kind is SparseTensor:
            tensor = deserialize_sparse(tensor, dtype, TensorShape(shape).ndims)
        found.append(tensor)
    return nest.pack_sequence_as(tensors, found)
