"""The input of estimators: arrays, which a data feeder feeds, or an input function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.layers.column_ops import infer_real_valued_columns
from headwater.contrib.learn.learn_io.data_feeder import setup_train_data_feeder
from headwater.contrib.learn.notices import FEATURE_COLUMNS
from headwater.graph import Graph
from headwater.graph.tensor_types import is_tensor

InputFn = Callable[[], Any]
FeedFn = Callable[[], Any]


def verify_input_args(x: Any, y: Any, input_fn: Any, feed_fn: Any, batch_size: Any) -> None:
    """Checks which of the two kinds of input is given.

    Args:
        x: an array of features, or None.
        y: an array of labels, or None.
        input_fn: an input function, or None.
        feed_fn: a function that returns feeds, or None.
        batch_size: the size of batches of `x` and `y`, or None.

    Raises:
        ValueError: if both or none is, or arguments belong to the other kind.
    """
    if input_fn is None:
        if x is None:
            raise ValueError("Either x or input_fn must be provided.")
        if is_tensor(x) or (y is not None and is_tensor(y)):
            raise ValueError("Inputs cannot be tensors. Please provide input_fn.")
        if feed_fn is not None:
            raise ValueError("Can not provide both feed_fn and x or y.")
        return
    if x is not None or y is not None:
        raise ValueError("Can not provide both input_fn and x or y.")
    if batch_size is not None:
        raise ValueError("Can not provide both input_fn and batch_size.")


def get_input_fn(
    x: Any,
    y: Any,
    input_fn: InputFn | None,
    feed_fn: FeedFn | None,
    batch_size: int | None,
    shuffle: bool = False,
    epochs: int | None = 1,
) -> tuple[InputFn, FeedFn | None]:
    """The input function of arrays, and the function that returns the feeds of its batches.

    Args:
        x: an array of features, or None.
        y: an array of labels, or None.
        input_fn: an input function, or None.
        feed_fn: a function that returns feeds, or None.
        batch_size: the size of batches of `x` and `y`, or None.
        shuffle: whether batches are made of rows in random order.
        epochs: how often the arrays are gone through; None for no limit.

    Returns:
        (input function, feed function or None).

    Raises:
        ValueError: if both kinds of input or none is given.
    """
    verify_input_args(x, y, input_fn, feed_fn, batch_size)
    if input_fn is not None:
        return input_fn, feed_fn
    feeder = setup_train_data_feeder(
        x, y, n_classes=None, batch_size=batch_size, shuffle=shuffle, epochs=epochs
    )
    return feeder.input_builder, feeder.get_feed_dict_fn()


@export(
    "contrib.learn.infer_real_valued_columns_from_input_fn",
    "contrib.learn.estimators.infer_real_valued_columns_from_input_fn",
    "contrib.learn.estimator.infer_real_valued_columns_from_input_fn",
)
@deprecated(None, FEATURE_COLUMNS)
def infer_real_valued_columns_from_input_fn(input_fn: InputFn) -> list[Any]:
    """Makes a real valued column for each feature of an input function.

    Args:
        input_fn: a function that returns features and labels.

    Returns:
        A list of columns.

    Raises:
        ValueError: if a feature is neither an integer nor a float.
    """
    return columns_of_input_fn(input_fn)


def columns_of_input_fn(input_fn: InputFn) -> list[Any]:
    """Makes a real valued column for each feature of an input function, without a notice.

    Args:
        input_fn: a function that returns features and labels.

    Returns:
        A list of columns.
    """
    with Graph().as_default():
        features, _ = input_fn()
        columns: list[Any] = infer_real_valued_columns(features)
        return columns


@export(
    "contrib.learn.infer_real_valued_columns_from_input",
    "contrib.learn.estimators.infer_real_valued_columns_from_input",
    "contrib.learn.estimator.infer_real_valued_columns_from_input",
)
@deprecated(None, FEATURE_COLUMNS)
def infer_real_valued_columns_from_input(x: Any) -> list[Any]:
    """Makes a real valued column for each feature of an array.

    Args:
        x: an array, or arrays by name, their first dimension the examples.

    Returns:
        A list of columns.

    Raises:
        ValueError: if a feature is neither an integer nor a float.
    """
    input_fn, _ = get_input_fn(x=x, y=None, input_fn=None, feed_fn=None, batch_size=None)
    return columns_of_input_fn(input_fn)
