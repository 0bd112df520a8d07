"""Sampling images at given points."""

from __future__ import annotations

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, name_scope


@export("contrib.resampler.resampler")
def resampler(data: TensorLike, warp: TensorLike, name: str = "resampler") -> Tensor:
    """Returns the pixels of images at given points by bilinear interpolation.

    Pixels outside of an image are zero.

    Args:
        data: floating-point tensor of shape [batch, height, width, channels].
        warp: tensor of the same type, shape [batch, ..., 2]: x and y of the points.
        name: the name scope.

    Returns:
        A tensor of shape [batch, ..., channels].
    """
    with name_scope(name, "resampler", [data, warp]):
        data_tensor = convert_to_tensor(data, name="data")
        warp_tensor = convert_to_tensor(warp, name="warp")
        return build.Resampler(data_tensor, warp_tensor)
