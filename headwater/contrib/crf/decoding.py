"""The best tag sequences of a linear-chain conditional random field: Viterbi's algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import dtypes
from headwater.base.typing import NestedTensors, TensorLike
from headwater.contrib.crf.scores import (
    first_step,
    of_length,
    steps_after_the_first,
)
from headwater.graph import Tensor, build, convert_to_tensor, export, shape_tensor
from headwater.model.rnn.cell import RNNCell
from headwater.model.rnn.dynamic import dynamic_rnn
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.array.reverse import reverse_sequence
from headwater.ops.array.slice import slice_
from headwater.ops.math.cast import cast

if TYPE_CHECKING:
    from headwater.model.variables.variable_scope_object import ScopeLike


@export("contrib.crf.viterbi_decode")
def viterbi_decode(score: TensorLike, transition_params: TensorLike) -> tuple[list[Any], Any]:
    """The best tag sequence of one input sequence, found by NumPy.

    Args:
        score: an array of the scores of tags, [steps, tags].
        transition_params: an array of the scores of transitions, [tags, tags].

    Returns:
        The tags as a list, and the score of the sequence.
    """
    best = np.zeros_like(score)
    before = np.zeros_like(score, dtype=np.int32)
    best[0] = score[0]
    for step in range(1, len(score)):
        ways = np.expand_dims(best[step - 1], 1) + transition_params
        best[step] = score[step] + np.max(ways, 0)
        before[step] = np.argmax(ways, 0)
    tags: list[Any] = [np.argmax(best[-1])]
    for previous in before[:0:-1]:
        tags.append(previous[tags[-1]])
    return tags[::-1], np.max(best[-1])


class _DecodingCell(RNNCell):
    """A cell without variables whose outputs and states have fixed sizes."""

    def __init__(self, state_size: int, output_size: int) -> None:
        super().__init__()
        self._sizes = state_size, output_size

    @property
    def state_size(self) -> int:
        """The size of the state."""
        return self._sizes[0]

    @property
    def output_size(self) -> int:
        """The size of the outputs."""
        return self._sizes[1]


@export("contrib.crf.CrfDecodeForwardRnnCell")
class CrfDecodeForwardRnnCell(_DecodingCell):
    """One forward step: the best score for each tag, and its backpointer.

    Args:
        transition_params: the scores of transitions, [tags, tags].
    """

    def __init__(self, transition_params: TensorLike) -> None:
        self._transition_params = expand_dims(transition_params, 0)
        count = convert_to_tensor(transition_params).shape[0].value
        super().__init__(count, count)

    def __call__(
        self, inputs: NestedTensors, state: TensorLike, scope: ScopeLike | None = None
    ) -> tuple[Tensor, ...]:
        """Computes one step.

        Args:
            inputs: the scores of tags, [batch, tags].
            state: the scores of the best paths to each tag, [batch, tags].
            scope: not used, the cell has no variables.

        Returns:
            The tag before each tag, int32, and the new state.
        """
        ways = expand_dims(state, 2) + self._transition_params
        return cast(build.ArgMax(ways, 1), dtypes.int32), inputs + build.Max(ways, [1])


@export("contrib.crf.CrfDecodeBackwardRnnCell")
class CrfDecodeBackwardRnnCell(_DecodingCell):
    """One backward step along the best path.

    Args:
        num_tags: the number of tags.
    """

    def __init__(self, num_tags: int) -> None:
        super().__init__(1, 1)
        self._num_tags = num_tags

    def __call__(
        self, inputs: TensorLike, state: TensorLike, scope: ScopeLike | None = None
    ) -> tuple[Tensor, ...]:
        """Computes one step.

        Args:
            inputs: the tag before each tag, [batch, tags].
            state: the tag of the following step, [batch, 1].
            scope: not used, the cell has no variables.

        Returns:
            The tag of this step, [batch, 1], twice.
        """
        tags = squeeze(state, [1])
        rows = build.Range(0, shape_tensor(inputs)[0], 1)
        tags = expand_dims(build.GatherNd(inputs, build.Pack([rows, tags], axis=1)), -1)
        return tags, tags


@export("contrib.crf.crf_decode")
def crf_decode(
    potentials: TensorLike, transition_params: TensorLike, sequence_length: TensorLike
) -> tuple[Tensor, Tensor]:
    """The best tag sequence of each input sequence.

    Args:
        potentials: the scores of tags, [batch, steps, tags].
        transition_params: the scores of transitions, [tags, tags].
        sequence_length: how many steps count, [batch].

    Returns:
        The tags, int32 of shape [batch, steps], and the scores of the sequences, [batch].
    """
    potentials = convert_to_tensor(potentials)
    first = first_step(potentials)

    def single() -> tuple[Tensor, ...]:
        tags = expand_dims(cast(build.ArgMax(first, 1), dtypes.int32), 1)
        return tags, build.Max(first, 1)

    def several() -> tuple[Tensor, ...]:
        following = steps_after_the_first(sequence_length)
        before, last = dynamic_rnn(
            CrfDecodeForwardRnnCell(transition_params),
            inputs=slice_(potentials, [0, 1, 0], [-1, -1, -1]),
            sequence_length=following,
            initial_state=first,
            time_major=False,
            dtype=dtypes.int32,
        )
        before = reverse_sequence(before, following, seq_dim=1)
        end = expand_dims(cast(build.ArgMax(last, 1), dtypes.int32), 1)
        with variable_scope("rnn_backward"):
            tags, _ = dynamic_rnn(
                CrfDecodeBackwardRnnCell(potentials.shape[2].value),
                inputs=before,
                sequence_length=following,
                initial_state=end,
                time_major=False,
                dtype=dtypes.int32,
            )
        tags = build.ConcatV2([end, squeeze(tags, [2])], 1)
        tags = reverse_sequence(tags, sequence_length, seq_dim=1)
        return tags, build.Max(last, 1)

    return of_length(potentials, single, several)
