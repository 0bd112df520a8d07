"""Hue, saturation and value changed in YIQ."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, name_scope
from headwater.ops.image.convert_dtype import convert_image_dtype
from headwater.ops.random.uniform import random_uniform


def random_hsv_in_yiq(
    image: TensorLike,
    max_delta_hue: float = 0,
    lower_saturation: float = 1,
    upper_saturation: float = 1,
    lower_value: float = 1,
    upper_value: float = 1,
    seed: int | None = None,
) -> Tensor:
    """Changes hue, saturation and value of images by random numbers.

    Args:
        image: RGB images, 3 channels in the last axis.
        max_delta_hue: the largest angle by which the hue turns, in radians.
        lower_saturation: least factor of the saturation.
        upper_saturation: largest factor of the saturation.
        lower_value: least factor of the value.
        upper_value: largest factor of the value.
        seed: seed of the random numbers.

    Returns:
        A tensor of the same shape and type.

    Raises:
        ValueError: if a range is not possible.
    """
    if max_delta_hue < 0:
        raise ValueError("max_delta must be non-negative.")
    for name, low, high in (
        ("saturation", lower_saturation, upper_saturation),
        ("value", lower_value, upper_value),
    ):
        if low < 0:
            raise ValueError(f"lower_{name} must be non-negative.")
        if low > high:
            raise ValueError(f"lower_{name} must be < upper_{name}.")

    def number(low: TensorLike, high: float) -> Tensor | float:
        return low if low == high else random_uniform([], low, high, seed=seed)

    delta = 0 if max_delta_hue == 0 else number(-max_delta_hue, max_delta_hue)
    saturation = number(lower_saturation, upper_saturation)
    value = number(lower_value, upper_value)
    return adjust_hsv_in_yiq(image, delta, saturation, value)


def adjust_hsv_in_yiq(
    image: TensorLike,
    delta_hue: TensorLike = 0,
    scale_saturation: TensorLike = 1,
    scale_value: TensorLike = 1,
    name: str | None = None,
) -> Tensor:
    """Changes hue, saturation and value of images.

    Args:
        image: RGB images, 3 channels in the last axis.
        delta_hue: the angle by which the hue turns, in radians.
        scale_saturation: the factor of the saturation.
        scale_value: the factor of the value.
        name: the name scope.

    Returns:
        A tensor of the same shape and type.

    Raises:
        ValueError: if the images have fewer than three axes.
    """
    with name_scope(name, "adjust_hsv_in_yiq", [image]):
        image = convert_to_tensor(image, name="image")
        kind = image.dtype
        numbers = convert_image_dtype(image, dtypes.float32)
        numbers = build.AdjustHsvInYiq(numbers, delta_hue, scale_saturation, scale_value)
        return convert_image_dtype(numbers, kind)
