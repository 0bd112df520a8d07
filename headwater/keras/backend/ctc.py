"""Connectionist temporal classification of padded batches."""

from __future__ import annotations

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import SparseTensor, Tensor
from headwater.keras.backend.settings import epsilon
from headwater.model.functional_loops import scan
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import fill
from headwater.ops.array.gather_nd import gather_nd
from headwater.ops.array.getitem import boolean_mask
from headwater.ops.array.reshape import expand_dims, reshape, squeeze
from headwater.ops.array.reverse import reverse
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.array.stack import stack
from headwater.ops.array.tile import tile
from headwater.ops.array.transpose import transpose
from headwater.ops.math.cast import cast
from headwater.ops.math.exponential import log
from headwater.ops.math.ranges import range_
from headwater.ops.nn.ctc_decoders import ctc_beam_search_decoder, ctc_greedy_decoder
from headwater.ops.nn.ctc_loss import ctc_loss
from headwater.ops.sparse.to_dense import sparse_to_dense


@export("keras.backend.ctc_label_dense_to_sparse")
def ctc_label_dense_to_sparse(labels: TensorLike, label_lengths: TensorLike) -> SparseTensor:
    """Makes padded labels sparse.

    Args:
        labels: a matrix, a row of labels per example.
        label_lengths: the number of labels per example.

    Returns:
        A SparseTensor of int32 indices of labels.
    """
    label_shape = shape_of(labels)
    batch = stack([label_shape[0]])
    width = stack([label_shape[1]])

    def shorter(_: Tensor, length: Tensor) -> Tensor:
        return expand_dims(range_(label_shape[1]), 0) < fill(width, length)

    first = cast(fill([1, label_shape[1]], 0), dtypes.bool_)
    present = scan(shorter, label_lengths, initializer=first, parallel_iterations=1)[:, 0, :]
    columns = reshape(tile(range_(0, label_shape[1]), batch), label_shape)
    column = boolean_mask(columns, present)
    rows = transpose(reshape(tile(range_(0, label_shape[0]), width), reverse(label_shape, [0])))
    row = boolean_mask(rows, present)
    indices = transpose(reshape(concat([row, column], axis=0), [2, -1]))
    values = gather_nd(labels, indices)
    wide = cast(indices, dtypes.int64)
    return SparseTensor(wide, values, cast(label_shape, dtypes.int64))


@export("keras.backend.ctc_batch_cost")
def ctc_batch_cost(
    y_true: TensorLike, y_pred: TensorLike, input_length: TensorLike, label_length: TensorLike
) -> Tensor:
    """The loss of each example.

    Args:
        y_true: a matrix of labels.
        y_pred: probabilities (examples, steps, classes); the last class is the blank.
        input_length: the number of steps per example, a matrix of one column.
        label_length: the number of labels per example, a matrix of one column.

    Returns:
        A matrix of one column.
    """
    label_length = cast(squeeze(label_length, axis=-1), dtypes.int32)
    input_length = cast(squeeze(input_length, axis=-1), dtypes.int32)
    labels = cast(ctc_label_dense_to_sparse(y_true, label_length), dtypes.int32)
    logits = log(transpose(y_pred, perm=[1, 0, 2]) + epsilon())
    loss = ctc_loss(labels, logits, sequence_length=input_length)
    return expand_dims(loss, 1)


@export("keras.backend.ctc_decode")
def ctc_decode(
    y_pred: TensorLike,
    input_length: TensorLike,
    greedy: bool = True,
    beam_width: int = 100,
    top_paths: int = 1,
) -> tuple[list[Tensor], Tensor]:
    """Finds the likely labels.

    Args:
        y_pred: probabilities (examples, steps, classes); the last class is the blank.
        input_length: the number of steps per example.
        greedy: whether the best class of each step is taken, rather than a beam search.
        beam_width: the width of the beam.
        top_paths: how many results a beam search returns.

    Returns:
        A list of matrices of labels, filled up with -1, and the logarithms of their probabilities.
    """
    logits = log(transpose(y_pred, perm=[1, 0, 2]) + epsilon())
    lengths = cast(input_length, dtypes.int32)
    if greedy:
        decoded, log_prob = ctc_greedy_decoder(logits, lengths)
    else:
        decoded, log_prob = ctc_beam_search_decoder(
            logits, lengths, beam_width=beam_width, top_paths=top_paths
        )
    dense = [
        sparse_to_dense(found.indices, found.dense_shape, found.values, default_value=-1)
        for found in decoded
    ]
    return dense, log_prob
