"""tensorflow.python.ops.list_ops: lists of tensors that are values."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.ops.control.cond import cond
from headwater.ops.control.tensor_list_gradients import element_shape_node

__all__ = [
    "empty_tensor_list",
    "tensor_list_concat",
    "tensor_list_from_tensor",
    "tensor_list_gather",
    "tensor_list_get_item",
    "tensor_list_pop_back",
    "tensor_list_reserve",
    "tensor_list_scatter",
    "tensor_list_set_item",
    "tensor_list_split",
    "tensor_list_stack",
]


def empty_tensor_list(
    element_shape: Any,
    element_dtype: DTypeLike,
    max_num_elements: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Makes a list without elements."""
    return build.EmptyTensorList(
        element_shape_node(element_shape),
        -1 if max_num_elements is None else max_num_elements,
        element_dtype=element_dtype,
        name=name,
    )


def tensor_list_reserve(
    element_shape: Any, num_elements: TensorLike, element_dtype: DTypeLike, name: str | None = None
) -> Tensor:
    """Makes a list of elements that are not set."""
    shape = element_shape_node(element_shape)
    return build.TensorListReserve(shape, num_elements, element_dtype=element_dtype, name=name)


def tensor_list_from_tensor(
    tensor: TensorLike, element_shape: Any, name: str | None = None
) -> Tensor:
    """Makes a list of the rows of a tensor."""
    return build.TensorListFromTensor(tensor, element_shape_node(element_shape), name=name)


def tensor_list_get_item(
    input_handle: TensorLike,
    index: TensorLike,
    element_dtype: DTypeLike,
    element_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """Reads an element."""
    shape = element_shape_node(element_shape)
    return build.TensorListGetItem(
        input_handle, index, shape, element_dtype=element_dtype, name=name
    )


def tensor_list_pop_back(
    input_handle: TensorLike, element_dtype: DTypeLike, name: str | None = None
) -> Any:
    """Takes the last element: returns the list without it, and the element."""
    return build.TensorListPopBack(input_handle, -1, element_dtype=element_dtype, name=name)


def tensor_list_gather(
    input_handle: TensorLike,
    indices: TensorLike,
    element_dtype: DTypeLike,
    element_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """Stacks some of the elements."""
    shape = element_shape_node(element_shape)
    return build.TensorListGather(
        input_handle, indices, shape, element_dtype=element_dtype, name=name
    )


def tensor_list_scatter(
    tensor: TensorLike,
    indices: TensorLike,
    element_shape: Any = None,
    input_handle: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Makes a list that has the rows of a tensor at some indices, or sets them in a list."""
    if input_handle is not None:
        return build.TensorListScatterIntoExistingList(input_handle, tensor, indices, name=name)
    shape = element_shape_node(element_shape)
    return build.TensorListScatterV2(tensor, indices, shape, -1, name=name)


def tensor_list_stack(
    input_handle: TensorLike,
    element_dtype: DTypeLike,
    num_elements: int = -1,
    element_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """Stacks all elements."""
    return build.TensorListStack(
        input_handle,
        element_shape_node(element_shape),
        element_dtype=element_dtype,
        num_elements=num_elements,
        name=name,
    )


def tensor_list_concat(
    input_handle: TensorLike,
    element_dtype: DTypeLike,
    element_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """Joins all elements along their first axis."""
    leading = convert_to_tensor([], dtype=dtypes.int64)
    found = build.TensorListConcatV2(
        input_handle,
        element_shape_node(element_shape),
        leading,
        element_dtype=element_dtype,
        name=name,
    )
    return found[0]


def tensor_list_split(
    tensor: TensorLike, element_shape: Any, lengths: TensorLike, name: str | None = None
) -> Tensor:
    """Makes a list of parts of a tensor along its first axis."""
    return build.TensorListSplit(tensor, element_shape_node(element_shape), lengths, name=name)


def tensor_list_set_item(
    input_handle: TensorLike,
    index: TensorLike,
    item: TensorLike,
    resize_if_index_out_of_bounds: bool = False,
    name: str | None = None,
) -> Tensor:
    """Sets an element; a list that is too short can be made longer."""
    if resize_if_index_out_of_bounds:
        length = build.TensorListLength(input_handle)
        given = input_handle
        input_handle = cond(
            build.LessEqual(length, index),
            lambda: build.TensorListResize(given, index + 1),
            lambda: given,
        )
    return build.TensorListSetItem(input_handle, index, item, name=name)
