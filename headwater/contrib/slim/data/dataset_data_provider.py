"""The provider of a dataset whose records are read by several readers."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.contrib.slim.data.data_provider import DataProvider
from headwater.contrib.slim.data.dataset import Dataset
from headwater.contrib.slim.data.parallel_reader import parallel_read


@export("contrib.slim.dataset_data_provider.DatasetDataProvider")
class DatasetDataProvider(DataProvider):
    """Reads, shuffles and decodes the records of a dataset.

    Args:
        dataset: the Dataset.
        num_readers: how many readers there are.
        reader_kwargs: the arguments of the readers, or None.
        shuffle: whether files and records are shuffled.
        num_epochs: how often all files are read; None for no limit.
        common_queue_capacity: how many records the common queue of the readers holds.
        common_queue_min: how many it holds back to shuffle.
        record_key: the name of the item that is the key of the record.
        seed: the seed of the shuffling.
        scope: the name scope.

    Raises:
        ValueError: if the dataset has an item of the name `record_key`.
    """

    def __init__(
        self,
        dataset: Dataset,
        num_readers: int = 1,
        reader_kwargs: dict[str, Any] | None = None,
        shuffle: bool = True,
        num_epochs: int | None = None,
        common_queue_capacity: int = 256,
        common_queue_min: int = 128,
        record_key: str = "record_key",
        seed: int | None = None,
        scope: str | None = None,
    ) -> None:
        key, data = parallel_read(
            dataset.data_sources,
            reader_class=dataset.reader,
            num_epochs=num_epochs,
            num_readers=num_readers,
            reader_kwargs=reader_kwargs,
            shuffle=shuffle,
            capacity=common_queue_capacity,
            min_after_dequeue=common_queue_min,
            seed=seed,
            scope=scope,
        )
        items = list(dataset.decoder.list_items())
        tensors = dataset.decoder.decode(data, items)
        if record_key in items:
            raise ValueError(
                "The item name used for `record_key` cannot also be used for a dataset item: %s",
                record_key,
            )
        items_to_tensors = {**dict(zip(items, tensors, strict=True)), record_key: key}
        super().__init__(items_to_tensors, dataset.num_samples)
