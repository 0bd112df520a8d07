"""SparseFeatureColumn: a sparse feature of a batch of examples."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, convert_to_tensor, name_scope

INSTRUCTIONS = (
    "This class is deprecated. To UPDATE or USE linear optimizers, please check its latest version "
    "in core: tensorflow_estimator/python/estimator/canned/linear_optimizer/."
)


@export("contrib.linear_optimizer.SparseFeatureColumn")
class SparseFeatureColumn:
    """A sparse feature of a batch of examples, as parallel vectors with an item for each entry.

    Args:
        example_indices: the examples of the entries, int64 in ascending order.
        feature_indices: the ids of the entries, int64.
        feature_values: the values of the entries, float32; None if all are 1.

    Example:
        >>> column = tf.contrib.linear_optimizer.SparseFeatureColumn([0, 1], [7, 3], [1.0, 0.5])
        >>> print(column.feature_indices.eval())
        [7 3]
    """

    @deprecated(None, INSTRUCTIONS)
    def __init__(
        self,
        example_indices: TensorLike,
        feature_indices: TensorLike,
        feature_values: TensorLike | None,
    ) -> None:
        with name_scope(None, "SparseFeatureColumn", [example_indices, feature_indices]):
            self._example_indices = convert_to_tensor(
                example_indices, name="example_indices", dtype=dtypes.int64
            )
            self._feature_indices = convert_to_tensor(
                feature_indices, name="feature_indices", dtype=dtypes.int64
            )
        self._feature_values = None
        if feature_values is not None:
            with name_scope(None, "SparseFeatureColumn", [feature_values]):
                self._feature_values = convert_to_tensor(
                    feature_values, name="feature_values", dtype=dtypes.float32
                )

    @property
    def example_indices(self) -> Tensor:
        """The examples of the entries."""
        return self._example_indices

    @property
    def feature_indices(self) -> Tensor:
        """The ids of the entries."""
        return self._feature_indices

    @property
    def feature_values(self) -> Tensor | None:
        """The values of the entries; None if all are 1."""
        return self._feature_values
