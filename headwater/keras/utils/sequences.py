"""Sequences of batches, which models train on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headwater.base.export import export


@export("keras.utils.Sequence")
class Sequence:
    """The base of sequences of batches. Subclasses define `__getitem__` and `__len__`."""

    def __getitem__(self, index: int) -> Any:
        """Returns a batch.

        Args:
            index: its position.
        """
        raise NotImplementedError

    def __len__(self) -> int:
        """Returns the number of batches."""
        raise NotImplementedError

    def on_epoch_end(self) -> None:
        """Is called at the end of an epoch; subclasses may shuffle there."""

    def __iter__(self) -> Iterator[Any]:
        """Yields each batch once."""
        for index in range(len(self)):
            yield self[index]
