"""Tables of comma-separated numbers: the last column is the target, unless said otherwise."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import DTypeLike
from headwater.data.mnist_batches import Dataset
from headwater.io import files
from headwater.io.file_object import GFile

_BUNDLED = Path(__file__).parent.parent / "bundled"


def _rows(filename: Any) -> Iterator[list[str]]:
    with GFile(filename) as file:
        yield from csv.reader(file)


@export("contrib.learn.datasets.base.load_csv_with_header")
def load_csv_with_header(
    filename: Any, target_dtype: DTypeLike, features_dtype: DTypeLike, target_column: int = -1
) -> Dataset:
    """Reads a table whose first line has the number of rows and of features.

    Args:
        filename: the file, a path or a URL.
        target_dtype: the NumPy type of the targets.
        features_dtype: the NumPy type of the features.
        target_column: the number of the column with the targets.

    Returns:
        A `Dataset` of features ``[rows, features]`` and targets ``[rows]``.

    Raises:
        NotFoundError: if there is no such file.
        ValueError: if a field is not a number or a row has another length.
        IndexError: if there are more rows than the first line says.
    """
    rows = _rows(filename)
    header = next(rows)
    count, width = int(header[0]), int(header[1])
    data = np.zeros((count, width), dtype=features_dtype)
    target = np.zeros((count,), dtype=target_dtype)
    for i, row in enumerate(rows):
        target[i] = np.asarray(row.pop(target_column), dtype=target_dtype)
        data[i] = np.asarray(row, dtype=features_dtype)
    return Dataset(data=data, target=target)


@export("contrib.learn.datasets.base.load_csv_without_header")
def load_csv_without_header(
    filename: Any, target_dtype: DTypeLike, features_dtype: DTypeLike, target_column: int = -1
) -> Dataset:
    """Reads a table without a header.

    Args:
        filename: the file, a path or a URL.
        target_dtype: the NumPy type of the targets.
        features_dtype: the NumPy type of the features.
        target_column: the number of the column with the targets.

    Returns:
        A `Dataset` of features ``[rows, features]`` and targets ``[rows]``.

    Raises:
        NotFoundError: if there is no such file.
        ValueError: if a field is not a number.
    """
    data, target = [], []
    for row in _rows(filename):
        target.append(row.pop(target_column))
        data.append(np.asarray(row, dtype=features_dtype))
    return Dataset(data=np.array(data), target=np.array(target, dtype=target_dtype))


@export("contrib.learn.datasets.base.load_csv")
def load_csv(
    filename: Any, target_dtype: DTypeLike, target_column: int = -1, has_header: bool = True
) -> Dataset:
    """Reads a table of float64 features, as programs before release 0.11 do.

    Args:
        filename: the file, a path or a URL.
        target_dtype: the NumPy type of the targets.
        target_column: the number of the column with the targets.
        has_header: whether the first line has the number of rows and of features.

    Returns:
        A `Dataset` of features ``[rows, features]`` and targets ``[rows]``.

    Raises:
        NotFoundError: if there is no such file.
        ValueError: if a field is not a number.
    """
    load = load_csv_with_header if has_header else load_csv_without_header
    return load(filename, target_dtype, np.float64, target_column)


@export("contrib.learn.datasets.base.shrink_csv")
def shrink_csv(filename: str, ratio: int) -> None:
    """Writes each `ratio`-th line of a file, the first one included, to `NAME_small.csv`.

    Args:
        filename: the file, a path or a URL that ends in ".csv".
        ratio: how many lines there are for each one that is kept.
    """
    smaller = filename.replace(".csv", "_small.csv")
    with files.open_file(filename, "rb") as source, files.open_file(smaller, "wb") as target:
        target.writelines(line for i, line in enumerate(source) if i % ratio == 0)


@export("contrib.learn.datasets.load_iris", "contrib.learn.datasets.base.load_iris")
def load_iris(data_path: Any = None) -> Dataset:
    """Fisher's Iris flowers: four measures of 150 flowers of three kinds.

    Args:
        data_path: a file as `load_csv_with_header` reads it; None for the one in the package.

    Returns:
        A `Dataset` of float64 ``[150, 4]`` and int64 ``[150]``.
    """
    path = _BUNDLED / "iris.csv" if data_path is None else data_path
    return load_csv_with_header(path, target_dtype=np.int64, features_dtype=np.float64)


@export("contrib.learn.datasets.load_boston", "contrib.learn.datasets.base.load_boston")
def load_boston(data_path: Any = None) -> Dataset:
    """Prices of houses in Boston with thirteen features of their districts.

    Args:
        data_path: a file as `load_csv_with_header` reads it; None for the one in the package.

    Returns:
        A `Dataset` of float64 ``[506, 13]`` and float64 ``[506]``.
    """
    path = _BUNDLED / "boston_house_prices.csv" if data_path is None else data_path
    return load_csv_with_header(path, target_dtype=np.float64, features_dtype=np.float64)
