"""TensorArrays: many elements at once as one tensor, stacked or concatenated."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.dtypes import DType, proto_name
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import Operation, RunsOn, Tensor, register_op, shapes
from headwater.ops.control import tensor_array_shapes
from headwater.ops.control.tensor_array_gradient import gradient_array, gradient_source
from headwater.ops.control.tensor_array_resource import TensorArrayResource, compatible, invalid


def kernel_gather(
    xp: ArrayModule,
    handle: TensorArrayResource,
    indices: Array,
    flow_in: Array,
    *,
    dtype: DType,
    element_shape: Shape,
) -> np.ndarray:
    _check_read(handle, dtype)
    handle.merge_element_shape(element_shape)
    if np.ndim(indices) != 1:
        raise invalid(
            f"Expected indices to be a vector, but received shape: {shapes.show(np.shape(indices))}"
        )
    return _stacked(handle, np.asarray(indices).tolist(), element_shape)


def kernel_pack(
    xp: ArrayModule,
    handle: TensorArrayResource,
    flow_in: Array,
    *,
    dtype: DType,
    element_shape: Shape,
) -> np.ndarray:
    _check_read(handle, dtype)
    handle.merge_element_shape(element_shape)
    return _stacked(handle, handle.whole(), element_shape)


def _stacked(handle: TensorArrayResource, indices: Any, element_shape: Shape) -> np.ndarray:
    if not len(indices):
        if not shapes.is_static(element_shape):
            raise errors.UnimplementedError(
                None,
                None,
                f"TensorArray has size zero, but element shape {shapes.show(element_shape)} is not "
                "fully defined. Currently only static shapes are supported when packing zero-size "
                "TensorArrays.",
            )
        return np.zeros((0, *element_shape), handle.dtype.numpy_dtype)
    whole = handle.take_rows() if list(indices) == list(range(len(handle))) else None
    if whole is not None and compatible(element_shape, whole.shape[1:]):
        return np.asarray(whole)
    elements = [np.asarray(handle.read(i)) for i in indices]
    first = elements[0].shape
    if not compatible(element_shape, first):
        raise invalid(
            f"TensorArray was passed element_shape {shapes.show(element_shape)} which does not "
            f"match the Tensor at index 0: {shapes.show(first)}"
        )
    for i, element in enumerate(elements):
        if element.shape != first:
            raise invalid(
                f"TensorArray has inconsistent shapes.  Index 0 has shape: {shapes.show(first)} "
                f"but index {i} has shape: {shapes.show(element.shape)}"
            )
    return np.stack(elements)


def kernel_concat(
    xp: ArrayModule,
    handle: TensorArrayResource,
    flow_in: Array,
    *,
    dtype: DType,
    element_shape_except0: Shape,
) -> tuple[np.ndarray, np.ndarray]:
    _check_read(handle, dtype)
    if not handle.whole():
        if not shapes.is_static(element_shape_except0):
            raise errors.UnimplementedError(
                None,
                None,
                "TensorArray has size zero, but element_shape_except0 "
                f"{shapes.show(element_shape_except0)} is not fully defined. Currently only static "
                "shapes are supported when concatenating zero-size TensorArrays.",
            )
        empty = np.zeros((0, *element_shape_except0), handle.dtype.numpy_dtype)
        return empty, np.zeros(0, np.int64)
    elements = [np.asarray(handle.read(i)) for i in handle.whole()]
    for i, element in enumerate(elements):
        if element.ndim == 0:
            raise invalid(
                f"Concat saw a scalar shape at index {i} but requires at least vectors.  Did you "
                "mean to call pack?"
            )
        rest, first = element.shape[1:], elements[0].shape[1:]
        if i == 0 and not compatible(element_shape_except0, rest):
            raise invalid(
                "TensorArray was passed element_shape_except0 "
                f"{shapes.show(element_shape_except0)} but index 0 has (excepting dimension 0) "
                f"shape: {shapes.show(rest)} which does not match."
            )
        if rest != first:
            raise invalid(
                "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: "
                f"{shapes.show(first)} but index {i} has (excepting dimension 0) shape: "
                f"{shapes.show(rest)}"
            )
    lengths = np.array([len(element) for element in elements], np.int64)
    return np.concatenate(elements), lengths


def kernel_scatter(
    xp: ArrayModule,
    handle: TensorArrayResource,
    indices: Array,
    value: Array,
    flow_in: Array,
    *,
    T: DType,
) -> Array:
    _check_rows(handle, value, T)
    if np.ndim(indices) != 1:
        raise invalid(
            f"Expected indices to be a vector, but received shape: {shapes.show(np.shape(indices))}"
        )
    if len(indices) != len(value):
        raise invalid(
            f"Expected len(indices) == values.shape[0], but saw: {len(indices)} vs. {len(value)}"
        )
    positions = np.asarray(indices).tolist()
    largest = max(positions, default=-1)
    if not handle.dynamic_size and largest >= len(handle):
        raise invalid(f"Max scatter index must be < array size ({largest} vs. {len(handle)})")
    return _write_rows(handle, positions, value, flow_in)


def kernel_unpack(
    xp: ArrayModule, handle: TensorArrayResource, value: Array, flow_in: Array, *, T: DType
) -> Array:
    _check_rows(handle, value, T)
    size = max(len(handle), len(value)) if handle.dynamic_size else len(handle)
    if len(value) != size:
        raise invalid(
            "Input value must have first dimension equal to the array size "
            f"({len(value)} vs. {size})"
        )
    handle.filled(size)
    return _write_rows(handle, range(len(value)), value, flow_in)


def _check_rows(handle: TensorArrayResource, value: Array, dtype: DType) -> None:
    _check_write(handle, dtype)
    if np.ndim(value) == 0:
        raise invalid(
            "Input value for unpack must be at least a vector but received shape: "
            f"{shapes.show(np.shape(value))}"
        )


def _write_rows(handle: TensorArrayResource, positions: Any, value: Array, flow_in: Array) -> Array:
    if list(positions) == list(range(len(handle))) and handle.put_rows(value):
        return flow_in
    for row, position in enumerate(positions):
        # With an ellipsis a row of a vector is an array too, and a view.
        handle.write(position, value[row, ...])
    return flow_in


def kernel_split(
    xp: ArrayModule,
    handle: TensorArrayResource,
    value: Array,
    lengths: Array,
    flow_in: Array,
    *,
    T: DType,
) -> Array:
    _check_write(handle, T)
    if np.ndim(lengths) != 1:
        raise invalid(
            f"Expected lengths to be a vector, received shape: {shapes.show(np.shape(lengths))}"
        )
    if np.ndim(value) == 0:
        raise invalid(
            "Expected value to be at least a vector, but received shape: "
            f"{shapes.show(np.shape(value))}"
        )
    total = int(np.sum(lengths))
    if total != len(value):
        raise invalid(
            "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
            f"{total} and value's shape is: {shapes.show(np.shape(value))}"
        )
    count = len(lengths)
    size = max(len(handle), count) if handle.dynamic_size else len(handle)
    if size != count:
        raise invalid(
            f"TensorArray's size is not equal to the size of lengths ({size} vs. {count}), and the "
            "TensorArray is not marked as dynamically resizeable"
        )
    handle.filled(size)
    start = 0
    for position, length in enumerate(np.asarray(lengths).tolist()):
        handle.write(position, value[start : start + length])
        start += length
    return flow_in


def _check_read(handle: TensorArrayResource, dtype: DType) -> None:
    if dtype is not handle.dtype:
        raise invalid(
            f"TensorArray dtype is {proto_name(handle.dtype)} but Op requested dtype "
            f"{proto_name(dtype)}."
        )


def _check_write(handle: TensorArrayResource, dtype: DType) -> None:
    if dtype is not handle.dtype:
        raise invalid(
            f"TensorArray dtype is {proto_name(handle.dtype)} but Op is trying to write dtype "
            f"{proto_name(dtype)}."
        )


def gradient_gather(op: Operation, grad: Any) -> list[Any]:
    handle, indices, flow = op.inputs
    array = gradient_array(handle, flow, op.get_attr("dtype"), gradient_source(grad))
    return [None, None, array.scatter(indices, grad).flow]


def gradient_scatter(op: Operation, flow: Tensor) -> list[Any]:
    handle, indices, _, _ = op.inputs
    array = gradient_array(handle, flow, op.get_attr("T"), gradient_source(flow))
    return [None, None, array.gather(indices), flow]


def gradient_concat(op: Operation, grad: Tensor, lengths_grad: Tensor | None) -> list[Any]:
    handle, flow = op.inputs
    array = gradient_array(handle, flow, op.get_attr("dtype"), gradient_source(grad))
    return [None, array.split(grad, lengths=op.outputs[1]).flow]


def gradient_split(op: Operation, flow: Tensor) -> list[Any]:
    handle, _, _, _ = op.inputs
    array = gradient_array(handle, flow, op.get_attr("T"), gradient_source(flow))
    return [None, array.concat(), None, flow]


def _register_many(
    gather: str, scatter: str, concat: str, split: str, *, handle: str, stateful: bool
) -> None:
    register_op(
        gather,
        inputs=f"handle: {handle}, indices: int32, flow_in: float",
        outputs="value: dtype",
        attrs="dtype: type, element_shape: shape = unknown",
        shape=tensor_array_shapes.shape_gather,
        kernel=kernel_gather,
        runs_on=RunsOn.HOST,
        stateful=stateful,
        gradient=gradient_gather,
    )
    register_op(
        scatter,
        inputs=f"handle: {handle}, indices: int32, value: T, flow_in: float",
        outputs="flow_out: float",
        attrs="T: type",
        shape=tensor_array_shapes.shape_scatter,
        kernel=kernel_scatter,
        runs_on=RunsOn.HOST,
        stateful=stateful,
        gradient=gradient_scatter,
    )
    register_op(
        concat,
        inputs=f"handle: {handle}, flow_in: float",
        outputs="value: dtype, lengths: int64",
        attrs="dtype: type, element_shape_except0: shape = unknown",
        shape=tensor_array_shapes.shape_concat,
        kernel=kernel_concat,
        runs_on=RunsOn.HOST,
        stateful=stateful,
        gradient=gradient_concat,
    )
    register_op(
        split,
        inputs=f"handle: {handle}, value: T, lengths: int64, flow_in: float",
        outputs="flow_out: float",
        attrs="T: type",
        shape=tensor_array_shapes.shape_split,
        kernel=kernel_split,
        runs_on=RunsOn.HOST,
        stateful=stateful,
        gradient=gradient_split,
    )


_register_many(
    "TensorArrayGather",
    "TensorArrayScatter",
    "TensorArrayConcat",
    "TensorArraySplit",
    handle="Ref(string)",
    stateful=False,
)
_register_many(
    "TensorArrayGatherV2",
    "TensorArrayScatterV2",
    "TensorArrayConcatV2",
    "TensorArraySplitV2",
    handle="string",
    stateful=False,
)
_register_many(
    "TensorArrayGatherV3",
    "TensorArrayScatterV3",
    "TensorArrayConcatV3",
    "TensorArraySplitV3",
    handle="resource",
    stateful=True,
)
register_op(
    "TensorArrayPack",
    inputs="handle: Ref(string), flow_in: float",
    outputs="value: dtype",
    attrs="dtype: type, element_shape: shape = unknown",
    shape=tensor_array_shapes.shape_pack,
    kernel=kernel_pack,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorArrayUnpack",
    inputs="handle: Ref(string), value: T, flow_in: float",
    outputs="flow_out: float",
    attrs="T: type",
    shape=tensor_array_shapes.shape_unpack,
    kernel=kernel_unpack,
    runs_on=RunsOn.HOST,
)
