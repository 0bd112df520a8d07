"""CTCGreedyDecoder and CTCBeamSearchDecoder: from sequences of classes to labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    Sample,
    SparseTensor,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)


def _checked(c: shapes.ShapeContext) -> int | None:
    """The size of the batch."""
    inputs, lengths = c.with_rank("inputs", 3), c.with_rank("sequence_length", 1)
    return c.merge_dims(inputs[1], lengths[0])


def shape_ctc_greedy_decoder(c: shapes.ShapeContext) -> list[Shape]:
    return [(None, 2), (None,), (2,), (_checked(c), 1)]


def shape_ctc_beam_search_decoder(c: shapes.ShapeContext) -> list[Shape]:
    paths = c.attr("top_paths")
    batch = _checked(c)
    return [*[(None, 2)] * paths, *[(None,)] * paths, *[(2,)] * paths, (batch, paths)]


def _check(inputs: Array, lengths: Array) -> None:
    if inputs.ndim != 3:
        raise errors.InvalidArgumentError(None, None, "inputs is not a 3-Tensor")
    if not inputs.shape[0]:
        raise errors.InvalidArgumentError(None, None, "max_time is 0")
    if lengths.ndim != 1:
        raise errors.InvalidArgumentError(None, None, "sequence_length is not a vector")
    steps, batch = inputs.shape[:2]
    if len(lengths) != batch:
        raise errors.FailedPreconditionError(
            None,
            None,
            "len(sequence_length) != batch_size.  "
            f"len(sequence_length):  {len(lengths)} batch_size: {batch}",
        )
    long = np.flatnonzero(lengths > steps)
    if len(long):
        raise errors.FailedPreconditionError(None, None, f"sequence_length({long[0]}) <= {steps}")


def _sparse(kept: Array, values: Array) -> tuple[Any, Any, Any]:
    """The kept values of a matrix, moved to the left, as indices, values and shape."""
    columns = np.cumsum(kept, axis=1) - 1
    rows, positions = np.nonzero(kept)
    indices = np.stack([rows, columns[rows, positions]], axis=1).astype(np.int64)
    longest = int(kept.sum(axis=1).max(initial=0))
    shape = np.array([len(kept), longest], np.int64)
    return indices, values[rows, positions].astype(np.int64), shape


def kernel_ctc_greedy_decoder(
    xp: ArrayModule, inputs: Array, sequence_length: Array, *, merge_repeated: bool
) -> tuple[Array, Array, Array, Array]:
    _check(inputs, sequence_length)
    steps, batch, classes = inputs.shape
    live = np.arange(steps) < sequence_length[:, None]
    best = np.argmax(inputs, axis=2).T
    highest = np.max(inputs, axis=2).T
    kept = live & (best != classes - 1)
    if merge_repeated:
        kept[:, 1:] &= best[:, 1:] != best[:, :-1]
    score = np.zeros((), inputs.dtype) - np.sum(
        np.where(live, highest, np.zeros((), inputs.dtype)),
        axis=1,
        keepdims=True,
        dtype=inputs.dtype,
    )
    return *_sparse(kept, best), score.reshape(batch, 1)


class _Beams:
    """The best prefixes of each row of a batch, and their probabilities in log space.

    A prefix is a node of a tree: one number for the prefix before it and its last label.
    `nodes[row]` holds the nodes of a row's beam, the best first; -1 means none.
    """

    def __init__(self, batch: int, width: int, classes: int, dtype: DTypeLike) -> None:
        self.width = width
        self.labels = classes - 1
        # The tree; the first nodes are the roots, one per row.
        self.parents = np.full(batch, -1, np.int64)
        self.last = np.full(batch, -1, np.int64)
        self._keys = np.zeros(0, np.int64)
        self._made = np.zeros(0, np.int64)
        self.nodes = np.full((batch, width), -1, np.int64)
        self.nodes[:, 0] = np.arange(batch)
        self.with_blank = np.full((batch, width), -np.inf, dtype)
        self.with_blank[:, 0] = 0
        self.with_label = np.full((batch, width), -np.inf, dtype)

    def total(self) -> Array:
        """Log probabilities of the prefixes of all rows."""
        return np.logaddexp(self.with_blank, self.with_label)

    def step(self, rows: Array, logits: Array) -> None:
        """Advances by one time step.

        Args:
            rows: the rows that have this step.
            logits: log probabilities of the classes in these rows, [R, classes].
        """
        width, labels = self.width, self.labels
        nodes = self.nodes[rows]
        there = nodes >= 0
        last = np.where(there, self.last[nodes], -1)
        blank, label = self.with_blank[rows], self.with_label[rows]
        total = np.logaddexp(blank, label)
        each = np.arange(len(rows))[:, None]
        # The position in the beam of the prefix without its last label, if it is there.
        place = np.full(len(self.parents) + 1, -1)
        place[nodes[there]] = np.nonzero(there)[1]
        parent = place[np.where(there, self.parents[nodes], -1)]
        has_parent = parent >= 0
        same = last == last[each, parent]
        arriving = np.where(same, blank[each, parent], total[each, parent])
        arriving = np.where(has_parent, arriving, -np.inf)
        spoken = logits[each, last]
        stay_label = np.where(last >= 0, np.logaddexp(label, arriving) + spoken, -np.inf)
        stay_blank = total + logits[:, -1:]
        # Longer by one label, where that prefix is not in the beam yet.
        longer = np.repeat(total[:, :, None], labels, axis=2)
        has_last = np.nonzero(last >= 0)
        longer[(*has_last, last[has_last])] = blank[has_last]
        longer += logits[:, None, :labels]
        inside = np.nonzero(has_parent)
        longer[inside[0], parent[inside], last[inside]] = -np.inf
        longer[~there] = -np.inf
        stay = np.where(there, np.logaddexp(stay_blank, stay_label), -np.inf)
        scores = np.concatenate([stay, longer.reshape(len(rows), width * labels)], axis=1)
        best = _largest(scores, width)
        alive = scores[each, best] > -np.inf
        old = best < width
        from_ = np.where(old, best, (best - width) // max(labels, 1))
        found = np.where(old, nodes[each, from_], -1)
        added = alive & ~old
        found[added] = self._children(nodes[each, from_][added], (best - width)[added] % labels)
        self.nodes[rows] = np.where(alive, found, -1)
        self.with_blank[rows] = np.where(alive & old, stay_blank[each, from_], -np.inf)
        grown = np.where(old, stay_label[each, from_], scores[each, best])
        self.with_label[rows] = np.where(alive, grown, -np.inf)

    def _children(self, parents: Array, labels: Array) -> Array:
        """The nodes of prefixes that are longer by one label; new ones are made."""
        keys = parents * self.labels + labels
        at = np.searchsorted(self._keys, keys)
        known = at < len(self._keys)
        known[known] = self._keys[at[known]] == keys[known]
        found = np.empty(len(keys), np.int64)
        found[known] = self._made[at[known]]
        fresh = ~known
        made = len(self.parents) + np.arange(np.count_nonzero(fresh))
        found[fresh] = made
        self.parents = np.concatenate([self.parents, parents[fresh]])
        self.last = np.concatenate([self.last, labels[fresh]])
        order = np.argsort(keys[fresh])
        self._keys = np.insert(self._keys, at[fresh][order], keys[fresh][order])
        self._made = np.insert(self._made, at[fresh][order], made[order])
        return found

    def sequences(self, nodes: Array) -> tuple[Any, Any]:
        """The labels of a node per row as a matrix, aligned at the right, and what is filled."""
        columns = []
        while np.any(self.last[nodes] >= 0):
            columns.append(np.where(nodes >= 0, self.last[nodes], -1))
            nodes = np.where(columns[-1] >= 0, self.parents[nodes], nodes)
        values = np.stack(columns[::-1], axis=1) if columns else np.zeros((len(nodes), 0), np.int64)
        return values, values >= 0


def _largest(scores: Array, count: int) -> Array:
    """Indices of the largest elements of rows, the largest first, equal ones in order."""
    if scores.shape[1] > 4 * count:
        some = np.sort(np.argpartition(-scores, count, axis=1)[:, :count], axis=1)
        picked = np.take_along_axis(scores, some, axis=1)
        order = np.argsort(-picked, axis=1, kind="stable")
        return np.take_along_axis(some, order, axis=1)
    return np.argsort(-scores, axis=1, kind="stable")[:, :count]


def _log_softmax(values: Array) -> Array:
    shifted = values - values.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True, dtype=values.dtype))


def kernel_ctc_beam_search_decoder(
    xp: ArrayModule,
    inputs: Array,
    sequence_length: Array,
    *,
    beam_width: int,
    top_paths: int,
    merge_repeated: bool,
) -> tuple[Array, ...]:
    _check(inputs, sequence_length)
    if top_paths > beam_width:
        raise errors.InvalidArgumentError(None, None, "requested more paths than the beam width.")
    steps, batch, classes = inputs.shape
    beams = _Beams(batch, beam_width, classes, inputs.dtype)
    with np.errstate(divide="ignore", invalid="ignore"):
        for t in range(min(steps, int(sequence_length.max(initial=0)))):
            rows = np.flatnonzero(t < sequence_length)
            beams.step(rows, _log_softmax(inputs[t, rows]))
        scores = beams.total()[:, :top_paths]
    if np.any(beams.nodes[:, :top_paths] < 0):
        raise errors.InvalidArgumentError(
            None, None, "Less leaves in the beam search than requested."
        )
    parts: list[Any] = []
    for path in range(top_paths):
        values, kept = beams.sequences(beams.nodes[:, path])
        if merge_repeated:
            kept[:, 1:] &= values[:, 1:] != values[:, :-1]
        parts.append(_sparse(kept, values))
    indices, decoded, dense_shapes = zip(*parts)
    return *indices, *decoded, *dense_shapes, scores


def samples_ctc_greedy_decoder() -> Iterator[Sample]:
    inputs = np.sin(np.arange(24, dtype=np.float32) * 2.3).reshape(4, 2, 3)
    for merge in (False, True):
        yield Sample(inputs, np.array([4, 3], np.int32), merge_repeated=merge)
    yield Sample(inputs.astype(np.float64), np.array([0, 4], np.int32))


def reference_ctc_greedy_decoder(
    inputs: Array, sequence_length: Array, *, merge_repeated: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    batch, classes = inputs.shape[1:]
    rows = []
    for b in range(batch):
        best = [int(np.argmax(inputs[t, b])) for t in range(sequence_length[b])]
        rows.append(
            [
                c
                for t, c in enumerate(best)
                if c != classes - 1 and not (merge_repeated and t and best[t - 1] == c)
            ]
        )
    score = [-inputs[: sequence_length[b], b].max(axis=1).sum() for b in range(batch)]
    indices = [(b, i) for b, row in enumerate(rows) for i in range(len(row))]
    return (
        np.array(indices, np.int64).reshape(-1, 2),
        np.array([c for row in rows for c in row], np.int64),
        np.array([batch, max(len(row) for row in rows)], np.int64),
        np.array(score, inputs.dtype)[:, None],
    )


register_op(
    "CTCGreedyDecoder",
    inputs="inputs: T, sequence_length: int32",
    outputs="decoded_indices: int64, decoded_values: int64, decoded_shape: int64, "
    "log_probability: T",
    attrs="merge_repeated: bool = false, T: {float, double} = DT_FLOAT",
    shape=shape_ctc_greedy_decoder,
    kernel=kernel_ctc_greedy_decoder,
    gradient=NOT_DIFFERENTIABLE,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
    reference=reference_ctc_greedy_decoder,
    samples=samples_ctc_greedy_decoder,
)

register_op(
    "CTCBeamSearchDecoder",
    inputs="inputs: T, sequence_length: int32",
    outputs="decoded_indices: top_paths * int64, decoded_values: top_paths * int64, "
    "decoded_shape: top_paths * int64, log_probability: T",
    attrs="beam_width: int >= 1, top_paths: int >= 1, merge_repeated: bool = true, "
    "T: {float, double} = DT_FLOAT",
    shape=shape_ctc_beam_search_decoder,
    kernel=kernel_ctc_beam_search_decoder,
    gradient=NOT_DIFFERENTIABLE,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)


@export("nn.ctc_greedy_decoder")
def ctc_greedy_decoder(
    inputs: TensorLike, sequence_length: TensorLike, merge_repeated: bool = True
) -> tuple[list[SparseTensor], Tensor]:
    """Takes the most probable class at each time.

    Args:
        inputs: logits of the classes, [T, B, C]; the last class is the blank.
        sequence_length: int32, [B].
        merge_repeated: whether a class that is used several times in a row is one label.

    Returns:
        A list of one int64 SparseTensor with the labels, and the negative sums of the greatest
        logits, [B, 1].
    """
    found = build.CTCGreedyDecoder(inputs, sequence_length, merge_repeated=merge_repeated)
    indices, values, shape, score = found
    return [SparseTensor(indices, values, shape)], score


@export("nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[list[SparseTensor], Tensor]:
    """Searches for the most probable labels, following several prefixes at once.

    Args:
        inputs: logits of the classes, [T, B, C]; the last class is the blank.
        sequence_length: int32, [B].
        beam_width: how many prefixes are followed.
        top_paths: how many results are wanted, at most `beam_width`.
        merge_repeated: whether equal labels that follow each other in a result are made one.

    Returns:
        A list of int64 SparseTensors with the labels, the most probable first, and their log
        probabilities, [B, top_paths].
    """
    indices, values, dense_shapes, scores = build.CTCBeamSearchDecoder(
        inputs,
        sequence_length,
        beam_width=beam_width,
        top_paths=top_paths,
        merge_repeated=merge_repeated,
    )
    return [SparseTensor(*parts) for parts in zip(indices, values, dense_shapes)], scores


@export("nn.ctc_beam_search_decoder_v2")
def ctc_beam_search_decoder_v2(
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """`ctc_beam_search_decoder` that leaves repeated labels in the results."""
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, False)
