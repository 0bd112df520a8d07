"""Connected parts of images: ImageConnectedComponents."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, Sample, ShapeContext, register_op


def _joined(count: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The smallest member of the set of each element, where pairs (a, b) are in one set."""
    root = np.arange(count)
    while True:
        left, right = root[a], root[b]
        apart = left != right
        if not apart.any():
            return root
        low, high = np.minimum(left, right)[apart], np.maximum(left, right)[apart]
        np.minimum.at(root, high, low)
        while True:
            shorter = root[root]
            if np.array_equal(shorter, root):
                break
            root = shorter


def kernel_image_connected_components(xp: ArrayModule, images: np.ndarray) -> np.ndarray:
    if images.ndim != 3:
        fail("Input images must have rank 3")
    image = np.asarray(images)
    count = image.size
    empty = b"" if image.dtype.kind in "OS" else image.dtype.type(0)
    filled = np.asarray(image != empty, bool)
    numbers = np.arange(count).reshape(image.shape)
    pairs = []
    for before, after in (
        ((slice(None), slice(None, -1)), (slice(None), slice(1, None))),
        ((Ellipsis, slice(None, -1)), (Ellipsis, slice(1, None))),
    ):
        same = np.asarray(image[before] == image[after], bool) & filled[before]
        pairs.append((numbers[before][same], numbers[after][same]))
    first, second = (np.concatenate(side) for side in zip(*pairs))
    root = _joined(count, first, second).reshape(image.shape)
    return np.where(filled, root + 1, 0).astype(np.int64)


def reference_image_connected_components(images: np.ndarray) -> np.ndarray:
    """Fills one part after the other, in the order of their first pixels."""
    result = np.zeros(images.shape, np.int64)
    _, height, width = images.shape
    for start in np.ndindex(images.shape):
        if not images[start] or result[start]:
            continue
        number = 1 + int(np.ravel_multi_index(start, images.shape))
        waiting = [start]
        while waiting:
            n, y, x = waiting.pop()
            if not (0 <= y < height and 0 <= x < width) or result[n, y, x]:
                continue
            if images[n, y, x] == images[start]:
                result[n, y, x] = number
                waiting += [(n, y + 1, x), (n, y - 1, x), (n, y, x + 1), (n, y, x - 1)]
    return result


def samples_image_connected_components() -> Iterator[Sample]:
    random = np.random.RandomState(1)
    yield Sample(random.randint(0, 3, [2, 7, 6]).astype(np.int32))
    yield Sample(random.randint(0, 2, [1, 9, 8]).astype(bool))
    yield Sample(np.zeros([0, 2, 3], np.uint8))


def shape_image_connected_components(c: ShapeContext) -> Shape:
    return c.shape("image")


register_op(
    "ImageConnectedComponents",
    inputs="image: dtype",
    outputs="components: int64",
    attrs=("dtype: {int64, int32, uint16, int16, uint8, int8, half, float, double, bool, string}"),
    shape=shape_image_connected_components,
    kernel=kernel_image_connected_components,
    gradient=NOT_DIFFERENTIABLE,
    runs_on=RunsOn.HOST,
    reference=reference_image_connected_components,
    samples=samples_image_connected_components,
)
