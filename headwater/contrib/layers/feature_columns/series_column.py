"""Columns of dataframes of `tf.contrib.learn`."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes
from headwater.contrib.layers.feature_columns.base import _FeatureColumn, export_column
from headwater.contrib.layers.feature_columns.reshaping import reshaped_real_values
from headwater.graph import Tensor
from headwater.ops.math.cast import cast


@export_column("DataFrameColumn")
class DataFrameColumn(_FeatureColumn, namedtuple("DataFrameColumn", "column_name series")):
    """A column of a series.

    Args:
        column_name: the name.
        series: a Series, which builds its tensor from those of a dict.
    """

    @property
    def name(self) -> str:
        """The name."""
        return self.column_name

    @property
    def config(self) -> dict[str, Any]:
        """The features that have to be read."""
        return self.series.required_base_features()

    @property
    def key(self) -> str:
        """The name."""
        return self.name

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        """Adds the tensor of the series to a dict.

        Args:
            columns_to_tensors: {name or column: tensor}.
        """
        columns_to_tensors[self] = self.series.build(columns_to_tensors)

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Tensor:
        if input_tensor.dtype != dtypes.float32:
            input_tensor = cast(input_tensor, dtypes.float32)
        return reshaped_real_values(input_tensor, output_rank, self.name)

    def _to_dense_tensor(self, input_tensor: Any) -> Tensor:
        return self._to_dnn_input_layer(input_tensor)

    def __eq__(self, other: object) -> bool:
        """Whether the other one is of the same series."""
        return isinstance(other, DataFrameColumn) and tuple(self) == tuple(other)

    def __ne__(self, other: object) -> bool:
        """Whether the other one is of another series."""
        return not self == other

    __hash__ = tuple.__hash__
