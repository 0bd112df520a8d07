"""The classes of datasets that have no methods of the first era, by their names in tf.compat.v2."""

from __future__ import annotations

from typing import Any, Final

from headwater.data.datasets.csv_dataset import CsvDatasetV2
from headwater.data.datasets.dataset import DatasetV2
from headwater.data.datasets.numbers import RandomDatasetV2
from headwater.data.datasets.readers import (
    FixedLengthRecordDatasetV2,
    TextLineDatasetV2,
    TFRecordDatasetV2,
)
from headwater.data.datasets.sql_dataset import SqlDatasetV2

DATASETS_V2: Final[dict[str, Any]] = {
    "data.Dataset": DatasetV2,
    "data.FixedLengthRecordDataset": FixedLengthRecordDatasetV2,
    "data.TFRecordDataset": TFRecordDatasetV2,
    "data.TextLineDataset": TextLineDatasetV2,
    "data.experimental.CsvDataset": CsvDatasetV2,
    "data.experimental.RandomDataset": RandomDatasetV2,
    "data.experimental.SqlDataset": SqlDatasetV2,
}
