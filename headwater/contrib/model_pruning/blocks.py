"""Masks that have the same value throughout a block of a matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import ShapeLike
from headwater.graph import Tensor, build, name_scope
from headwater.model.nn.pooling import pool
from headwater.ops.array.constant import constant
from headwater.ops.array.reshape import reshape, squeeze
from headwater.ops.array.slice import slice_
from headwater.ops.array.transpose import transpose


def pooled(
    magnitudes: Tensor, block: Sequence[int], pooling: str, name: str, by_axis: bool = False
) -> Tensor:
    """Returns the mean or maximum of each block of a matrix.

    Args:
        magnitudes: the matrix.
        block: the height and width of a block.
        pooling: "AVG" or "MAX".
        name: the name of the op that pools.
        by_axis: whether the columns are pooled first, then the rows.

    Returns:
        A matrix; blocks at the end may be smaller.
    """
    height, width = magnitudes.shape.as_list()
    if not by_axis:
        image = reshape(magnitudes, [1, height, width, 1])
        return squeeze(pool(image, block, pooling, "SAME", strides=block, name=name))
    with name_scope(name):
        lines = reshape(magnitudes, [1, 1, height, width], name=f"{magnitudes.op.name}_aligned")
        window = [1, block[0]]
        lines = pool(lines, window, pooling, "SAME", strides=window)
        window = [1, block[1]]
        lines = pool(transpose(lines, [0, 1, 3, 2]), window, pooling, "SAME", strides=window)
    return squeeze(transpose(lines, [0, 1, 3, 2]))


def repeated(mask: Tensor, block: Sequence[int], shape: ShapeLike) -> Tensor:
    """Returns a matrix with each element of a mask repeated throughout its block.

    Args:
        mask: the mask with one element for each block.
        block: the height and width of a block.
        shape: the shape of the result; blocks at the end are cut.

    Returns:
        A matrix of that shape.
    """
    for axis, times in enumerate(block):
        if times > 1:
            mask = (
                _repeated_rows(mask, times)
                if axis == 0
                else transpose(_repeated_rows(transpose(mask, [1, 0]), times), [1, 0])
            )
    return slice_(mask, [0, 0], TensorShape(shape).as_list())


def _repeated_rows(matrix: Tensor, times: int) -> Tensor:
    rows, columns = (int(length) for length in matrix.shape)
    order = np.arange(rows * times, dtype=np.int32).reshape(rows, times).T
    targets = constant(order.reshape(-1, 1))
    tiled = build.Tile(matrix, [times, 1])
    return build.ScatterNd(targets, tiled, np.array([rows * times, columns], np.int32))
