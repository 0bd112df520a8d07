"""CTC losses of labels in dense or sparse tensors, and functions of label sequences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import (
    SparseTensor,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.getitem import sequence_mask
from headwater.ops.array.reshape import expand_dims
from headwater.ops.array.transpose import transpose
from headwater.ops.math.cast import cast
from headwater.ops.math.select import where
from headwater.ops.nn.ctc_loss import ctc_loss

# The loss where there are too few steps for the labels: minus the logarithm of the smallest double.
_IMPOSSIBLE = -float(np.log(np.finfo(np.float64).tiny))


def _last_blank(logits: Tensor, blank_index: int) -> Tensor:
    """The logits with the blank moved to the last class."""
    parts = [
        logits[:, :, :blank_index],
        logits[:, :, blank_index + 1 :],
        logits[:, :, blank_index : blank_index + 1],
    ]
    return concat(parts, 2)


def _without_blank(labels: Tensor, blank_index: int) -> Tensor:
    """The labels renumbered for logits with the blank as the last class."""
    return where(build.Less(labels, blank_index), labels, labels - 1)


def dense_labels_to_sparse(dense: TensorLike, length: TensorLike) -> SparseTensor:
    """The labels of a padded batch as a sparse tensor.

    Args:
        dense: the labels, [batch, max_length].
        length: how many labels each row has, [batch].

    Returns:
        A SparseTensor of the shape of `dense`.
    """
    dense = convert_to_tensor(dense)
    sizes = shape_tensor(dense, out_type=dtypes.int64)
    mask = sequence_mask(length, maxlen=cast(sizes[1], dtypes.int32))
    indices = build.Where(mask)
    return SparseTensor(indices, build.GatherNd(dense, indices), sizes)


@export("nn.ctc_loss_v2")
def ctc_loss_v2(
    labels: TensorLike,
    logits: TensorLike,
    label_length: TensorLike,
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: Sequence[TensorLike] | None = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The CTC loss: minus the logarithm of the probability of the labels.

    A. Graves et al., Connectionist Temporal Classification, ICML 2006.

    Args:
        labels: a tensor [batch, max_label_length], or a SparseTensor.
        logits: floats [steps, batch, classes].
        label_length: the number of labels of each row, [batch]; None for sparse labels.
        logit_length: the number of steps of each row, [batch].
        logits_time_major: whether the first axis of `logits` are the steps, not the batch.
        unique: what `ctc_unique_labels` returns; it is not needed.
        blank_index: the class of the blank, 0 by default; negative ones count from the end.
        name: a name scope.

    Returns:
        A tensor of shape [batch].

    Raises:
        ValueError: if labels are sparse and there is no `blank_index`.
    """
    if not isinstance(labels, SparseTensor):
        blank_index = 0 if blank_index is None else blank_index
        return ctc_loss_dense(
            labels, logits, label_length, logit_length, logits_time_major, unique, blank_index, name
        )
    if blank_index is None:
        raise ValueError("blank_index must be given when using SparseTensor labels.")
    logits = convert_to_tensor(logits)
    count = logits.shape[-1].value
    blank_index = blank_index + count if blank_index < 0 else blank_index
    if blank_index != count - 1:
        logits = _last_blank(logits, blank_index)
        values = _without_blank(labels.values, blank_index)
        labels = SparseTensor(labels.indices, values, labels.dense_shape)
    return ctc_loss(
        labels=labels, inputs=logits, sequence_length=logit_length, time_major=logits_time_major
    )


def ctc_loss_dense(
    labels: TensorLike,
    logits: TensorLike,
    label_length: TensorLike,
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: Sequence[Tensor] | None = None,
    blank_index: int = 0,
    name: str | None = None,
) -> Tensor:
    """The CTC loss of labels in a dense tensor; see `ctc_loss_v2`.

    Args:
        labels: integers [batch, max_label_length].
        logits: floats [steps, batch, classes].
        label_length: the number of labels of each row, [batch].
        logit_length: the number of steps of each row, [batch].
        logits_time_major: whether the first axis of `logits` are the steps, not the batch.
        unique: what `ctc_unique_labels` returns; it is not needed.
        blank_index: the class of the blank; negative ones count from the end.
        name: a name scope.

    Returns:
        A tensor of shape [batch].
    """
    with name_scope(name, "ctc_loss_dense", [logits, labels, label_length, logit_length]):
        logits = convert_to_tensor(logits)
        labels = cast(labels, dtypes.int32)
        lengths = cast(label_length, dtypes.int32)
        steps = cast(logit_length, dtypes.int32)
        if not logits_time_major:
            logits = transpose(logits, [1, 0, 2])
        count = logits.shape[-1].value
        blank_index = blank_index + count if blank_index < 0 else blank_index
        if blank_index != count - 1:
            logits = _last_blank(logits, blank_index)
            labels = _without_blank(labels, blank_index)
        sparse = dense_labels_to_sparse(labels, lengths)
        loss = ctc_loss(
            labels=sparse,
            inputs=logits,
            sequence_length=steps,
            ignore_longer_outputs_than_inputs=True,
        )
        repeated = build.Equal(labels[:, 1:], labels[:, :-1])
        follows = sequence_mask(lengths - 1, maxlen=shape_tensor(labels)[1] - 1)
        pairs = cast(build.LogicalAnd(repeated, follows), dtypes.int32)
        impossible = build.Greater(lengths + build.Sum(pairs, 1), steps)
        worst = build.Fill(shape_tensor(loss), convert_to_tensor(_IMPOSSIBLE, loss.dtype))
        return where(impossible, worst, loss)


def _placed(labels: Tensor, kept: Tensor, size: TensorLike) -> Tensor:
    """The labels of each row that are kept, one after the other, then zeros."""
    places = build.Cumsum(cast(kept, dtypes.int32), 1) - 1
    at = build.Equal(expand_dims(places, 2), build.Range(0, size, 1))
    chosen = build.LogicalAnd(at, expand_dims(kept, 2))
    return build.Sum(expand_dims(labels, 2) * cast(chosen, labels.dtype), 1)


@export("nn.ctc_unique_labels")
def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The unique labels of each row, in order of first occurrence.

    Args:
        labels: integers [batch, max_label_length], with zeros behind the labels.
        name: a name scope.

    Returns:
        The different labels with zeros behind them, int64 [batch, max_label_length], and for
        each label its place among them, int32 of the same shape.
    """
    with name_scope(name, "ctc_unique_labels", [labels]):
        labels = convert_to_tensor(labels, name="labels")
        same = build.Equal(expand_dims(labels, 2), expand_dims(labels, 1))
        first = cast(build.ArgMax(cast(same, dtypes.int32), 2), dtypes.int32)
        size = shape_tensor(labels)[1]
        kept = build.Equal(first, build.Range(0, size, 1))
        places = build.Cumsum(cast(kept, dtypes.int32), 1) - 1
        at_first = build.Equal(expand_dims(first, 2), build.Range(0, size, 1))
        index = build.Sum(cast(at_first, dtypes.int32) * expand_dims(places, 1), 2)
        return _placed(cast(labels, dtypes.int64), kept, size), index


@export("nn.collapse_repeated")
def collapse_repeated(
    labels: TensorLike, seq_length: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Collapses each run of equal labels to one.

    Args:
        labels: integers [batch, max_length].
        seq_length: how many labels each row has, [batch].
        name: a name scope.

    Returns:
        The labels with zeros behind them, as long as the longest row, and the new lengths.
    """
    with name_scope(name, "collapse_repeated_labels", [labels, seq_length]):
        labels = convert_to_tensor(labels, name="labels")
        lengths = convert_to_tensor(seq_length, name="seq_length")
        new = build.NotEqual(labels[:, 1:], labels[:, :-1])
        begins = concat([build.Equal(labels[:, :1], labels[:, :1]), new], 1)
        mask = sequence_mask(lengths, maxlen=shape_tensor(labels)[1])
        kept = build.LogicalAnd(begins, mask)
        counts = build.Sum(cast(kept, lengths.dtype), 1)
        longest = cast(build.Max(counts, 0), dtypes.int32)
        return _placed(labels, kept, longest), counts
