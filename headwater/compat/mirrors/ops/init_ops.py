"""tensorflow.python.ops.init_ops: what is not public of it."""

from __future__ import annotations

from headwater.model.variables.orthogonal_convolutions import (
    ConvolutionDeltaOrthogonal,
    ConvolutionOrthogonal1D,
    ConvolutionOrthogonal2D,
    ConvolutionOrthogonal3D,
)
from headwater.model.variables.random_initializers import fans as _compute_fans

convolutional_delta_orthogonal = ConvolutionDeltaOrthogonal
convolutional_orthogonal_1d = ConvolutionOrthogonal1D
convolutional_orthogonal_2d = ConvolutionOrthogonal2D
convolutional_orthogonal_3d = ConvolutionOrthogonal3D

__all__ = [
    "ConvolutionDeltaOrthogonal",
    "ConvolutionOrthogonal1D",
    "ConvolutionOrthogonal2D",
    "ConvolutionOrthogonal3D",
    "_compute_fans",
    "convolutional_delta_orthogonal",
    "convolutional_orthogonal_1d",
    "convolutional_orthogonal_2d",
    "convolutional_orthogonal_3d",
]
