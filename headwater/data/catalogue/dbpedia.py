"""Articles of DBpedia with their classes."""

from __future__ import annotations

import csv
import io
import tarfile
from typing import Any

import numpy as np

from headwater.base.export import export, export_value
from headwater.data import download
from headwater.data.mnist_batches import Dataset, Datasets
from headwater.io import files

DBPEDIA_URL = "https://github.com/le-scientifique/torchDatasets/raw/master/dbpedia_csv.tar.gz"
_ARCHIVE = "dbpedia_csv.tar.gz"
_FOLDER = "dbpedia_csv"
_PARTS = ("train.csv", "test.csv")
# Each so many lines one is kept of the small data set.
_SMALL_RATIO = 1000
_EXAMPLES = {
    "train": [
        ("1", "Mill", "The mill stands at the river."),
        ("2", "Miller", "The miller owns the mill."),
        ("3", "River", "The river flows to the sea."),
    ],
    "test": [("2", "Sailor", "The sailor has come from the sea.")],
}

export_value("contrib.learn.datasets.text_datasets.DBPEDIA_URL", DBPEDIA_URL)


@export("contrib.learn.datasets.text_datasets.maybe_download_dbpedia")
def maybe_download_dbpedia(data_dir: str) -> None:
    """Downloads and unpacks the data set unless `data_dir/dbpedia_csv` has it.

    Args:
        data_dir: a folder, a path or a URL.

    Raises:
        DownloadError: if it cannot be obtained; says what to put where.
    """
    target = files.join_path(data_dir, _FOLDER)
    if all(files.is_file(files.join_path(target, part)) for part in _PARTS):
        return
    archive = files.join_path(data_dir, _ARCHIVE)
    try:
        download.fetch([DBPEDIA_URL], archive)
    except download.DownloadError as error:
        raise download.DownloadError(
            f"{_ARCHIVE} is not in {data_dir!r} and cannot be downloaded ({error}).\n"
            f"Hint: put {' and '.join(_PARTS)} of it into {target!r}."
        ) from error
    files.make_folders(target)
    with tarfile.open(fileobj=io.BytesIO(files.read_bytes(archive))) as members:
        for part in _PARTS:
            source = members.extractfile(f"{_FOLDER}/{part}")
            if source is None:
                raise OSError(f"{_FOLDER}/{part} is not in {archive!r}")
            with files.open_file(files.join_path(target, part), "wb") as file:
                file.write(source.read())


@export("contrib.learn.datasets.text_datasets.load_dbpedia")
def load_dbpedia(size: str = "small", test_with_fake_data: bool = False) -> Datasets:
    """Titles and first sentences of articles of DBpedia, of fourteen classes.

    Args:
        size: "small" for each thousandth article, anything else for all.
        test_with_fake_data: whether to return a few made-up articles.

    Returns:
        `Datasets` of text ``[articles, 2]`` and int32 classes; there is no validation part.

    Raises:
        DownloadError: if the data set cannot be obtained.
    """
    if test_with_fake_data:
        train, test = _EXAMPLES["train"], _EXAMPLES["test"]
    else:
        maybe_download_dbpedia("dbpedia_data")
        ratio = _SMALL_RATIO if size == "small" else 1
        train, test = (_rows(f"dbpedia_data/{_FOLDER}/{part}", ratio) for part in _PARTS)
    return Datasets(train=_dataset(train), validation=None, test=_dataset(test))


def _rows(path: str, ratio: int) -> list[Any]:
    lines = files.read_bytes(path).decode("utf-8").splitlines(keepends=True)
    return list(csv.reader(lines[::ratio]))


def _dataset(rows: list[Any]) -> Dataset:
    return Dataset(
        data=np.array([row[1:] for row in rows]),
        target=np.array([row[0] for row in rows], dtype=np.int32),
    )
