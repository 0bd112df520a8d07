"""Shuffling and repeating as the functions that read whole sets of files do it."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import TensorLike
from headwater.data.datasets import ordering


def shuffled_and_repeated(
    dataset: Any, num_epochs: Any, shuffle: bool, buffer_size: TensorLike, seed: Any
) -> Any:
    """A dataset shuffled, if so, and repeated, without an end if `num_epochs` is None."""
    if shuffle and num_epochs != 1:
        return dataset._derived(
            *ordering.shuffle_and_repeat(dataset, buffer_size, num_epochs, seed)
        )
    if shuffle:
        return dataset.shuffle(buffer_size, seed)
    return dataset if num_epochs == 1 else dataset.repeat(num_epochs)
