"""Products of matrices, batches of matrices and tensors."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, is_sparse
from headwater.keras.backend.tensors import int_shape, ndim
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import expand_dims, reshape, squeeze
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.array.stack import unstack
from headwater.ops.array.transpose import transpose
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.sparse.matmul import sparse_tensor_dense_matmul


@export("keras.backend.dot")
def dot(x: TensorLike, y: TensorLike) -> Tensor:
    """Multiplies the last axis of x with the second-to-last one of y, as Theano does.

    Args:
        x: a tensor or SparseTensor.
        y: a tensor.

    Returns:
        A tensor: all other axes of x, then those of y.

    Example:
        >>> print(tf.keras.backend.dot(tf.ones([2, 3]), tf.ones([3, 1])).eval())
        [[3.]
         [3.]]
    """
    x_rank, y_rank = ndim(x), ndim(y)
    if x_rank is not None and (x_rank > 2 or (y_rank or 0) > 2):
        x_shape = _sizes(x)
        y_shape = _sizes(y)
        order = list(range(len(y_shape)))
        order = [order.pop(-2), *order]
        rows = reshape(x, [-1, x_shape[-1]])
        columns = reshape(transpose(y, perm=order), [y_shape[-2], -1])
        return reshape(matmul(rows, columns), x_shape[:-1] + y_shape[:-2] + y_shape[-1:])
    if is_sparse(x):
        return sparse_tensor_dense_matmul(x, y)
    return matmul(x, y)


def _sizes(x: TensorLike) -> list[Any]:
    """The sizes of the axes: numbers where they are known, tensors elsewhere."""
    static = int_shape(x) or ()
    dynamic = unstack(shape_of(x))
    return [n if n is not None else size for n, size in zip(static, dynamic, strict=True)]


def _padded(x: TensorLike, missing: int) -> Tensor:
    return reshape(x, concat([shape_of(x), [1] * missing], axis=0))


@export("keras.backend.batch_dot")
def batch_dot(x: TensorLike, y: TensorLike, axes: int | tuple[int, int] | None = None) -> Tensor:
    """Multiplies two batches, element by element of the batch, along one axis of each.

    Args:
        x: a tensor of rank 2 or more.
        y: a tensor of rank 2 or more.
        axes: the axes whose products are summed; the last one of x and the second-to-last one of
            y if None.

    Returns:
        A tensor of rank 2 or more.

    Example:
        >>> print(tf.keras.backend.batch_dot(tf.ones([2, 3]), tf.ones([2, 3]), axes=1).eval())
        [[3.]
         [3.]]
    """
    x_rank, y_rank = ndim(x) or 0, ndim(y) or 0
    missing = abs(x_rank - y_rank)
    if isinstance(axes, int):
        axes = (axes, axes)
    if x_rank > y_rank:
        y = _padded(y, missing)
    elif y_rank > x_rank:
        x = _padded(x, missing)
    if x_rank == 2 and y_rank == 2:
        # Without axes, the axes of a matrix product of two dimensions.
        if axes is None:
            axes = (x_rank - 1, y_rank - 2)
        if axes[0] == axes[1]:
            out = reduce_sum(build.Mul(x, y), axes[0])
        else:
            out = reduce_sum(build.Mul(transpose(x, [1, 0]), y), axes[1])
    else:
        if axes is not None:
            adjoint_x = axes[0] != (ndim(x) or 0) - 1
            adjoint_y = axes[1] == (ndim(y) or 0) - 1
        else:
            adjoint_x = adjoint_y = False
        out = matmul(x, y, adjoint_a=adjoint_x, adjoint_b=adjoint_y)
    if missing:
        start = x_rank + y_rank - 3 if x_rank > y_rank else x_rank - 1
        out = squeeze(out, list(range(start, start + missing)))
    if ndim(out) == 1:
        out = expand_dims(out, 1)
    return out
