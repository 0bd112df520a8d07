"""Functions of `tf.data.experimental` on the order and form of elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.data.datasets import batching, ordering


@export("data.experimental.shuffle_and_repeat")
@deprecated(
    None,
    "Use `tf.data.Dataset.shuffle(buffer_size, seed)` followed by `tf.data.Dataset.repeat(count)`. "
    "Static tf.data optimizations will take care of using the fused implementation.",
)
def shuffle_and_repeat(
    buffer_size: TensorLike, count: TensorLike | None = None, seed: Any = None
) -> Callable[[Any], Any]:
    """The elements several times, each time in another random order.

    Args:
        buffer_size: from how many elements the next one is chosen; an int64 scalar.
        count: how many times; without an end if None or -1.
        seed: makes the order reproducible; an integer or an int64 scalar.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return lambda dataset: dataset._derived(
        *ordering.shuffle_and_repeat(dataset, buffer_size, count, seed)
    )


@export("data.experimental.enumerate_dataset")
@deprecated(None, "Use `tf.data.Dataset.enumerate()")
def enumerate_dataset(start: TensorLike = 0) -> Callable[[Any], Any]:
    """The elements with their numbers.

    Args:
        start: the number of the first element, an int64 scalar.

    Returns:
        A function from a dataset to a dataset of pairs.
    """
    return lambda dataset: dataset.enumerate(start)


@export("data.experimental.unbatch")
@deprecated(None, "Use `tf.data.Dataset.unbatch()`.")
def unbatch() -> Callable[[Any], Any]:
    """The rows of the elements, which are batches.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return lambda dataset: dataset.unbatch()


@export("data.experimental.dense_to_sparse_batch")
def dense_to_sparse_batch(batch_size: TensorLike, row_shape: Any) -> Callable[[Any], Any]:
    """Batches of elements of different sizes as sparse tensors.

    Args:
        batch_size: how many elements a batch has; an int64 scalar.
        row_shape: the dense shape of a row; None for the largest size of the batch.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return lambda dataset: dataset._derived(
        *batching.dense_to_sparse_batch(dataset, batch_size, row_shape)
    )


@export("data.experimental.unique")
def unique() -> Callable[[Any], Any]:
    """Each element once, where it comes first.

    Returns:
        A function from a Dataset to a Dataset, for `Dataset.apply`.
    """
    return lambda dataset: dataset._derived(*batching.unique(dataset))
