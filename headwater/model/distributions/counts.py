"""The base of distributions of counts of classes."""

from __future__ import annotations

import numpy as np

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, with_dependencies
from headwater.model.distributions.arguments import embed_check_nonnegative_integer_form
from headwater.model.distributions.distribution import Distribution
from headwater.ops.array.shape import shape
from headwater.ops.control.value_checks import assert_equal
from headwater.ops.linalg.diagonal import matrix_set_diag
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_sum


class VectorDistribution(Distribution):
    """A distribution of vectors with one element per class.

    A class has `_whole`, a tensor of the shape of batch and event.
    """

    _whole: TensorLike

    def _batch_shape_tensor(self) -> Tensor:
        sizes: TensorLike = shape(self._whole)
        return sizes[:-1]

    def _batch_shape(self) -> TensorShape:
        return self._whole.get_shape().with_rank_at_least(1)[:-1]

    def _event_shape_tensor(self) -> Tensor:
        sizes: TensorLike = shape(self._whole)
        return sizes[-1:]

    def _event_shape(self) -> TensorShape:
        return self._whole.get_shape().with_rank_at_least(1)[-1:]

    def _negative_products(self, x: Tensor, y: Tensor) -> Tensor:
        """Minus the outer products of two vectors, with the variance on the diagonal."""
        products: Tensor = matmul(x[..., np.newaxis], y[..., np.newaxis, :])
        return matrix_set_diag(-products, self._variance())


def checked_total(total_count: TensorLike, validate_args: bool) -> Tensor:
    """The number of draws, checked when the graph runs if `validate_args`."""
    return embed_check_nonnegative_integer_form(total_count) if validate_args else total_count


def checked_counts(counts: TensorLike, total_count: TensorLike, validate_args: bool) -> Tensor:
    """Counts that are checked when the graph runs: whole numbers whose sum is the total."""
    if not validate_args:
        return counts
    counts = embed_check_nonnegative_integer_form(counts)
    text = "counts must sum to `self.total_count`"
    check = assert_equal(total_count, reduce_sum(counts, -1), message=text)
    return with_dependencies([check], counts)
