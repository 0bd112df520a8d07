"""Handles of tensors that stay in the runtime between runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType, proto_name
from headwater.graph import Tensor
from headwater.ops.state.session_tensor import device_of_handle, forget_tensor, kept_tensor


class TensorHandle:
    """The value of a fetched `tf.get_session_handle`; the tensor lives as long as the handle.

    It can be fed in the place of a tensor.

    Args:
        handle: the text of the handle.
        dtype: the type of the tensor.
        session: the session that keeps it.
    """

    def __init__(self, handle: Any, dtype: DType, session: Any) -> None:
        self._handle = handle.decode() if isinstance(handle, bytes) else str(handle)
        self._resource_handle: Any = None
        self._dtype = dtype
        self._session = session
        self._auto_gc_enabled = True
        session._kept_handles.add(self._handle)

    def __del__(self) -> None:
        if self._auto_gc_enabled:
            self._forget()

    def __str__(self) -> str:
        return self._handle

    @property
    def handle(self) -> str:
        """The text of the handle, to be fed to the placeholder of `tf.get_session_tensor`."""
        return self._handle

    def eval(self) -> Any:
        """The value of the tensor.

        Raises:
            TypeError: if it may have been deleted.
        """
        self._check()
        return self.value()

    def value(self) -> np.ndarray:
        """The value of the tensor as it is kept.

        Raises:
            InvalidArgumentError: if it has been deleted.
        """
        value = kept_tensor(self._handle)
        return value[()] if value.ndim == 0 else value.copy()

    def delete(self) -> None:
        """Deletes the tensor.

        Raises:
            TypeError: if it may have been deleted already.
        """
        self._check()
        self._auto_gc_enabled = False
        self._forget()

    def get_raw_handle(self) -> str:
        """The text of the handle; the tensor then lives until it is deleted by an op."""
        self._auto_gc_enabled = False
        return self._handle

    def to_numpy_array(self) -> np.ndarray:
        """The text of the handle as an array, for ops that take it."""
        return np.array(self._handle.encode(), dtype=object)

    @staticmethod
    def _get_device_name(handle: Any) -> str:
        return device_of_handle(handle)

    def _check(self) -> None:
        if not self._auto_gc_enabled:
            raise TypeError(f"Persistent tensor {self._handle} may have already been deleted.")

    def _forget(self) -> None:
        forget_tensor(self._handle)
        self._session._kept_handles.discard(self._handle)


def fetched_handle(tensor: Tensor, value: Any, session: Any) -> Any:
    """The value of a fetched tensor: a TensorHandle for what keeps a tensor."""
    return TensorHandle(np.asarray(value).item(), tensor._op._inputs[0].dtype, session)


def makes_handle(tensor: Tensor) -> bool:
    """Whether a fetched tensor gives a TensorHandle."""
    return tensor._op.type in ("GetSessionHandle", "GetSessionHandleV2")


def fed_value(tensor: Tensor, handle: TensorHandle) -> Any:
    """The array that a fed TensorHandle stands for.

    Raises:
        InvalidArgumentError: if the tensor is of another type, or has been deleted.
    """
    if handle._dtype.base_dtype != tensor.dtype.base_dtype:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Expects arg[0] to be {proto_name(tensor.dtype)} but {proto_name(handle._dtype)} is "
            "provided",
            hint=f"feed the text of the handle, its attribute `handle`, to {tensor.name}."
            if tensor.dtype.base_dtype.name == "string"
            else None,
        )
    return handle.value()
