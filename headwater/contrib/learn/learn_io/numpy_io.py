"""numpy_input_fn of `tf.contrib.learn`, which shuffles unless told otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.estimator.inputs import numpy_io as core


@export("contrib.learn.io.numpy_input_fn", "contrib.learn.io.numpy_io.numpy_input_fn")
def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """Makes an input function for arrays: `tf.estimator.inputs.numpy_input_fn`, shuffled.

    Args:
        x: the features: an array or a dict of arrays; rows are examples.
        y: the labels: an array or None.
        batch_size: the number of examples of a batch.
        num_epochs: how often each example comes; None for ever.
        shuffle: whether examples come in random order.
        queue_capacity: how many examples are read ahead.
        num_threads: the number of threads that read.

    Returns:
        A function without arguments that returns features and labels.
    """
    return core.numpy_input_fn(
        x,
        y,
        batch_size=batch_size,
        num_epochs=num_epochs,
        shuffle=shuffle,
        queue_capacity=queue_capacity,
        num_threads=num_threads,
    )
