"""Images as vectors, and classes as images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, export, name_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.reshape import reshape
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_mean
from headwater.ops.sparse.to_dense import sparse_to_dense

if TYPE_CHECKING:
    from headwater.model.variables.variable_scope_object import ScopeLike

_MISC = "contrib.ndlstm.misc"


@export("contrib.ndlstm.pixels_as_vector", f"{_MISC}.pixels_as_vector")
def pixels_as_vector(images: TensorLike, scope: ScopeLike | None = None) -> Tensor:
    """Images as vectors of all their values.

    Args:
        images: a tensor of shape [batch, height, width, depth].
        scope: the name scope; "PixelsAsVector" by default.

    Returns:
        A matrix of shape [batch, height * width * depth].
    """
    with name_scope(scope, "PixelsAsVector", [images]):
        batch, height, width, depth = images.get_shape().as_list()
        return reshape(images, [batch, height * width * depth])


@export("contrib.ndlstm.pool_as_vector", f"{_MISC}.pool_as_vector")
def pool_as_vector(images: TensorLike, scope: ScopeLike | None = None) -> Tensor:
    """The means of images over their pixels.

    Args:
        images: a tensor of shape [batch, height, width, depth].
        scope: the name scope; "PoolAsVector" by default.

    Returns:
        A matrix of shape [batch, depth].
    """
    with name_scope(scope, "PoolAsVector", [images]):
        return reduce_mean(images, [1, 2])


@export("contrib.ndlstm.one_hot_planes", f"{_MISC}.one_hot_planes")
def one_hot_planes(labels: TensorLike, num_classes: int, scope: ScopeLike | None = None) -> Tensor:
    """Classes as one-hot vectors, in the form of images of one pixel.

    Args:
        labels: an integer vector of shape [batch].
        num_classes: the number of classes.
        scope: the name scope; "OneHotPlanes" by default.

    Returns:
        A float tensor of shape [batch, 1, 1, num_classes].
    """
    with name_scope(scope, "OneHotPlanes", [labels]):
        batch = labels.get_shape()[0].value
        with name_scope(None, "OneHotEncoding", [labels]):
            hot = one_hot(cast(labels, dtypes.int64), num_classes, on_value=1.0, off_value=0.0)
        return reshape(hot, [batch, 1, 1, num_classes])


@export("contrib.ndlstm.one_hot_mask", f"{_MISC}.one_hot_mask")
def one_hot_mask(labels: TensorLike, num_classes: int, scope: ScopeLike | None = None) -> Tensor:
    """The classes of pixels as one-hot vectors.

    Args:
        labels: an integer tensor of shape [height, width, 1].
        num_classes: the number of classes.
        scope: the name scope; "OneHotMask" by default.

    Returns:
        A float tensor of shape [height, width, num_classes].
    """
    with name_scope(scope, "OneHotMask", [labels]):
        height, width, _ = labels.get_shape().as_list()
        classes = cast(reshape(labels, [-1, 1]), dtypes.int32)
        pixels = reshape(range_(0, height * width), [-1, 1])
        hot = sparse_to_dense(concat([pixels, classes], 1), [height * width, num_classes], 1.0, 0.0)
        return reshape(hot, [height, width, num_classes])
