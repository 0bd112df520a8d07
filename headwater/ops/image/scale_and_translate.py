"""Resizing with a filter that is as wide as the pixels: ScaleAndTranslate and its gradient."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.graph import Operation, Sample, ShapeContext, build, register_op, shapes
from headwater.ops.image.sampling import apply_matrices, checked_sizes, shape_resize

_F = np.float32


def _lanczos(radius: float) -> Callable[[np.ndarray], np.ndarray]:
    def weight(x: np.ndarray) -> np.ndarray:
        safe = np.where(x <= 1e-3, 1.0, x) * math.pi
        wave = radius * np.sin(safe) * np.sin(safe / radius) / (safe * safe)
        return np.where(x > radius, 0.0, np.where(x <= 1e-3, 1.0, wave))

    return weight


def _gaussian(x: np.ndarray) -> np.ndarray:
    return np.where(x >= 1.5, 0.0, np.exp(-2.0 * x * x))


def _box(x: np.ndarray) -> np.ndarray:
    return np.where(x < 0.5, 1.0, np.where(x == 0.5, 0.5, 0.0))


def _triangle(x: np.ndarray) -> np.ndarray:
    return np.maximum(1.0 - x, 0.0)


def _keys_cubic(x: np.ndarray) -> np.ndarray:
    far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    near = (1.5 * x - 2.5) * x * x + 1.0
    return np.where(x >= 2, 0.0, np.where(x >= 1, far, near))


def _mitchell_cubic(x: np.ndarray) -> np.ndarray:
    far = ((-7.0 / 18.0 * x + 2.0) * x - 10.0 / 3.0) * x + 16.0 / 9.0
    near = (7.0 / 6.0 * x - 2.0) * x * x + 8.0 / 9.0
    return np.where(x >= 2, 0.0, np.where(x >= 1, far, near))


# The radius and the weight at a distance of each filter.
_FILTERS: dict[str, tuple[float, Callable[[np.ndarray], np.ndarray]]] = {
    "lanczos1": (1.0, _lanczos(1.0)),
    "lanczos3": (3.0, _lanczos(3.0)),
    "lanczos5": (5.0, _lanczos(5.0)),
    "gaussian": (1.5, _gaussian),
    "box": (1.0, _box),
    "triangle": (1.0, _triangle),
    "keyscubic": (2.0, _keys_cubic),
    "mitchellcubic": (2.0, _mitchell_cubic),
}


def _matrix(
    source: int, target: int, scale: Any, translation: Any, kernel_type: str, antialias: bool
) -> np.ndarray:
    """The filtering along one dimension as a matrix ``[target, source]``."""
    if kernel_type not in _FILTERS:
        fail(f"Unrecognized kernel type: {kernel_type}")
    if not scale > 0:
        fail("Scale must be greater than zero.")
    radius, weight = _FILTERS[kernel_type]
    back = _F(1) / _F(scale)
    width = max(back, _F(1)) if antialias else _F(1)
    places = (np.arange(target, dtype=_F) + _F(0.5)) * back - back * _F(translation)
    pixels = np.arange(source, dtype=_F)
    first = np.ceil(places - _F(radius) * width - _F(0.5))[:, None]
    last = np.floor(places + _F(radius) * width - _F(0.5))[:, None]
    inside = (pixels >= np.clip(first, 0, source - 1)) & (pixels <= np.clip(last, 0, source - 1))
    distances = np.abs(pixels + _F(0.5) - places[:, None]) / width
    weights = np.where(inside, weight(distances), 0.0).astype(_F)
    total = weights.sum(1, keepdims=True, dtype=_F)
    enough = np.abs(total) >= 1000 * np.finfo(_F).tiny
    weights = np.where(enough, weights / np.where(enough, total, _F(1)), _F(0))
    # What lies outside of the image stays black.
    seen = (places >= 0) & (places <= source)
    return np.where(seen[:, None], weights, _F(0))


def _matrices(
    shape: Any, sizes: Any, scale: np.ndarray, translation: np.ndarray, *options: Any
) -> list[np.ndarray]:
    if scale.shape != (2,):
        fail(f"scale must have two elements{shapes.show(scale.shape)}")
    if translation.shape != (2,):
        fail(f"translation must have two elements{shapes.show(translation.shape)}")
    return [_matrix(shape[1 + i], sizes[i], scale[i], translation[i], *options) for i in range(2)]


def kernel_scale_and_translate(
    xp: Any,
    images: Any,
    size: np.ndarray,
    scale: np.ndarray,
    translation: np.ndarray,
    *,
    kernel_type: str,
    antialias: bool,
) -> Any:
    sizes = checked_sizes(images, size)
    rows, columns = _matrices(images.shape, sizes, scale, translation, kernel_type, antialias)
    return apply_matrices(xp, images, rows, columns)


def kernel_scale_and_translate_grad(
    xp: Any,
    grads: Any,
    original_image: Any,
    scale: np.ndarray,
    translation: np.ndarray,
    *,
    kernel_type: str,
    antialias: bool,
) -> Any:
    rows, columns = _matrices(
        original_image.shape, grads.shape[1:3], scale, translation, kernel_type, antialias
    )
    return apply_matrices(xp, grads, rows.T, columns.T)


def gradient_scale_and_translate(op: Operation, grad: Any) -> Any:
    back = build.ScaleAndTranslateGrad(
        grad,
        op.inputs[0],
        op.inputs[2],
        op.inputs[3],
        kernel_type=op.get_attr("kernel_type"),
        antialias=op.get_attr("antialias"),
    )
    return [back, None, None, None]


def shape_scale_and_translate(c: ShapeContext) -> Any:
    for name in ("scale", "translation"):
        c.merge_dims(c.with_rank(name, 1)[0], 2)
    return shape_resize(c)


def shape_like_original(c: ShapeContext) -> Any:
    return c.shape("original_image")


def _images(*shape: int) -> np.ndarray:
    return np.sin(np.arange(math.prod(shape), dtype=_F) * 3).reshape(shape)


_SCALE, _SHIFT = np.array([1.5, 0.6], _F), np.array([0.25, -0.5], _F)


def samples_scale_and_translate() -> Any:
    size = np.array([7, 3], np.int32)
    for kind in _FILTERS:
        for antialias in (True, False):
            yield Sample(
                _images(1, 5, 6, 2),
                size,
                _SCALE,
                _SHIFT,
                kernel_type=kind,
                antialias=antialias,
                gradient=(0,),
            )


def samples_grad() -> Any:
    yield Sample(_images(1, 7, 3, 2), _images(1, 5, 6, 2), _SCALE, _SHIFT, gradient=())


register_op(
    "ScaleAndTranslate",
    inputs="images: T, size: int32, scale: float, translation: float",
    outputs="resized_images: float",
    attrs="T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}, "
    "kernel_type: string = 'lanczos3', antialias: bool = true",
    shape=shape_scale_and_translate,
    kernel=kernel_scale_and_translate,
    gradient=gradient_scale_and_translate,
    samples=samples_scale_and_translate,
    concrete=("size", "scale", "translation"),
)
register_op(
    "ScaleAndTranslateGrad",
    inputs="grads: T, original_image: T, scale: float, translation: float",
    outputs="output: T",
    attrs="T: {float}, kernel_type: string = 'lanczos3', antialias: bool = true",
    shape=shape_like_original,
    kernel=kernel_scale_and_translate_grad,
    samples=samples_grad,
    concrete=("scale", "translation"),
)
