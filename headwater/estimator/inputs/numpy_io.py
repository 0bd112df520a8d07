"""numpy_input_fn: input functions for arrays."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.estimator.inputs.feeding import enqueue_data

_TARGET_KEY = "__target_key__"
_DIRECT_INPUT_KEY = "__direct_np_input__"


def _unused_key(keys: Collection[str]) -> str:
    key = _TARGET_KEY
    while key in keys:
        key += "_n"
    return key


def _ordered_features(x: Any) -> OrderedDict[str, Any]:
    """Features as a dict sorted by name; an array alone gets a name of its own.

    Raises:
        ValueError: if there are none.
        TypeError: if they are neither a dict nor an array.
    """
    if isinstance(x, dict):
        if not x:
            raise ValueError("x cannot be an empty dict")
        return OrderedDict(sorted(x.items()))
    if isinstance(x, np.ndarray):
        if x.size == 0:
            raise ValueError("x cannot be an empty array")
        return OrderedDict([(_DIRECT_INPUT_KEY, x)])
    raise TypeError(f"x must be a dict or array; got {type(x).__name__}")


@export("estimator.inputs.numpy_input_fn")
def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """Makes an input function for arrays.

    Args:
        x: the features: an array or a dict of arrays; rows are examples.
        y: the labels: an array, a dict of arrays, or None.
        batch_size: the number of examples of a batch.
        num_epochs: how often each example comes; None for ever.
        shuffle: whether examples come in random order; must be given.
        queue_capacity: how many examples are read ahead.
        num_threads: the number of threads that read.

    Returns:
        A function without arguments that returns features and labels in the structure of `x` and
        `y`; features alone without labels.

    Raises:
        ValueError: if `shuffle` is not a bool; the function raises it for empty data, names that
            features and labels have in common, and different numbers of examples.
        TypeError: raised by the function if `x` is neither a dict nor an array.

    Example:
        >>> numbers = tf.estimator.inputs.numpy_input_fn(np.arange(4), batch_size=2, shuffle=False)
        >>> batch = numbers()
        >>> with tf.train.MonitoredSession() as session:
        ...     print(session.run(batch))
        [0 1]
    """
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it "
            f"as True for training); got {shuffle}"
        )

    def input_fn() -> Any:
        columns = _ordered_features(x)
        feature_keys = list(columns)
        target_keys: Any = None
        if isinstance(y, dict):
            if not y:
                raise ValueError("y cannot be empty dict, use None instead.")
            targets = OrderedDict(sorted(y.items()))
            target_keys = list(targets)
            common = set(feature_keys) & set(target_keys)
            if common:
                raise ValueError(
                    f"{len(common)} duplicate keys are found in both x and y: {common}"
                )
            columns.update(targets)
        elif y is not None:
            target_keys = _unused_key(feature_keys)
            columns[target_keys] = y
        _check_lengths(columns, feature_keys, y)
        queue = enqueue_data(
            columns,
            queue_capacity,
            shuffle=shuffle,
            num_threads=num_threads,
            enqueue_size=batch_size,
            num_epochs=num_epochs,
        )
        # The last batch may be smaller if there is one.
        dequeue = queue.dequeue_many if num_epochs is None else queue.dequeue_up_to
        batch = dict(zip(columns, dequeue(batch_size)[1:]))
        features: Any = {key: batch[key] for key in feature_keys}
        if isinstance(x, np.ndarray):
            (features,) = features.values()
        if y is None:
            return features
        if isinstance(target_keys, list):
            return features, {key: batch[key] for key in target_keys}
        return features, batch[target_keys]

    return input_fn


def _check_lengths(columns: dict[str, Any], feature_keys: list[str], y: Any) -> None:
    if len({column.shape[0] for column in columns.values()}) == 1:
        return
    shapes_x = {key: columns[key].shape for key in feature_keys}
    shapes_y: Any = None
    if isinstance(y, dict):
        shapes_y = {key: value.shape for key, value in y.items()}
    elif y is not None:
        shapes_y = y.shape
    raise ValueError(
        "Length of tensors in x and y is mismatched. All elements in x and y must have the same "
        f"length.\nShapes in x: {shapes_x}\nShapes in y: {shapes_y}\n"
    )
