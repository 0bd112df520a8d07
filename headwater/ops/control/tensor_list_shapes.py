"""What is known of lists of tensors while a graph is built."""

from __future__ import annotations

from headwater.base.dtypes import DType
from headwater.graph import ShapeContext, Tensor, constant_value_as_shape
from headwater.ops.control.tensor_list_value import Shape

# Ops whose output list has the element type and shape of their first input.
_SAME = {
    "TensorListPushBack", "TensorListSetItem", "TensorListResize", "TensorListPopBack",
    "TensorListScatterIntoExistingList", "TensorListConcatLists", "Identity", "Enter", "Exit",
    "Switch", "Merge", "NextIteration", "ZerosLike",
}  # fmt: skip
# The input that tells the shape of the elements of a new list.
_MAKERS = {
    "EmptyTensorList": 0, "TensorListReserve": 0, "TensorListFromTensor": 1, "TensorListSplit": 1,
    "TensorListScatter": 2, "TensorListScatterV2": 2,
}  # fmt: skip


def known_of(handle: Tensor) -> tuple[DType | None, Shape]:
    """The type and the shape of the elements of a list, as far as the graph tells."""
    op = handle._op
    while op._record.name in _SAME:
        op = op._inputs[0]._op
    position = _MAKERS.get(op._record.name)
    if position is None:
        return None, None
    return op._attrs["element_dtype"], constant_value_as_shape(op._inputs[position])


def _given(c: ShapeContext) -> Shape:
    """The shape of elements that an input tells, as far as it is known."""
    names = [arg.name for arg in c.record.schema.inputs]
    return constant_value_as_shape(c.inputs[names.index("element_shape")])


def check_type(c: ShapeContext, verb: str, purpose: str = "") -> Shape:
    """Checks the type of the elements that an op takes or gives; returns their known shape."""
    dtype, shape = known_of(c.inputs[0])
    wanted = c.attrs["element_dtype"]
    if dtype is not None and dtype is not wanted:
        c.fail(
            f"Trying to {verb} list with wrong element dtype. List has type {_name(dtype)} but "
            f"{purpose} type {_name(wanted)}"
        )
    return shape


def _name(dtype: DType) -> str:
    names = {"float32": "float", "float64": "double", "float16": "half"}
    return names.get(dtype.name, dtype.name)


def shape_pop_back(c: ShapeContext) -> list[Shape]:
    # The element type and shape of the list take precedence over those of the node.
    shape = check_type(c, "read from", "expected")
    return [(), _given(c) if shape is None else shape]


def shape_get_item(c: ShapeContext) -> Shape:
    return c.merge(check_type(c, "read from", "expected"), _given(c))


def shape_stack(c: ShapeContext) -> Shape:
    shape = c.merge(check_type(c, "read from", "expected"), _given(c))
    count = c.attrs["num_elements"]
    return None if shape is None else (None if count < 0 else count, *shape)


def shape_gather(c: ShapeContext) -> Shape:
    shape = c.merge(check_type(c, "read from", "expected"), _given(c))
    (count,) = c.with_rank("indices", 1)
    return None if shape is None else (count, *shape)


def shape_concat(c: ShapeContext) -> list[Shape]:
    shape = check_type(c, "read from", "expected")
    if "element_shape" in c.attrs:
        shape = c.merge(shape, c.attrs["element_shape"])
    else:
        shape = c.merge(shape, _given(c))
    return [None if not shape else (None, *shape[1:]), (None,)]


def shape_push_back(c: ShapeContext) -> Shape:
    check_type(c, "push to", "trying to push element with")
    return ()


def shape_set_item(c: ShapeContext) -> Shape:
    c.merge(c.shape("item"), check_type(c, "set in", "trying to set element with"))
    return ()


def shape_from_tensor(c: ShapeContext) -> Shape:
    shape = c.shape("tensor")
    c.merge(shape[1:] if shape else None, _given(c))
    return ()


def shape_split(c: ShapeContext) -> Shape:
    shape = c.with_rank_at_least("tensor", 1)
    rest = _given(c)
    c.with_rank("lengths", 1)
    if shape is not None and rest is not None:
        c.merge((None, *shape[1:]), (None, *rest[1:]))
    return ()


def shape_element_shape(c: ShapeContext) -> Shape:
    shape = known_of(c.inputs[0])[1]
    return (None,) if shape is None else (len(shape),)


def shape_concat_lists(c: ShapeContext) -> Shape:
    return c.merge(c.shape("input_a"), c.shape("input_b"))


def shape_push_back_batch(c: ShapeContext) -> Shape:
    (handles,) = c.with_rank("input_handles", 1)
    shape = c.with_rank_at_least("tensor", 1)
    if shape is not None:
        handles = c.merge_dims(shape[0], handles)
    return (handles,)
