"""text8: the first hundred million characters of an encyclopedia, in small letters and spaces."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from headwater.base import errors
from headwater.data.known_files import KnownFile, find_or_download
from headwater.io import files

ARCHIVE = KnownFile(
    "text8.zip",
    ("http://mattmahoney.net/dc/text8.zip", "https://mattmahoney.net/dc/text8.zip"),
    "sha256:a6640522afe85d1963ad56c05b0ede0a0c000dddc9671758a6cc09b7a38e5232",
)


def read_words(data_dir: Any) -> list[str]:
    """Returns the words in their order.

    Args:
        data_dir: a folder, a path or a URL, with `text8` or `text8.zip`; the latter is downloaded
            if there is neither.

    Returns:
        17,005,207 words, if the file is the original one.

    Raises:
        DownloadError: if there is no file and it cannot be downloaded; says what to put where.
        DataLossError: if the archive is damaged.
    """
    unpacked = files.join_path(data_dir, "text8")
    if files.is_file(unpacked):
        return files.read_bytes(unpacked).decode("ascii").split()
    path = find_or_download(data_dir, ARCHIVE, "the unpacked file text8")
    try:
        with zipfile.ZipFile(io.BytesIO(files.read_bytes(path))) as archive:
            return archive.read(archive.namelist()[0]).decode("ascii").split()
    except (zipfile.BadZipFile, IndexError, EOFError) as error:
        raise errors.DataLossError(
            None,
            None,
            f"{path} is damaged: {error}",
            hint="Delete it, so that it is fetched again.",
        ) from error
