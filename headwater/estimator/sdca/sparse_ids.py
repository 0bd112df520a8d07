"""The ids of a sparse feature as stochastic dual coordinate ascent wants them: valid and unique."""

from __future__ import annotations

from typing import Any, NamedTuple

from headwater.base import dtypes
from headwater.graph import SparseTensor, Tensor
from headwater.ops.array.fill import ones
from headwater.ops.array.getitem import boolean_mask
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.ops.array.unique import unique
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import greater_equal
from headwater.ops.math.reduce_functions import reduce_max
from headwater.ops.math.unsorted_segments import unsorted_segment_min, unsorted_segment_sum


class SparseFeature(NamedTuple):
    """A sparse feature of a batch of examples: parallel vectors with an item for each entry."""

    example_indices: Tensor
    feature_indices: Tensor
    feature_values: Any


def pruned_and_unique(ids: SparseTensor, weights: SparseTensor | None) -> SparseFeature:
    """Drops negative ids, and merges the ids that an example has several times.

    Args:
        ids: a SparseTensor of integers [batch, entries].
        weights: the values of the ids, a SparseTensor; None if all are 1.

    Returns:
        A SparseFeature; its values are sums of the weights of equal ids.
    """
    if weights is None:
        values = ones([shape(ids.indices)[0]], dtypes.float32)
    else:
        values = weights.values
    examples = reshape(ids.indices[:, 0], [-1])
    flat = cast(reshape(ids.values, [-1]), dtypes.int64, name="ToInt64")
    valid = greater_equal(flat, 0)
    flat = boolean_mask(flat, valid)
    examples = boolean_mask(examples, valid)
    values = boolean_mask(values, valid)
    # A pair of example and id as one number.
    stride = reduce_max(flat) + 1
    pairs, places = unique(stride * examples + flat)
    firsts = unsorted_segment_min(examples, places, shape(pairs)[0])
    unique_ids = pairs - stride * firsts
    sums = reshape(unsorted_segment_sum(values, places, shape(pairs)[0]), [-1])
    return SparseFeature(firsts, unique_ids, sums)
