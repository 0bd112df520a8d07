"""tensorflow.contrib.factorization.python.ops.factorization_ops_test_utils."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base.typing import Array
from headwater.graph import SparseTensor, Tensor, build, convert_to_tensor
from headwater.graph.default_graph import name_scope
from headwater.ops.array.gather_nd import gather_nd
from headwater.ops.array.reshape import expand_dims
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_sum

__all__ = ["INPUT_MATRIX", "calculate_loss", "np_matrix_to_tf_sparse", "remove_empty_rows_columns"]

# Half of the elements are missing.
INPUT_MATRIX = np.array(
    [
        [0.1, 0.0, 0.2, 0.0, 0.4, 0.5, 0.0],
        [0.0, 1.1, 0.0, 1.3, 1.4, 0.0, 1.6],
        [2.0, 0.0, 0.0, 2.3, 0.0, 2.5, 0.0],
        [3.0, 0.0, 3.2, 3.3, 0.0, 3.5, 0.0],
        [0.0, 4.1, 0.0, 0.0, 4.4, 0.0, 4.6],
    ],
    np.float32,
)


def np_matrix_to_tf_sparse(
    np_matrix: Array,
    row_slices: Sequence[int] | None = None,
    col_slices: Sequence[int] | None = None,
    transpose: bool = False,
    shuffle: bool = False,
) -> SparseTensor:
    """The elements of a matrix that are not zero.

    Args:
      np_matrix: the matrix.
      row_slices: the only rows to take.
      col_slices: the only columns to take, if no rows are given; columns come one by one then.
      transpose: whether the result is transposed; the order of the elements stays.
      shuffle: whether the elements are in random order.

    Returns:
      A SparseTensor of the shape of the whole matrix.
    """
    rows, columns = np.nonzero(np_matrix)
    if row_slices is not None:
        assert col_slices is None
        kept = np.isin(rows, row_slices)
        rows, columns = rows[kept], columns[kept]
    elif col_slices is not None:
        places = [np.flatnonzero(columns == column) for column in col_slices]
        order = np.concatenate(places) if places else np.zeros([0], np.int64)
        rows, columns = rows[order], columns[order]
    if shuffle:
        order = np.random.permutation(len(rows))
        rows, columns = rows[order], columns[order]
    values = np_matrix[rows, columns].astype(np.float32)
    at, shape = np.stack([rows, columns], axis=1), list(np_matrix.shape)
    if transpose:
        at, shape = at[:, ::-1], shape[::-1]
    return SparseTensor(indices=at.astype(np.int64), values=values, dense_shape=shape)


def remove_empty_rows_columns(np_matrix: Array) -> tuple[Array, Array, Array]:
    """Removes rows and columns that are zero.

    Args:
      np_matrix: the matrix.

    Returns:
      The rest, the numbers of its rows and those of its columns.
    """
    rows = np.flatnonzero(np.any(np_matrix != 0, axis=1))
    columns = np.flatnonzero(np.any(np_matrix != 0, axis=0))
    return np_matrix[np.ix_(rows, columns)], rows, columns


def calculate_loss(
    input_mat: SparseTensor,
    row_factors: Array,
    col_factors: Array,
    regularization: float | None = None,
    w0: float = 1.0,
    row_weights: Array | None = None,
    col_weights: Array | None = None,
) -> Any:
    """The loss of a weighted factorization, computed in the default session.

    Args:
      input_mat: the matrix that is factorized, sparse.
      row_factors: the factors of the rows.
      col_factors: the factors of the columns.
      regularization: the weight of the squares of the factors; none if None.
      w0: the weight of all elements.
      row_weights: the weights of the rows; those of an element that is there are multiplied and
        added to `w0`.
      col_weights: the weights of the columns.

    Returns:
      A number.
    """
    with name_scope("calculate_loss"):
        factors = convert_to_tensor(row_factors), convert_to_tensor(col_factors)
        whole = matmul(factors[0], factors[1], transpose_b=True)
        found = gather_nd(whole, input_mat.indices)
        errors = build.Square(input_mat.values - found)
        # Elements that are not there count as zero.
        loss = w0 * (reduce_sum(build.Square(whole)) - reduce_sum(build.Square(found)))
        weights = w0 + _weights(whole, input_mat, row_weights, col_weights)
        loss = loss + reduce_sum(weights * errors)
        if regularization is not None:
            squares = [reduce_sum(build.Square(factor)) for factor in factors]
            loss = loss + regularization * (squares[0] + squares[1])
        return loss.eval()


def _weights(
    whole: Tensor, input_mat: SparseTensor, row_weights: Array | None, col_weights: Array | None
) -> Tensor | float:
    if row_weights is None and col_weights is None:
        return 1.0
    product = build.OnesLike(whole)
    if row_weights is not None:
        product = product * expand_dims(convert_to_tensor(row_weights), 1)
    if col_weights is not None:
        product = product * expand_dims(convert_to_tensor(col_weights), 0)
    return gather_nd(product, input_mat.indices)
