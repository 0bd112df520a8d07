"""Matrices, densities and covariances of time series models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes, nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, TensorLike
from headwater.contrib.layers.fully_connected import fully_connected
from headwater.graph import Tensor, convert_to_tensor
from headwater.model.functional_loops import scan
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable_scope import get_variable
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import ones, ones_like, zeros, zeros_like
from headwater.ops.array.gather import gather
from headwater.ops.array.pad import pad
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.shape import rank, shape, size
from headwater.ops.array.stack import stack
from headwater.ops.array.tile import tile
from headwater.ops.array.transpose import matrix_transpose, transpose
from headwater.ops.control.identity import identity
from headwater.ops.control.while_loop import while_loop
from headwater.ops.linalg.band_part import matrix_band_part
from headwater.ops.linalg.diagonal import diag, eye, matrix_diag, matrix_diag_part, matrix_set_diag
from headwater.ops.linalg.solve import matrix_determinant, matrix_triangular_solve
from headwater.ops.math.add_n import add_n
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import equal, greater
from headwater.ops.math.exponential import exp, log, log1p
from headwater.ops.math.extrema import maximum
from headwater.ops.math.matmul import matmul
from headwater.ops.math.powers import sqrt, square
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_any, reduce_max, reduce_sum
from headwater.ops.math.scan import cumsum
from headwater.ops.math.select import where
from headwater.ops.math.sign import absolute
from headwater.ops.nn.softplus import softsign

LOG_TWO_PI = math.log(2.0 * math.pi)
# The scale of a Cauchy distribution with the entropy of a standard normal one, squared.
_CAUCHY_ENTROPY_SCALE = math.e / (8.0 * math.pi)


def clip_covariance(
    covariance_matrix: TensorLike, maximum_variance_ratio: float, minimum_variance: float
) -> Tensor:
    """Returns covariance matrices [..., n, n] whose variances are neither tiny nor too different.

    Args:
        covariance_matrix: the matrices.
        maximum_variance_ratio: the smallest variance is the largest divided by this, at least.
        minimum_variance: a lower bound for all variances.

    Returns:
        The matrices with other diagonals.
    """
    diagonal = matrix_diag_part(covariance_matrix)
    largest = reduce_max(diagonal, axis=-1, keepdims=True)
    diagonal = maximum(diagonal, largest / maximum_variance_ratio)
    return matrix_set_diag(covariance_matrix, maximum(diagonal, minimum_variance))


def block_diagonal(
    matrices: Sequence[TensorLike], dtype: DTypeLike = dtypes.float32, name: str = "block_diagonal"
) -> Tensor:
    """Returns matrices [..., n_i, m_i] as blocks on the diagonal of one [..., sum n_i, sum m_i].

    Args:
        matrices: the blocks, all with the same shape before the last two dimensions.
        dtype: the type of blocks that are no tensors.
        name: the name of the result.

    Returns:
        The matrix of blocks.
    """
    blocks = [convert_to_tensor(matrix, dtype=dtype) for matrix in matrices]
    widths = [shape(block)[-1] for block in blocks]
    total = add_n(widths)
    left: Any = 0
    rows = []
    for block, width in zip(blocks, widths, strict=True):
        unpadded = zeros([rank(block) - 1, 2], dtypes.int32)
        right = total - left - width
        rows.append(pad(block, concat([unpadded, [[left, right]]], axis=0)))
        left = left + width
    joined = concat(rows, axis=-2, name=name)
    joined.set_shape(_block_diagonal_shape(blocks))
    return joined


def _block_diagonal_shape(blocks: Sequence[Tensor]) -> TensorShape:
    batch, sizes = TensorShape(None), []
    for block in blocks:
        batch = batch.merge_with(block.shape[:-2])
        sizes.append(block.shape.as_list()[-2:])
    if batch.ndims is None:
        return batch
    return batch.concatenate(
        [None if None in axis else sum(axis) for axis in zip(*sizes, strict=True)]
    )


def power_sums_tensor(array_size: TensorLike, power_matrix: Tensor, multiplier: Tensor) -> Tensor:
    """Returns [S_0, ..., S_size] with S_n the sum of A^i M (A^i)^T over i < n.

    Args:
        array_size: the number of sums besides S_0, which is zero.
        power_matrix: A, [n, n].
        multiplier: M, [n, n].

    Returns:
        A tensor [array_size + 1, n, n].
    """
    size = cast(array_size, dtypes.int32)
    identity_matrix = eye(shape(power_matrix)[0], dtype=power_matrix.dtype)
    powers = scan(
        lambda product, _: matmul(product, power_matrix),
        range_(size - 1),
        initializer=identity_matrix,
    )
    terms = matmul(batch_times_matrix(powers, multiplier), powers, adjoint_b=True)
    sums = cumsum(concat([expand_dims(multiplier, 0), terms], 0))
    return concat([expand_dims(zeros_like(multiplier), 0), sums], 0)


def matrix_to_powers(matrix: TensorLike, powers: Tensor) -> Tensor:
    """Returns a matrix [n, n] raised to each of the powers [k]: [k, n, n]."""
    return batch_matrix_pow(tile(expand_dims(matrix, 0), [size(powers), 1, 1]), powers)


def batch_matrix_pow(matrices: TensorLike, powers: TensorLike) -> Tensor:
    """Returns matrices [k, n, n], each raised to its power in [k], by repeated squaring."""
    matrices = convert_to_tensor(matrices)
    powers = cast(powers, dtypes.int32)
    start = tile(
        expand_dims(eye(shape(matrices)[1], dtype=matrices.dtype), 0), [shape(matrices)[0], 1, 1]
    )

    def halve(bases: Tensor, exponents: Tensor, products: Tensor) -> tuple[Tensor, ...]:
        even = equal(exponents % 2, zeros_like(exponents))
        odd_products = where(even, products, matmul(products, bases))
        unfinished = greater(exponents, 1)
        return (
            where(unfinished, matmul(bases, bases), bases),
            where(unfinished, (exponents - exponents % 2) // 2, exponents),
            where(unfinished, odd_products, products),
        )

    bases, exponents, products = while_loop(
        lambda _, exponents, __: reduce_any(greater(exponents, ones_like(exponents))),
        halve,
        (matrices, powers, start),
        shape_invariants=(matrices.shape, powers.shape, TensorShape([None, None, None])),
    )
    result = where(equal(exponents, zeros_like(exponents)), start, matmul(bases, products))
    result.set_shape(matrices.shape)
    return result


def batch_times_matrix(
    batch: Tensor, matrix: Tensor, adj_x: bool = False, adj_y: bool = False
) -> Tensor:
    """Returns batch [b, n, m] times one matrix [m, k], as one product of matrices.

    Args:
        batch: the left factors.
        matrix: the right factor of all of them.
        adj_x: whether to transpose the left factors.
        adj_y: whether to transpose the right factor.

    Returns:
        A tensor [b, n, k].
    """
    batch, matrix = convert_to_tensor(batch), convert_to_tensor(matrix)
    if adj_x:
        batch = transpose(batch, [0, 2, 1])
    sizes = shape(batch)
    product = matmul(reshape(batch, stack([-1, sizes[2]])), matrix, adjoint_b=adj_y)
    columns = matrix.shape[0 if adj_y else 1]
    rows = batch.shape[1].value
    result = reshape(product, stack([sizes[0], sizes[1], shape(matrix)[0 if adj_y else 1]]))
    result.set_shape([batch.shape[0], rows, columns])
    return result


def matrix_times_batch(
    matrix: Tensor, batch: Tensor, adj_x: bool = False, adj_y: bool = False
) -> Tensor:
    """Returns one matrix [n, m] times batch [b, m, k]; see `batch_times_matrix`."""
    product = batch_times_matrix(batch, matrix, adj_x=not adj_y, adj_y=not adj_x)
    return transpose(product, [0, 2, 1])


def make_toeplitz_matrix(inputs: TensorLike, name: str | None = None) -> Tensor:
    """Returns the symmetric block matrix whose block (i, j) is inputs[|i - j|].

    Args:
        inputs: blocks [number of blocks, n, n].
        name: the name of the result.

    Returns:
        A matrix [number of blocks * n, number of blocks * n].
    """
    inputs = convert_to_tensor(inputs)
    count = shape(inputs)[0]
    side = shape(inputs)[1] * count
    row = reshape(range_(count), [1, -1])
    blocks = gather(inputs, absolute(row - transpose(row, [1, 0])))
    joined = reshape(transpose(blocks, [0, 2, 1, 3]), [side, side])
    known = inputs.shape[:2]
    if known.is_fully_defined():
        joined.set_shape([known.num_elements()] * 2)
    return identity(joined, name=name)


def _filled_up(values: Tensor, reference: Tensor | int) -> Tensor:
    """Appends dimensions of one until values have the rank of the reference."""
    wanted = reference if isinstance(reference, int) else len(reference.shape)
    missing = wanted - len(values.shape)
    return reshape(values, concat([shape(values), ones([missing], dtypes.int32)], 0))


def sign_magnitude_positive_definite(
    raw: TensorLike, off_diagonal_scale: TensorLike = 0.0, overall_scale: TensorLike = 0.0
) -> Tensor:
    """Makes positive definite matrices of numbers without bounds.

    The result is U^T U. The diagonal of U is the square root of exp(raw + overall_scale); above it,
    the upper triangle of `raw` gives logarithms of magnitudes, the lower one signs.

    Args:
        raw: numbers [..., n, n].
        off_diagonal_scale: added to logarithms beside the diagonal, [...].
        overall_scale: added to all logarithms, [...].

    Returns:
        Matrices [..., n, n].
    """
    raw = convert_to_tensor(raw)
    beside = _filled_up(convert_to_tensor(off_diagonal_scale, dtype=raw.dtype), raw)
    overall = convert_to_tensor(overall_scale, dtype=raw.dtype)
    rank_of_raw = len(raw.shape)
    magnitudes = exp((raw + beside + _filled_up(overall, rank_of_raw)) / 2.0)
    signed = magnitudes * softsign(matrix_transpose(raw))
    diagonal = exp((matrix_diag_part(raw) + _filled_up(overall, rank_of_raw - 1)) / 2.0)
    root = matrix_set_diag(matrix_band_part(signed, 0, -1), diagonal)
    return matmul(root, root, transpose_a=True)


def transform_to_covariance_matrices(input_vectors: Tensor, matrix_size: int) -> Tensor:
    """Makes covariance matrices of vectors with a fully connected layer.

    Args:
        input_vectors: [batch, n].
        matrix_size: the number of rows of a matrix.

    Returns:
        Matrices [batch, matrix_size, matrix_size].
    """
    entries = matrix_size**2
    numbers = fully_connected(input_vectors, entries + 2, activation_fn=None)
    raw = reshape(numbers[..., :-2], concat([shape(numbers)[:-1], [matrix_size, matrix_size]], 0))
    raw.set_shape(numbers.shape[:-1].concatenate([matrix_size, matrix_size]))
    return sign_magnitude_positive_definite(
        raw, off_diagonal_scale=numbers[..., -2], overall_scale=numbers[..., -1]
    )


def variable_covariance_matrix(
    size: int,
    name: str,
    dtype: DTypeLike,
    initial_diagonal_values: TensorLike | None = None,
    initial_overall_scale_log: TensorLike = 0.0,
) -> Tensor:
    """Makes a trainable covariance matrix.

    Args:
        size: the number of rows.
        name: a prefix of the variables, and the name of the result.
        dtype: the type of the variables.
        initial_diagonal_values: the variances at the start [size]; ones by default.
        initial_overall_scale_log: the logarithm of a factor at the start.

    Returns:
        A matrix [size, size].
    """
    raw: Any = get_variable(
        name + "_pre_transform", dtype=dtype, shape=[size, size], initializer=Zeros()
    )
    if initial_diagonal_values is not None:
        raw = raw + matrix_diag(log(initial_diagonal_values))
    beside = get_variable(
        name + "_off_diagonal_scale", dtype=dtype, initializer=constant(-5.0, dtype=dtype)
    )
    # The start is added instead of being an initializer: it may depend on the inputs.
    overall = convert_to_tensor(initial_overall_scale_log, dtype=dtype) + get_variable(
        name + "_overall_scale", dtype=dtype, shape=[], initializer=Zeros()
    )
    matrix = sign_magnitude_positive_definite(raw, off_diagonal_scale=beside, overall_scale=overall)
    return identity(matrix, name=name)


def batch_start_time(times: Tensor) -> Tensor:
    """Returns the first time of each window: [batch] of [batch, window]."""
    return times[:, 0]


def batch_end_time(times: Tensor) -> Tensor:
    """Returns the last time of each window: [batch] of [batch, window]."""
    return times[:, -1]


def log_noninformative_covariance_prior(covariance: Tensor) -> Tensor:
    """Returns the logarithm of the Jeffreys prior of a covariance matrix [n, n].

    Source: S. K. Sarkar and C. Uhler, "Multivariate Bayesian statistics", lecture notes.
    """
    rows = shape(covariance)[0]
    # A small diagonal keeps the determinant positive.
    regular = covariance + diag(1e-8 * ones([rows], dtype=covariance.dtype))
    return -(cast(rows + 1, covariance.dtype) / 2.0) * log(matrix_determinant(regular))


def entropy_matched_cauchy_scale(covariance: Tensor) -> Tensor:
    """Returns scales of Cauchy distributions with the entropy of Gaussian ones, per dimension."""
    return sqrt(_CAUCHY_ENTROPY_SCALE * matrix_diag_part(covariance))


def replicate_state(start_state: Any, batch_size: TensorLike) -> Any:
    """Repeats each tensor of a state along a new first dimension."""

    def replicate(value: Any) -> Tensor:
        value = convert_to_tensor(value)
        repeats = concat([stack([batch_size]), ones([rank(value)], dtypes.int32)], 0)
        return tile(expand_dims(value, 0), repeats)

    return nest.map_structure(replicate, start_state)


def normal_log_prob(loc: TensorLike, scale: Tensor, x: TensorLike) -> Tensor:
    """Returns a log density of normal distributions, in which log(scale) counts half."""
    return -0.5 * (square((x - loc) / scale) + LOG_TWO_PI + log(scale))


def cauchy_log_prob(loc: TensorLike, scale: TensorLike, x: TensorLike) -> Tensor:
    """Returns the log density of Cauchy distributions."""
    return -math.log(math.pi) - log(scale) - log1p(square((x - loc) / scale))


def mvn_tril_log_prob(loc: TensorLike, scale_tril: Tensor, x: TensorLike) -> Tensor:
    """Returns the log density of normal distributions in several dimensions.

    Args:
        loc: means [..., n].
        scale_tril: the Cholesky factors of the covariances, [..., n, n].
        x: points [..., n].

    Returns:
        Log densities [...].
    """
    whitened = matrix_triangular_solve(scale_tril, (x - loc)[..., None])[..., 0]
    log_determinant = 2.0 * reduce_sum(log(matrix_diag_part(scale_tril)), axis=-1)
    dimensions = cast(shape(scale_tril)[-1], scale_tril.dtype)
    squares = reduce_sum(square(whitened), axis=-1)
    return -0.5 * (squares + dimensions * LOG_TWO_PI + log_determinant)
