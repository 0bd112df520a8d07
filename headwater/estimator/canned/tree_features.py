"""The features of boosted trees: buckets of columns, in the order of the names of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from headwater.base import dtypes
from headwater.estimator.canned.tree_resources import QuantileAccumulator
from headwater.graph import Tensor, build
from headwater.model.feature_column.base import FeatureColumn
from headwater.model.feature_column.indicator import IndicatorColumn
from headwater.model.feature_column.numeric import BucketizedColumn, NumericColumn
from headwater.model.feature_column.transformation import FeatureTransformationCache
from headwater.ops.array.reshape import squeeze
from headwater.ops.array.shape import shape
from headwater.ops.array.stack import unstack
from headwater.ops.math.cast import cast

# The kinds of columns, in the order in which their features are searched for splits.
_KINDS = (NumericColumn, IndicatorColumn, BucketizedColumn)


class FeatureGroup(NamedTuple):
    """Features whose statistics are kept together."""

    feature_ids: list[int]
    num_buckets: int


def sorted_columns(feature_columns: Sequence[Any]) -> list[Any]:
    """Columns by name.

    Raises:
        ValueError: if a column is of a kind that trees cannot use.
    """
    columns = sorted(feature_columns, key=lambda column: column.name)
    for column in columns:
        if isinstance(column, FeatureColumn) and hasattr(column, "get_sparse_tensors"):
            if not isinstance(column, BucketizedColumn):
                raise ValueError(
                    f"CategoricalColumn must be wrapped by IndicatorColumn, got: {column}"
                )
        elif not isinstance(column, _KINDS):
            raise ValueError(
                "For now, only bucketized_column, numeric_column and indicator column are "
                f"supported but got: {column}"
            )
    return columns


def dimensions(column: Any) -> int:
    """How many features a column has."""
    if isinstance(column, BucketizedColumn):
        return 1
    size: int = column.variable_shape.num_elements()
    return size


def feature_names(columns: Sequence[Any]) -> list[str]:
    """For each feature the name of its column, without the suffix of indicators."""
    names: list[str] = []
    for column in columns:
        inner = column.categorical_column if isinstance(column, IndicatorColumn) else column
        names += [inner.name] * dimensions(column)
    return names


def feature_groups(columns: Sequence[Any], num_quantiles: int) -> list[FeatureGroup]:
    """The features by kind of column; those of a kind have as many buckets as the largest."""
    found: dict[type, tuple[list[int], list[int]]] = {kind: ([], []) for kind in _KINDS}
    offset = 0
    for column in columns:
        ids, sizes = found[next(kind for kind in _KINDS if isinstance(column, kind))]
        ids += range(offset, offset + dimensions(column))
        sizes.append(_num_buckets(column, num_quantiles))
        offset += dimensions(column)
    return [FeatureGroup(ids, max(sizes)) for ids, sizes in found.values() if ids]


def _num_buckets(column: Any, num_quantiles: int) -> int:
    if isinstance(column, NumericColumn):
        return num_quantiles
    return 2 if isinstance(column, IndicatorColumn) else len(column.boundaries) + 1


class TreeInputs:
    """The features of a batch.

    Args:
        features: the features by name.
        columns: the columns, sorted.
        accumulator: divides numeric features into buckets; None if there are none.

    Attributes:
        floats: the numeric features before they are divided, float32 vectors.
    """

    def __init__(
        self,
        features: Mapping[str, Any],
        columns: Sequence[Any],
        accumulator: QuantileAccumulator | None,
    ) -> None:
        self._cache = FeatureTransformationCache(features)
        self._columns = columns
        self._boundaries = accumulator.get_bucket_boundaries() if accumulator else []
        # Kept from here on: what numeric and indicator columns make of the batch.
        self._numeric = {
            c: unstack(self._cache.get(c), dimensions(c), axis=1)
            for c in columns
            if isinstance(c, NumericColumn)
        }
        self.floats = [tensor for column in self._numeric.values() for tensor in column]

    @property
    def batch_size(self) -> Tensor:
        """The number of examples, an int32 scalar."""
        tensors = [self._cache.get(column) for column in self._columns]
        # A batch of known size makes variables of known shape.
        known = [t for t in tensors if t.shape.ndims and t.shape.dims[0].value is not None]
        size: Tensor = shape((known or tensors)[0])[0]
        return size

    def buckets(self) -> list[Tensor]:
        """The features as buckets, int32 vectors."""
        result: list[Tensor] = []
        offset = 0
        for column in self._columns:
            if isinstance(column, NumericColumn):
                values = self._numeric[column]
                limits = self._boundaries[offset : offset + len(values)]
                offset += len(values)
                result += build.BoostedTreesBucketize(values, limits)
            elif isinstance(column, IndicatorColumn):
                counts = cast(self._cache.get(column), dtypes.int32, name="ToInt32")
                result += unstack(counts, dimensions(column), axis=1)
            else:
                result.append(squeeze(self._cache.get(column), axis=1))
        return result
