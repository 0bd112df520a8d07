"""`SqlDataset`: the rows that a query of a database gives."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.data.datasets import nest, structure
from headwater.data.datasets.dataset import DatasetV1, DatasetV2
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.graph.type_spec import TensorSpec


def _rows(
    driver_name: TensorLike, data_source_name: TensorLike, query: TensorLike, output_types: Any
) -> tuple[Tensor, Any]:
    """The variant and structure of the rows of a query's result."""
    arguments = [
        convert_to_tensor(value, dtype=dtypes.string, name=name)
        for value, name in (
            (driver_name, "driver_name"),
            (data_source_name, "data_source_name"),
            (query, "query"),
        )
    ]
    spec = nest.map_structure(lambda dtype: TensorSpec([], dtype), output_types)
    return build.SqlDataset(*arguments, **structure.flat_attrs(spec)), spec


class SqlDatasetV2(DatasetV2):
    """The rows of the result of a query.

    Args:
        driver_name: "sqlite".
        data_source_name: the path of the database's file.
        query: a SQL statement.
        output_types: the nested types of the columns.
    """

    _shown_class = "SqlDatasetV2"

    def __init__(
        self,
        driver_name: TensorLike,
        data_source_name: TensorLike,
        query: TensorLike,
        output_types: Any,
    ) -> None:
        super().__init__(*_rows(driver_name, data_source_name, query, output_types))


@export("data.experimental.SqlDataset")
class SqlDatasetV1(DatasetV1):
    """The rows of the result of a query.

    Args:
        driver_name: "sqlite".
        data_source_name: the path of the database's file.
        query: a SQL statement.
        output_types: the nested types of the columns.
    """

    _shown_class = "SqlDatasetV1"

    def __init__(
        self,
        driver_name: TensorLike,
        data_source_name: TensorLike,
        query: TensorLike,
        output_types: Any,
    ) -> None:
        super().__init__(*_rows(driver_name, data_source_name, query, output_types))
