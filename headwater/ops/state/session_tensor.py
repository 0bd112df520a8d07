"""Tensors that stay in the runtime between runs, and the handles that name them."""

from __future__ import annotations

import itertools

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType, as_dtype, proto_name
from headwater.base.typing import Array, ArrayModule, DTypeLike, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Operation,
    RunsOn,
    Tensor,
    build,
    export,
    get_default_graph,
    register_op,
    shapes,
)
from headwater.graph.device import DeviceSpec

_numbers = itertools.count()
_kept: dict[str, np.ndarray] = {}


def kept_tensor(handle: str) -> np.ndarray:
    """The tensor with a handle.

    Raises:
        InvalidArgumentError: if there is none.
    """
    value = _kept.get(handle)
    if value is None:
        raise errors.InvalidArgumentError(
            None, None, f"The tensor with handle '{handle}' is not in the session store."
        )
    return value


def forget_tensor(handle: str) -> bool:
    """Deletes the tensor with a handle and tells whether there was one."""
    return _kept.pop(handle, None) is not None


def kernel_get_session_handle(xp: ArrayModule, value: Array, *, op_name: str) -> np.ndarray:
    handle = f"{op_name};{next(_numbers)};/job:localhost/replica:0/task:0/device:CPU:0"
    _kept[handle] = np.array(value)
    boxed = np.empty((), object)
    boxed[()] = handle.encode()
    return boxed


def kernel_get_session_tensor(
    xp: ArrayModule, handle: Array, *, dtype: DType, op_name: str
) -> np.ndarray:
    value = kept_tensor(np.asarray(handle).item().decode())
    if value.dtype != dtype.numpy_dtype:
        raise errors.InternalError(
            None,
            None,
            f"Output 0 of type {proto_name(as_dtype(value.dtype))} does not match declared output "
            f"type {proto_name(dtype)} for node {op_name}",
        )
    return value


def kernel_delete_session_tensor(xp: ArrayModule, handle: Array) -> None:
    name = np.asarray(handle).item().decode()
    if not forget_tensor(name):
        raise errors.InvalidArgumentError(
            None, None, f"Failed to delete a tensor with handle '{name}' in the session store."
        )


def _register_session_handle(name: str, type: str) -> None:
    register_op(
        name,
        inputs="value: T",
        outputs=f"handle: {type}",
        attrs="T: type",
        shape=shapes.scalar,
        kernel=kernel_get_session_handle,
        runs_on=RunsOn.HOST,
        stateful=True,
        gradient=NOT_DIFFERENTIABLE,
    )


_register_session_handle("GetSessionHandle", "string")
_register_session_handle("GetSessionHandleV2", "resource")
register_op(
    "GetSessionTensor",
    inputs="handle: string",
    outputs="value: dtype",
    attrs="dtype: type",
    shape=shapes.unknown,
    kernel=kernel_get_session_tensor,
    runs_on=RunsOn.HOST,
    stateful=True,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "DeleteSessionTensor",
    inputs="handle: string",
    outputs="",
    attrs="",
    shape=lambda c: [],
    kernel=kernel_delete_session_tensor,
    runs_on=RunsOn.HOST,
    stateful=True,
    gradient=NOT_DIFFERENTIABLE,
)


@export("get_session_handle")
def get_session_handle(data: TensorLike, name: str | None = None) -> Tensor:
    """An op that keeps the value of a tensor in the runtime.

    Args:
        data: the tensor.
        name: the name of the op.

    Returns:
        A string tensor; a session that fetches it gives a TensorHandle, which can be fed in the
        place of tensors.

    Raises:
        TypeError: if `data` is not a tensor.
    """
    if not isinstance(data, Tensor):
        raise TypeError("`data` must be of type Tensor.")
    with get_default_graph().colocate_with(data.op):
        return build.GetSessionHandle(data, name=name)


@export("get_session_tensor")
def get_session_tensor(
    handle: str, dtype: DTypeLike, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """A tensor that was kept in the runtime.

    Args:
        handle: the text of a handle, which tells the device.
        dtype: the type of the tensor.
        name: the name of the op.

    Returns:
        A placeholder to which the text of a handle is fed, and the tensor.
    """
    with get_default_graph().device(device_of_handle(handle)):
        holder = build.Placeholder(dtype="string", shape=None)
        return holder, build.GetSessionTensor(holder, dtype=dtype, name=name)


@export("delete_session_tensor")
def delete_session_tensor(handle: str, name: str | None = None) -> tuple[Tensor, Operation]:
    """An op that deletes a tensor that was kept in the runtime.

    Args:
        handle: the text of a handle, which tells the device.
        name: the name of the op.

    Returns:
        A placeholder to which the text of a handle is fed, and the op.
    """
    with get_default_graph().device(device_of_handle(handle)):
        holder = build.Placeholder(dtype="string", shape=None)
        return holder, build.DeleteSessionTensor(holder, name=name)


def device_of_handle(handle: str) -> str:
    """The canonical name of the device that the text of a handle ends with."""
    text = handle.decode() if isinstance(handle, bytes) else str(handle)
    return DeviceSpec.from_string(text.split(";")[-1]).to_string()
