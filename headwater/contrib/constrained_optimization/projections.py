"""Euclidean projections onto simplices."""

from __future__ import annotations

from headwater.graph import Tensor, build


def onto_simplex(columns: Tensor, radius: float, at_most: bool = False) -> Tensor:
    """The nearest columns of nonnegative elements with a given sum.

    The algorithm is that of Duchi, Shalev-Shwartz, Singer and Chandra, "Efficient projections onto
    the l1-ball for learning in high dimensions": all elements that stay positive lose the same.

    Args:
        columns: a matrix [n, columns].
        radius: the sum.
        at_most: whether it may be smaller.

    Returns:
        A matrix of the same shape.
    """
    size = columns.shape[0].value
    ordered = build.TopKV2(build.Transpose(columns, [1, 0]), size)[0]
    excess = build.Cumsum(ordered, 1) - radius
    counts = build.Range(1.0, size + 1.0, 1.0)
    # the largest set of elements that all stay positive
    kept = build.Sum(build.Cast(build.Greater(ordered * counts, excess), DstT="int32"), 1)
    rows = build.Range(0, build.Size(kept), 1)
    last = build.GatherNd(excess, build.Pack([rows, kept - 1], axis=1))
    loss = last / build.Cast(kept, DstT="float32")
    if at_most:
        positive_sum = build.Sum(build.Relu(columns), 0)
        loss = build.SelectV2(positive_sum > radius, loss, build.ZerosLike(loss))
    return build.Relu(columns - loss)
