"""The interface of decoders."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

from headwater.base.export import export


@export("contrib.slim.data_decoder.DataDecoder")
class DataDecoder(abc.ABC):
    """Decodes records to the items of a dataset, such as an image and its label."""

    @abc.abstractmethod
    def decode(self, data: Any, items: Sequence[str]) -> list[Any]:
        """Decodes a record.

        Args:
            data: the record.
            items: the names of the wanted items.

        Returns:
            A tensor for each item.
        """

    @abc.abstractmethod
    def list_items(self) -> list[str]:
        """Returns the names of the items."""
