"""Pictures of random dots in which two eyes see depth: SingleImageRandomDotStereograms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, Sample, ShapeContext, register_op, shapes


def _size(shape: Any, colours: int) -> tuple[int, int, int]:
    """Width, height and channels of the picture."""
    if shape is None or len(shape) < 2 or None in shape:
        fail(f"output_image_shape must be [width, height, channels]: {shapes.show(shape)}")
    width, height = int(shape[0]), int(shape[1])
    channels = int(shape[2]) if len(shape) > 2 else 1
    return width, height, 3 if colours > 256 else channels


def _depths(
    values: np.ndarray,
    width: int,
    height: int,
    window: Sequence[int],
    border: float,
    limits: Sequence[Array] | None,
) -> np.ndarray:
    """How near each dot is, 0 (far) to 1: the values in the middle of the picture, mixed linearly.

    Args:
        values: [rows, columns].
        width: of the picture.
        height: of the picture.
        window: width and height of the part that shows the values.
        border: what is around it.
        limits: the values that are near and far; None takes them as they are.
    """
    rows, columns = values.shape
    depth = np.full((height, width), border, np.float64)
    across, down = min(int(window[0]), width), min(int(window[1]), height)
    if not values.size or across <= 0 or down <= 0:
        return depth
    values = values.astype(np.float64)
    if limits is not None:
        near, far = limits
        values = (values - far) / (near - far) if near != far else np.zeros_like(values)

    def places(count: int, target: int) -> tuple[Any, Any, Any]:
        at = np.linspace(0, count - 1, target)
        low = np.floor(at).astype(int)
        return low, np.minimum(low + 1, count - 1), at - low

    top, bottom, y = places(rows, down)
    left, right, x = places(columns, across)
    lines = values[top] * (1 - y)[:, None] + values[bottom] * y[:, None]
    mixed = lines[:, left] * (1 - x) + lines[:, right] * x
    row, column = (height - down) // 2, (width - across) // 2
    depth[row : row + down, column : column + across] = np.clip(mixed, 0, 1)
    return depth


def _links(depth: np.ndarray, eye: float, mu: float, hide: bool) -> np.ndarray:
    """For each dot the dot at its right, or itself, that must have the same colour.

    The algorithm is that of Thimbleby, Inglis and Witten, "Displaying 3D Images: Algorithms for
    Single-Image Random-Dot Stereograms", IEEE Computer 27 (10), 1994.
    """
    height, width = depth.shape
    rows = np.arange(height)
    same = np.tile(np.arange(width), (height, 1))
    apart = np.rint((1 - mu * depth) * eye / (2 - mu * depth)).astype(int)
    for column in range(width):
        gap = apart[:, column]
        left = column - gap // 2
        right = left + gap
        good = (left >= 0) & (right < width)
        if hide:
            good &= _seen(depth, column, eye, mu, good)
        line, left, right = rows[good], left[good], right[good]
        # A dot that is linked already keeps its link; the new one goes to the end of the chain.
        while line.size:
            linked = same[line, left]
            free = linked == left
            same[line[free], left[free]] = right[free]
            further = ~free & (linked != right)
            line, linked, right = line[further], linked[further], right[further]
            left, right = np.minimum(linked, right), np.maximum(linked, right)
    return same


def _seen(depth: np.ndarray, column: int, eye: float, mu: float, rows: np.ndarray) -> np.ndarray:
    """Whether a dot is visible to both eyes, not hidden by nearer ones, per row."""
    _, width = depth.shape
    seen = rows.copy()
    height = depth[:, column]
    step = 1
    while seen.any() and step < width:
        level = height + 2 * (2 - mu * height) * step / (mu * eye)
        if not (seen & (level < 1)).any():
            break
        for other in (column - step, column + step):
            if 0 <= other < width:
                seen &= (depth[:, other] < level) | (level >= 1)
        step += 1
    return seen


def kernel_stereograms(
    xp: ArrayModule,
    depth_values: np.ndarray,
    *,
    hidden_surface_removal: bool,
    convergence_dots_size: int,
    dots_per_inch: int,
    eye_separation: float,
    mu: float,
    normalize: bool,
    normalize_max: float,
    normalize_min: float,
    border_level: float,
    number_colors: int,
    output_image_shape: tuple[int | None, ...],
    output_data_window: tuple[int, ...],
) -> np.ndarray:
    if depth_values.ndim != 2:
        fail(f"depth_values must be 2-dimensional{shapes.show(depth_values.shape)}")
    if output_data_window is None or len(output_data_window) != 2:
        fail(f"output_data_window must be [width, height]: {shapes.show(output_data_window)}")
    width, height, channels = _size(output_image_shape, number_colors)
    limits = None
    if normalize:
        if normalize_max < normalize_min:
            limits = (depth_values.max(initial=0), depth_values.min(initial=0))
            if depth_values.size:
                limits = (depth_values.max(), depth_values.min())
        else:
            limits = (normalize_max, normalize_min)
    depth = _depths(
        np.asarray(depth_values), width, height, output_data_window, border_level, limits
    )
    eye = eye_separation * dots_per_inch
    same = _links(depth, eye, mu, hidden_surface_removal)
    picture = _coloured(same, number_colors, channels)
    _add_dots(picture, round((1 - mu / 2) * eye / (2 - mu / 2)), convergence_dots_size)
    return picture


def _coloured(same: np.ndarray, colours: int, channels: int) -> np.ndarray:
    height, width = same.shape
    random = np.random.default_rng()
    if colours > 256:
        picture = random.integers(0, 256, (height, width, channels), np.uint8)
    else:
        levels = random.integers(0, max(colours, 1), (height, width, 1))
        picture = np.repeat(levels * 255 // max(colours - 1, 1), channels, axis=2).astype(np.uint8)
    rows = np.arange(height)
    for column in range(width - 1, -1, -1):
        picture[:, column] = picture[rows, same[:, column]]
    return picture


def _add_dots(picture: np.ndarray, gap: int, size: int) -> None:
    """Draws two dots at the bottom that help the eyes to converge."""
    height, width, _ = picture.shape
    if size <= 0 or height <= 2 * size or width <= gap + 2 * size:
        return
    top = height - 2 * size
    for centre in ((width - gap) // 2, (width + gap) // 2):
        picture[top : top + size, centre - size // 2 : centre - size // 2 + size] = 0


def shape_stereograms(c: ShapeContext) -> Shape:
    c.with_rank("depth_values", 2)
    shape = c.attr("output_image_shape")
    if shape is None or len(shape) < 2:
        return (None, None, None)
    channels = 3 if c.attr("number_colors") > 256 else (shape[2] if len(shape) > 2 else 1)
    return (shape[1], shape[0], channels)


def samples_stereograms() -> Iterator[Sample]:
    depth = np.add.outer(np.arange(4.0), np.arange(3.0))
    yield Sample(depth, output_image_shape=(64, 32, 1), output_data_window=(60, 30))


register_op(
    "SingleImageRandomDotStereograms",
    inputs="depth_values: T",
    outputs="image: uint8",
    attrs=(
        "T: {double, float, int64, int32}, hidden_surface_removal: bool = true, "
        "convergence_dots_size: int = 8, dots_per_inch: int = 72, eye_separation: float = 2.5, "
        "mu: float = 0.333299994, normalize: bool = true, normalize_max: float = -100.0, "
        "normalize_min: float = 100.0, border_level: float = 0.0, number_colors: int = 256, "
        "output_image_shape: shape = (1024, 768, 1), output_data_window: shape = (1022, 757)"
    ),
    shape=shape_stereograms,
    kernel=kernel_stereograms,
    gradient=NOT_DIFFERENTIABLE,
    runs_on=RunsOn.HOST,
)
