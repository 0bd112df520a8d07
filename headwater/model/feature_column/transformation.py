"""Features of a batch, transformed once per column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.base import dtypes, logging
from headwater.base.typing import TensorLike
from headwater.graph import (
    SparseTensor,
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor_or_sparse_tensor,
    name_scope,
    shape_tensor,
)
from headwater.model.feature_column.base import FeatureColumn, _FeatureColumn
from headwater.model.feature_column.checks import normalized_columns, normalized_columns_v2
from headwater.ops.array.gather_nd import gather_nd
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.shape import rank as rank_of
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.control.cond import cond
from headwater.ops.control.value_checks import assert_positive
from headwater.ops.math.cast import cast
from headwater.ops.math.select import where
from headwater.ops.sparse.reshape import sparse_reshape


class FeatureTransformationCache:
    """Raw features, and what columns make of them.

    Args:
        features: {name: a tensor or SparseTensor, batch first}; columns may be names too.
    """

    _column_types: tuple[type, ...] = (FeatureColumn, _FeatureColumn)
    _type_text = "FeatureColumn"

    def __init__(self, features: Mapping[Any, Any]) -> None:
        self._features = dict(features)
        self._feature_tensors: dict[Any, Any] = {}

    def get(self, key: Any, state_manager: Any = None) -> Any:
        """A raw feature, with a dimension added if it is a vector, or a transformed column.

        Args:
            key: the name of a feature, or a column.
            state_manager: the StateManager that columns get their variables from.

        Returns:
            What the column's transformation returns; a tensor or SparseTensor for a name.

        Raises:
            ValueError: if there is no such feature, or the column returns None.
            TypeError: if `key` is neither a text nor a column.
        """
        if key in self._feature_tensors:
            return self._feature_tensors[key]
        if key in self._features:
            transformed = self._raw(key)
        else:
            transformed = self._transformed(key, state_manager)
        self._feature_tensors[key] = transformed
        return transformed

    def _transformed(self, column: Any, state_manager: Any) -> Any:
        if isinstance(column, str):
            raise ValueError(f"Feature {column} is not in features dictionary.")
        if not isinstance(column, self._column_types):
            raise TypeError(
                f'"key" must be either a "str" or "{self._type_text}". Provided: {column}'
            )
        logging.debug("Transforming feature_column %s.", column)
        transformed = self._ask(column, state_manager)
        if transformed is None:
            name = column.name  # type: ignore[attr-defined]
            raise ValueError(f"Column {name} is not supported.")
        return transformed

    def _ask(self, column: Any, state_manager: Any) -> Any:
        if isinstance(column, FeatureColumn):
            return column.transform_feature(self, state_manager)
        return column._transform_feature(self)

    def _raw(self, key: Any) -> Tensor | SparseTensor:
        feature = convert_to_tensor_or_sparse_tensor(self._features[key])
        rank = feature.get_shape().ndims
        if rank is None:
            with control_dependencies(
                [
                    assert_positive(
                        rank_of(feature),
                        message=f"Feature (key: {key}) cannot have rank 0. Given: {feature}",
                    )
                ]
            ):
                is_vector = build.Equal(1, rank_of(feature))
                return cond(is_vector, lambda: _as_matrix(feature), lambda: feature)
        if rank == 0:
            raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {feature}")
        return feature if rank != 1 else _as_matrix(feature)


class _LazyBuilder(FeatureTransformationCache):
    """The cache as columns of the first interface see it; see FeatureTransformationCache."""

    _column_types = (_FeatureColumn,)
    _type_text = "_FeatureColumn"

    def _ask(self, column: Any, state_manager: Any) -> Any:
        return column._transform_feature(self)


def _as_matrix(feature: Tensor | SparseTensor) -> Tensor | SparseTensor:
    if isinstance(feature, SparseTensor):
        return sparse_reshape(feature, [shape_of(feature)[0], 1])
    return expand_dims(feature, -1)


def to_sparse_input(input_tensor: TensorLike, ignore_value: Any = None) -> SparseTensor:
    """A SparseTensor of the elements that are not a given value.

    Args:
        input_tensor: a tensor; a SparseTensor is returned as it is.
        ignore_value: the value; None means "" for strings and -1 for integers.

    Returns:
        A SparseTensor.
    """
    tensor = convert_to_tensor_or_sparse_tensor(input_tensor)
    if isinstance(tensor, SparseTensor):
        return tensor
    with name_scope(None, "to_sparse_input", [tensor, ignore_value]):
        if ignore_value is None:
            ignore_value = _ignored_by_default(tensor.dtype)
        return elements_without(tensor, ignore_value)


def elements_without(tensor: Tensor, ignore_value: Any) -> SparseTensor:
    """The elements of a tensor that differ from a value."""
    ignored = cast(ignore_value, tensor.dtype, name="ignore_value")
    indices = where(build.NotEqual(tensor, ignored), name="indices")
    return SparseTensor(
        indices=indices,
        values=gather_nd(tensor, indices, name="values"),
        dense_shape=shape_tensor(tensor, out_type=dtypes.int64, name="dense_shape"),
    )


def _ignored_by_default(dtype: dtypes.DType) -> Any:
    if dtype == dtypes.string:
        return ""
    return -1 if dtype.is_integer else dtype.as_numpy_dtype()


def _transform_features(features: Mapping[Any, Any], feature_columns: Any) -> dict[Any, Any]:
    """What columns of the first interface make of features.

    Args:
        features: {name: tensor or SparseTensor}.
        feature_columns: the columns.

    Returns:
        {column: its transformed value}.
    """
    columns = normalized_columns(feature_columns)
    with name_scope(None, default_name="transform_features", values=list(features.values())):
        builder = _LazyBuilder(features)
        return _transformed(builder, sorted(columns, key=lambda column: column.name), None)


def _transform_features_v2(
    features: Mapping[Any, Any], feature_columns: Any, state_manager: Any
) -> dict[Any, Any]:
    """What columns of version 2 make of features.

    Args:
        features: {name: tensor or SparseTensor}.
        feature_columns: the columns.
        state_manager: the StateManager of their variables.

    Returns:
        {column: its transformed value}.
    """
    columns = normalized_columns_v2(feature_columns)
    with name_scope(None, default_name="transform_features", values=list(features.values())):
        cache = FeatureTransformationCache(features)
        return _transformed(cache, columns, state_manager)


def _transformed(
    cache: FeatureTransformationCache, columns: list[Any], state_manager: Any
) -> dict[Any, Any]:
    outputs = {}
    for column in columns:
        with name_scope(None, default_name=column.name):
            outputs[column] = cache.get(column, state_manager)
    return outputs
