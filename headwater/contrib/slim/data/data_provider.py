"""The base of providers."""

from __future__ import annotations

from collections.abc import KeysView, Sequence
from typing import Any

from headwater.base.export import export


@export("contrib.slim.data_provider.DataProvider")
class DataProvider:
    """Provides the items of a dataset as tensors; each evaluation gives those of a sample.

    Args:
        items_to_tensors: the tensors by the names of the items.
        num_samples: the number of samples of the dataset.
    """

    def __init__(self, items_to_tensors: dict[str, Any], num_samples: int) -> None:
        self._items_to_tensors = items_to_tensors
        self._num_samples = num_samples

    def get(self, items: Sequence[str]) -> list[Any]:
        """Returns the tensors of some items.

        Args:
            items: the names of the items.

        Raises:
            ValueError: if `items` is not a list or tuple, or if there is no such item.
        """
        if not isinstance(items, (list, tuple)):
            raise ValueError("items must be a list or tuple")
        valid_items = self.list_items()
        for item in items:
            if item not in valid_items:
                raise ValueError(f"Item [{item}] is invalid. Valid entries include: {valid_items}")
        return [self._items_to_tensors[item] for item in items]

    def list_items(self) -> KeysView[str]:
        """Returns the names of the items."""
        return self._items_to_tensors.keys()

    def num_samples(self) -> int:
        """Returns the number of samples of the dataset."""
        return self._num_samples
