"""Translates errors of the operating system to TensorFlow's, by errno."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from headwater.base import errors

_NAMES: Final = {
    errors.INVALID_ARGUMENT: (
        "EINVAL ENAMETOOLONG E2BIG EDESTADDRREQ EDOM EFAULT EILSEQ ENOPROTOOPT ENOSTR ENOTSOCK "
        "ENOTTY EPROTOTYPE ESPIPE"
    ),
    errors.DEADLINE_EXCEEDED: "ETIMEDOUT ETIME",
    errors.NOT_FOUND: "ENODEV ENOENT ENXIO ESRCH",
    errors.ALREADY_EXISTS: "EEXIST EADDRNOTAVAIL EALREADY",
    errors.PERMISSION_DENIED: "EPERM EACCES EROFS",
    errors.FAILED_PRECONDITION: (
        "ENOTEMPTY EISDIR ENOTDIR EADDRINUSE EBADF EBUSY ECHILD EISCONN ENOTBLK ENOTCONN EPIPE "
        "ESHUTDOWN ETXTBSY"
    ),
    errors.RESOURCE_EXHAUSTED: (
        "ENOSPC EDQUOT EMFILE EMLINK ENFILE ENOBUFS ENODATA ENOMEM ENOSR EUSERS"
    ),
    errors.OUT_OF_RANGE: "EFBIG EOVERFLOW ERANGE",
    errors.UNIMPLEMENTED: (
        "ENOSYS ENOTSUP EAFNOSUPPORT EPFNOSUPPORT EPROTONOSUPPORT ESOCKTNOSUPPORT EXDEV"
    ),
    errors.UNAVAILABLE: (
        "EAGAIN ECONNREFUSED ECONNABORTED ECONNRESET EINTR EHOSTDOWN EHOSTUNREACH ENETDOWN "
        "ENETRESET ENETUNREACH ENOLCK ENOLINK ENONET"
    ),
    errors.ABORTED: "EDEADLK ESTALE",
    errors.CANCELLED: "ECANCELED",
}
# Not every platform defines every errno.
_CODES: Final = {
    getattr(errno, name): code
    for code, names in _NAMES.items()
    for name in names.split()
    if hasattr(errno, name)
}

# What a user can do, for what programs cannot help.
_HINTS: Final = {
    "ENOSPC": "the disk is full: remove files, keep fewer checkpoints, or write to another disk.",
    "EDQUOT": "the quota of the disk is used up: remove files, or write to another disk.",
    "EFBIG": "the file is larger than the file system or the limits of the process allow.",
    "EROFS": "the file system is mounted read-only: write to another folder.",
    "EACCES": "check the owner and the permissions of the file and of its folders.",
    "EPERM": "check the owner and the permissions of the file and of its folders.",
    "EMFILE": "the process has too many open files: close some, or raise the limit (ulimit -n).",
}

_NUMBERS: Final = {
    FileNotFoundError: errno.ENOENT,
    FileExistsError: errno.EEXIST,
    PermissionError: errno.EACCES,
    IsADirectoryError: errno.EISDIR,
    NotADirectoryError: errno.ENOTDIR,
    TimeoutError: errno.ETIMEDOUT,
    ConnectionRefusedError: errno.ECONNREFUSED,
}


def code_of_errno(number: int | None) -> int:
    """The status code for an errno; UNKNOWN if there is none."""
    return _CODES.get(number or 0, errors.UNKNOWN)


def file_error(error: OSError, path: Any) -> errors.OpError:
    """The TensorFlow error that corresponds to an error of the operating system.

    Args:
        error: the error.
        path: the file it is about: text, bytes or a path object.
    """
    number = error.errno or _number_of_class(error)
    reason = os.strerror(number) if number else str(error)
    text = f"{os.fsdecode(path)}; {reason}"
    hint = _HINTS.get(errno.errorcode.get(number or 0, ""))
    return errors.make_error(code_of_errno(number), text, hint=hint)


def _number_of_class(error: OSError) -> int | None:
    """The error number for an error that was raised in Python with a text alone."""
    return next((n for kind, n in _NUMBERS.items() if isinstance(error, kind)), None)


@contextmanager
def file_errors(path: Any) -> Iterator[None]:
    """A with block that turns errors of the operating system into TensorFlow's.

    Args:
        path: the file that the messages name.
    """
    try:
        yield
    except OSError as error:
        raise file_error(error, path) from None


def in_file(error: errors.OpError, path: Any) -> errors.OpError:
    """The same error with a hint that names the file, unless it has a hint."""
    if error.hint is not None:
        return error
    hint = f"the file is {os.fsdecode(path)}."
    return errors.make_error(error.error_code, error.message, error.node_def, error.op, hint)
