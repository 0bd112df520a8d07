"""Lists of tensors as values of handles: EmptyTensorList, TensorListPushBack and their kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, register_op, shapes
from headwater.graph.shapes import show
from headwater.ops.control import tensor_list_gradients as gradients
from headwater.ops.control import tensor_list_shapes as static
from headwater.ops.control.tensor_list_value import (
    TensorList,
    boxed,
    compatible,
    known,
    merged,
    shape_of,
    unboxed,
)

# Making


def kernel_empty(
    xp: ArrayModule, element_shape: Array, max_num_elements: Array, *, element_dtype: DType
) -> Array:
    if np.ndim(max_num_elements):
        fail(f"max_num_elements expected to be a scalar but got shape: {_shape(max_num_elements)}")
    return boxed(TensorList(element_dtype, shape_of(element_shape), (), int(max_num_elements)))


def kernel_reserve(
    xp: ArrayModule, element_shape: Array, num_elements: Array, *, element_dtype: DType
) -> Array:
    if num_elements < 0:
        fail(f"The num_elements to reserve must be a non negative number, but got {num_elements}")
    none = (None,) * int(num_elements)
    return boxed(TensorList(element_dtype, shape_of(element_shape), none))


def kernel_from_tensor(
    xp: ArrayModule, tensor: Array, element_shape: Array, *, element_dtype: DType
) -> Array:
    if not tensor.ndim:
        fail(f"Tensor must be at least a vector, but saw shape: {_shape(tensor)}")
    shape = shape_of(element_shape)
    if not compatible(shape, tensor.shape[1:]):
        fail(
            f"Specified a list with shape {show(shape)} from a tensor with shape "
            f"{show(tensor.shape[1:])}"
        )
    return boxed(TensorList(element_dtype, shape, tensor))


def kernel_split(
    xp: ArrayModule, tensor: Array, element_shape: Array, lengths: Array, *, element_dtype: DType
) -> Array:
    if lengths.ndim != 1:
        fail(f"Expected lengths to be a vector, received shape: {_shape(lengths)}")
    if not tensor.ndim:
        fail(f"Tensor must be at least a vector, but saw shape: {_shape(tensor)}")
    for length in lengths:
        if length < 0:
            fail(f"Invalid value in lengths: {length}")
    shape = shape_of(element_shape)
    used = int(lengths.sum())
    rest = (None, *tensor.shape[1:])
    if shape is not None and not compatible((None, *shape[1:]), rest):
        fail(
            "tensor shape and element_shape are not compatible. "
            f"tensor: {_shape(tensor)} element_shape: {show(shape)}"
        )
    if used > len(tensor):
        fail(f"Attempting to slice [{used - int(lengths[-1])}, {used}] from tensor with length "
             f"{len(tensor)}")  # fmt: skip
    if used < len(tensor):
        fail(f"Unused values in tensor. Length of tensor: {len(tensor)} Values used: {used}")
    parts = np.split(tensor, np.cumsum(lengths)[:-1]) if len(lengths) else []
    return boxed(TensorList(element_dtype, shape, parts))


def _scattered(tensor: Array, indices: Array, into: TensorList, size: int) -> np.ndarray:
    for i in indices:
        if i < 0:
            fail(f"Indices in TensorListScatter must all be non-negative, but saw {i}.")
    if len(indices) != len(tensor):
        fail(
            f"Invalid number of rows in input tensor. Expected: {len(indices)} "
            f"Actual: {len(tensor)}"
        )
    elements = list(into.resized(max(size, len(into.elements))).elements)
    for row, i in zip(tensor, indices):
        elements[i] = np.asarray(row)
    return boxed(into.with_elements(elements))


def kernel_scatter(
    xp: ArrayModule,
    tensor: Array,
    indices: Array,
    element_shape: Array,
    num_elements: Array = -1,
    *,
    element_dtype: DType,
) -> Array:
    shape = shape_of(element_shape)
    if tensor.ndim and not compatible(shape, tensor.shape[1:]):
        fail(
            f"Specified a list with shape {show(shape)} from a tensor with shape "
            f"{show(tensor.shape[1:])}"
        )
    size = int(indices.max(initial=-1)) + 1
    if num_elements >= 0:
        if size > num_elements:
            fail(
                f"TensorListScatter: Trying to scatter at index {size - 1} in list with size "
                f"{num_elements}"
            )
        size = int(num_elements)
    return _scattered(tensor, indices, TensorList(element_dtype, shape), size)


def kernel_scatter_into(
    xp: ArrayModule, input_handle: Array, tensor: Array, indices: Array, *, element_dtype: DType
) -> Array:
    into = unboxed(input_handle)
    if tensor.ndim and not compatible(into.element_shape, tensor.shape[1:]):
        fail(
            f"Specified a list with shape {show(into.element_shape)} from a tensor with shape "
            f"{show(tensor.shape[1:])}"
        )
    return _scattered(tensor, indices, into, int(indices.max(initial=-1)) + 1)


# Changing


def kernel_push_back(
    xp: ArrayModule, input_handle: TensorList | np.ndarray, tensor: Array, *, element_dtype: DType
) -> Array:
    return boxed(unboxed(input_handle).push(tensor))


def kernel_push_back_batch(
    xp: ArrayModule, input_handles: Array, tensor: Array, *, element_dtype: DType
) -> Array:
    result = np.empty(len(input_handles), object)
    for i, (handle, row) in enumerate(zip(input_handles, tensor)):
        result[i] = unboxed(boxed(handle)).push(np.asarray(row))
    return result


def kernel_pop_back(
    xp: ArrayModule, input_handle: Array, element_shape: Array, *, element_dtype: DType
) -> tuple[Array, ...]:
    values = unboxed(input_handle)
    if not values.elements:
        fail("Trying to pop from an empty list.")
    shape = None
    if values.elements[-1] is None:
        shape = known(
            merged(values.element_shape, shape_of(element_shape)),
            "Trying to read an uninitialized tensor but element_shape is not fully defined.",
        )
    last = values.element(-1, shape)
    return boxed(values.with_elements(values.elements[:-1])), last


def kernel_set_item(
    xp: ArrayModule, input_handle: Array, index: Array, item: Array, *, element_dtype: DType
) -> Array:
    values = unboxed(input_handle)
    if not 0 <= index < len(values.elements):
        fail(f"Trying to modify element {index} in a list with {len(values.elements)} elements.")
    if not compatible(values.element_shape, item.shape):
        fail(
            "Tried to set a tensor with incompatible shape at a list index. Item element shape: "
            f"{_shape(item)} list shape: {show(values.element_shape)}"
        )
    elements = list(values.elements)
    elements[index] = item
    return boxed(values.with_elements(elements))


def kernel_resize(xp: ArrayModule, input_handle: Array, size: Array) -> Array:
    if size < 0:
        fail(f"TensorListSlice expects size to be non-negative. Got: {size}")
    return boxed(unboxed(input_handle).resized(int(size)))


def kernel_concat_lists(
    xp: ArrayModule, input_a: Array, input_b: Array, *, element_dtype: DType
) -> Array:
    result = np.empty(np.shape(input_a), object)
    for i in np.ndindex(result.shape):
        first, second = input_a[i], input_b[i]
        if not (first.element_dtype is second.element_dtype is element_dtype):
            fail("input_a.element_dtype != element_dtype")
        result[i] = first.with_elements((*first.elements, *second.elements))
    return result


# Reading


def kernel_length(xp: ArrayModule, input_handle: Array) -> Array:
    return np.int32(len(unboxed(input_handle).elements))


def kernel_element_shape(xp: ArrayModule, input_handle: Array, *, shape_type: DType) -> Array:
    shape = unboxed(input_handle).element_shape
    dims: Any = -1 if shape is None else [-1 if d is None else d for d in shape]
    return np.array(dims, shape_type.numpy_dtype)


def kernel_get_item(
    xp: ArrayModule,
    input_handle: Array,
    index: Array,
    element_shape: Array,
    *,
    element_dtype: DType,
) -> Array:
    values = unboxed(input_handle)
    if not 0 <= index < len(values.elements):
        fail(f"Trying to access element {index} in a list with {len(values.elements)} elements.")
    if values.elements[index] is not None:
        return values.elements[index]
    text = "Trying to read an uninitialized tensor but element_shape is not fully defined: "
    shape = values.common_shape(shape_of(element_shape))
    return values.element(index, known(shape, text, " and no list element is set."))


def kernel_stack(
    xp: ArrayModule,
    input_handle: TensorList | np.ndarray,
    element_shape: Array,
    *,
    element_dtype: DType,
    num_elements: int,
) -> Array:
    values = unboxed(input_handle)
    count = len(values.elements)
    if num_elements not in (-1, count):
        fail(
            f"Operation expected a list with {num_elements} elements but got a list with {count} "
            "elements."
        )
    shape = values.common_shape(shape_of(element_shape))
    if count:
        text = (
            "Tried to stack list which only contains uninitialized tensors and has a "
            "non-fully-defined element_shape: "
        )
    else:
        text = "Tried to stack elements of an empty list with non-fully-defined element_shape: "
    return _stacked(values, known(shape, text), range(count))


def kernel_gather(
    xp: ArrayModule,
    input_handle: Array,
    indices: Array,
    element_shape: Array,
    *,
    element_dtype: DType,
) -> Array:
    values = unboxed(input_handle)
    for i in indices:
        if not 0 <= i < len(values.elements):
            fail(f"Index {i} out o range; list only has {len(values.elements)} elements.")
    shape = values.common_shape(shape_of(element_shape), indices)
    if len(indices):
        text = (
            "Tried to gather uninitialized tensors from a list with non-fully-defined "
            "element_shape: "
        )
    else:
        text = "Tried to gather 0-elements from a list with non-fully-defined shape: "
    return _stacked(values, known(shape, text), indices)


def _stacked(values: TensorList, shape: tuple[int, ...], indices: Any) -> np.ndarray:
    result = np.zeros((len(indices), *shape), values.element_dtype.numpy_dtype)
    for place, i in enumerate(indices):
        if values.elements[i] is not None:
            result[place] = values.elements[i]
    return result


def kernel_concat_v2(
    xp: ArrayModule,
    input_handle: Array,
    element_shape: Array,
    leading_dims: Array,
    *,
    element_dtype: DType,
) -> tuple[Array, ...]:
    return _concatenated(unboxed(input_handle), shape_of(element_shape), leading_dims)


def kernel_concat(
    xp: ArrayModule,
    input_handle: Array,
    *,
    element_dtype: DType,
    element_shape: tuple[int | None, ...],
) -> tuple[Array, ...]:
    return _concatenated(unboxed(input_handle), element_shape, np.zeros(0, np.int64))


def _concatenated(values: TensorList, shape: Shape, leading: Array) -> tuple[Any, Any]:
    """The elements joined along their first axis, and the length of each."""
    rest = merged(values.element_shape, shape)
    rest = None if rest is None else rest[1:]
    for i, item in enumerate(values.elements):
        if item is not None and not item.ndim:
            fail(f"Concat saw a scalar shape at index {i} but requires at least vectors.")
        if item is not None:
            rest = merged(rest, item.shape[1:])
    text = "Tried to concat list which only contains uninitialized tensors but element_shape is "
    if not values.elements:
        text = (
            "All except the first dimension must be fully defined when concating an empty tensor "
        )
        text += "list. element_shape: "
    tail = known(rest, text)
    default = None if not shape else shape[0]
    parts = []
    for i, item in enumerate(values.elements):
        if item is None:
            length = leading[i] if i < len(leading) else default
            if length is None:
                fail(
                    "Concating lists with uninitialized tensors is not supported in this version "
                    f"of TensorListConcat. List contains uninitialized tensor at index {i}"
                )
            item = np.zeros((length, *tail), values.element_dtype.numpy_dtype)
        parts.append(item)
    lengths = np.array([len(part) for part in parts], np.int64)
    empty = np.zeros((0, *tail), values.element_dtype.numpy_dtype)
    return np.concatenate([empty, *parts]), lengths


def _shape(value: Array) -> str:
    return show(np.shape(value))


_SHAPE_TYPE = "shape_type: {int32, int64}"
_ELEMENT = "element_dtype: type"


register_op(
    "EmptyTensorList",
    inputs="element_shape: shape_type, max_num_elements: int32",
    outputs="handle: variant",
    attrs=f"{_ELEMENT}, {_SHAPE_TYPE}",
    shape=shapes.scalar,
    kernel=kernel_empty,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListReserve",
    inputs="element_shape: shape_type, num_elements: int32",
    outputs="handle: variant",
    attrs=f"{_ELEMENT}, {_SHAPE_TYPE}",
    shape=shapes.scalar,
    kernel=kernel_reserve,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListFromTensor",
    inputs="tensor: element_dtype, element_shape: shape_type",
    outputs="output_handle: variant",
    attrs=f"{_ELEMENT}, {_SHAPE_TYPE}",
    shape=static.shape_from_tensor,
    kernel=kernel_from_tensor,
    gradient=gradients.gradient_from_tensor,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListSplit",
    inputs="tensor: element_dtype, element_shape: shape_type, lengths: int64",
    outputs="output_handle: variant",
    attrs=f"{_ELEMENT}, {_SHAPE_TYPE}",
    shape=static.shape_split,
    kernel=kernel_split,
    gradient=gradients.gradient_split,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListScatter",
    inputs="tensor: element_dtype, indices: int32, element_shape: shape_type",
    outputs="output_handle: variant",
    attrs=f"{_ELEMENT}, {_SHAPE_TYPE}",
    shape=shapes.scalar,
    kernel=kernel_scatter,
    gradient=gradients.gradient_scatter,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListScatterV2",
    inputs="tensor: element_dtype, indices: int32, element_shape: shape_type, num_elements: int32",
    outputs="output_handle: variant",
    attrs=f"{_ELEMENT}, {_SHAPE_TYPE}",
    shape=shapes.scalar,
    kernel=kernel_scatter,
    gradient=gradients.gradient_scatter,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListScatterIntoExistingList",
    inputs="input_handle: variant, tensor: element_dtype, indices: int32",
    outputs="output_handle: variant",
    attrs=_ELEMENT,
    shape=shapes.scalar,
    kernel=kernel_scatter_into,
    gradient=gradients.gradient_scatter_into,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListPushBack",
    inputs="input_handle: variant, tensor: element_dtype",
    outputs="output_handle: variant",
    attrs=_ELEMENT,
    shape=static.shape_push_back,
    kernel=kernel_push_back,
    gradient=gradients.gradient_push_back,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListPushBackBatch",
    inputs="input_handles: variant, tensor: element_dtype",
    outputs="output_handles: variant",
    attrs=_ELEMENT,
    shape=static.shape_push_back_batch,
    kernel=kernel_push_back_batch,
    gradient=NOT_DIFFERENTIABLE,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListPopBack",
    inputs="input_handle: variant, element_shape: int32",
    outputs="output_handle: variant, tensor: element_dtype",
    attrs=_ELEMENT,
    shape=static.shape_pop_back,
    kernel=kernel_pop_back,
    gradient=gradients.gradient_pop_back,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListSetItem",
    inputs="input_handle: variant, index: int32, item: element_dtype",
    outputs="output_handle: variant",
    attrs=_ELEMENT,
    shape=static.shape_set_item,
    kernel=kernel_set_item,
    gradient=gradients.gradient_set_item,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListResize",
    inputs="input_handle: variant, size: int32",
    outputs="output_handle: variant",
    attrs="",
    shape=shapes.scalar,
    kernel=kernel_resize,
    gradient=gradients.gradient_resize,
    stateful=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListConcatLists",
    inputs="input_a: variant, input_b: variant",
    outputs="output: variant",
    attrs=_ELEMENT,
    shape=static.shape_concat_lists,
    kernel=kernel_concat_lists,
    gradient=NOT_DIFFERENTIABLE,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListLength",
    inputs="input_handle: variant",
    outputs="length: int32",
    attrs="",
    shape=shapes.scalar,
    kernel=kernel_length,
    gradient=NOT_DIFFERENTIABLE,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListElementShape",
    inputs="input_handle: variant",
    outputs="element_shape: shape_type",
    attrs=_SHAPE_TYPE,
    shape=static.shape_element_shape,
    kernel=kernel_element_shape,
    gradient=NOT_DIFFERENTIABLE,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListGetItem",
    inputs="input_handle: variant, index: int32, element_shape: int32",
    outputs="item: element_dtype",
    attrs=_ELEMENT,
    shape=static.shape_get_item,
    kernel=kernel_get_item,
    gradient=gradients.gradient_get_item,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListStack",
    inputs="input_handle: variant, element_shape: int32",
    outputs="tensor: element_dtype",
    attrs=f"{_ELEMENT}, num_elements: int = -1",
    shape=static.shape_stack,
    kernel=kernel_stack,
    gradient=gradients.gradient_stack,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListGather",
    inputs="input_handle: variant, indices: int32, element_shape: int32",
    outputs="values: element_dtype",
    attrs=_ELEMENT,
    shape=static.shape_gather,
    kernel=kernel_gather,
    gradient=gradients.gradient_gather,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListConcat",
    inputs="input_handle: variant",
    outputs="tensor: element_dtype, lengths: int64",
    attrs=f"{_ELEMENT}, element_shape: shape = unknown",
    shape=static.shape_concat,
    kernel=kernel_concat,
    gradient=gradients.gradient_concat,
    runs_on=RunsOn.HOST,
)
register_op(
    "TensorListConcatV2",
    inputs="input_handle: variant, element_shape: shape_type, leading_dims: int64",
    outputs="tensor: element_dtype, lengths: int64",
    attrs=f"{_ELEMENT}, {_SHAPE_TYPE}",
    shape=static.shape_concat,
    kernel=kernel_concat_v2,
    gradient=gradients.gradient_concat,
    runs_on=RunsOn.HOST,
)
