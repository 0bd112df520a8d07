"""TensorArrays: making them and their gradient arrays, single elements, size."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.dtypes import DType, proto_name
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import NOT_DIFFERENTIABLE, Operation, RunsOn, Tensor, register_op, shapes
from headwater.ops.control import tensor_array_shapes
from headwater.ops.control.tensor_array_gradient import gradient_array, gradient_source
from headwater.ops.control.tensor_array_resource import TensorArrayResource, invalid


def kernel_array(
    xp: ArrayModule,
    size: Array,
    *,
    dtype: DType,
    element_shape: Shape,
    dynamic_size: bool,
    clear_after_read: bool,
    tensor_array_name: str,
    op_name: str,
    identical_element_shapes: bool = False,
) -> TensorArrayResource:
    if np.ndim(size) > 0:
        raise invalid(
            f"TensorArray size must be scalar, but had shape: {shapes.show(np.shape(size))}"
        )
    if size < 0:
        raise invalid("Size should be >= 0.")
    return TensorArrayResource(
        TensorArrayResource.numbered(tensor_array_name or op_name),
        dtype,
        int(size),
        element_shape,
        dynamic_size=dynamic_size,
        clear_after_read=clear_after_read,
        identical_element_shapes=identical_element_shapes,
    )


def kernel_array_with_flow(
    xp: ArrayModule,
    size: Array,
    *,
    dtype: DType,
    element_shape: Shape,
    dynamic_size: bool,
    clear_after_read: bool,
    identical_element_shapes: bool,
    tensor_array_name: str,
    op_name: str,
) -> tuple[TensorArrayResource, np.ndarray]:
    array = kernel_array(
        xp,
        size,
        dtype=dtype,
        element_shape=element_shape,
        dynamic_size=dynamic_size,
        clear_after_read=clear_after_read,
        identical_element_shapes=identical_element_shapes,
        tensor_array_name=tensor_array_name,
        op_name=op_name,
    )
    return array, np.zeros((), np.float32)


def kernel_grad(
    xp: ArrayModule, handle: TensorArrayResource, flow_in: Array, *, source: str
) -> TensorArrayResource:
    return handle.gradient(source)


def kernel_grad_with_flow(
    xp: ArrayModule, handle: TensorArrayResource, flow_in: Array, *, source: str
) -> tuple[Any, Any]:
    return handle.gradient(source), flow_in


def kernel_grad_with_shape(
    xp: ArrayModule,
    handle: TensorArrayResource,
    flow_in: Array,
    shape_to_prepend: Array,
    *,
    source: str,
) -> tuple[Any, Any]:
    return handle.gradient(source, tuple(shape_to_prepend.tolist())), flow_in


def kernel_write(
    xp: ArrayModule,
    handle: TensorArrayResource,
    index: Array,
    value: Array,
    flow_in: Array,
    *,
    T: DType,
) -> Array:
    if T is not handle.dtype:
        raise invalid(
            f"TensorArray dtype is {proto_name(handle.dtype)} but Op is trying to write dtype "
            f"{proto_name(T)}."
        )
    handle.write(index, value)
    return flow_in


def kernel_read(
    xp: ArrayModule, handle: TensorArrayResource, index: Array, flow_in: Array, *, dtype: DType
) -> Array:
    if dtype is not handle.dtype:
        raise invalid(
            f"TensorArray dtype is {proto_name(handle.dtype)} but Op requested dtype "
            f"{proto_name(dtype)}."
        )
    return handle.read(index)


def kernel_size(xp: ArrayModule, handle: TensorArrayResource, flow_in: Array) -> Array:
    return handle.size()


def kernel_close(xp: ArrayModule, handle: TensorArrayResource) -> tuple[()]:
    handle.close()
    return ()


def gradient_read(op: Operation, grad: Tensor) -> list[Any]:
    handle, index, flow = op.inputs
    array = gradient_array(handle, flow, op.get_attr("dtype"), gradient_source(grad))
    return [None, None, array.write(index, grad).flow]


def gradient_write(op: Operation, flow: Tensor) -> list[Any]:
    handle, index, _, _ = op.inputs
    array = gradient_array(handle, flow, op.get_attr("T"), gradient_source(flow))
    return [None, None, array.read(index), flow]


def _register_tensor_array(
    name: str,
    grad: str,
    write: str,
    read: str,
    size: str,
    close: str,
    *,
    handle: str,
    attrs: str,
    newest: bool,
) -> None:
    # Of the older versions only the ops that make something are stateful.
    register_op(
        name,
        inputs="size: int32",
        outputs=f"handle: {handle}" + (", flow: float" if newest else ""),
        attrs=attrs,
        shape=(
            tensor_array_shapes.shape_array if newest else tensor_array_shapes.shape_array_handle
        ),
        kernel=kernel_array_with_flow if newest else kernel_array,
        runs_on=RunsOn.HOST,
        stateful=True,
        gradient=NOT_DIFFERENTIABLE,
    )
    register_op(
        grad,
        inputs=f"handle: {'resource' if newest else 'string'}, flow_in: float",
        outputs=f"grad_handle: {handle}" + (", flow_out: float" if newest else ""),
        attrs="source: string",
        shape=tensor_array_shapes.shape_grad if newest else tensor_array_shapes.shape_grad_handle,
        kernel=kernel_grad_with_flow if newest else kernel_grad,
        runs_on=RunsOn.HOST,
        opaque=True,
        stateful=True,
        gradient=NOT_DIFFERENTIABLE,
    )
    register_op(
        write,
        inputs=f"handle: {handle}, index: int32, value: T, flow_in: float",
        outputs="flow_out: float",
        attrs="T: type",
        shape=tensor_array_shapes.shape_write,
        kernel=kernel_write,
        runs_on=RunsOn.HOST,
        opaque=True,
        stateful=newest,
        gradient=gradient_write,
    )
    register_op(
        read,
        inputs=f"handle: {handle}, index: int32, flow_in: float",
        outputs="value: dtype",
        attrs="dtype: type",
        shape=tensor_array_shapes.shape_read,
        kernel=kernel_read,
        runs_on=RunsOn.HOST,
        opaque=True,
        stateful=newest,
        gradient=gradient_read,
    )
    register_op(
        size,
        inputs=f"handle: {handle}, flow_in: float",
        outputs="size: int32",
        shape=tensor_array_shapes.shape_size,
        kernel=kernel_size,
        runs_on=RunsOn.HOST,
        opaque=True,
        stateful=newest,
        gradient=NOT_DIFFERENTIABLE,
    )
    register_op(
        close,
        inputs=f"handle: {handle}",
        shape=tensor_array_shapes.shape_close,
        kernel=kernel_close,
        runs_on=RunsOn.HOST,
        stateful=newest,
        gradient=NOT_DIFFERENTIABLE,
    )


_register_tensor_array(
    "TensorArray",
    "TensorArrayGrad",
    "TensorArrayWrite",
    "TensorArrayRead",
    "TensorArraySize",
    "TensorArrayClose",
    handle="Ref(string)",
    attrs=(
        "dtype: type, dynamic_size: bool = false, clear_after_read: bool = true, "
        "tensor_array_name: string = '', element_shape: shape = unknown"
    ),
    newest=False,
)
_register_tensor_array(
    "TensorArrayV2",
    "TensorArrayGradV2",
    "TensorArrayWriteV2",
    "TensorArrayReadV2",
    "TensorArraySizeV2",
    "TensorArrayCloseV2",
    handle="string",
    attrs=(
        "dtype: type, element_shape: shape = unknown, dynamic_size: bool = false, "
        "clear_after_read: bool = true, tensor_array_name: string = ''"
    ),
    newest=False,
)
_register_tensor_array(
    "TensorArrayV3",
    "TensorArrayGradV3",
    "TensorArrayWriteV3",
    "TensorArrayReadV3",
    "TensorArraySizeV3",
    "TensorArrayCloseV3",
    handle="resource",
    attrs=(
        "dtype: type, element_shape: shape = unknown, dynamic_size: bool = false, "
        "clear_after_read: bool = true, identical_element_shapes: bool = false, "
        "tensor_array_name: string = ''"
    ),
    newest=True,
)
register_op(
    "TensorArrayGradWithShape",
    inputs="handle: resource, flow_in: float, shape_to_prepend: int32",
    outputs="grad_handle: resource, flow_out: float",
    attrs="source: string",
    shape=tensor_array_shapes.shape_grad,
    kernel=kernel_grad_with_shape,
    runs_on=RunsOn.HOST,
    stateful=True,
    gradient=NOT_DIFFERENTIABLE,
)
