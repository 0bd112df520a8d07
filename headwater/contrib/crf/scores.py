"""Scores of tag sequences in a linear-chain conditional random field, and their likelihood."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, shape_tensor
from headwater.model.rnn.cell import RNNCell
from headwater.model.rnn.dynamic import dynamic_rnn
from headwater.model.smart_cond import smart_cond
from headwater.model.variables.variable_scope import get_variable
from headwater.ops.array.fill import fill, zeros_like
from headwater.ops.array.getitem import sequence_mask
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.array.slice import slice_
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_logsumexp
from headwater.ops.math.select import where

if TYPE_CHECKING:
    from headwater.model.variables.variable_scope_object import ScopeLike


def first_step(inputs: TensorLike) -> Tensor:
    """The values of the first step of every sequence, [batch, tags]."""
    return squeeze(slice_(inputs, [0, 0, 0], [-1, 1, -1]), [1])


def of_length(
    inputs: TensorLike, single: Callable[[], Any], several: Callable[[], Any]
) -> NestedTensors:
    """Calls one function for sequences of one step, another for longer ones."""
    inputs = convert_to_tensor(inputs)
    steps = inputs.shape[1].value if inputs.shape.ndims is not None else None
    if steps is None:
        steps = shape_tensor(inputs)[1]
    return smart_cond(build.Equal(steps, 1), single, several)


def steps_after_the_first(sequence_lengths: TensorLike) -> Tensor:
    """How many steps follow the first one; none for empty sequences."""
    lengths = convert_to_tensor(sequence_lengths)
    return build.Maximum(cast(0, lengths.dtype), lengths - 1)


def zero_where_empty(sequence_lengths: TensorLike, values: Tensor) -> Tensor:
    """Values of sequences, with zero for empty sequences."""
    return where(build.LessEqual(sequence_lengths, 0), zeros_like(values), values)


def _mask(sequence_lengths: TensorLike, steps: Tensor) -> Tensor:
    return sequence_mask(sequence_lengths, maxlen=steps, dtype=dtypes.float32)


@export("contrib.crf.CrfForwardRnnCell")
class CrfForwardRnnCell(RNNCell):
    """One step of the forward algorithm: sums the scores of all paths to each tag.

    Args:
        transition_params: the scores of transitions, [tags, tags].
    """

    def __init__(self, transition_params: TensorLike) -> None:
        super().__init__()
        self._transition_params = expand_dims(transition_params, 0)
        self._num_tags = convert_to_tensor(transition_params).shape[0].value

    @property
    def state_size(self) -> int:
        """The number of tags."""
        return self._num_tags

    @property
    def output_size(self) -> int:
        """The number of tags."""
        return self._num_tags

    def __call__(
        self, inputs: NestedTensors, state: TensorLike, scope: ScopeLike | None = None
    ) -> tuple[Tensor, ...]:
        """Computes one step.

        Args:
            inputs: the scores of tags, [batch, tags].
            state: the logarithm of the sum over all paths to each tag, [batch, tags].
            scope: not used, the cell has no variables.

        Returns:
            The new state, twice.
        """
        scores = expand_dims(state, 2) + self._transition_params
        alphas = inputs + reduce_logsumexp(scores, [1])
        return alphas, alphas


@export("contrib.crf.crf_log_norm")
def crf_log_norm(
    inputs: TensorLike, sequence_lengths: TensorLike, transition_params: TensorLike
) -> Tensor:
    """The logarithm of the sum over the scores of all tag sequences.

    Args:
        inputs: the scores of tags, [batch, steps, tags].
        sequence_lengths: how many steps count, [batch].
        transition_params: the scores of transitions, [tags, tags].

    Returns:
        A tensor of shape [batch]; zero for empty sequences.
    """
    first = first_step(inputs)

    def single() -> Tensor:
        return zero_where_empty(sequence_lengths, reduce_logsumexp(first, [1]))

    def several() -> Tensor:
        _, alphas = dynamic_rnn(
            cell=CrfForwardRnnCell(transition_params),
            inputs=slice_(inputs, [0, 1, 0], [-1, -1, -1]),
            sequence_length=steps_after_the_first(sequence_lengths),
            initial_state=first,
            dtype=dtypes.float32,
        )
        return zero_where_empty(sequence_lengths, reduce_logsumexp(alphas, [1]))

    return of_length(inputs, single, several)


@export("contrib.crf.crf_unary_score")
def crf_unary_score(
    tag_indices: TensorLike, sequence_lengths: TensorLike, inputs: TensorLike
) -> Tensor:
    """The sum of the scores of the tags of each sequence.

    Args:
        tag_indices: the tags, [batch, steps].
        sequence_lengths: how many steps count, [batch].
        inputs: the scores of tags, [batch, steps, tags].

    Returns:
        A tensor of shape [batch].
    """
    inputs, tags = convert_to_tensor(inputs), convert_to_tensor(tag_indices)
    sizes = shape_tensor(inputs)
    batch, steps, count = sizes[0], sizes[1], sizes[2]
    rows = expand_dims(build.Range(0, batch, 1) * steps * count, 1)
    columns = expand_dims(build.Range(0, steps, 1) * count, 0)
    places = build.Reshape(cast(rows + columns, tags.dtype) + tags, [-1])
    found = build.GatherV2(build.Reshape(inputs, [-1]), places, 0)
    scores = build.Reshape(found, build.Pack([batch, steps]))
    mask = _mask(sequence_lengths, shape_tensor(tags)[1])
    return build.Sum(scores * cast(mask, scores.dtype), 1)


@export("contrib.crf.crf_binary_score")
def crf_binary_score(
    tag_indices: TensorLike, sequence_lengths: TensorLike, transition_params: TensorLike
) -> Tensor:
    """The sum of the scores of the transitions of each sequence.

    Args:
        tag_indices: the tags, [batch, steps].
        sequence_lengths: how many steps count, [batch].
        transition_params: the scores of transitions, [tags, tags].

    Returns:
        A tensor of shape [batch].
    """
    tags, transitions = convert_to_tensor(tag_indices), convert_to_tensor(transition_params)
    count = transitions.shape[0].value
    moves = shape_tensor(tags)[1] - 1
    start = slice_(tags, [0, 0], build.Pack([-1, moves]))
    end = slice_(tags, [0, 1], [-1, -1])
    found = build.GatherV2(build.Reshape(transitions, [-1]), start * count + end, 0)
    mask = _mask(steps_after_the_first(sequence_lengths), moves)
    return build.Sum(found * cast(mask, found.dtype), 1)


@export("contrib.crf.crf_sequence_score")
def crf_sequence_score(
    inputs: TensorLike,
    tag_indices: TensorLike,
    sequence_lengths: TensorLike,
    transition_params: TensorLike,
) -> Tensor:
    """The score of one tag sequence for each input sequence, not normalized.

    Args:
        inputs: the scores of tags, [batch, steps, tags].
        tag_indices: the tags, [batch, steps].
        sequence_lengths: how many steps count, [batch].
        transition_params: the scores of transitions, [tags, tags].

    Returns:
        A tensor of shape [batch]; zero for empty sequences.
    """

    def single() -> Tensor:
        tags = convert_to_tensor(tag_indices)
        rows = cast(expand_dims(build.Range(0, shape_tensor(inputs)[0], 1), 1), tags.dtype)
        places = build.ConcatV2([rows, tags], -1)
        return zero_where_empty(sequence_lengths, build.GatherNd(first_step(inputs), places))

    def several() -> Tensor:
        unary = crf_unary_score(tag_indices, sequence_lengths, inputs)
        return unary + crf_binary_score(tag_indices, sequence_lengths, transition_params)

    return of_length(inputs, single, several)


@export("contrib.crf.crf_multitag_sequence_score")
def crf_multitag_sequence_score(
    inputs: TensorLike,
    tag_bitmap: TensorLike,
    sequence_lengths: TensorLike,
    transition_params: TensorLike,
) -> Tensor:
    """The logarithm of the sum over the scores of all tag sequences that a bitmap allows.

    Args:
        inputs: the scores of tags, [batch, steps, tags].
        tag_bitmap: which tags are allowed, [batch, steps, tags].
        sequence_lengths: how many steps count, [batch].
        transition_params: the scores of transitions, [tags, tags].

    Returns:
        A tensor of shape [batch].
    """
    never = fill(shape_tensor(inputs), float("-inf"))
    allowed = where(tag_bitmap, inputs, never)

    def single() -> Tensor:
        return reduce_logsumexp(first_step(allowed), [1])

    def several() -> Tensor:
        return crf_log_norm(allowed, sequence_lengths, transition_params)

    return of_length(inputs, single, several)


@export("contrib.crf.crf_log_likelihood")
def crf_log_likelihood(
    inputs: TensorLike,
    tag_indices: TensorLike,
    sequence_lengths: TensorLike,
    transition_params: TensorLike | None = None,
) -> tuple[Tensor, Any]:
    """The logarithm of the probability of one tag sequence for each input sequence.

    Args:
        inputs: the scores of tags, [batch, steps, tags].
        tag_indices: the tags, [batch, steps].
        sequence_lengths: how many steps count, [batch].
        transition_params: the scores of transitions, [tags, tags]; the variable `transitions` by
            default.

    Returns:
        A tensor of shape [batch], and the scores of transitions.
    """
    if transition_params is None:
        count = convert_to_tensor(inputs).shape[2].value
        transition_params = get_variable("transitions", [count, count])
    scores = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    norm = crf_log_norm(inputs, sequence_lengths, transition_params)
    return scores - norm, transition_params
