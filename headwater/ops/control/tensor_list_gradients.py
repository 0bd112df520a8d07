"""Gradients of the ops of lists: the gradient of a list is a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.base import dtypes
from headwater.base.typing import NestedTensors, ShapeLike
from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    shape_tensor,
    zeros_like,
)

if TYPE_CHECKING:
    from headwater.base.dtypes import DType


def element_shape_node(shape: ShapeLike) -> NestedTensors:
    """The element shape as an op input: -1 for unknown sizes."""
    if isinstance(shape, Tensor):
        return shape
    dims = shape
    if hasattr(shape, "as_list"):
        dims = None if shape.ndims is None else shape.as_list()
    if dims is None:
        return -1
    if len(dims) == 0:
        return convert_to_tensor(dims, dtype=dtypes.int32)
    return [-1 if d is None else d for d in dims]


def _rest(tensor: Tensor) -> Tensor:
    """The shape of the rows of a tensor."""
    return build.Slice(shape_tensor(tensor), [1], [-1])


def _element_dtype(op: Operation) -> DType:
    return op.get_attr("element_dtype")


def gradient_push_back(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    shape = shape_tensor(op.inputs[1])
    return build.TensorListPopBack(grad, shape, element_dtype=_element_dtype(op))


def gradient_pop_back(
    op: Operation, list_grad: Tensor, item_grad: Tensor
) -> tuple[Tensor | None, ...]:
    if list_grad is None:
        list_grad = build.EmptyTensorList(-1, constant_node(-1), element_dtype=_element_dtype(op))
    if item_grad is None:
        item_grad = zeros_like(op.outputs[1])
    return build.TensorListPushBack(list_grad, item_grad), None


def gradient_stack(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    shape = element_shape_node(grad.shape[1:])
    return build.TensorListFromTensor(grad, shape), None


def gradient_from_tensor(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    tensor = op.inputs[0]
    count = tensor.shape[0].value if tensor.shape.ndims is not None else None
    return (
        build.TensorListStack(
            grad,
            _rest(tensor),
            element_dtype=tensor.dtype,
            num_elements=-1 if count is None else count,
        ),
        None,
    )


def gradient_concat(op: Operation, grad: Tensor, _: Tensor | None) -> tuple[Tensor | None, ...]:
    shape = build.TensorListElementShape(op.inputs[0], shape_type=dtypes.int32)
    split = build.TensorListSplit(grad, shape, op.outputs[1])
    return split, *(None for _ in op.inputs[1:])


def gradient_split(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    tensor, _, lengths = op.inputs
    shape = build.ConcatV2([[-1], _rest(tensor)], 0, name="concat")
    found = build.TensorListConcatV2(grad, shape, lengths, element_dtype=tensor.dtype)
    return found[0], None, None


def gradient_set_item(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    _, index, item = op.inputs
    lists = build.TensorListSetItem(grad, index, zeros_like(item))
    shape = shape_tensor(item)
    return lists, None, build.TensorListGetItem(grad, index, shape, element_dtype=item.dtype)


def gradient_resize(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    return build.TensorListResize(grad, build.TensorListLength(op.inputs[0])), None


def gradient_gather(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    handle, indices, _ = op.inputs
    shape = build.TensorListElementShape(handle, shape_type=dtypes.int32)
    length = build.TensorListLength(handle)
    lists = build.TensorListReserve(shape, length, element_dtype=_element_dtype(op))
    return build.TensorListScatterIntoExistingList(lists, grad, indices), None, None


def gradient_get_item(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    handle, index, _ = op.inputs
    length = build.TensorListLength(handle)
    shape = build.TensorListElementShape(handle, shape_type=dtypes.int32)
    lists = build.TensorListReserve(shape, length, element_dtype=grad.dtype)
    return build.TensorListSetItem(lists, index, grad), None, None


def gradient_scatter(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    tensor, indices = op.inputs[:2]
    shape = _rest(tensor)
    found = build.TensorListGather(grad, indices, shape, element_dtype=tensor.dtype)
    return found, *(None for _ in op.inputs[1:])


def gradient_scatter_into(op: Operation, grad: Tensor) -> tuple[Tensor | None, ...]:
    _, tensor, indices = op.inputs
    shape = _rest(tensor)
    found = build.TensorListGather(grad, indices, shape, element_dtype=tensor.dtype)
    lists = build.TensorListScatterIntoExistingList(grad, zeros_like(tensor), indices)
    return lists, found, None
