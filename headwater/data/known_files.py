"""Files of public data sets: local first, then downloaded and checked."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.data import download
from headwater.io import files

_CHUNK = 1 << 20


@dataclass(frozen=True)
class KnownFile:
    """A file of a data set.

    Attributes:
        name: its name in a folder.
        urls: addresses of it, the best first.
        digest: the algorithm of hashlib and the digest that it has, such as "md5:0123...".
    """

    name: str
    urls: tuple[str, ...]
    digest: str


def find_or_download(folder: Any, file: KnownFile, contents: str) -> Any:
    """The path of a file in a folder, downloaded if it is not there.

    A file that is there is used unchecked: programs put smaller ones of the same form there.

    Args:
        folder: a path or a URL.
        file: the file.
        contents: what else may be in the folder instead, for the text of the error; "" for nothing.

    Raises:
        DownloadError: if it is not there and cannot be downloaded; says what to put where.
    """
    path = files.join_path(folder, file.name)
    if files.is_file(path):
        return path
    try:
        return download.fetch(file.urls, path, lambda part: _problem(part, file.digest))
    except download.DownloadError as error:
        instead = f", or {contents}," if contents else ""
        raise download.DownloadError(
            f"{file.name} is not in {files.path_text(folder)!r} and cannot be downloaded "
            f"({error}).\nHint: put {file.name} from {file.urls[0]}{instead} into "
            f"{files.path_text(folder)!r}."
        ) from error


def _problem(path: Path, digest: str) -> str:
    algorithm, _, wanted = digest.partition(":")
    found = hashlib.new(algorithm, usedforsecurity=False)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            found.update(chunk)
    if found.hexdigest() == wanted:
        return ""
    return f"the content is not the expected one ({algorithm} {found.hexdigest()}, not {wanted})"
