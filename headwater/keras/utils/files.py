"""Files from the web: downloaded once, checked and unpacked."""

from __future__ import annotations

import hashlib
import os
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from headwater.base.export import export
from headwater.data import download
from headwater.keras.utils.progress_bar import print_line

_CHUNK = 1 << 20


def digest_of(path: Path, algorithm: str) -> str:
    """Returns the digest of a file in hexadecimal."""
    found = hashlib.new(algorithm, usedforsecurity=False)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            found.update(chunk)
    return found.hexdigest()


def algorithm_of(algorithm: str, file_hash: str) -> str:
    """Returns the algorithm of a digest: "auto" decides by its length."""
    is_sha = algorithm == "sha256" or (algorithm == "auto" and len(file_hash) == 64)
    return "sha256" if is_sha else "md5"


def _cache_folder(cache_dir: Any, cache_subdir: str) -> Path:
    base = Path(os.fspath(cache_dir)).expanduser() if cache_dir else Path.home() / ".keras"
    if base.exists() and not os.access(base, os.W_OK):
        base = Path(tempfile.gettempdir()) / ".keras"
    return base / cache_subdir


@export("keras.utils.get_file")
def get_file(
    fname: str,
    origin: str,
    untar: bool = False,
    md5_hash: str | None = None,
    file_hash: str | None = None,
    cache_subdir: str = "datasets",
    hash_algorithm: str = "auto",
    extract: bool = False,
    archive_format: Any = "auto",
    cache_dir: Any = None,
) -> str:
    """Downloads a file unless it is there.

    Args:
        fname: the name of the file, or its path.
        origin: the URL.
        untar: whether it is a .tar.gz archive that is unpacked; `fname` is then a name without the
            ending.
        md5_hash: the older form of `file_hash`.
        file_hash: the digest that the file has; not checked if None.
        cache_subdir: the folder in the cache.
        hash_algorithm: "md5", "sha256" or "auto".
        extract: whether an archive is unpacked beside the file.
        archive_format: "auto", "tar", "zip", or a list of them.
        cache_dir: the cache; ~/.keras if None.

    Returns:
        The path of the file, or of what `untar` has unpacked.

    Raises:
        DownloadError: if the file cannot be downloaded, or has another digest.
    """
    if md5_hash is not None and file_hash is None:
        file_hash, hash_algorithm = md5_hash, "md5"
    folder = _cache_folder(cache_dir, cache_subdir)
    unpacked = folder / fname
    path = unpacked.with_name(unpacked.name + ".tar.gz") if untar else unpacked
    problem_of = None
    if file_hash is not None:
        wanted, algorithm = file_hash, algorithm_of(hash_algorithm, file_hash)

        def problem_of(part: Path) -> str:
            found = digest_of(part, algorithm)
            return "" if found == wanted else f"the {algorithm} hash is {found}, not {wanted}"

        if path.exists() and problem_of(path):
            print_line(
                "A local file was found, but it seems to be incomplete or outdated because the "
                f"{hash_algorithm} file hash does not match the original value of {file_hash} so "
                "we will re-download the data."
            )
            path.unlink()
    if not path.exists():
        print_line(f"Downloading data from {origin}")
        try:
            download.fetch([origin], path, problem_of)
        except download.DownloadError as error:
            raise download.DownloadError(
                f"URL fetch failure on {origin}: {error}\nHint: put the file to {str(path)!r}."
            ) from error
    if untar:
        if not unpacked.exists():
            _extract(path, folder, "tar")
        return str(unpacked)
    if extract:
        _extract(path, folder, archive_format)
    return str(path)


def _extract(path: Path, folder: Path, archive_format: Any) -> bool:
    """Unpacks an archive; returns False if it is none of the given formats."""
    if archive_format is None:
        return False
    formats = ["tar", "zip"] if archive_format == "auto" else archive_format
    for form in [formats] if isinstance(formats, str) else formats:
        if form == "tar" and tarfile.is_tarfile(path):
            with tarfile.open(path) as archive:
                # The filter refuses members that lead out of the folder.
                if hasattr(tarfile, "data_filter"):
                    archive.extractall(folder, filter="data")
                else:
                    archive.extractall(folder)
            return True
        if form == "zip" and zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as packed:
                packed.extractall(folder)
            return True
    return False
