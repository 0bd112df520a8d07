"""Convolutions of images that are resized and mirrored at their borders first."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import Sample, ShapeContext, register_op
from headwater.ops.image.sampling import checked_sizes, linear_taps, size_of
from headwater.ops.nn import convolution_host, convolution_xla
from headwater.ops.nn.window_arguments import attr_axes, check_rank, window_count


def kernel_pad_conv2d(
    xp: ArrayModule,
    x: Array,
    paddings: np.ndarray,
    w: Array,
    *,
    mode: str,
    strides: list[int],
    padding: str,
) -> Array:
    check_rank(x, 4, "input")
    check_rank(w, 4, "filter", ": ")
    if paddings.shape != (4, 2):
        fail(f"paddings must be a matrix with 2 columns: {list(paddings.shape)}")
    for (before, after), size in zip(paddings.tolist(), x.shape):
        if before < 0 or after < 0:
            fail("paddings must be non-negative")
        if mode == "SYMMETRIC" and max(before, after) > size:
            fail(
                "paddings must be no greater than the dimension size: "
                f"{before}, {after} greater than {size}"
            )
        if mode == "REFLECT" and max(before, after) >= size:
            fail(
                "paddings must be less than the dimension size: "
                f"{before}, {after} not less than {size}"
            )
    padded = xp.pad(x, paddings, mode=mode.lower())
    if padded.shape[3] != w.shape[2]:
        fail(f"input and filter must have the same depth: {padded.shape[3]} vs {w.shape[2]}")
    axes = attr_axes(padded.shape[1:3], w.shape[:2], strides, padding, "NHWC", [1, 1, 1, 1])
    return (convolution_host if xp is np else convolution_xla).forward(padded, w, axes)


def kernel_resize_pad_conv2d(
    xp: ArrayModule,
    x: Array,
    size: np.ndarray,
    paddings: np.ndarray,
    w: Array,
    *,
    resize_align_corners: bool,
    mode: str,
    strides: list[int],
    padding: str,
) -> Array:
    height, width = checked_sizes(x, size)
    top, bottom, down = linear_taps(x.shape[1], height, resize_align_corners, False)
    left, right, across = linear_taps(x.shape[2], width, resize_align_corners, False)
    down, across = down[:, None, None].astype(x.dtype), across[:, None].astype(x.dtype)

    def line(rows: np.ndarray) -> Array:
        pixels = xp.take(x, rows, axis=1)
        first = xp.take(pixels, left, axis=2)
        return first + (xp.take(pixels, right, axis=2) - first) * across

    upper = line(top)
    resized = upper + (line(bottom) - upper) * down
    return kernel_pad_conv2d(xp, resized, paddings, w, mode=mode, strides=strides, padding=padding)


def _convolved(c: ShapeContext, x: tuple[int | None, ...]) -> Shape:
    rows, columns = c.with_rank("paddings", 2)
    c.merge_dims(columns, 2)
    if rows not in (4, None):
        c.fail(f"Shape must be rank {rows} but is rank 4")
    paddings = c.value("paddings")
    padded = [
        None if size is None or paddings is None else size + int(paddings[d].sum())
        for d, size in enumerate(x)
    ]
    w = c.with_rank("filter", 4)
    c.merge_dims(padded[3], w[2])
    strides = c.attr("strides")
    if len(strides) != 4:
        c.fail(
            f"Operation requires the stride attribute to contain 4 values, but got: {len(strides)}"
        )
    sizes = [window_count(c, padded[d], w[d - 1], strides[d], c.attr("padding")) for d in (1, 2)]
    return (padded[0], *sizes, w[3])


def shape_pad_conv2d(c: ShapeContext) -> Shape:
    return _convolved(c, c.with_rank("input", 4))


def shape_resize_pad_conv2d(c: ShapeContext) -> Shape:
    batch, _, _, depth = c.with_rank("input", 4)
    return _convolved(c, (batch, *size_of(c, "size"), depth))


def _parts() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = np.sin(np.arange(60, dtype=np.float32)).reshape(1, 5, 6, 2)
    w = np.cos(np.arange(36, dtype=np.float32)).reshape(3, 2, 2, 3)
    return x, np.array([[0, 0], [1, 2], [2, 1], [0, 0]], np.int32), w


def samples_pad_conv2d() -> Iterator[Sample]:
    x, paddings, w = _parts()
    for mode, padding in (("REFLECT", "VALID"), ("SYMMETRIC", "SAME")):
        yield Sample(x, paddings, w, mode=mode, padding=padding, strides=[1, 2, 1, 1])


def samples_resize_pad_conv2d() -> Iterator[Sample]:
    x, paddings, w = _parts()
    size = np.array([7, 9], np.int32)
    for mode, corners in (("REFLECT", True), ("SYMMETRIC", False)):
        yield Sample(
            x,
            size,
            paddings,
            w,
            mode=mode,
            padding="VALID",
            strides=[1, 1, 1, 1],
            resize_align_corners=corners,
        )


_ATTRS = "mode: {'REFLECT', 'SYMMETRIC'}, strides: list(int), padding: {'SAME', 'VALID'}"
register_op(
    "FusedPadConv2D",
    inputs="input: T, paddings: int32, filter: T",
    outputs="output: T",
    attrs=f"T: {{half, float, double}}, {_ATTRS}",
    shape=shape_pad_conv2d,
    kernel=kernel_pad_conv2d,
    samples=samples_pad_conv2d,
    concrete=("paddings",),
)
register_op(
    "FusedResizeAndPadConv2D",
    inputs="input: T, size: int32, paddings: int32, filter: T",
    outputs="output: T",
    attrs=f"T: {{half, float, double}}, resize_align_corners: bool = false, {_ATTRS}",
    shape=shape_resize_pad_conv2d,
    kernel=kernel_resize_pad_conv2d,
    samples=samples_resize_pad_conv2d,
    concrete=("size", "paddings"),
)
