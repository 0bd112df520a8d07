"""Cells for all steps at once, made of cells for one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.typing import DTypeLike, NestedTensors, TensorLike
from headwater.graph import Tensor, build, export
from headwater.model.rnn.dynamic import dynamic_rnn
from headwater.model.rnn.static import static_rnn
from headwater.ops.array.reverse import reverse
from headwater.ops.array.stack import stack, unstack

if TYPE_CHECKING:
    from headwater.model.rnn.lstm import LSTMStateTuple
    from headwater.model.variables.variable_scope_object import ScopeLike


@export("contrib.rnn.FusedRNNCell")
class FusedRNNCell:
    """A function that computes all steps of a sequence at once."""

    def __call__(
        self,
        inputs: TensorLike,
        initial_state: NestedTensors = None,
        dtype: DTypeLike | None = None,
        sequence_length: TensorLike | None = None,
        scope: ScopeLike | None = None,
    ) -> tuple[Tensor | LSTMStateTuple, ...]:
        """Computes all steps.

        Args:
            inputs: a tensor of shape [time, batch, size], or a list of matrices.
            initial_state: the state before the first step; zeros if None.
            dtype: the type of the state, needed if there is no initial state.
            sequence_length: an integer vector: the lengths of the rows.
            scope: the variable scope.

        Returns:
            The outputs, in the form of the inputs, and the last state.

        Raises:
            NotImplementedError: if the subclass does not define it.
        """
        raise NotImplementedError("Abstract method")


@export("contrib.rnn.FusedRNNCellAdaptor")
class FusedRNNCellAdaptor(FusedRNNCell):
    """Applies a cell for one step to all steps.

    Args:
        cell: an RNNCell.
        use_dynamic_rnn: whether the steps are a loop; else each has its own nodes.
    """

    def __init__(self, cell: Any, use_dynamic_rnn: bool = False) -> None:
        self._cell = cell
        self._use_dynamic_rnn = use_dynamic_rnn

    def __call__(
        self,
        inputs: TensorLike,
        initial_state: NestedTensors = None,
        dtype: DTypeLike | None = None,
        sequence_length: TensorLike | None = None,
        scope: ScopeLike | None = None,
    ) -> NestedTensors:
        """Computes all steps; see FusedRNNCell.

        Args:
            inputs: a tensor of shape [time, batch, size], or a list of matrices.
            initial_state: the state before the first step; zeros if None.
            dtype: the type of the state, needed if there is no initial state.
            sequence_length: an integer vector: the lengths of the rows.
            scope: the variable scope.

        Returns:
            The outputs, in the form of the inputs, and the last state.
        """
        is_list = isinstance(inputs, list)
        keywords = {
            "sequence_length": sequence_length,
            "initial_state": initial_state,
            "dtype": dtype,
            "scope": scope,
        }
        if self._use_dynamic_rnn:
            inputs = stack(inputs) if is_list else inputs
            outputs, state = dynamic_rnn(self._cell, inputs, time_major=True, **keywords)
            return unstack(outputs) if is_list else outputs, state
        inputs = inputs if is_list else unstack(inputs)
        outputs, state = static_rnn(self._cell, inputs, **keywords)
        return outputs if is_list else stack(outputs), state


@export("contrib.rnn.TimeReversedFusedRNN")
class TimeReversedFusedRNN(FusedRNNCell):
    """Applies a cell for all steps to the steps in reverse order.

    Args:
        cell: a FusedRNNCell.
    """

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def __call__(
        self,
        inputs: TensorLike,
        initial_state: NestedTensors = None,
        dtype: DTypeLike | None = None,
        sequence_length: TensorLike | None = None,
        scope: ScopeLike | None = None,
    ) -> tuple[Tensor | LSTMStateTuple, ...]:
        """Computes all steps; see FusedRNNCell.

        Args:
            inputs: a tensor of shape [time, batch, size], or a list of matrices.
            initial_state: the state before the last step; zeros if None.
            dtype: the type of the state, needed if there is no initial state.
            sequence_length: an integer vector: the lengths of the rows.
            scope: the variable scope.

        Returns:
            The outputs, in the form of the inputs, and the last state.
        """
        inputs = _backwards(inputs, sequence_length)
        outputs, state = self._cell(
            inputs,
            initial_state=initial_state,
            dtype=dtype,
            sequence_length=sequence_length,
            scope=scope,
        )
        return _backwards(outputs, sequence_length), state


def _backwards(steps: TensorLike, lengths: TensorLike) -> Any:
    if isinstance(steps, list):
        return list(reversed(steps))
    if lengths is None:
        return reverse(steps, [0])
    return build.ReverseSequence(steps, lengths, seq_dim=0, batch_dim=1)
