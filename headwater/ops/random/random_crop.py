"""Cutting a random window out of a tensor: tf.random_crop."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
    with_dependencies,
)
from headwater.ops.random.uniform import random_uniform


@export("random_crop", "image.random_crop")
def random_crop(
    value: TensorLike, size: TensorLike, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Cuts a window of a given size out of a tensor, at a random place.

    Args:
        value: the tensor.
        size: the size of the window along each axis of `value`, an integer vector.
        seed: the op-level seed; see `tf.set_random_seed`.
        name: the name of the node.

    Returns:
        A tensor of shape `size` and the type of `value`.

    Raises:
        InvalidArgumentError: when the graph runs, if the window is larger than the tensor.
    """
    with name_scope(name, "random_crop", [value, size]) as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, dtype=dtypes.int32, name="size")
        shape = shape_tensor(value)
        fits = build.All(build.GreaterEqual(shape, size), constant_node([0], dtypes.int32))
        text = "Need value.shape >= size, got "
        with name_scope(None, "Assert", [fits]):
            constant_node(text)
            check = build.Assert(fits, [text, shape, size], summarize=1000)
        shape = with_dependencies([check], shape)
        places = build.AddV2(build.Sub(shape, size, name="sub"), 1, name="add")
        number = random_uniform(
            shape_tensor(shape), maxval=size.dtype.max, dtype=size.dtype, seed=seed
        )
        offset = build.FloorMod(number, places, name="mod")
        return build.Slice(value, offset, size, name=scope)
