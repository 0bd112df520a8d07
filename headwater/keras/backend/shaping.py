"""Functions that rearrange elements: joining, padding, repeating, resizing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import AxisLike, DTypeLike, ShapeLike, TensorLike
from headwater.graph import Tensor
from headwater.keras.backend.settings import checked_format
from headwater.keras.backend.tensors import cast, constant, int_shape, is_sparse, ndim, to_dense
from headwater.model.nn.embedding import embedding_lookup
from headwater.ops.array import concat
from headwater.ops.array import one_hot as one_hots
from headwater.ops.array import pad as pads
from headwater.ops.array import reshape as reshapes
from headwater.ops.array import reverse as reverses
from headwater.ops.array import split as splits
from headwater.ops.array import stack as stacks
from headwater.ops.array import tile as tiles
from headwater.ops.array import transpose as transposes
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.image.resize import resize_bilinear, resize_nearest_neighbor
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_prod
from headwater.ops.sparse.concat import sparse_concat

Padding = tuple[int, int] | Sequence[int]


@export("keras.backend.transpose")
def transpose(x: TensorLike) -> Tensor:
    """Reverses the order of the axes.

    Args:
        x: a tensor.

    Returns:
        A tensor.
    """
    return transposes.transpose(x)


@export("keras.backend.permute_dimensions")
def permute_dimensions(x: TensorLike, pattern: Sequence[int]) -> Tensor:
    """Orders the axes anew.

    Args:
        x: a tensor.
        pattern: the old numbers of the axes in the new order.

    Returns:
        A tensor.
    """
    return transposes.transpose(x, perm=pattern)


@export("keras.backend.gather")
def gather(reference: TensorLike, indices: TensorLike) -> Tensor:
    """Takes rows.

    Args:
        reference: a tensor.
        indices: integers.

    Returns:
        A tensor: the axes of the indices, then those of a row.
    """
    return embedding_lookup(reference, indices)


@export("keras.backend.concatenate")
def concatenate(tensors: Sequence[TensorLike], axis: int = -1) -> Any:
    """Joins tensors along an axis.

    Args:
        tensors: tensors of the same rank; all sparse, or made dense.
        axis: the axis.

    Returns:
        A tensor.
    """
    if axis < 0:
        rank = ndim(tensors[0])
        axis = axis % rank if rank else 0
    if all(is_sparse(tensor) for tensor in tensors):
        return sparse_concat(axis, tensors)
    return concat.concat([to_dense(tensor) for tensor in tensors], axis)


@export("keras.backend.reshape")
def reshape(x: TensorLike, shape: ShapeLike) -> Tensor:
    """Gives a tensor another shape.

    Args:
        x: a tensor.
        shape: the sizes; one may be -1.

    Returns:
        A tensor.
    """
    return reshapes.reshape(x, shape)


@export("keras.backend.resize_images")
def resize_images(
    x: TensorLike,
    height_factor: int,
    width_factor: int,
    data_format: str,
    interpolation: str = "nearest",
) -> Tensor:
    """Enlarges images by whole factors.

    Args:
        x: a tensor of rank 4.
        height_factor: the factor of the height.
        width_factor: the factor of the width.
        data_format: "channels_last" or "channels_first".
        interpolation: "nearest" or "bilinear".

    Returns:
        A tensor of rank 4.

    Raises:
        ValueError: if the format or the interpolation is unknown.
    """
    if data_format == "channels_first":
        rows, columns = 2, 3
    elif data_format == "channels_last":
        rows, columns = 1, 2
    else:
        raise ValueError(f"Invalid `data_format` argument: {data_format}")
    static = int_shape(x) or (None,) * 4
    size = shape_of(x)[rows : columns + 1] * constant(
        np.array([height_factor, width_factor]), dtype=dtypes.int32
    )
    if data_format == "channels_first":
        x = permute_dimensions(x, [0, 2, 3, 1])
    if interpolation == "nearest":
        x = resize_nearest_neighbor(
            x, size, name="resize/ResizeNearestNeighbor", half_pixel_centers=True
        )
    elif interpolation == "bilinear":
        x = resize_bilinear(x, size, name="resize/ResizeBilinear", half_pixel_centers=True)
    else:
        raise ValueError('interpolation should be one of "nearest" or "bilinear".')
    if data_format == "channels_first":
        x = permute_dimensions(x, [0, 3, 1, 2])
    known: list[int | None] = [None, None, None, None]
    height, width = static[rows], static[columns]
    known[rows] = None if height is None else height * height_factor
    known[columns] = None if width is None else width * width_factor
    x.set_shape(known)
    return x


@export("keras.backend.resize_volumes")
def resize_volumes(
    x: TensorLike, depth_factor: int, height_factor: int, width_factor: int, data_format: str
) -> Tensor:
    """Enlarges volumes by whole factors.

    Args:
        x: a tensor of rank 5.
        depth_factor: the factor of the depth.
        height_factor: the factor of the height.
        width_factor: the factor of the width.
        data_format: "channels_last" or "channels_first".

    Returns:
        A tensor of rank 5.

    Raises:
        ValueError: if the format is unknown.
    """
    first = {"channels_first": 2, "channels_last": 1}.get(data_format)
    if first is None:
        raise ValueError(f"Invalid data_format: {data_format}")
    for axis, factor in enumerate((depth_factor, height_factor, width_factor), first):
        x = repeat_elements(x, factor, axis=axis)
    return x


@export("keras.backend.repeat_elements")
def repeat_elements(x: TensorLike, rep: int, axis: int) -> Tensor:
    """Repeats each slice along an axis, as numpy.repeat does.

    Args:
        x: a tensor.
        rep: how often.
        axis: the axis.

    Returns:
        A tensor.
    """
    sizes = x.shape.as_list()
    if sizes[axis] is not None:
        slices = splits.split(x, sizes[axis], axis=axis)
        return concatenate([part for part in slices for _ in range(rep)], axis)
    # The slices cannot be listed: they are repeated along a new axis after this one.
    inner = axis + 1
    x_shape = shape_of(x)
    multiples = np.ones(len(sizes) + 1, np.int32)
    multiples[inner] = rep
    repeated = tiles.tile(reshapes.expand_dims(x, inner), multiples)
    factors = np.ones(len(sizes), np.int32)
    factors[axis] = rep
    repeated = reshapes.reshape(repeated, x_shape * constant(factors, dtype=dtypes.int32))
    repeated.set_shape(sizes)
    return repeated


@export("keras.backend.repeat")
def repeat(x: TensorLike, n: int) -> Tensor:
    """Repeats each row of a matrix along a new axis.

    Args:
        x: a matrix.
        n: how often.

    Returns:
        A tensor of shape (rows, n, columns).
    """
    x = reshapes.expand_dims(x, 1)
    return tiles.tile(x, stacks.stack([1, n, 1]))


@export("keras.backend.arange")
def arange(
    start: TensorLike, stop: TensorLike = None, step: TensorLike = 1, dtype: DTypeLike = "int32"
) -> Tensor:
    """Returns evenly spaced numbers.

    Args:
        start: the first one; the bound, if it is the only argument.
        stop: the bound.
        step: the distance.
        dtype: the type.

    Returns:
        A vector.
    """
    if stop is None and isinstance(start, int) and start < 0:
        start = 0
    numbers = range_(start, limit=stop, delta=step, name="arange")
    return numbers if dtype == "int32" else cast(numbers, dtype)


@export("keras.backend.tile")
def tile(x: TensorLike, n: Any) -> Tensor:
    """Repeats a tensor along its axes.

    Args:
        x: a tensor.
        n: how often, per axis.

    Returns:
        A tensor.
    """
    return tiles.tile(x, [n] if isinstance(n, int) else n)


@export("keras.backend.flatten")
def flatten(x: TensorLike) -> Tensor:
    """Joins all axes.

    Args:
        x: a tensor.

    Returns:
        A vector.
    """
    return reshapes.reshape(x, [-1])


@export("keras.backend.batch_flatten")
def batch_flatten(x: TensorLike) -> Tensor:
    """Joins all axes but the first one.

    Args:
        x: a tensor.

    Returns:
        A matrix.
    """
    return reshapes.reshape(x, stacks.stack([-1, reduce_prod(shape_of(x)[1:])]))


@export("keras.backend.expand_dims")
def expand_dims(x: TensorLike, axis: int = -1) -> Tensor:
    """Adds an axis of length 1.

    Args:
        x: a tensor.
        axis: its place.

    Returns:
        A tensor.
    """
    return reshapes.expand_dims(x, axis)


@export("keras.backend.squeeze")
def squeeze(x: TensorLike, axis: int) -> Tensor:
    """Removes an axis of length 1.

    Args:
        x: a tensor.
        axis: the axis.

    Returns:
        A tensor.
    """
    return reshapes.squeeze(x, [axis])


@export("keras.backend.temporal_padding")
def temporal_padding(x: TensorLike, padding: Padding = (1, 1)) -> Tensor:
    """Adds zeros before and after the middle axis of a tensor of rank 3.

    Args:
        x: a tensor.
        padding: the numbers of zeros.

    Returns:
        A tensor.
    """
    assert len(padding) == 2
    return pads.pad(x, [[0, 0], list(padding), [0, 0]])


def _padded(x: TensorLike, paddings: Sequence[Padding], data_format: str | None) -> Tensor:
    pattern = [list(padding) for padding in paddings]
    first = checked_format(data_format) == "channels_first"
    return pads.pad(x, [[0, 0], [0, 0], *pattern] if first else [[0, 0], *pattern, [0, 0]])


@export("keras.backend.spatial_2d_padding")
def spatial_2d_padding(
    x: TensorLike,
    padding: Sequence[Padding] = ((1, 1), (1, 1)),
    data_format: str | None = None,
) -> Tensor:
    """Adds zeros around images.

    Args:
        x: a tensor of rank 4.
        padding: the numbers of zeros before and after, per axis.
        data_format: "channels_last" or "channels_first".

    Returns:
        A tensor.

    Raises:
        ValueError: if the format is unknown.
    """
    assert len(padding) == 2
    return _padded(x, padding, data_format)


@export("keras.backend.spatial_3d_padding")
def spatial_3d_padding(
    x: TensorLike,
    padding: Sequence[Padding] = ((1, 1), (1, 1), (1, 1)),
    data_format: str | None = None,
) -> Tensor:
    """Adds zeros around volumes.

    Args:
        x: a tensor of rank 5.
        padding: the numbers of zeros before and after, per axis.
        data_format: "channels_last" or "channels_first".

    Returns:
        A tensor.

    Raises:
        ValueError: if the format is unknown.
    """
    assert len(padding) == 3
    return _padded(x, padding, data_format)


@export("keras.backend.stack")
def stack(x: Sequence[TensorLike], axis: int = 0) -> Tensor:
    """Joins tensors along a new axis.

    Args:
        x: tensors of one shape.
        axis: the place of the axis.

    Returns:
        A tensor.
    """
    return stacks.stack(x, axis=axis)


@export("keras.backend.one_hot")
def one_hot(indices: TensorLike, num_classes: int) -> Tensor:
    """Makes vectors with a one at the index.

    Args:
        indices: integers.
        num_classes: the length of the vectors.

    Returns:
        A tensor of float32 with one more axis.
    """
    return one_hots.one_hot(indices, depth=num_classes, axis=-1)


@export("keras.backend.reverse")
def reverse(x: TensorLike, axes: AxisLike) -> Tensor:
    """Reverses a tensor along axes.

    Args:
        x: a tensor.
        axes: an axis or several.

    Returns:
        A tensor.
    """
    return reverses.reverse(x, [axes] if isinstance(axes, int) else axes)
