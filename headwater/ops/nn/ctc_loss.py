"""CTCLoss: the loss of connectionist temporal classification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import require
from headwater.base.signatures import signature
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    RunsOn,
    Sample,
    SparseTensor,
    Tensor,
    build,
    constant_node,
    convert_to_tensor,
    export,
    register_op,
    shapes,
)
from headwater.ops.nn.ctc_paths import label_probabilities

_NO_SECOND_DERIVATIVE = (
    "Currently there is no way to take the second  derivative of ctc_loss due to the fused "
    "implementation's interaction  with tf.gradients()"
)
_MAY_IGNORE = (
    "You can turn this error into a warning by using the flag ignore_longer_outputs_than_inputs"
)


def shape_ctc_loss(c: shapes.ShapeContext) -> list[Shape]:
    inputs = c.with_rank("inputs", 3)
    indices = c.with_rank("labels_indices", 2)
    values = c.with_rank("labels_values", 1)
    lengths = c.with_rank("sequence_length", 1)
    c.merge_dims(indices[0], values[0])
    batch = c.merge_dims(inputs[1], lengths[0])
    return [(batch,), (inputs[0], batch, inputs[2])]


def _invalid(text: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, text)


def _check_ranks(inputs: Array, indices: Array, values: Array, lengths: Array) -> None:
    if inputs.ndim != 3:
        raise _invalid("inputs is not a 3-Tensor")
    if lengths.ndim != 1:
        raise _invalid("sequence_length is not a vector")
    if indices.ndim != 2:
        raise _invalid("labels_indices is not a matrix")
    if values.ndim != 1:
        raise _invalid("labels_values is not a vector")
    batch = inputs.shape[1]
    if batch == 0:
        raise _invalid("batch_size must not be 0")
    if len(lengths) != batch:
        raise _invalid(
            "len(sequence_length) != batch_size.  "
            f"len(sequence_length):  {len(lengths)} batch_size: {batch}"
        )
    if len(indices) != len(values):
        raise _invalid(
            "labels_indices and labels_values must contain the same number of rows, but saw "
            f"shapes: {shapes.show(indices.shape)} vs. {shapes.show(values.shape)}"
        )


def _check_indices(indices: np.ndarray, batch: int) -> None:
    """Checks that indices are within the batch and ascending."""
    row, column = indices[:, 0], indices[:, 1]

    def fail(which: Array, text: str) -> errors.InvalidArgumentError:
        i = int(np.flatnonzero(which)[0])
        where = f"indices[{i}] = {shapes.show(tuple(indices[i].tolist()))}"
        return _invalid(f"label SparseTensor is not valid: {where} is {text}")

    inside = (row >= 0) & (row < batch) & (column >= 0)
    require(
        np,
        inside,
        lambda: fail(
            ~inside,
            "out of bounds: need 0 <= index < "
            f"{shapes.show((batch, int(column.max(initial=-1)) + 1))}",
        ),
    )
    step = row[1:] - row[:-1]
    ordered = (step > 0) | ((step == 0) & (column[1:] >= column[:-1]))
    require(
        np,
        ordered,
        lambda: fail(
            np.concatenate([[False], ~ordered]),
            "out of order. Many sparse ops require sorted indices.\n"
            "    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n",
        ),
    )
    new = (step != 0) | (column[1:] != column[:-1])
    require(np, new, lambda: fail(np.concatenate([[False], ~new]), "repeated"))


def _dense_labels(
    rows: np.ndarray, values: np.ndarray, batch: int, size: int, classes: int, collapse: bool
) -> tuple[Any, Any]:
    """The labels of each row of the batch, [batch, size], and how many it has.

    Classes from the blank on are not labels; `collapse` merges repeated labels.
    """
    null = values >= classes - 1
    same_row = np.concatenate([np.zeros(min(1, len(rows)), bool), rows[1:] == rows[:-1]])
    before = np.concatenate([values[:1], values[:-1]])
    kept = ~(same_row & (values == before)) if collapse else np.ones(values.shape, bool)
    bad = np.concatenate([np.zeros(min(1, len(rows)), bool), null[:-1]]) & same_row & kept & ~null
    require(np, ~bad, lambda: _after_null(rows, values, bad, classes))
    kept = kept & ~null
    seen = np.cumsum(kept)
    starts = np.searchsorted(rows, np.arange(batch, dtype=rows.dtype))
    before_row = np.concatenate([np.zeros(1, seen.dtype), seen])[starts]
    lengths = np.concatenate([before_row[1:], seen[-1:]]) - before_row
    column = np.where(kept, seen - 1 - before_row[rows], size)
    dense = np.zeros((batch, size), values.dtype)
    fits = column < size
    dense[rows[fits], column[fits]] = values[fits]
    return dense, lengths.astype(np.int32)


def _labels_text(rows: Array, values: Array, row: int) -> str:
    return ",".join(str(v) for v in values[rows == row].tolist())


def _after_null(
    rows: Array, values: Array, bad: Array, classes: int
) -> errors.InvalidArgumentError:
    at = int(np.flatnonzero(bad)[0])
    row = int(rows[at])
    seen = values[:at][(rows[:at] == row) & (values[:at] < classes - 1)]
    return _invalid(
        "Saw a non-null label (index >= num_classes - 1) following a null label, "
        f"batch: {row} num_classes: {classes} labels: {_labels_text(rows, values, row)} "
        f"labels seen so far: {','.join(str(v) for v in seen.tolist())}"
    )


def kernel_ctc_loss(
    xp: ArrayModule,
    inputs: Array,
    labels_indices: Array,
    labels_values: Array,
    sequence_length: Array,
    *,
    preprocess_collapse_repeated: bool,
    ctc_merge_repeated: bool,
    ignore_longer_outputs_than_inputs: bool,
) -> tuple[Array, ...]:
    _check_ranks(inputs, labels_indices, labels_values, sequence_length)
    steps, batch, classes = inputs.shape

    def first(good: Array) -> int:
        return int(np.flatnonzero(~good)[0])

    short = sequence_length <= steps
    require(np, short, lambda: _invalid(f"sequence_length({first(short)}) <= {steps}"))
    _check_indices(labels_indices, batch)
    rows = labels_indices[:, 0]
    present = np.any(rows[None, :] == np.arange(batch)[:, None], axis=1)
    require(np, present, lambda: _invalid(f"Labels length is zero in batch {first(present)}"))
    positive = sequence_length >= 0
    require(np, positive, lambda: _invalid(f"seq_len({first(positive)}) < 0"))
    labelled = labels_values >= 0
    require(
        np,
        labelled,
        lambda: _invalid(
            "All labels must be nonnegative integers, batch: "
            f"{rows[first(labelled)]} labels: "
            f"{_labels_text(rows, labels_values, int(rows[first(labelled)]))}"
        ),
    )
    # Rows with more labels than steps are refused or ignored.
    size = max(1, min(len(labels_values), steps))
    labels, lengths = _dense_labels(
        rows, labels_values, batch, size, classes, preprocess_collapse_repeated
    )
    fits = lengths <= sequence_length
    if not ignore_longer_outputs_than_inputs:
        require(
            np,
            fits,
            lambda: _invalid(
                f"Not enough time for target transition sequence (required: {lengths[first(fits)]},"
                f" available: {sequence_length[first(fits)]}){first(fits)}{_MAY_IGNORE}"
            ),
        )
    if not steps:
        return np.zeros((batch,), inputs.dtype), np.zeros(inputs.shape, inputs.dtype)
    powers = np.exp(inputs - np.max(inputs, axis=2, keepdims=True))
    probabilities = powers / np.sum(powers, axis=2, keepdims=True, dtype=inputs.dtype)
    known, uses = label_probabilities(
        probabilities, labels, np.minimum(lengths, size), sequence_length, ctc_merge_repeated
    )
    used = fits & (sequence_length > 0)
    zero = np.zeros((), inputs.dtype)
    live = used & (np.arange(steps)[:, None] < sequence_length)
    gradient = np.where(live[:, :, None], probabilities - uses, zero)
    return np.where(used, -known, zero), gradient


def gradient_ctc_loss(op: Operation, grad_loss: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
    inner = build.PreventGradient(op.outputs[1], message=_NO_SECOND_DERIVATIVE)
    per_row = build.ExpandDims(grad_loss, constant_node(-1, name="ExpandDims/dim"))
    return build.Mul(per_row, inner, name="mul"), None, None, None


def reference_ctc_loss(
    inputs: Array,
    labels_indices: Array,
    labels_values: Array,
    sequence_length: Array,
    *,
    preprocess_collapse_repeated: bool,
    ctc_merge_repeated: bool,
    ignore_longer_outputs_than_inputs: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Enumerates all paths."""
    batch, classes = inputs.shape[1:]
    wide = inputs.astype(np.float64)
    powers = np.exp(wide - wide.max(axis=2, keepdims=True))
    probabilities = powers / powers.sum(axis=2, keepdims=True)
    loss, gradient = np.zeros(batch), np.zeros(inputs.shape)
    for b in range(batch):
        labels = labels_values[labels_indices[:, 0] == b].tolist()
        if preprocess_collapse_repeated:
            labels = [v for i, v in enumerate(labels) if i == 0 or v != labels[i - 1]]
        labels = [v for v in labels if v < classes - 1]
        count = int(sequence_length[b])
        if len(labels) > count or not count:
            continue
        uses = np.zeros((count, classes))
        for path in np.ndindex(*(classes,) * count):
            meant = [
                c
                for t, c in enumerate(path)
                if c < classes - 1 and not (ctc_merge_repeated and t and path[t - 1] == c)
            ]
            if meant == labels:
                share = np.prod(probabilities[np.arange(count), b, path])
                uses[np.arange(count), path] += share
        total = uses[0].sum()
        with np.errstate(divide="ignore"):
            loss[b] = -np.log(total)
        gradient[:count, b] = probabilities[:count, b] - (uses / total if total else 0)
    return loss.astype(inputs.dtype), gradient.astype(inputs.dtype)


def samples_ctc_loss() -> Iterator[Sample]:
    inputs = np.sin(np.arange(4 * 3 * 4, dtype=np.float32) * 1.7).reshape(4, 3, 4) * 2
    indices = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0]], np.int64)
    values = np.array([1, 2, 1, 1, 0], np.int32)
    lengths = np.array([4, 3, 2], np.int32)
    # The output `gradient` has no gradient of its own.
    yield Sample(inputs, indices, values, lengths, gradient=())
    yield Sample(inputs.astype(np.float64), indices, values, lengths, gradient=())
    yield Sample(inputs, indices, values, lengths, preprocess_collapse_repeated=True, gradient=())
    yield Sample(inputs, indices, values, lengths, ctc_merge_repeated=False, gradient=())
    few = np.array([1, 2, 2], np.int32)
    yield Sample(inputs, indices, values, few, ignore_longer_outputs_than_inputs=True, gradient=())


register_op(
    "CTCLoss",
    inputs="inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32",
    outputs="loss: T, gradient: T",
    attrs="preprocess_collapse_repeated: bool = false, ctc_merge_repeated: bool = true, "
    "ignore_longer_outputs_than_inputs: bool = false, T: {float, double} = DT_FLOAT",
    shape=shape_ctc_loss,
    kernel=kernel_ctc_loss,
    gradient=gradient_ctc_loss,
    reference=reference_ctc_loss,
    # XLA takes seconds to compile the loops over time, and three times as long to run them.
    runs_on=RunsOn.HOST,
    samples=samples_ctc_loss,
)


@export("nn.ctc_loss")
@signature(
    "labels, inputs=None, sequence_length=None, preprocess_collapse_repeated=False, "
    "ctc_merge_repeated=True, ignore_longer_outputs_than_inputs=False, time_major=True, "
    "logits=None"
)
def ctc_loss(
    labels: SparseTensor | TensorLike | None = None,
    inputs: SparseTensor | TensorLike | None = None,
    sequence_length: TensorLike | None = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: TensorLike | None = None,
) -> Tensor:
    """The negative log probabilities of labels, summed over all ways to spread them over time.

    Args:
        labels: int32 SparseTensor, [B, L]. Where the first two arguments stand in their old order,
            inputs before labels, types decide.
        inputs: logits of the classes, [T, B, C]; the last class is the blank.
        sequence_length: int32, [B].
        preprocess_collapse_repeated: whether repeated labels are made one before the loss.
        ctc_merge_repeated: whether a class that is used several times in a row is one label.
        ignore_longer_outputs_than_inputs: whether rows with more labels than steps have loss zero
            instead of failing.
        time_major: whether `inputs` is [T, B, C]; [B, T, C] if not.
        logits: another name of `inputs`.

    Returns:
        Float, [B].

    Raises:
        TypeError: if `labels` is not a SparseTensor.
    """
    if isinstance(inputs, SparseTensor) and not isinstance(labels, SparseTensor):
        labels, inputs = inputs, labels
    if not isinstance(labels, SparseTensor):
        raise TypeError("Expected labels (first argument) to be a SparseTensor")
    if logits is not None:
        if inputs is not None:
            raise ValueError("Cannot specify both 'logits' and 'inputs'")
        inputs = logits
    if not time_major:
        inputs = convert_to_tensor(inputs)
        inputs = build.Transpose(inputs, [1, 0, 2], name="transpose")
    return build.CTCLoss(
        inputs,
        labels.indices,
        labels.values,
        sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )[0]
