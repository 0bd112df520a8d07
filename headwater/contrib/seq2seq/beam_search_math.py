"""Tensor functions of beam search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, logging, nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, ShapeLike, TensorLike
from headwater.contrib.seq2seq.attention_math import dimension
from headwater.contrib.seq2seq.attention_wrapper import AttentionWrapperState
from headwater.graph import (
    Operation,
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.model.rnn.steps import is_tensor_array
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones_like
from headwater.ops.array.gather import gather
from headwater.ops.array.gather_nd import gather_nd
from headwater.ops.array.getitem import sequence_mask
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.stack import stack
from headwater.ops.array.tile import tile
from headwater.ops.array.transpose import transpose
from headwater.ops.control.assertion import assert_
from headwater.ops.math.cast import cast
from headwater.ops.math.division import div
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_max, reduce_mean, reduce_sum
from headwater.ops.math.select import where
from headwater.ops.nn.gather_tree import gather_tree

if TYPE_CHECKING:
    from headwater.ops.control.tensor_array_class import TensorArray


@export("contrib.seq2seq.tile_batch")
def tile_batch(t: NestedTensors, multiplier: int, name: str | None = None) -> NestedTensors:
    """Repeats each row of tensors, once per beam.

    Args:
        t: a tensor of shape [batch, ...], or a structure of them.
        multiplier: how often each row stands in the result: the number of beams.
        name: a name scope.

    Returns:
        Tensors of shape [batch * multiplier, ...].

    Raises:
        ValueError: if a tensor has no rows.
    """
    flat = nest.flatten(t)
    values = [x for x in [*flat, multiplier] if isinstance(x, Tensor)]
    with name_scope(name, "tile_batch", values):
        return nest.map_structure(lambda x: tiled(x, multiplier), t)


def tiled(t: TensorLike, multiplier: int) -> Tensor:
    """Repeats each row of one tensor; see `tile_batch`."""
    t = convert_to_tensor(t, name="t")
    shape = shape_tensor(t)
    static = t.get_shape()
    if static.ndims is None or static.ndims < 1:
        raise ValueError("t must have statically known rank")
    multiples = [1] * (static.ndims + 1)
    multiples[1] = multiplier
    known = constant_value(multiplier) if isinstance(multiplier, Tensor) else multiplier
    rows = static[0].value
    rows_repeated = tile(build.ExpandDims(t, 1), multiples)
    result = build.Reshape(
        rows_repeated,
        concat(([shape[0] * multiplier], shape[1:]), 0),
    )
    result.set_shape(
        TensorShape([None if rows is None or known is None else rows * known]).concatenate(
            static[1:]
        )
    )
    return result


def check_ndims(t: Tensor) -> None:
    """Checks that the rank of a tensor is known.

    Raises:
        ValueError: if it is not.
    """
    if t.get_shape().ndims is None:
        raise ValueError(f"Expected tensor ({t}) to have known rank, but ndims == None.")


def check_static_batch_beam_maybe(
    shape: ShapeLike, batch_size: int | None, beam_width: int
) -> bool:
    """Whether elements of a TensorArray may be reshaped to [batch, beam, ...].

    Args:
        shape: the known shape of an element.
        batch_size: the number of sequences, None if it is unknown.
        beam_width: the number of beams.

    Returns:
        False if the shape does not allow it; then there is a warning.
    """
    first = shape[0].value
    if batch_size is None or first is None:
        return True
    fits = first == batch_size * beam_width
    if fits and shape.ndims >= 2 and shape[1].value is not None:
        fits = first == batch_size and shape[1].value == beam_width
    if not fits:
        logging.warning(
            "TensorArray reordering expects elements to be reshapable to %s which is "
            "incompatible with the current shape %s. Consider setting reorder_tensor_arrays to "
            "False to disable TensorArray reordering during the beam search.",
            TensorShape([batch_size, beam_width, None]),
            shape,
        )
    return fits


def check_batch_beam(t: TensorLike, batch_size: TensorLike, beam_width: TensorLike) -> Operation:
    """An op that checks that elements may be reshaped to [batch, beam, ...].

    Args:
        t: the stacked elements, [time, ...].
        batch_size: the number of sequences.
        beam_width: the number of beams.

    Returns:
        An Assert op.
    """
    text = (
        "TensorArray reordering expects elements to be reshapable to [batch_size, beam_size, -1] "
        f"which is incompatible with the dynamic shape of {t.name} elements. Consider setting "
        "reorder_tensor_arrays to False to disable TensorArray reordering during the beam search."
    )
    shape: Tensor = shape_tensor(t)
    fits = build.Equal(shape[1], batch_size * beam_width)
    if t.get_shape().ndims > 2:
        in_rows = build.Equal(shape[1], batch_size)
        in_beams = build.Equal(shape[2], beam_width)
        fits = build.LogicalOr(fits, build.LogicalAnd(in_rows, in_beams))
    return assert_(fits, [text])


def gather_tree_from_array(
    t: TensorLike, parent_ids: TensorLike, sequence_length: TensorLike
) -> Tensor:
    """Reorders the outputs of each step by the final beams.

    Args:
        t: the stacked values, [time, batch * beam, ...] or [time, batch, beam, ...].
        parent_ids: from which beam of the step before each beam comes, [time, batch, beam].
        sequence_length: the number of steps of each beam, [batch, beam].

    Returns:
        A tensor like `t`.
    """
    steps, rows, beams = (dimension(parent_ids, axis) for axis in range(3))
    beam_ids = build.ExpandDims(build.ExpandDims(range_(beams), 0), 0)
    beam_ids = tile(beam_ids, [steps, rows, 1])
    longest = cast(reduce_max(sequence_length, axis=1), dtypes.int32)
    sorted_ids = gather_tree(beam_ids, parent_ids, longest, beams + 1)
    within = transpose(sequence_mask(sequence_length, maxlen=steps), perm=[2, 0, 1])
    sorted_ids = where(within, x=sorted_ids, y=beam_ids)
    times = tile(build.Reshape(range_(steps), [-1, 1, 1]), [1, rows, beams])
    batch = tile(build.Reshape(range_(rows), [-1, 1, 1]), [1, steps, beams])
    batch = transpose(batch, perm=[1, 0, 2])
    indices = stack([times, batch, sorted_ids], -1)
    shape = shape_tensor(t)
    ordered = gather_nd(build.Reshape(t, [steps, rows, beams, -1]), indices)
    return build.Reshape(ordered, shape)


def tensor_gather_helper(
    gather_indices: Tensor,
    gather_from: TensorLike,
    batch_size: Tensor,
    range_size: int,
    gather_shape: list[Any],
    name: str | None = None,
) -> Tensor:
    """Picks elements of each row.

    Args:
        gather_indices: which, [batch, beam].
        gather_from: the tensor.
        batch_size: the number of sequences.
        range_size: how many there are to pick from in each row.
        gather_shape: the shape in which they lie one after another.
        name: a name scope.

    Returns:
        A tensor with the first dimensions of `gather_from`.
    """
    values = [
        x for x in (gather_indices, gather_from, batch_size, range_size) if isinstance(x, Tensor)
    ]
    with name_scope(name, "tensor_gather_helper", values):
        offsets = build.ExpandDims(range_(batch_size) * range_size, 1)
        indices = build.Reshape(gather_indices + offsets, [-1])
        output = gather(build.Reshape(gather_from, gather_shape), indices)
        kept = 1 + len(gather_shape)
        shape = shape_tensor(gather_from)[:kept]
        rows = constant_value(batch_size)
        static = TensorShape([None if rows is None else int(rows)])
        output = build.Reshape(output, shape, name="output")
        output.set_shape(static.concatenate(gather_from.get_shape()[1:kept]))
        return output


def maybe_tensor_gather_helper(
    gather_indices: Tensor,
    gather_from: TensorLike,
    batch_size: Tensor,
    range_size: int,
    gather_shape: list[Any],
) -> Tensor | TensorArray:
    """Like `tensor_gather_helper`, but leaves TensorArrays and tensors of low rank alone."""
    if is_tensor_array(gather_from):
        return gather_from
    check_ndims(gather_from)
    if gather_from.get_shape().ndims < len(gather_shape):
        return gather_from
    return tensor_gather_helper(gather_indices, gather_from, batch_size, range_size, gather_shape)


def mask_probs(probs: TensorLike, eos_token: TensorLike, finished: TensorLike) -> Tensor:
    """Masks the end token as the only continuation of finished beams.

    Args:
        probs: logarithms of probabilities, [batch, beam, vocabulary].
        eos_token: the end token.
        finished: which beams are finished, [batch, beam].

    Returns:
        A tensor like `probs`.
    """
    words = shape_tensor(probs)[2]
    row = one_hot(
        eos_token,
        words,
        dtype=probs.dtype,
        on_value=convert_to_tensor(0.0, dtype=probs.dtype),
        off_value=probs.dtype.min,
    )
    row = build.Reshape(row, [1, 1, -1])
    only_end = tile(row, concat([shape_tensor(convert_to_tensor(finished)), [1]], 0))
    mask = tile(build.ExpandDims(finished, 2), [1, 1, words])
    return where(mask, only_end, probs)


def length_penalty(sequence_lengths: TensorLike, penalty_factor: TensorLike) -> Tensor | float:
    """The length penalty, by which the logarithms of probabilities are divided.

    Args:
        sequence_lengths: the lengths of the beams.
        penalty_factor: its weight; 0 for no penalty.

    Returns:
        ((5 + length) / 6) ** weight, or 1.0.

    Raises:
        ValueError: if the weight is not a scalar.

    Source: Y. Wu et al., "Google's Neural Machine Translation System", 2016.
    """
    factor = convert_to_tensor(penalty_factor, name="penalty_factor")
    factor.set_shape(())
    known = constant_value(factor)
    if known is not None and known == 0:
        return 1.0
    power = (5.0 + cast(sequence_lengths, dtypes.float32)) ** factor
    return div(power, (5.0 + 1.0) ** factor)


def get_scores(
    log_probs: Tensor,
    sequence_lengths: TensorLike,
    length_penalty_weight: TensorLike,
    coverage_penalty_weight: TensorLike,
    finished: TensorLike,
    accumulated_attention_probs: Tensor | None,
) -> Tensor:
    """The scores of beams: logarithms of probabilities with penalties.

    Args:
        log_probs: the logarithms, [batch, beam, vocabulary].
        sequence_lengths: the lengths, of the same shape.
        length_penalty_weight: the weight of the penalty on short sequences.
        coverage_penalty_weight: that of the penalty on parts of the memory without attention.
        finished: which beams are finished, [batch, beam].
        accumulated_attention_probs: the attention so far, [batch, beam, memory], or None.

    Returns:
        A tensor like `log_probs`.

    Raises:
        ValueError: if a weight is not a scalar, or the attention is missing.
    """
    penalty = length_penalty(sequence_lengths, length_penalty_weight)
    scores = log_probs / cast(penalty, log_probs.dtype)
    weight = convert_to_tensor(coverage_penalty_weight, name="coverage_penalty_weight")
    if weight.get_shape().ndims != 0:
        raise ValueError(
            f"coverage_penalty_weight should be a scalar, but saw shape: {weight.get_shape()}"
        )
    if accumulated_attention_probs is None:
        known = constant_value(weight)
        if known is not None and known == 0:
            return scores
        raise ValueError(
            "accumulated_attention_probs can be None only if coverage penalty is disabled."
        )
    seen = accumulated_attention_probs
    # Positions after the end of the memory have no attention and do not count.
    seen = where(build.Equal(seen, 0.0), ones_like(seen), seen)
    coverage = reduce_sum(build.Log(build.Minimum(seen, 1.0)), 2)
    coverage *= cast(finished, dtypes.float32)
    return scores + build.ExpandDims(coverage * weight, 2)


def attention_probs_from_attn_state(attention_state: AttentionWrapperState) -> Tensor:
    """The mean of the alignments of all mechanisms of a state.

    Args:
        attention_state: an AttentionWrapperState.

    Returns:
        A tensor of shape [batch, beam, memory].
    """
    alignments = attention_state.alignments
    return _mean(list(alignments)) if isinstance(alignments, tuple) else alignments


def get_attention_probs(
    next_cell_state: Tensor | AttentionWrapperState, coverage_penalty_weight: float
) -> Tensor | None:
    """The mean of the alignments of all states of attention.

    Args:
        next_cell_state: an AttentionWrapperState, or a tuple with some.
        coverage_penalty_weight: the weight of the penalty that needs it.

    Returns:
        A tensor of shape [batch, beam, memory]; None if the weight is 0.

    Raises:
        ValueError: if no cell has attention.
    """
    if coverage_penalty_weight == 0.0:
        return None
    states = [next_cell_state]
    if not isinstance(next_cell_state, AttentionWrapperState):
        states = list(next_cell_state) if isinstance(next_cell_state, tuple) else []
    probs = [
        attention_probs_from_attn_state(state)
        for state in states
        if isinstance(state, AttentionWrapperState)
    ]
    if not probs:
        raise ValueError("coverage_penalty_weight must be 0.0 if no cell is attentional.")
    return probs[0] if len(probs) == 1 else _mean(probs)


def _mean(probs: list[Any]) -> Tensor:
    joined = concat([build.ExpandDims(p, -1) for p in probs], -1)
    return reduce_mean(joined, -1)
