"""Data frames of pandas: as arrays, and as input functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export, export_value
from headwater.contrib.learn.learn_io.optional_packages import is_pandas_frame
from headwater.estimator.inputs import pandas_io as core

# The types of columns that can be data, and what they are.
PANDAS_DTYPES = {
    "int8": "int",
    "int16": "int",
    "int32": "int",
    "int64": "int",
    "uint8": "int",
    "uint16": "int",
    "uint32": "int",
    "uint64": "int",
    "float16": "float",
    "float32": "float",
    "float64": "float",
    "bool": "i",
}
export_value("contrib.learn.io.pandas_io.PANDAS_DTYPES", PANDAS_DTYPES)


@export("contrib.learn.io.pandas_input_fn", "contrib.learn.io.pandas_io.pandas_input_fn")
def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """Makes an input function for a DataFrame: `tf.estimator.inputs.pandas_input_fn`, shuffled.

    Args:
        x: the features, a DataFrame.
        y: the labels: a Series or DataFrame with the index of `x`; or None.
        batch_size: the number of examples of a batch.
        num_epochs: how often each example comes; None for ever.
        shuffle: whether examples come in random order.
        queue_capacity: how many examples are read ahead.
        num_threads: the number of threads that read.
        target_column: the name of the column that a Series of labels becomes.

    Returns:
        A function without arguments that returns features by column, and labels if there are some.
    """
    return core.pandas_input_fn(
        x,
        y,
        batch_size=batch_size,
        num_epochs=num_epochs,
        shuffle=shuffle,
        queue_capacity=queue_capacity,
        num_threads=num_threads,
        target_column=target_column,
    )


def _check_types(frame: Any, contents: str) -> None:
    found = ", ".join(
        f"'{name}' type='{kind.name}'"
        for name, kind in frame.dtypes.items()
        if kind.name not in PANDAS_DTYPES
    )
    if found:
        raise ValueError(
            f"Data types for extracting {contents} must be int, float, or bool. Found: {found}"
        )


@export(
    "contrib.learn.extract_pandas_data",
    "contrib.learn.io.extract_pandas_data",
    "contrib.learn.io.pandas_io.extract_pandas_data",
)
def extract_pandas_data(data: Any) -> Any:
    """Returns the numbers of a DataFrame.

    Args:
        data: a DataFrame; anything else is returned as it is.

    Returns:
        A float64 array ``[rows, columns]``.

    Raises:
        ValueError: if a column is neither of numbers nor of booleans.
    """
    if not is_pandas_frame(data):
        return data
    _check_types(data, "pandas data")
    return data.to_numpy().astype("float")


@export(
    "contrib.learn.extract_pandas_matrix",
    "contrib.learn.io.extract_pandas_matrix",
    "contrib.learn.io.pandas_io.extract_pandas_matrix",
)
def extract_pandas_matrix(data: Any) -> Any:
    """Returns the values of a DataFrame, of any type.

    Args:
        data: a DataFrame; anything else is returned as it is.

    Returns:
        An array ``[rows, columns]``.
    """
    return data.to_numpy() if is_pandas_frame(data) else data


@export(
    "contrib.learn.extract_pandas_labels",
    "contrib.learn.io.extract_pandas_labels",
    "contrib.learn.io.pandas_io.extract_pandas_labels",
)
def extract_pandas_labels(labels: Any) -> Any:
    """Returns the labels of a DataFrame.

    Args:
        labels: a DataFrame of one column; anything else is returned as it is.

    Returns:
        An array ``[rows, 1]``.

    Raises:
        ValueError: if there are several columns, or the column is neither of numbers nor of
            booleans.
    """
    if not is_pandas_frame(labels):
        return labels
    if len(labels.columns) > 1:
        raise ValueError("Only one column for labels is allowed.")
    _check_types(labels, "labels")
    return labels.to_numpy()
