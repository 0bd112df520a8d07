"""GatherTree: the full sequences of the final beams of a beam search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail, require
from headwater.base.lazy import lax
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Sample,
    ShapeContext,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)


def shape_gather_tree(c: ShapeContext) -> Shape:
    ids, parents = c.with_rank("step_ids", 3), c.with_rank("parent_ids", 3)
    lengths = c.with_rank("max_sequence_lengths", 1)
    c.with_rank("end_token", 0)
    steps, rows, beams = c.merge(ids, parents)
    if rows is not None and lengths[0] is not None and rows != lengths[0]:
        c.fail(f"Dimensions must be equal, but are {rows} and {lengths[0]}")
    return steps, lengths[0] if rows is None else rows, beams


def _check(ids: Array, parents: Array, lengths: Array, end_token: Array) -> None:
    if len(ids.shape) != 3:
        fail(f"step_ids must be a 3-tensor, saw shape: {shapes.show(ids.shape)}")
    if len(np.shape(end_token)):
        fail(f"end_token must be a scalar, saw shape: {shapes.show(np.shape(end_token))}")
    if ids.shape != parents.shape:
        fail(
            "step_ids.shape must match parent_ids.shape.  but shapes are: "
            f"{shapes.show(ids.shape)} and {shapes.show(parents.shape)}"
        )
    if lengths.shape != ids.shape[1:2]:
        fail(
            "batch size dimensions step_ids.shape[1] and max_sequence_lengths.shape[0] must "
            f"match.  but shapes are: {shapes.show(ids.shape)} and {shapes.show(lengths.shape)}"
        )


def _steps(
    xp: ArrayModule, step: Callable[..., Any], start: Array, elements: tuple[Any, ...]
) -> tuple[Any, Any]:
    """Scans a function of (state, slices) from the last step to the first, like lax.scan."""
    if xp is not np:
        return lax.scan(step, start, elements, reverse=True)
    state, outputs = start, []
    for slices in zip(*(x[::-1] for x in elements), strict=True):
        state, output = step(state, slices)
        outputs.append(output)
    stacked = [np.stack(column[::-1]) for column in zip(*outputs, strict=True)]
    return state, tuple(stacked)


def kernel_gather_tree(
    xp: ArrayModule, ids: Array, parents: Array, lengths: Array, end_token: Array
) -> Array:
    _check(ids, parents, lengths, end_token)
    steps, rows, beams = ids.shape
    if not ids.size:
        return ids
    last = xp.minimum(lengths, np.int32(steps))[:, None] - np.int32(1)
    own = xp.broadcast_to(xp.arange(beams, dtype=parents.dtype), (rows, beams))
    times = xp.arange(steps, dtype=last.dtype)

    # Each beam of the result follows the parents from its last step to the first.
    def step(beam: Array, slices: Sequence[Array]) -> tuple[Any, Any]:
        time, step_ids, step_parents = slices
        found = xp.take_along_axis(step_ids, xp.clip(beam, 0, beams - 1), 1)
        parent = xp.take_along_axis(step_parents, xp.clip(beam, 0, beams - 1), 1)
        inside = time <= last
        wrong = inside & ((beam < 0) | (beam >= beams))
        token = xp.where(inside, found, end_token)
        return xp.where(inside, parent, beam), (token, wrong)

    _, (tokens, wrong) = _steps(xp, step, own, (times, ids, parents))
    require(xp, ~wrong.any(), lambda: _invalid(parents, wrong))
    # After the first end token of a beam, all tokens are end tokens.
    ends = (tokens == end_token).astype(np.int32)
    over = (xp.cumsum(ends, 0, dtype=np.int32) - ends) > 0
    return xp.where(over, end_token, tokens).astype(ids.dtype)


def _invalid(parents: Array, wrong: Array) -> Exception:
    """The error of the first beam with a parent out of range."""
    wrong = np.asarray(wrong)
    row, beam = np.argwhere(wrong.any(0))[0].tolist()
    time = int(np.flatnonzero(wrong[:, row, beam])[-1])
    at = beam
    for t in range(len(wrong) - 1, time, -1):
        if not 0 <= at < wrong.shape[2]:
            break
        at = int(np.asarray(parents)[t, row, at])
    return errors.InvalidArgumentError(
        None,
        None,
        f"Saw invalid parent id {at} at (batch, time, beam) == ({row}, {time}, {beam})",
    )


def reference_gather_tree(
    ids: np.ndarray, parents: np.ndarray, lengths: np.ndarray, end_token: np.ndarray
) -> np.ndarray:
    result = np.full_like(ids, end_token)
    for row in range(ids.shape[1]):
        for beam in range(ids.shape[2]):
            at = beam
            last = min(int(lengths[row]), len(ids))
            for time in range(last - 1, -1, -1):
                result[time, row, beam] = ids[time, row, at]
                at = int(parents[time, row, at])
            column = result[:, row, beam]
            for time in np.flatnonzero(column == end_token)[:1]:
                column[time:] = end_token
    return result


def samples_gather_tree() -> Iterator[Sample]:
    random = np.random.RandomState(0)
    for steps, lengths in ((4, [4, 2]), (1, [0, 9])):
        ids = random.randint(0, 9, (steps, 2, 3)).astype(np.int32)
        parents = random.randint(0, 3, (steps, 2, 3)).astype(np.int32)
        yield Sample(ids, parents, np.array(lengths, np.int32), np.int32(5))


register_op(
    "GatherTree",
    inputs="step_ids: T, parent_ids: T, max_sequence_lengths: int32, end_token: T",
    outputs="beams: T",
    attrs="T: {int32}",
    shape=shape_gather_tree,
    kernel=kernel_gather_tree,
    reference=reference_gather_tree,
    samples=samples_gather_tree,
)


@export("contrib.seq2seq.gather_tree")
def gather_tree(
    step_ids: TensorLike,
    parent_ids: TensorLike,
    max_sequence_lengths: TensorLike,
    end_token: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Follows the beams of a beam search from the last step to the first.

    Args:
        step_ids: the ids of each beam at each step, int32 [time, batch, beam].
        parent_ids: from which beam of the step before each beam comes, of the same shape.
        max_sequence_lengths: the number of steps of each row, int32 [batch].
        end_token: the id that fills a sequence after its end.
        name: the name of the op.

    Returns:
        The sequences of ids, [time, batch, beam].

    Raises:
        InvalidArgumentError: if a parent is out of range.
    """
    return build.GatherTree(step_ids, parent_ids, max_sequence_lengths, end_token, name=name)
