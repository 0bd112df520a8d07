"""generator_input_fn: input functions for generators."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator
from types import FunctionType
from typing import Any

from headwater.base.export import export
from headwater.estimator.inputs.feeding import enqueue_data


@export("contrib.learn.io.generator_input_fn", "contrib.learn.io.generator_io.generator_input_fn")
def generator_input_fn(
    x: Any,
    target_key: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    pad_value: Any = None,
) -> Callable[[], Any]:
    """Makes an input function for a generator.

    Args:
        x: a function that returns a generator of dicts, an example each.
        target_key: the key of the labels, or several keys; None for features only.
        batch_size: the number of examples of a batch.
        num_epochs: how often the generator runs; None for ever.
        shuffle: whether examples come in random order.
        queue_capacity: how many examples are read ahead.
        num_threads: the number of threads that read.
        pad_value: what shorter values are filled up with; None if all have one shape.

    Returns:
        A function without arguments that returns a dict of features, and labels if there are some:
        a tensor for one key, a dict for several.

    Raises:
        TypeError: if `x` is not a function or `target_key` of another kind; raised by the result if
            `x` does not return a generator of dicts.
        KeyError: raised by the result if the dicts have no such labels.
    """
    if not isinstance(x, FunctionType):
        raise TypeError(f"x must be generator function; got {type(x).__name__}")
    if target_key is not None and not isinstance(target_key, (str, Container)):
        raise TypeError(
            f"target_key must be str or Container of str; got {type(target_key).__name__}"
        )
    targets: Any = [target_key] if isinstance(target_key, str) else target_key

    def input_fn() -> Any:
        generator = x()
        if not isinstance(generator, Generator):
            raise TypeError(f"x() must be generator; got {type(generator).__name__}")
        row = next(generator)
        if not isinstance(row, dict):
            raise TypeError(f"x() must yield dict; got {type(row).__name__}")
        keys = sorted(row)
        for key in targets or ():
            if key not in row:
                raise KeyError(f"target_key not in yielded dict. Expected {keys} keys; got {key}")
        queue = enqueue_data(
            x,
            queue_capacity,
            shuffle=shuffle,
            num_threads=num_threads,
            enqueue_size=batch_size,
            num_epochs=num_epochs,
            pad_value=pad_value,
        )
        dequeue = queue.dequeue_many if num_epochs is None else queue.dequeue_up_to
        columns = dequeue(batch_size)
        features = dict(zip(keys, columns if isinstance(columns, list) else [columns]))
        if targets is None:
            return features
        if len(targets) == 1:
            return features, features.pop(targets[0])
        return features, {key: features.pop(key) for key in targets}

    return input_fn
