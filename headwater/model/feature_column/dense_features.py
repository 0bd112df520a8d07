"""`tf.keras.layers.DenseFeatures`: dense columns side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.graph import Tensor, export, name_scope
from headwater.model.feature_column.base import DenseColumn
from headwater.model.feature_column.layer import _BaseFeaturesLayer, require_features
from headwater.model.feature_column.transformation import FeatureTransformationCache


@export("keras.layers.DenseFeatures")
class DenseFeatures(_BaseFeaturesLayer):
    """A layer that makes a matrix [batch, values of all columns] of features.

    Args:
        feature_columns: a dense column or an iterable of them; they are sorted by name.
        trainable: whether optimizers change the variables by default.
        name: the name, part of the names of the variables.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if an item is no DenseColumn.
    """

    def __init__(
        self,
        feature_columns: Any,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            feature_columns=feature_columns,
            expected_column_type=DenseColumn,
            trainable=trainable,
            name=name,
            **kwargs,
        )

    @property
    def _is_feature_layer(self) -> bool:
        return True

    def _target_shape(self, input_shape: Any, num_elements: int) -> Any:
        return (input_shape[0], num_elements)

    def call(
        self, features: Mapping[str, Any], cols_to_output_tensors: dict[Any, Tensor] | None = None
    ) -> Tensor:
        """Computes the matrix.

        Args:
            features: {name: tensor or SparseTensor}.
            cols_to_output_tensors: a dict that gets the part of each column.

        Returns:
            A float32 matrix.

        Raises:
            ValueError: if `features` is no dict.
        """
        require_features(features)
        cache = FeatureTransformationCache(features)
        parts = []
        for column in self._feature_columns:
            with name_scope(column.name):
                tensor = column.get_dense_tensor(cache, self._state_manager)
                part = self._process_dense_tensor(column, tensor)
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = part
            parts.append(part)
        return self._verify_and_concat_tensors(parts)
