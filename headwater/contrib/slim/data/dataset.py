"""A dataset: where its records are, and how they are read and decoded."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export


@export("contrib.slim.dataset.Dataset")
class Dataset:
    """The specification of a dataset; all arguments are attributes.

    Args:
        data_sources: files or patterns of files.
        reader: the class of the reader, such as `tf.TFRecordReader`.
        decoder: a DataDecoder.
        num_samples: the number of samples.
        items_to_descriptions: a description of each item that the decoder gives.
        **kwargs: further attributes.
    """

    def __init__(
        self,
        data_sources: Any,
        reader: Any,
        decoder: Any,
        num_samples: int,
        items_to_descriptions: dict[str, str],
        **kwargs: Any,
    ) -> None:
        self.data_sources = data_sources
        self.reader = reader
        self.decoder = decoder
        self.num_samples = num_samples
        self.items_to_descriptions = items_to_descriptions
        self.__dict__.update(kwargs)
