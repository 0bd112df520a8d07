"""What is known statically of TensorArrays: the shapes that their handles carry."""

from __future__ import annotations

from headwater.base.typing import Shape
from headwater.graph import ShapeContext, Tensor
from headwater.graph.shapes import is_static

# Ops whose first output is the handle that is their first input.
_PASSES_ON = frozenset(
    ("Identity", "Enter", "Exit", "Switch", "NextIteration", "RefEnter", "RefSwitch")
)


def element_shape_of(handle: Tensor) -> tuple[bool, Shape]:
    """What a handle tells of the elements of its array.

    Args:
        handle: a resource tensor.

    Returns:
        Whether anything is told, and the common shape of the elements.
    """
    prefix: tuple[None, ...] | None = ()
    op = handle._op
    while op.type != "TensorArrayV3":
        if op.type == "TensorArrayGradWithShape":
            prepended = op._inputs[2]._shape
            count = prepended[0] if prepended else None
            prefix = None if count is None or prefix is None else prefix + (None,) * count
        elif op.type not in _PASSES_ON and op.type != "TensorArrayGradV3":
            return False, None
        op = op._inputs[0]._op
    shape = op._attrs["element_shape"]
    if not (op._attrs["identical_element_shapes"] or is_static(shape)):
        return False, None
    return True, None if shape is None or prefix is None else prefix + shape


def check_handle(c: ShapeContext) -> None:
    """A handle is a vector of two elements."""
    (size,) = c.with_rank("handle", 1)
    if size is not None and size != 2:
        c.fail(f"Dimension must be 2 but is {size}")


def check_scalars(c: ShapeContext, *names: str) -> None:
    """These inputs are scalars."""
    for name in names:
        c.with_rank(name, 0)


def shape_array(c: ShapeContext) -> list[Shape]:
    """A new array: its handle and its flow."""
    check_scalars(c, "size")
    return [(2,), ()]


def shape_array_handle(c: ShapeContext) -> Shape:
    """A new array without a flow."""
    check_scalars(c, "size")
    return (2,)


def shape_grad(c: ShapeContext) -> list[Shape]:
    """The array of gradients: its handle and its flow."""
    check_handle(c)
    check_scalars(c, "flow_in")
    return [(2,), ()]


def shape_grad_handle(c: ShapeContext) -> Shape:
    """The array of gradients without a flow."""
    check_handle(c)
    check_scalars(c, "flow_in")
    return (2,)


def shape_write(c: ShapeContext) -> Shape:
    """The flow after a write."""
    check_handle(c)
    check_scalars(c, "index", "flow_in")
    known, shape = element_shape_of(c.inputs[0])
    if known:
        c.merge(shape, c.shape("value"))
    return ()


def shape_read(c: ShapeContext) -> Shape:
    """One element."""
    check_handle(c)
    check_scalars(c, "index", "flow_in")
    return element_shape_of(c.inputs[0])[1]


def shape_size(c: ShapeContext) -> Shape:
    """The number of elements."""
    check_handle(c)
    return ()


def shape_gather(c: ShapeContext) -> Shape:
    """Elements stacked along a new first axis."""
    check_handle(c)
    (count,) = c.with_rank("indices", 1)
    check_scalars(c, "flow_in")
    known, shape = element_shape_of(c.inputs[0])
    if not known:
        shape = c.attr("element_shape")
    return None if shape is None else (count, *shape)


def shape_scatter(c: ShapeContext) -> Shape:
    """The flow after the rows of a value have become elements."""
    check_handle(c)
    (count,) = c.with_rank("indices", 1)
    rows = c.with_rank_at_least("value", 1)
    if rows is not None:
        c.merge_dims(rows[0], count)
    check_scalars(c, "flow_in")
    known, shape = element_shape_of(c.inputs[0])
    if known and rows is not None:
        c.merge(shape, rows[1:])
    return ()


def shape_concat(c: ShapeContext) -> list[Shape]:
    """Concatenated elements, and their lengths."""
    check_handle(c)
    check_scalars(c, "flow_in")
    return [None, (None,)]


def shape_split(c: ShapeContext) -> Shape:
    """The flow after the parts of a value have become elements."""
    check_handle(c)
    c.with_rank("lengths", 1)
    check_scalars(c, "flow_in")
    return ()


def shape_pack(c: ShapeContext) -> Shape:
    """All elements stacked along a new first axis."""
    return None


def shape_unpack(c: ShapeContext) -> Shape:
    """The flow after the rows of a value have become all elements."""
    return ()


def shape_close(c: ShapeContext) -> list[Shape]:
    """No outputs."""
    check_handle(c)
    return []
