"""sparsemax: the projection of logits onto the probability simplex, and its loss.

Source: Martins, Astudillo, "From softmax to sparsemax: a sparse model of attention and multi-label
classification", ICML 2016; algorithm 1 and equation 26.
"""

from __future__ import annotations

import math

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, convert_to_tensor, name_scope
from headwater.ops.array.fill import fill, zeros_like
from headwater.ops.array.gather_nd import gather_nd
from headwater.ops.array.shape import shape
from headwater.ops.array.stack import stack
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import equal, is_inf, is_nan
from headwater.ops.math.extrema import maximum
from headwater.ops.math.logical import logical_and, logical_or
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.math.scan import cumsum
from headwater.ops.math.select import where
from headwater.ops.nn.top_k import top_k


@export("contrib.sparsemax.sparsemax")
def sparsemax(logits: TensorLike, name: str | None = None) -> Tensor:
    """Projects each row onto the probability simplex: probabilities, many of which are zero.

    Args:
        logits: a floating-point matrix [batch, classes].
        name: the name scope.

    Returns:
        A matrix of the same type and shape. A row with NaN or inf, or only -inf, is NaN.
    """
    with name_scope(name, "sparsemax", [logits]):
        logits = convert_to_tensor(logits, name="logits")
        rows = shape(logits)[0]
        classes = shape(logits)[1]
        ordered, _ = top_k(logits, k=classes)
        sums = cumsum(ordered, axis=1)
        counts = range_(1, cast(classes, logits.dtype) + 1, dtype=logits.dtype)
        in_support = 1 + counts * ordered > sums
        size = reduce_sum(cast(in_support, dtypes.int32), axis=1)
        # Rows of NaN have no support; they get their value in the end.
        known = maximum(size, 1)
        at = stack([range_(0, rows), known - 1], axis=1)
        threshold = (gather_nd(sums, at) - 1) / cast(size, logits.dtype)
        probabilities = maximum(cast(0, logits.dtype), logits - threshold[:, None])
        undefined = logical_or(equal(size, 0), is_nan(sums[:, -1]))
        nans = fill([rows, classes], cast(math.nan, logits.dtype))
        return where(undefined, nans, probabilities)


@export("contrib.sparsemax.sparsemax_loss")
def sparsemax_loss(
    logits: TensorLike, sparsemax: TensorLike, labels: TensorLike, name: str | None = None
) -> Tensor:
    """Returns the loss of which `sparsemax(logits) - labels` is the gradient.

    Args:
        logits: a floating-point matrix [batch, classes].
        sparsemax: the sparsemax of the logits.
        labels: the target distributions, of the type and shape of the logits.
        name: the name scope.

    Returns:
        The losses [batch].
    """
    with name_scope(name, "sparsemax_loss", [logits, sparsemax, labels]):
        logits = convert_to_tensor(logits, name="logits")
        sparsemax = convert_to_tensor(sparsemax, name="sparsemax")
        labels = convert_to_tensor(labels, name="labels")
        # 0 * -inf counts as 0, outside of the support and of the labels.
        counted = logical_or(sparsemax > 0, is_nan(sparsemax))
        support = where(counted, sparsemax * (logits - 0.5 * sparsemax), zeros_like(sparsemax))
        targets = labels * (0.5 * labels - logits)
        unused = logical_and(equal(labels, 0), is_inf(logits))
        return reduce_sum(support + where(unused, zeros_like(targets), targets), axis=1)
