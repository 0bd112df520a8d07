"""`tf.image.convert_image_dtype`: integers and floats in [0, 1] as pixels."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.ops.array.constant import constant
from headwater.ops.math.cast import cast, saturate_cast


@export("image.convert_image_dtype")
def convert_image_dtype(
    image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None
) -> Tensor:
    """Converts pixels to a type; floats are in [0, 1], integers use their whole range.

    Args:
        image: a tensor.
        dtype: the type.
        saturate: whether values out of range become the nearest that fits.
        name: the name scope.

    Returns:
        A tensor of that type.
    """
    image = convert_to_tensor(image, name="image")
    dtype = dtypes.as_dtype(dtype)
    if dtype is image.dtype:
        return build.Identity(image, name=name)
    with name_scope(name, "convert_image", [image]) as scope:
        source = image.dtype
        if source.is_integer and dtype.is_integer:
            return _between_integers(image, dtype, saturate, scope)
        if source.is_floating and dtype.is_floating:
            return cast(image, dtype, name=scope)
        if source.is_integer:
            # As in TensorFlow: multiplication, not division by the largest integer.
            return build.Mul(cast(image, dtype), 1.0 / source.max, name=scope)
        # Half a step more, so that every integer has an equal share of [0, 1].
        scaled = build.Mul(image, dtype.max + 0.5, name="Mul")
        return saturate_cast(scaled, dtype, name=scope) if saturate else cast(scaled, dtype, scope)


def _between_integers(image: Tensor, dtype: DTypeLike, saturate: bool, scope: str) -> Tensor:
    source, target = int(image.dtype.max), int(dtype.max)
    if source > target:
        factor = (source + 1) // (target + 1)
        divisor = constant(factor, dtype=image.dtype, name="div/y")
        scaled = build.FloorDiv(image, divisor, name="div")
        return saturate_cast(scaled, dtype, name=scope) if saturate else cast(scaled, dtype, scope)
    wide = saturate_cast(image, dtype) if saturate else cast(image, dtype)
    return build.Mul(wide, (target + 1) // (source + 1), name=scope)
