"""pandas_input_fn: input functions for DataFrames."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.estimator.inputs.feeding import enqueue_data


@export("estimator.inputs.pandas_input_fn")
def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """Makes an input function for a DataFrame.

    Args:
        x: the features, a DataFrame.
        y: the labels: a Series or DataFrame with the index of `x`; or None.
        batch_size: the number of examples of a batch.
        num_epochs: how often each example comes; None for ever.
        shuffle: whether examples come in random order; must be given.
        queue_capacity: how many examples are read ahead.
        num_threads: the number of threads that read.
        target_column: the name of the column that a Series of labels becomes.

    Returns:
        A function without arguments that returns features by column, and labels if there are some:
        a tensor for a Series, tensors by column for a DataFrame.

    Raises:
        ValueError: if `shuffle` is not a bool, the indices differ, or the name of the column is
            taken.
        TypeError: if the name of the column is not text.
    """
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it "
            f"as True for training); got {shuffle}"
        )
    if not isinstance(target_column, str):
        raise TypeError("target_column must be a string type")
    frame = x.copy()
    targets: Any = None
    if y is not None:
        if target_column in frame:
            raise ValueError(
                f"Cannot use name {target_column} for target column: DataFrame already has a "
                f"column with that name: {frame.columns}"
            )
        if not (x.index == y.index).all():
            raise ValueError(
                f"Index for x and y are mismatched.\nIndex for x: {x.index}\n"
                f"Index for y: {y.index}\n"
            )
        if hasattr(y, "columns"):
            # Columns of labels get names that no feature has.
            targets = {name: f"{name}_{uuid.uuid4()}" for name in y.columns}
            for name, unique in targets.items():
                frame[unique] = y[name]
        else:
            targets = target_column
            frame[target_column] = y

    def input_fn() -> Any:
        queue = enqueue_data(
            frame,
            queue_capacity,
            shuffle=shuffle,
            min_after_dequeue=None,
            num_threads=num_threads,
            enqueue_size=batch_size,
            num_epochs=num_epochs,
        )
        dequeue = queue.dequeue_many if num_epochs is None else queue.dequeue_up_to
        # The first component is the index.
        features = dict(zip(frame.columns, dequeue(batch_size)[1:]))
        if targets is None:
            return features
        if isinstance(targets, dict):
            return features, {name: features.pop(unique) for name, unique in targets.items()}
        target = features.pop(targets)
        return features, target

    return input_fn
