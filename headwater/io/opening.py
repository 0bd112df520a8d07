"""Opening files, with TensorFlow's errors."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any, BinaryIO

from headwater.base import errors

_ERRORS: dict[int, Any] = {
    errno.ENOENT: errors.NotFoundError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.ENOTEMPTY: errors.FailedPreconditionError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EMFILE: errors.ResourceExhaustedError,
}


def path_text(path: Any) -> str:
    """A path that may be text, bytes or a path object, as text."""
    return os.fsdecode(path)


def file_error(error: OSError, path: Any) -> errors.OpError:
    """The error of TensorFlow that says the same as one of the operating system."""
    kind: Any = _ERRORS.get(error.errno or 0, errors.UnknownError)
    reason = os.strerror(error.errno) if error.errno else str(error)
    return kind(None, None, f"{path_text(path)}; {reason}")


def open_file(path: Any, mode: str) -> BinaryIO:
    """Opens a file in a binary mode.

    Args:
        path: text, bytes or a path object.
        mode: "rb", "wb" or "ab".

    Raises:
        OpError: of the class that fits (NotFoundError for example), if it cannot be opened.
    """
    try:
        return Path(path_text(path)).open(mode)  # type: ignore[return-value]
    except OSError as error:
        raise file_error(error, path) from None
