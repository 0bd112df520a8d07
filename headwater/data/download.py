"""Downloads a file from the first of several URLs that works.

URLs of HTTP and FTP are read by Python's own client, which can continue a broken download; URLs of
any other scheme, and folders at a URL, by fsspec.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Any

from headwater.base import errors
from headwater.base.lazy import LazyModule
from headwater.base.progress import bytes_progress
from headwater.io import files

try:
    import fcntl
except ImportError:  # Windows: two processes may then fetch the same file at the same time
    fcntl = None  # type: ignore[assignment]

# These import ssl and email, which programs without downloads do not need.
http_client: Any = LazyModule("http.client")
urllib_error: Any = LazyModule("urllib.error")
urllib_request: Any = LazyModule("urllib.request")

# Name lookup and a server's many addresses each have time limits of their own, which add up to
# minutes on a network that drops packets. This one bounds them all.
CONNECT_SECONDS = 5.0
READ_SECONDS = 15.0
ATTEMPTS_PER_ADDRESS = 3
_CHUNK = 1 << 16
_OWN_SCHEMES = ("http", "https", "ftp")


class DownloadError(OSError):
    """No URL gave the file; the message has the reason for each."""


def path_in(folder: Any, name: Any) -> Any:
    """The path of a file in a folder.

    Args:
      folder: the folder, a path or a URL.
      name: the name of the file, which may come from elsewhere; folders in it are allowed.

    Raises:
      ValueError: if the name is empty, absolute or leads out of the folder.
    """
    text = os.fsdecode(name)
    forms = (PurePosixPath(text), PureWindowsPath(text))
    if not text.strip() or any(form.anchor or ".." in form.parts for form in forms):
        raise ValueError(
            f"The name of a file to download must be relative and without '..', got {text!r}"
        )
    if files.is_remote(folder):
        return files.join_path(folder, text)
    return Path(os.fsdecode(folder)) / text


def fetch(urls: Sequence[str], path: Any, problem_of: Callable[[Path], str] | None = None) -> Any:
    """Downloads a file unless it is there.

    An interrupted download is continued by the next call. The file appears atomically, once it is
    complete and passes the check. If several processes ask for it, one downloads and the others
    wait.

    Args:
      urls: addresses of the same file, the best first.
      path: where to store it, a path or a URL; its folder is made when the first byte arrives.
      problem_of: tells what is wrong with a complete download, "" if nothing is.

    Returns:
      `path`.

    Raises:
      DownloadError: if no address gave a sound file. Nothing is left under `path` then.
    """
    if files.file_exists(path):
        return path
    if os.environ.get("HEADWATER_OFFLINE", "0") not in ("", "0"):
        raise DownloadError("downloads are switched off by HEADWATER_OFFLINE")
    if files.is_remote(path):
        with tempfile.TemporaryDirectory() as folder:
            local = Path(folder) / files.name_of(path)
            _fetch_any(urls, local, problem_of)
            files.make_folders(files.folder_of(path))
            files.copy_file(local, path)
        return path
    _fetch_any(urls, Path(path), problem_of)
    return path


def _fetch_any(urls: Sequence[str], path: Path, problem_of: Callable[[Path], str] | None) -> None:
    """Downloads a file from the first address that works."""
    reasons: dict[str, list[str]] = {}
    for url in urls:
        try:
            if urllib.parse.urlsplit(url).scheme in _OWN_SCHEMES:
                _fetch_one(url, path, problem_of)
            else:
                _copy_one(url, path, problem_of)
            return
        except (OSError, http_client.HTTPException, ValueError, errors.OpError) as error:
            hosts = reasons.setdefault(_reason(error), [])
            hosts.append(urllib.parse.urlsplit(url).netloc or url)
    raise DownloadError("; ".join(f"{', '.join(hosts)}: {why}" for why, hosts in reasons.items()))


def _copy_one(url: str, path: Path, problem_of: Callable[[Path], str] | None) -> None:
    """Copies a file of a scheme that fsspec reads, or of this machine."""
    partial = path.with_name(path.name + ".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with files.open_file(url, "rb") as source, partial.open("wb") as file:
            _copy(source, file, path.name, files.file_statistics(url).length)
        problem = problem_of(partial) if problem_of else ""
        if problem:
            raise ValueError(problem)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _reason(error: Exception) -> str:
    if isinstance(error, errors.OpError):
        return str(error.message)
    cause = getattr(error, "reason", None)
    return str(cause or error) or type(error).__name__


def _fetch_one(url: str, path: Path, problem_of: Callable[[Path], str] | None) -> None:
    """Downloads from one address, going on where a broken connection left off."""
    for _ in range(ATTEMPTS_PER_ADDRESS):
        if _attempt(url, path, problem_of):
            return
    raise ConnectionError(f"the connection broke {ATTEMPTS_PER_ADDRESS} times")


def _attempt(url: str, path: Path, problem_of: Callable[[Path], str] | None) -> bool:
    """Tries once to complete the partial file; returns whether the file is complete."""
    partial = path.with_name(path.name + ".part")
    start = _size(partial)
    with _open(url, start) as response, _locked(partial) as file:
        if path.exists():  # another process has finished the download
            _remove_empty(partial)
            return True
        resumed = response.status == HTTPStatus.PARTIAL_CONTENT
        if resumed and file.tell() != start:  # another process added to the part meanwhile
            return False
        if not resumed:
            file.seek(0)
            file.truncate()
        length = response.headers.get("Content-Length")
        total = file.tell() + int(length) if length else None
        if not _copy(response, file, path.name, total):
            return False
        problem = problem_of(partial) if problem_of else ""
        if not problem:
            if os.name == "nt":  # on platforms where open files cannot be renamed
                file.close()
            partial.replace(path)
            return True
        # A partial file from another URL may not match: then start over once.
        file.truncate(0)
        _remove_empty(partial)
        if not resumed:
            raise ValueError(problem)
        return False


def _size(partial: Path) -> int:
    # Another process may remove the part at any time.
    try:
        return partial.stat().st_size
    except FileNotFoundError:
        return 0


def _remove_empty(partial: Path) -> None:
    with contextlib.suppress(OSError):
        if partial.stat().st_size == 0:
            partial.unlink()


@contextlib.contextmanager
def _locked(partial: Path) -> Iterator[IO[bytes]]:
    """Opens the part for appending; waits while another process has it open."""
    partial.parent.mkdir(parents=True, exist_ok=True)
    while True:
        with partial.open("ab") as file:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
                there = partial.exists() and partial.stat().st_ino
                final = partial.with_suffix("")
                if os.fstat(file.fileno()).st_ino != there and not final.exists():
                    continue  # the other process gave up and removed the part
            file.seek(0, os.SEEK_END)
            yield file
            return


def _open(url: str, start: int) -> Any:
    """Opens an address within CONNECT_SECONDS, from byte `start` on if the server can do that."""
    result: list[Any] = []

    def connect() -> None:
        headers = {"User-Agent": "headwater"}
        try:
            if start:
                result.append(_request(url, headers | {"Range": f"bytes={start}-"}))
            if not result or result[0] is None:
                result[:] = [_request(url, headers)]
        except Exception as error:
            result[:] = [error]

    thread = threading.Thread(target=connect, daemon=True, name="headwater-connect")
    thread.start()
    thread.join(CONNECT_SECONDS)
    if not result or result[0] is None:
        raise TimeoutError(f"no answer within {CONNECT_SECONDS:g} seconds")
    if isinstance(result[0], Exception):
        raise result[0]
    return result[0]


def _request(url: str, headers: dict[str, str]) -> Any:
    """Returns the open response, None if the server says that nothing follows the part."""
    try:
        return urllib_request.urlopen(
            urllib_request.Request(url, headers=headers), timeout=READ_SECONDS
        )
    except urllib_error.HTTPError as error:
        error.close()
        if error.code != HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise
        return None


def _copy(response: Any, file: IO[bytes], name: str, total: int | None) -> bool:
    """Appends the response to the file with a progress bar; says whether all of it arrived.

    Args:
      response: what is read.
      file: the file, open at its end.
      name: the name that is shown.
      total: the size of the whole file, None if it is unknown.
    """
    with bytes_progress(name, total, done=file.tell()) as advance:
        try:
            while chunk := response.read(_CHUNK):
                file.write(chunk)
                advance(len(chunk))
        except (OSError, http_client.HTTPException):
            file.flush()
            return False
    file.flush()
    return total is None or file.tell() >= total
