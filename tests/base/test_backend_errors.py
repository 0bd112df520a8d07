import numpy as np
import pytest

from headwater.base import errors
from headwater.base.backend_errors import as_op_error
from headwater.base.lazy import jax


@pytest.mark.parametrize(
    ("dtype", "name"),
    [("f4", "float"), ("f8", "double"), ("f2", "half"), ("i8", "int64"), ("?", "bool")],
)
def test_an_array_of_numpy_that_does_not_fit_names_shape_and_type(dtype, name):
    with pytest.raises(MemoryError) as caught:
        np.empty([1 << 20, 1 << 30], dtype)
    error = as_op_error(caught.value)
    assert isinstance(error, errors.ResourceExhaustedError)
    assert error.message == (
        f"OOM when allocating tensor with shape[1048576,1073741824] and type {name} on "
        "/job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu"
    )


def test_a_plain_memory_error_has_no_shape():
    error = as_op_error(MemoryError())
    assert isinstance(error, errors.ResourceExhaustedError)
    assert error.message.startswith("OOM when allocating tensor on /job:localhost")


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("RESOURCE_EXHAUSTED: no room", errors.ResourceExhaustedError, "OOM: no room"),
        (
            "INTERNAL: event: Out of memory allocating 8 bytes.",
            errors.ResourceExhaustedError,
            "OOM: event: Out of memory allocating 8 bytes.",
        ),
        ("INVALID_ARGUMENT: a: b", errors.InvalidArgumentError, "a: b"),
        ("UNIMPLEMENTED: this", errors.UnimplementedError, "this"),
        ("INTERNAL: two\nlines", errors.InternalError, "two\nlines"),
        ("NO_SUCH_CODE: this", errors.InternalError, "NO_SUCH_CODE: this"),
        ("no code", errors.InternalError, "no code"),
    ],
)
def test_errors_of_xla_become_the_class_of_their_status_code(text, kind, message):
    error = as_op_error(jax.errors.JaxRuntimeError(text))
    assert type(error) is kind
    assert error.message == message


def test_other_errors_are_not_translated():
    for error in (RuntimeError("x"), RecursionError(), ValueError("INTERNAL: x")):
        assert as_op_error(error) is None
