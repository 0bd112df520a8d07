"""Errors of NumPy and XLA as TensorFlow's errors: the only place that translates them."""

from __future__ import annotations

import re
from typing import Any

from headwater.base import errors
from headwater.base.dtypes import as_dtype, proto_name

_DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"
_HINT = "feed smaller batches, or make the tensors of the graph smaller."
# XLA writes the status code first: "RESOURCE_EXHAUSTED: Out of memory allocating 4096 bytes."
_STATUS = re.compile(r"\s*([A-Z_]+): ?(.*)", re.DOTALL)
_ALLOCATION = "Out of memory allocating"


def out_of_memory(
    shape: tuple[int, ...] | None,
    dtype: Any,
    *,
    device: str = "",
    allocator: str = "cpu",
    hint: str = _HINT,
) -> errors.ResourceExhaustedError:
    """TensorFlow's error for a tensor that does not fit into memory.

    Args:
        shape: the shape of the tensor; None if it is not known.
        dtype: its NumPy dtype or None.
        device: the name of the device; the first CPU if empty.
        allocator: the name of the allocator: cpu, GPU_0_bfc.
        hint: what the user can do.
    """
    what = "tensor"
    if shape is not None and dtype is not None:
        dims = ",".join(str(dim) for dim in shape)
        what = f"tensor with shape[{dims}] and type {proto_name(as_dtype(dtype))}"
    text = f"OOM when allocating {what} on {device or _DEVICE} by allocator {allocator}"
    return errors.ResourceExhaustedError(None, None, text, hint=hint)


def as_op_error(error: BaseException) -> errors.OpError | None:
    """The error of TensorFlow for an error of NumPy or XLA.

    Args:
        error: any exception.

    Returns:
        An error without an op; None if the exception is of another kind.
    """
    if isinstance(error, MemoryError):
        # NumPy says which array it could not allocate.
        return out_of_memory(getattr(error, "shape", None), getattr(error, "dtype", None))
    if not is_backend_error(error):
        return None
    text = str(error)
    found = _STATUS.match(text)
    code = getattr(errors, found[1], None) if found else None
    if found is None or not isinstance(code, int):
        return errors.InternalError(None, None, text)
    # XLA before JAX 0.7 calls it INTERNAL when a program cannot allocate its buffers.
    if code == errors.RESOURCE_EXHAUSTED or _ALLOCATION in text:
        return errors.ResourceExhaustedError(None, None, f"OOM: {found[2]}", hint=_HINT)
    return errors.make_error(code, found[2])


def is_backend_error(error: BaseException) -> bool:
    """Whether XLA raised an error."""
    # By its name: JAX, which has the class, may not have been imported.
    return any(c.__name__ in ("JaxRuntimeError", "XlaRuntimeError") for c in type(error).__mro__)
