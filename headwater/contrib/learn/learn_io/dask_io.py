"""Data frames of dask with known divisions: their rows are numbered."""

from __future__ import annotations

import itertools
from typing import Any

from headwater.base.export import export
from headwater.base.lazy import LazyModule
from headwater.contrib.learn.learn_io.optional_packages import is_dask, is_dask_frame

dask_dataframe: Any = LazyModule("dask.dataframe")


def _numbered(frame: Any) -> Any:
    """A frame whose index is the number of the row, so that its divisions are known.

    Random splits and rows by index need them, and frames from files have none.
    """
    lengths = frame.map_partitions(len).compute()
    starts = [0, *itertools.accumulate(int(length) for length in lengths)]
    parts = [
        part.reset_index(drop=True).rename(index=start.__add__)
        for part, start in zip(frame.to_delayed(), starts)
    ]
    meta = frame._meta.reset_index(drop=True)
    return dask_dataframe.from_delayed(parts, meta=meta, divisions=tuple(starts))


@export(
    "contrib.learn.extract_dask_data",
    "contrib.learn.io.extract_dask_data",
    "contrib.learn.io.dask_io.extract_dask_data",
)
def extract_dask_data(data: Any) -> Any:
    """Returns a dask frame with known divisions.

    Args:
        data: a dask DataFrame or Series; anything else is returned as it is.

    Returns:
        A frame of the same rows whose index counts them.
    """
    return _numbered(data) if is_dask(data) else data


@export(
    "contrib.learn.extract_dask_labels",
    "contrib.learn.io.extract_dask_labels",
    "contrib.learn.io.dask_io.extract_dask_labels",
)
def extract_dask_labels(labels: Any) -> Any:
    """Returns the labels of a dask frame with known divisions.

    Args:
        labels: a dask DataFrame of one column, or a Series; anything else is returned as it is.

    Returns:
        A Series of the same rows whose index counts them.

    Raises:
        ValueError: if there are several columns.
    """
    if not is_dask(labels):
        return labels
    if is_dask_frame(labels):
        if len(labels.columns) > 1:
            raise ValueError("Only one column for labels is allowed.")
        return _numbered(labels[labels.columns[0]])
    return _numbered(labels)
