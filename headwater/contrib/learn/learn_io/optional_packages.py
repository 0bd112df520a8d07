"""Whether the packages of data frames are installed; they are imported for data of theirs only."""

from __future__ import annotations

import importlib.util
from typing import Any

from headwater.base.export import export_value

HAS_PANDAS = importlib.util.find_spec("pandas") is not None
HAS_DASK = importlib.util.find_spec("dask") is not None

export_value("contrib.learn.io.HAS_PANDAS", HAS_PANDAS)
export_value("contrib.learn.io.pandas_io.HAS_PANDAS", HAS_PANDAS)
export_value("contrib.learn.io.data_feeder.HAS_PANDAS", HAS_PANDAS)
export_value("contrib.learn.io.HAS_DASK", HAS_DASK)
export_value("contrib.learn.io.dask_io.HAS_DASK", HAS_DASK)
export_value("contrib.learn.io.data_feeder.HAS_DASK", HAS_DASK)


def _is_of(value: Any, package: str, *names: str) -> bool:
    """Whether a value has a class of a package, by names: the package need not be loaded."""
    return any(
        kind.__module__.partition(".")[0] == package and kind.__name__ in names
        for kind in type(value).__mro__
    )


def is_pandas_frame(value: Any) -> bool:
    """Whether a value is a DataFrame of pandas."""
    return _is_of(value, "pandas", "DataFrame")


def is_pandas(value: Any) -> bool:
    """Whether a value is a DataFrame or Series of pandas."""
    return _is_of(value, "pandas", "DataFrame", "Series")


def is_dask_frame(value: Any) -> bool:
    """Whether a value is a DataFrame of dask."""
    return _is_of(value, "dask", "DataFrame") or _is_of(value, "dask_expr", "DataFrame")


def is_dask(value: Any) -> bool:
    """Whether a value is a DataFrame or Series of dask."""
    names = ("DataFrame", "Series")
    return _is_of(value, "dask", *names) or _is_of(value, "dask_expr", *names)
