"""Classes and codes of errors."""

from __future__ import annotations

import pytest

import headwater as tf

CODES = {
    "CancelledError": 1,
    "InvalidArgumentError": 3,
    "DeadlineExceededError": 4,
    "NotFoundError": 5,
    "AlreadyExistsError": 6,
    "PermissionDeniedError": 7,
    "ResourceExhaustedError": 8,
    "FailedPreconditionError": 9,
    "AbortedError": 10,
    "OutOfRangeError": 11,
    "UnimplementedError": 12,
    "InternalError": 13,
    "UnavailableError": 14,
    "DataLossError": 15,
    "UnauthenticatedError": 16,
}


@pytest.mark.parametrize("name", CODES)
def test_classes_of_errors(name):
    error = getattr(tf.errors, name)(None, None, "text")
    assert isinstance(error, tf.OpError) and isinstance(error, tf.errors.OpError)
    assert (error.op, error.node_def, error.message) == (None, None, "text")
    assert error.error_code == CODES[name]
    assert tf.errors.UnknownError(None, None, "text").error_code == 2
    assert tf.errors.UnknownError(None, None, "text", 20).error_code == 20
