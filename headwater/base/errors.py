"""Errors: one class per status code."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from headwater.base.export import export, export_module

OK: Final = 0
CANCELLED: Final = 1
UNKNOWN: Final = 2
INVALID_ARGUMENT: Final = 3
DEADLINE_EXCEEDED: Final = 4
NOT_FOUND: Final = 5
ALREADY_EXISTS: Final = 6
PERMISSION_DENIED: Final = 7
RESOURCE_EXHAUSTED: Final = 8
FAILED_PRECONDITION: Final = 9
ABORTED: Final = 10
OUT_OF_RANGE: Final = 11
UNIMPLEMENTED: Final = 12
INTERNAL: Final = 13
UNAVAILABLE: Final = 14
DATA_LOSS: Final = 15
UNAUTHENTICATED: Final = 16


# What TensorFlow says of an error that another one quotes, by status code.
_STATUS_WORDS: Final = (
    "OK",
    "Cancelled",
    "Unknown",
    "Invalid argument",
    "Deadline exceeded",
    "Not found",
    "Already exists",
    "Permission denied",
    "Resource exhausted",
    "Failed precondition",
    "Aborted",
    "Out of range",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "Data loss",
    "Unauthenticated",
)


def status_text(error: OpError) -> str:
    """An error as the text of another one quotes it: "Not found: /a; No such file or directory".

    Args:
        error: the error.
    """
    return f"{_STATUS_WORDS[error.error_code]}: {error.message}"


class OperatorNotAllowedInGraphError(TypeError):
    """Python asked a tensor for its value, or for its elements, while a graph is built."""


@export("OpError")
class OpError(Exception):
    """The failure of an operation.

    Args:
      node_def: the NodeDef of the operation that failed, or None.
      op: the Operation that failed, or None if the graph has no such operation (it was made by
        the runtime, or the error is not about one operation).
      message: what went wrong.
      error_code: the status code, one of the constants of this module.
      hint: what to do about it; shown after everything else.
    """

    def __init__(
        self, node_def: Any, op: Any, message: str, error_code: int, hint: str | None = None
    ) -> None:
        # No arguments, so that repr() stays short; __str__ gives the text.
        super().__init__()
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        self.hint = hint

    @property
    def node_def(self) -> Any:
        """The NodeDef of the operation that failed, or None."""
        return self._node_def

    @property
    def op(self) -> Any:
        """The Operation that failed, or None."""
        return self._op

    @property
    def message(self) -> str:
        """What went wrong."""
        return self._message

    @property
    def error_code(self) -> int:
        """The status code."""
        return self._error_code

    def __str__(self) -> str:
        parts = [str(self._message)]
        op = self._op
        if op is not None and getattr(op, "traceback", None):
            stack = "".join(traceback.format_list(op.traceback))
            parts.append(f"\n\nOriginal stack trace for {op.name!r}:\n{stack}")
            origin = getattr(op, "_original_op", None)
            while origin is not None:
                stack = "".join(traceback.format_list(origin.traceback))
                parts.append(
                    f"\n...which was originally created as op {origin.name!r}, defined at:\n{stack}"
                )
                origin = getattr(origin, "_original_op", None)
        if self.hint is not None:
            parts.append(f"\nHint: {self.hint}")
        return "".join(parts)

    def __reduce__(self) -> tuple[Any, ...]:
        # An operation belongs to its graph and is not pickled.
        return _restore, (type(self), self._node_def, self._message, self._error_code, self.hint)


def _restore(
    error_type: type[OpError], node_def: Any, message: str, error_code: int, hint: str | None
) -> OpError:
    error = error_type.__new__(error_type)
    OpError.__init__(error, node_def, None, message, error_code, hint)
    return error


class CancelledError(OpError):
    """The operation was cancelled, for instance by closing its session or queue."""

    def __init__(self, node_def: Any, op: Any, message: str, hint: str | None = None) -> None:
        super().__init__(node_def, op, message, CANCELLED, hint)


class UnknownError(OpError):
    """An error whose kind is not known, such as a status code of a newer or foreign system."""

    def __init__(
        self,
        node_def: Any,
        op: Any,
        message: str,
        error_code: int = UNKNOWN,
        hint: str | None = None,
    ) -> None:
        super().__init__(node_def, op, message, error_code, hint)


class InvalidArgumentError(OpError):
    """An operation got an argument that it cannot accept."""

    def __init__(self, node_def: Any, op: Any, message: str, hint: str | None = None) -> None:
        super().__init__(node_def, op, message, INVALID_ARGUMENT, hint)


class DeadlineExceededError(OpError):
    """The time limit passed before the operation was done."""

    def __init__(self, node_def: Any, op: Any, message: str, hint: str | None = None) -> None:
        super().__init__(node_def, op, message, DEADLINE_EXCEEDED, hint)


class NotFoundError(OpError):
    """A file, table, variable or other named thing does not exist."""

    def __init__(self, node_def: Any, op: Any, message: str, hint: str | None = None) -> None:
        super().__init__(node_def, op, message, NOT_FOUND, hint)


class AlreadyExistsError(OpError):
    """The thing that was to be created exists already."""

    def __init__(self, node_def: Any, op: Any, message: str, hint: str | None = None) -> None:
        super().__init__(node_def, op, message, ALREADY_EXISTS, hint)


class PermissionDeniedError(OpError):
    """The caller may not do this, for instance read a file."""

    def __init__(self, node_def: Any, op: Any, message: str, hint: str | None = None) -> None:
        super().__init__(node_def, op, message, PERMISSION_DENIED, hint)


class UnauthenticatedError(OpError):
    """The caller is not authenticated."""

    def __init__(self, node_def: Any, op: Any, message: str, hint: str | None = None) -> None:
        super().__init__(node_def, op, message, UNAUTHENTICATED, hint)


class ResourceExhaustedError(OpError):
    """Memory, disk space or another resource ran out."""

    def __init__(self, node_def: Any, op: Any, message: str, hint: str | None = None) -> None:
        super().__init__(node_def, op, message, RESOURCE_EXHAUSTED, hint)


class FailedPreconditionError(OpError):
    """The state does not allow the operation, e.g. a variable read before it has a value."""

    def __init__(self, node_def: Any, op: Any, message: str, hint: str | None = None) -> None:
        super().__init__(node_def, op, message, FAILED_PRECONDITION, hint)


class AbortedError(OpError):
    """The operation was aborted, typically because of a concurrent one."""

    def __init__(self, node_def: Any, op: Any, message: str, hint: str | None = None) -> None:
        super().__init__(node_def, op, message, ABORTED, hint)


class OutOfRangeError(OpError):
    """The operation went past the valid range, such as the end of the input."""

    def __init__(self, node_def: Any, op: Any, message: str, hint: str | None = None) -> None:
        super().__init__(node_def, op, message, OUT_OF_RANGE, hint)


class UnimplementedError(OpError):
    """The operation is not implemented or not supported."""

    def __init__(self, node_def: Any, op: Any, message: str, hint: str | None = None) -> None:
        super().__init__(node_def, op, message, UNIMPLEMENTED, hint)


class InternalError(OpError):
    """An internal invariant is broken."""

    def __init__(self, node_def: Any, op: Any, message: str, hint: str | None = None) -> None:
        super().__init__(node_def, op, message, INTERNAL, hint)


class UnavailableError(OpError):
    """The runtime cannot be reached at the moment; trying again may help."""

    def __init__(self, node_def: Any, op: Any, message: str, hint: str | None = None) -> None:
        super().__init__(node_def, op, message, UNAVAILABLE, hint)


class DataLossError(OpError):
    """Data was lost or is damaged beyond repair."""

    def __init__(self, node_def: Any, op: Any, message: str, hint: str | None = None) -> None:
        super().__init__(node_def, op, message, DATA_LOSS, hint)


class InaccessibleTensorError(ValueError):
    """A tensor of another function or code block was used."""


_TYPES: Final[dict[int, type[OpError]]] = {
    CANCELLED: CancelledError,
    UNKNOWN: UnknownError,
    INVALID_ARGUMENT: InvalidArgumentError,
    DEADLINE_EXCEEDED: DeadlineExceededError,
    NOT_FOUND: NotFoundError,
    ALREADY_EXISTS: AlreadyExistsError,
    PERMISSION_DENIED: PermissionDeniedError,
    UNAUTHENTICATED: UnauthenticatedError,
    RESOURCE_EXHAUSTED: ResourceExhaustedError,
    FAILED_PRECONDITION: FailedPreconditionError,
    ABORTED: AbortedError,
    OUT_OF_RANGE: OutOfRangeError,
    UNIMPLEMENTED: UnimplementedError,
    INTERNAL: InternalError,
    UNAVAILABLE: UnavailableError,
    DATA_LOSS: DataLossError,
}
_CODES: Final[dict[type[OpError], int]] = {error_type: code for code, error_type in _TYPES.items()}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The class for a status code.

    Raises:
      KeyError: if there is none.
    """
    return _TYPES[error_code]


def error_code_from_exception_type(cls: Any) -> Any:
    """The status code for a class; for anything else, after a warning, an UnknownError.

    Args:
      cls: one of the classes of this module.

    Returns:
      A status code.
    """
    if cls in _CODES:
        return _CODES[cls]
    warnings.warn("Unknown class exception", stacklevel=2)
    return UnknownError(None, None, "Unknown class exception")


def make_error(
    error_code: int, message: str, node_def: Any = None, op: Any = None, hint: str | None = None
) -> OpError:
    """Makes the error for a status code; codes without a class give an UnknownError."""
    error_type = _TYPES.get(error_code)
    if error_type is None:
        return UnknownError(node_def, op, message, error_code, hint=hint)
    return error_type(node_def, op, message, hint=hint)  # type: ignore[call-arg]


@contextmanager
def raise_exception_on_not_ok_status() -> Iterator[None]:
    """A with block around calls that raise errors themselves."""
    yield


export_module("errors", sys.modules[__name__])
