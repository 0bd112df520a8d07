"""Errors carry what TensorFlow's carry."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import pytest

from headwater.base import errors

CODES = {
    "CANCELLED": (1, errors.CancelledError),
    "UNKNOWN": (2, errors.UnknownError),
    "INVALID_ARGUMENT": (3, errors.InvalidArgumentError),
    "DEADLINE_EXCEEDED": (4, errors.DeadlineExceededError),
    "NOT_FOUND": (5, errors.NotFoundError),
    "ALREADY_EXISTS": (6, errors.AlreadyExistsError),
    "PERMISSION_DENIED": (7, errors.PermissionDeniedError),
    "RESOURCE_EXHAUSTED": (8, errors.ResourceExhaustedError),
    "FAILED_PRECONDITION": (9, errors.FailedPreconditionError),
    "ABORTED": (10, errors.AbortedError),
    "OUT_OF_RANGE": (11, errors.OutOfRangeError),
    "UNIMPLEMENTED": (12, errors.UnimplementedError),
    "INTERNAL": (13, errors.InternalError),
    "UNAVAILABLE": (14, errors.UnavailableError),
    "DATA_LOSS": (15, errors.DataLossError),
    "UNAUTHENTICATED": (16, errors.UnauthenticatedError),
}

OP = SimpleNamespace(
    name="add",
    traceback=[
        ("program.py", 3, "<module>", "y = model(x)"),
        ("program.py", 2, "model", "return x + 1"),
    ],
    _original_op=None,
)
STACK = (
    '  File "program.py", line 3, in <module>\n'
    "    y = model(x)\n"
    '  File "program.py", line 2, in model\n'
    "    return x + 1\n"
)


@pytest.mark.parametrize(("name", "code", "error_type"), [(n, *pair) for n, pair in CODES.items()])
def test_each_code_has_its_class(name: str, code: int, error_type: type[errors.OpError]) -> None:
    error = error_type("node", OP, "wrong")  # type: ignore[call-arg]
    assert getattr(errors, name) == error.error_code == code
    assert (error.node_def, error.op, error.message) == ("node", OP, "wrong")
    assert error_type.__mro__[1] is errors.OpError
    assert errors.exception_type_from_error_code(code) is error_type
    assert errors.error_code_from_exception_type(error_type) == code
    assert type(errors.make_error(code, "wrong")) is error_type


def test_a_code_without_a_class() -> None:
    error = errors.make_error(77, "odd")
    assert (type(error), error.error_code) == (errors.UnknownError, 77)
    with pytest.raises(KeyError):
        errors.exception_type_from_error_code(0)
    with pytest.warns(UserWarning, match="Unknown class exception"):
        unknown = errors.error_code_from_exception_type(errors.OpError)
    assert isinstance(unknown, errors.UnknownError)


def test_the_text_is_the_message_without_an_op() -> None:
    error = errors.NotFoundError(None, None, "no such file")
    assert str(error) == "no such file"
    assert repr(error) == "NotFoundError()"
    assert error.args == ()


def test_the_text_shows_where_the_op_was_made() -> None:
    error = errors.InvalidArgumentError(None, OP, "bad")
    assert str(error) == f"bad\n\nOriginal stack trace for 'add':\n{STACK}"


def test_the_text_shows_the_op_that_a_gradient_op_comes_from() -> None:
    gradient = SimpleNamespace(name="gradients/add", traceback=OP.traceback[:1], _original_op=OP)
    assert str(errors.InternalError(None, gradient, "bad")) == (
        "bad\n\nOriginal stack trace for 'gradients/add':\n"
        '  File "program.py", line 3, in <module>\n'
        "    y = model(x)\n"
        f"\n...which was originally created as op 'add', defined at:\n{STACK}"
    )


def test_the_hint_comes_last() -> None:
    error = errors.InvalidArgumentError(None, OP, "bad", hint="do this")
    assert error.message == "bad"
    assert str(error).endswith("return x + 1\n\nHint: do this")
    assert str(errors.AbortedError(None, None, "bad", hint="wait")) == "bad\nHint: wait"


@pytest.mark.parametrize(
    "error",
    [
        errors.OpError("node", OP, "text", 9, hint="h"),
        errors.UnknownError("node", OP, "text", 42),
        errors.OutOfRangeError("node", OP, "text", hint="h"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_can_be_sent_without_its_op(error: errors.OpError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert (copy.node_def, copy.op, copy.message) == ("node", None, "text")
    assert (copy.error_code, copy.hint) == (error.error_code, error.hint)
