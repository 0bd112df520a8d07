"""The census of the United States of 1994: who earns more than 50,000 dollars a year."""

from __future__ import annotations

from typing import Any

from headwater.data.known_files import KnownFile, find_or_download

COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "gender",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
    "income_bracket",
)
_SITES = (
    "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/",
    "http://mlr.cs.umass.edu/ml/machine-learning-databases/adult/",
)
TRAIN, TEST = (
    KnownFile(name, tuple(site + name for site in _SITES), digest)
    for name, digest in (
        ("adult.data", "md5:5d7c39d7b8804f071cdd1f2a7c460872"),
        ("adult.test", "md5:35238206dfdf7f1fe215bbb874adecdc"),
    )
)


def find_files(data_dir: Any) -> tuple[Any, Any]:
    """Returns the paths of the two files; what is missing is downloaded.

    Args:
        data_dir: a folder, a path or a URL.

    Returns:
        The paths of `adult.data` (32,561 lines of COLUMNS) and `adult.test` (16,281 lines after
        one to skip; a full stop ends each line).

    Raises:
        DownloadError: if a file is not there and cannot be downloaded; says what to put where.
    """
    return find_or_download(data_dir, TRAIN, ""), find_or_download(data_dir, TEST, "")
