"""The static shape of joined tensors."""

from __future__ import annotations

from headwater.base.typing import Shape
from headwater.graph import shapes


def shape_concat(c: shapes.ShapeContext, axis_name: str) -> Shape:
    """The static shape of the input list `values` joined along the axis that an input names.

    Args:
        c: the shape context of the node.
        axis_name: the name of the input with the axis.

    Returns:
        The shape, None if nothing is known of it.
    """
    given = c.shape("values")
    c.with_rank(axis_name, 0)
    axis = c.value(axis_name)
    known = [shape for shape in given if shape is not None]
    if not known:
        return None
    rank = len(known[0])
    for shape in known:
        # TensorFlow's error text shows the value of the axis only if it has been read by then.
        if len(shape) != rank:
            _fail_before_axis(c, axis_name, f"Shape must be rank {rank} but is rank {len(shape)}")
    if rank == 0:
        _fail_before_axis(c, axis_name, "Can't concatenate scalars (use tf.stack instead)")
    if axis is None:
        return (None,) * rank
    dim = int(axis)
    needed = dim + 1 if dim >= 0 else -dim
    if rank < needed:
        c.fail(f"Shape must be at least rank {needed} but is rank {rank}")
    dim %= rank
    before: tuple[int | None, ...] = (None,) * dim
    after: tuple[int | None, ...] = (None,) * (rank - dim - 1)
    size: int | None = 0
    for shape in given:
        if shape is None:
            size = None
            continue
        before = c.merge(before, shape[:dim])
        after = c.merge(after, shape[dim + 1 :])
        size = None if size is None or shape[dim] is None else size + shape[dim]
    return (*before, size, *after)


def _fail_before_axis(c: shapes.ShapeContext, axis_name: str, text: str) -> None:
    c._asked.pop(axis_name, None)
    c.fail(text)
