"""Counters: CountUpTo adds 1 to a variable until it reaches a limit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail, require
from headwater.base.deprecation import notice
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import Sample, Tensor, build, export, register_op, shapes
from headwater.ops.state.handle import handle_shape


def shape_count_up_to(c: shapes.ShapeContext) -> Shape:
    return c.with_rank("ref", 0)


def shape_resource_count_up_to(c: shapes.ShapeContext) -> Shape:
    shape = handle_shape(c.inputs[0])
    if shape:
        c.fail(f"Shape must be rank 0 but is rank {len(shape)}")
    return ()


def kernel_count_up_to(xp: ArrayModule, ref: Array, *, limit: int) -> tuple[Any, Any]:
    if np.ndim(ref):
        fail(f"input is not a scalar: {shapes.show(np.shape(ref))}")
    require(
        xp, ref < limit, lambda: errors.OutOfRangeError(None, None, f"Reached limit of {limit}")
    )
    return xp.add(ref, np.ones((), ref.dtype)), ref


def samples_count_up_to() -> Iterator[Sample]:
    yield Sample(np.int32(3), limit=5)
    yield Sample(np.int64(3), limit=4)


register_op(
    "CountUpTo",
    inputs="ref: Ref(T)",
    outputs="output: T",
    attrs="limit: int, T: {int32, int64}",
    shape=shape_count_up_to,
    kernel=kernel_count_up_to,
    updates=("ref",),
    samples=samples_count_up_to,
)
register_op(
    "ResourceCountUpTo",
    inputs="resource: resource",
    outputs="output: T",
    attrs="limit: int, T: {int32, int64}",
    shape=shape_resource_count_up_to,
    kernel=kernel_count_up_to,
    updates=("resource",),
    stateful=True,
)


@export("count_up_to")
def count_up_to(ref: TensorLike, limit: int, name: str | None = None) -> Tensor:
    """Adds 1 to a variable until it reaches `limit`; then the op raises OutOfRangeError.

    Args:
        ref: a scalar integer Variable or mutable tensor.
        limit: the value that is not exceeded.
        name: the name of the node.

    Returns:
        A tensor of the value before the addition.

    Raises:
        OutOfRangeError: when it runs and the limit is reached.
    """
    notice("tf.count_up_to", "tf.data.Dataset.range")
    if ref.dtype._is_ref_dtype:
        return build.CountUpTo(ref, limit=limit, name=name)
    return build.ResourceCountUpTo(ref.handle, limit=limit, T=ref.dtype, name=name)
