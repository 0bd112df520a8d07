"""The features of examples by kind, as gradient boosted trees take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from headwater.base import dtypes
from headwater.contrib.layers.column_ops import transform_features
from headwater.contrib.layers.feature_columns.real_valued import _RealValuedColumn
from headwater.graph import SparseTensor, Tensor, name_scope
from headwater.model.feature_column.base import CategoricalColumn
from headwater.model.feature_column.transformation import FeatureTransformationCache
from headwater.ops.array.reshape import reshape
from headwater.ops.array.stack import unstack

FEATURE_NAME_TEMPLATE = "%s_%d"


class ExtractedFeatures(NamedTuple):
    """Features by kind: dense numbers, sparse numbers, sparse ids."""

    names: list[str]
    dense_floats: list[Tensor]
    sparse_float_indices: list[Tensor]
    sparse_float_values: list[Tensor]
    sparse_float_shapes: list[Tensor]
    sparse_int_indices: list[Tensor]
    sparse_int_values: list[Tensor]
    sparse_int_shapes: list[Tensor]

    def sparse_floats(self) -> list[SparseTensor]:
        """The sparse features of numbers."""
        columns = zip(self.sparse_float_indices, self.sparse_float_values, self.sparse_float_shapes)
        return [SparseTensor(*column) for column in columns]

    def sparse_ints(self) -> list[SparseTensor]:
        """The sparse features of ids."""
        columns = zip(self.sparse_int_indices, self.sparse_int_values, self.sparse_int_shapes)
        return [SparseTensor(*column) for column in columns]


def extract_features(
    features: Mapping[str, Any] | None,
    feature_columns: Sequence[Any] | None,
    use_core_columns: bool,
) -> ExtractedFeatures:
    """Sorts features by kind.

    Args:
        features: {name: a tensor or SparseTensor}.
        feature_columns: the columns to use; None for the features as they are.
        use_core_columns: whether these are columns of tf.feature_column.

    Returns:
        The names of the features, dense numbers first, then sparse numbers, then sparse ids; and
        their tensors by kind.

    Raises:
        ValueError: if there are no features, or one has another dtype.
    """
    if not features:
        raise ValueError("Features dictionary must be specified.")
    if feature_columns:
        features = _transformed(features, feature_columns, use_core_columns)
    dense_names: list[str] = []
    dense: list[Tensor] = []
    numbers: list[tuple[str, SparseTensor]] = []
    ids: list[tuple[str, SparseTensor]] = []
    for name in sorted(features):
        tensor = features[name]
        if isinstance(tensor, SparseTensor):
            _append_sparse(name, tensor, numbers, ids)
        elif tensor.dtype == dtypes.float32:
            _append_dense(name, tensor, dense_names, dense)
        else:
            raise ValueError(f"Unsupported dense feature {tensor.name} with dtype {tensor.dtype}.")
    return ExtractedFeatures(
        [*dense_names, *(name for name, _ in numbers), *(name for name, _ in ids)],
        dense,
        [tensor.indices for _, tensor in numbers],
        [tensor.values for _, tensor in numbers],
        [tensor.dense_shape for _, tensor in numbers],
        [tensor.indices for _, tensor in ids],
        [tensor.values for _, tensor in ids],
        [tensor.dense_shape for _, tensor in ids],
    )


def _append_sparse(
    name: str,
    tensor: SparseTensor,
    numbers: list[tuple[str, SparseTensor]],
    ids: list[tuple[str, SparseTensor]],
) -> None:
    if tensor.values.dtype == dtypes.float32:
        numbers.append((name, tensor))
    elif tensor.values.dtype == dtypes.int64:
        ids.append((name, tensor))
    else:
        raise ValueError(
            f"Unsupported sparse feature {tensor.indices.name} with dtype {tensor.dtype}."
        )


def _append_dense(name: str, tensor: Tensor, names: list[str], dense: list[Tensor]) -> None:
    """Adds the columns of a dense feature."""
    dims = tensor.shape.as_list() if tensor.shape.ndims is not None else [None]
    if len(dims) > 1 and dims[-1] is not None and dims[-1] > 1:
        for place, column in enumerate(unstack(tensor, axis=len(dims) - 1)):
            names.append(FEATURE_NAME_TEMPLATE % (name, place))
            dense.append(reshape(column, [-1, 1]))
    else:
        names.append(name)
        dense.append(tensor)


def _transformed(
    features: Mapping[str, Any], feature_columns: Sequence[Any], use_core_columns: bool
) -> dict[str, Any]:
    """What columns make of features, by the names of the columns."""
    result: dict[str, Any] = {}
    with name_scope("gbdt"):
        if not use_core_columns:
            for column, tensor in transform_features(features, feature_columns).items():
                is_plain = isinstance(column, _RealValuedColumn) or isinstance(tensor, SparseTensor)
                name = column.name if is_plain else column.key
                if isinstance(tensor, (list, tuple)):
                    tensor = tensor[0]
                result[name] = tensor
            return result
        cache = FeatureTransformationCache(features)
        for column in feature_columns:
            if isinstance(column, CategoricalColumn):
                result[column.name] = column.get_sparse_tensors(cache, None).id_tensor
            else:
                result[column.name] = column.get_dense_tensor(cache, None)
    return result
