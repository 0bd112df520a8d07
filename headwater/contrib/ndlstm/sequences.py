"""LSTMs over sequences of a constant length, of shape [time, batch, depth]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build, export, name_scope
from headwater.model.nn.dense import xw_plus_b
from headwater.model.rnn.dynamic import dynamic_rnn
from headwater.model.rnn.lstm import BasicLSTMCell
from headwater.model.variables.initializers import Constant
from headwater.model.variables.random_initializers import TruncatedNormal
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.fill import fill, zeros
from headwater.ops.array.reshape import reshape
from headwater.ops.array.reverse import reverse as reverse_axes
from headwater.ops.array.stack import stack, unstack
from headwater.ops.math.cast import cast

if TYPE_CHECKING:
    from headwater.model.variables.variable_scope_object import ScopeLike

_LSTM1D = "contrib.ndlstm.lstm1d"


@export("contrib.ndlstm.ndlstm_base_unrolled", f"{_LSTM1D}.ndlstm_base_unrolled")
def ndlstm_base_unrolled(
    inputs: TensorLike, noutput: int, scope: ScopeLike | None = None, reverse: bool = False
) -> Tensor:
    """Applies an LSTM to the steps of a tensor, with nodes for each step.

    Args:
        inputs: a tensor of shape [time, batch, depth], all known.
        noutput: the number of units.
        scope: the variable scope; "SeqLstmUnrolled" by default.
        reverse: whether the last step comes first.

    Returns:
        The outputs, of shape [time, batch, noutput].
    """
    with variable_scope(scope, "SeqLstmUnrolled", [inputs]):
        outputs = _unrolled(inputs, noutput, reverse)
        return stack(outputs[::-1] if reverse else outputs)


def _unrolled(inputs: TensorLike, noutput: int, reverse: bool) -> list[Any]:
    """The outputs of the steps, in the order in which they were computed."""
    _, rows, _ = inputs.get_shape().as_list()
    cell = BasicLSTMCell(noutput, state_is_tuple=False)
    state = zeros([rows, cell.state_size])
    steps = unstack(inputs)
    outputs = []
    for step in reversed(steps) if reverse else steps:
        output, state = cell(step, state)
        outputs.append(output)
    return outputs


@export("contrib.ndlstm.ndlstm_base_dynamic", f"{_LSTM1D}.ndlstm_base_dynamic")
def ndlstm_base_dynamic(
    inputs: TensorLike, noutput: int, scope: ScopeLike | None = None, reverse: bool = False
) -> Tensor:
    """Applies an LSTM to the steps of a tensor in a loop.

    Args:
        inputs: a tensor of shape [time, batch, depth], all known.
        noutput: the number of units.
        scope: the variable scope; "SeqLstm" by default.
        reverse: whether the last step comes first.

    Returns:
        The outputs, of shape [time, batch, noutput].
    """
    with variable_scope(scope, "SeqLstm", [inputs]):
        steps, rows, _ = inputs.get_shape().as_list()
        cell = BasicLSTMCell(noutput, state_is_tuple=False)
        state = zeros([rows, cell.state_size])
        lengths = cast(fill([rows], steps), dtypes.int64)
        if reverse:
            inputs = reverse_axes(inputs, [0])
        outputs, _ = dynamic_rnn(cell, inputs, lengths, state, time_major=True)
        return reverse_axes(outputs, [0]) if reverse else outputs


@export("contrib.ndlstm.ndlstm_base", f"{_LSTM1D}.ndlstm_base")
def ndlstm_base(
    inputs: TensorLike,
    noutput: int,
    scope: ScopeLike | None = None,
    reverse: bool = False,
    dynamic: bool = True,
) -> Tensor:
    """Applies an LSTM to the steps of a tensor.

    Args:
        inputs: a tensor of shape [time, batch, depth], all known.
        noutput: the number of units.
        scope: the variable scope.
        reverse: whether the last step comes first.
        dynamic: whether the steps are computed in a loop.

    Returns:
        The outputs, of shape [time, batch, noutput].
    """
    base = ndlstm_base_dynamic if dynamic else ndlstm_base_unrolled
    return base(inputs, noutput, scope=scope, reverse=reverse)


@export("contrib.ndlstm.sequence_to_final", f"{_LSTM1D}.sequence_to_final")
def sequence_to_final(
    inputs: TensorLike,
    noutput: int,
    scope: ScopeLike | None = None,
    name: str | None = None,
    reverse: bool = False,
) -> Tensor:
    """The output of an LSTM after the last step.

    Args:
        inputs: a tensor of shape [time, batch, depth], all known.
        noutput: the number of units.
        scope: the variable scope; "SequenceToFinal" by default.
        name: the name of the result.
        reverse: whether the last step comes first.

    Returns:
        A matrix of shape [batch, noutput].
    """
    with variable_scope(scope, "SequenceToFinal", [inputs]):
        rows = inputs.get_shape()[1].value
        return reshape(_unrolled(inputs, noutput, reverse)[-1], [rows, noutput], name=name)


@export("contrib.ndlstm.sequence_softmax", f"{_LSTM1D}.sequence_softmax")
def sequence_softmax(
    inputs: TensorLike,
    noutput: int,
    scope: ScopeLike | None = None,
    name: str | None = None,
    linear_name: str | None = None,
) -> Tensor:
    """The same softmax layer for each step.

    Args:
        inputs: a tensor of shape [time, batch, depth], all known.
        noutput: the number of classes.
        scope: the variable scope; "SequenceSoftmax" by default.
        name: the name of the result.
        linear_name: the name of the linear part.

    Returns:
        The probabilities, of shape [time, batch, noutput].
    """
    depth = inputs.get_shape()[2].value
    steps = unstack(inputs)
    with variable_scope(scope, "SequenceSoftmax", [inputs]):
        weights = get_variable("weights", [depth, noutput], initializer=TruncatedNormal(0.0, 0.1))
        biases = get_variable("biases", [noutput], initializer=Constant(0.1))
        outputs = []
        for step in steps:
            with name_scope(scope, "SequenceSoftmaxStep", [step]):
                outputs.append(build.Softmax(xw_plus_b(step, weights, biases, name=linear_name)))
        # Without a name the result is called "packed", as in TensorFlow.
        return stack(outputs, name=name)  # type: ignore[arg-type]
