"""Bilinear sampling at arbitrary points: Resampler."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Operation,
    Sample,
    ShapeContext,
    Tensor,
    build,
    register_op,
    shapes,
)


def _check(data: Array, warp: Array) -> None:
    if data.ndim != 4:
        raise errors.UnimplementedError(
            None,
            None,
            "Only bilinear interpolation is currently supported. The input data shape must be "
            "[batch_size, data_height, data_width, data_channels], but is: "
            f"{shapes.show(data.shape)}",
        )
    if warp.ndim < 2:
        fail(f"warp should be at least a matrix, got shape {shapes.show(warp.shape)}")
    if warp.shape[-1] != 2:
        raise errors.UnimplementedError(
            None,
            None,
            "Only bilinear interpolation is supported, warping coordinates must be 2D; warp shape "
            f"last entry should be 2, but shape vector is: {shapes.show(warp.shape)}",
        )
    if data.shape[0] != warp.shape[0]:
        fail(
            "Batch size of data and warp tensor must be the same, but input shapes are: "
            f"{shapes.show(data.shape)}, {shapes.show(warp.shape)}"
        )


class _Corners:
    """The four neighbours of points, with zeros around the image.

    Args:
        xp: the array module.
        data: [batch, height, width, channels].
        warp: [batch, ..., 2], x and y.
    """

    def __init__(self, xp: ArrayModule, data: Array, warp: Array) -> None:
        self.xp, self.data = xp, data
        points = warp.reshape(warp.shape[0], -1, 2)
        x, y = points[..., 0], points[..., 1]
        _, height, width, _ = data.shape
        inside = (x > -1) & (y > -1) & (x < width) & (y < height)
        self.inside = inside
        x, y = xp.where(inside, x, x.dtype.type(0)), xp.where(inside, y, y.dtype.type(0))
        left, top = xp.floor(x), xp.floor(y)
        self.x, self.y = x - left, y - top  # what lies between a point and its left top corner
        self.column, self.row = left.astype(np.int32), top.astype(np.int32)
        self.batch = xp.arange(data.shape[0])[:, None]

    def place(self, down: int, across: int) -> tuple[Any, Any, Any]:
        """Row and column of a neighbour, and where it is a pixel."""
        _, height, width, _ = self.data.shape
        row, column = self.row + down, self.column + across
        there = self.inside & (row >= 0) & (row < height) & (column >= 0) & (column < width)
        return self.xp.clip(row, 0, height - 1), self.xp.clip(column, 0, width - 1), there

    def value(self, down: int, across: int) -> Array:
        row, column, there = self.place(down, across)
        pixels = self.data[self.batch, row, column]
        return self.xp.where(there[..., None], pixels, self.data.dtype.type(0))

    def weight(self, down: int, across: int) -> Array:
        one = self.data.dtype.type(1)
        return (self.x if across else one - self.x) * (self.y if down else one - self.y)


_NEIGHBOURS = ((0, 0), (0, 1), (1, 0), (1, 1))


def kernel_resampler(xp: ArrayModule, data: Array, warp: Array) -> Array:
    _check(data, warp)
    shape = (*warp.shape[:-1], data.shape[-1])
    if not data.size or not warp.size:
        return xp.zeros(shape, data.dtype)
    corners = _Corners(xp, data, warp)
    result = sum(corners.value(*n) * corners.weight(*n)[..., None] for n in _NEIGHBOURS)
    return result.reshape(shape)


def kernel_resampler_grad(
    xp: ArrayModule, data: Array, warp: Array, grad_output: Array
) -> tuple[Array, ...]:
    _check(data, warp)
    shape = (*warp.shape[:-1], data.shape[-1])
    if grad_output.shape != shape:
        fail(
            "grad_output shape is not consistent with data and warp shapes; it should be "
            f"{shapes.show(shape)} but is {shapes.show(grad_output.shape)}"
        )
    if not data.size or not warp.size:
        return xp.zeros(data.shape, data.dtype), xp.zeros(warp.shape, warp.dtype)
    corners = _Corners(xp, data, warp)
    grad = grad_output.reshape(data.shape[0], -1, data.shape[-1])
    a, b, c, d = (corners.value(*n) for n in _NEIGHBOURS)
    one = data.dtype.type(1)
    x, y = corners.x[..., None], corners.y[..., None]
    along_x = (grad * ((one - y) * (b - a) + y * (d - c))).sum(-1)
    along_y = (grad * ((one - x) * (c - a) + x * (d - b))).sum(-1)
    grad_warp = xp.stack([along_x, along_y], axis=-1)
    grad_warp = xp.where(corners.inside[..., None], grad_warp, warp.dtype.type(0))
    grad_data = xp.zeros(data.shape, data.dtype)
    for n in _NEIGHBOURS:
        row, column, there = corners.place(*n)
        part = xp.where(there[..., None], grad * corners.weight(*n)[..., None], one * 0)
        where = (xp.broadcast_to(corners.batch, row.shape), row, column)
        if xp is np:
            np.add.at(grad_data, where, part)
        else:
            grad_data = grad_data.at[where].add(part)
    return grad_data, grad_warp.astype(warp.dtype).reshape(warp.shape)


def reference_resampler(data: np.ndarray, warp: np.ndarray) -> np.ndarray:
    padded = np.pad(data, ((0, 0), (1, 1), (1, 1), (0, 0))).astype(np.float64)
    _, height, width, channels = data.shape
    result = np.zeros((*warp.shape[:-1], channels))
    for place in np.ndindex(warp.shape[:-1]):
        x, y = (float(v) for v in warp[place])
        if -1 < x < width and -1 < y < height:
            left, top = int(np.floor(x)), int(np.floor(y))
            for down, across in _NEIGHBOURS:
                weight = (1 - abs(y - top - down)) * (1 - abs(x - left - across))
                pixel = padded[place[0], top + down + 1, left + across + 1]
                result[place] += weight * pixel
    return result.astype(data.dtype)


def shape_resampler(c: ShapeContext) -> Shape:
    data, warp = c.shape("data"), c.shape("warp")
    if warp is None:
        return None
    return (*warp[:-1], data[-1] if data else None)


def shape_resampler_grad(c: ShapeContext) -> list[Shape]:
    return [c.shape("data"), c.shape("warp")]


def gradient_resampler(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    return build.ResamplerGrad(op.inputs[0], op.inputs[1], grad)


def samples_resampler() -> Iterator[Sample]:
    random = np.random.RandomState(4)
    data = random.uniform(-1, 1, [2, 3, 4, 2])
    warp = random.uniform(-1.5, 4.5, [2, 5, 3, 2])
    for kind in (np.float32, np.float64):
        yield Sample(data.astype(kind), warp.astype(kind))


_ATTRS = "T: {half, bfloat16, float, double}"

register_op(
    "Resampler",
    inputs="data: T, warp: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=shape_resampler,
    kernel=kernel_resampler,
    gradient=gradient_resampler,
    reference=reference_resampler,
    samples=samples_resampler,
)

register_op(
    "ResamplerGrad",
    inputs="data: T, warp: T, grad_output: T",
    outputs="grad_data: T, grad_warp: T",
    attrs=_ATTRS,
    shape=shape_resampler_grad,
    kernel=kernel_resampler_grad,
    gradient=NOT_DIFFERENTIABLE,
)
