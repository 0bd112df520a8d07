"""`tf.contrib.learn.models`: linear and logistic regression, recurrent models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import DTypeLike, TensorLike
from headwater.contrib.learn.simple_models.embeddings_and_losses import (
    mean_squared_error_regressor,
    softmax_classifier,
)
from headwater.graph import Tensor, get_default_graph
from headwater.model.rnn.attention_cell import AttentionCellWrapper
from headwater.model.rnn.basic import BasicRNNCell, GRUCell
from headwater.model.rnn.lstm import BasicLSTMCell
from headwater.model.rnn.multi import MultiRNNCell
from headwater.model.rnn.static import static_rnn
from headwater.model.variables.random_initializers import RandomNormal
from headwater.model.variables.variable_scope import (
    get_variable,
    get_variable_scope,
    variable_scope,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.reverse import reverse_sequence
from headwater.ops.array.stack import stack, unstack
from headwater.ops.summary.histogram import histogram


def _linear_variables(
    x: Tensor, y: Tensor, outputs: Any, init_mean: float | None, init_stddev: float
) -> tuple[Any, Any]:
    """Weights and biases of a linear model, with histograms of its data."""
    scope = get_variable_scope().name
    histogram(f"{scope}.x", x)
    histogram(f"{scope}.y", y)
    dtype = x.dtype.base_dtype
    initializer = None if init_mean is None else RandomNormal(init_mean, init_stddev, dtype=dtype)
    weights = get_variable(
        "weights", [x.get_shape()[1], outputs], initializer=initializer, dtype=dtype
    )
    bias = get_variable("bias", [outputs], initializer=initializer, dtype=dtype)
    return weights, bias


@export("contrib.learn.models.linear_regression_zero_init")
def linear_regression_zero_init(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Linear regression whose variables begin as zeros.

    Args:
        x: the features ``[batch, n]``.
        y: the labels ``[batch]`` or ``[batch, m]``.

    Returns:
        The predictions and the mean squared error.
    """
    return linear_regression(x, y, init_mean=0.0, init_stddev=0.0)


@export("contrib.learn.models.logistic_regression_zero_init")
def logistic_regression_zero_init(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Logistic regression whose variables begin as zeros.

    Args:
        x: the features ``[batch, n]``.
        y: the labels, one-hot ``[batch, classes]``.

    Returns:
        The probabilities and the cross entropy.
    """
    return logistic_regression(x, y, init_mean=0.0, init_stddev=0.0)


@export("contrib.learn.models.linear_regression")
def linear_regression(
    x: Tensor, y: Tensor, init_mean: float | None = None, init_stddev: float = 1.0
) -> tuple[Tensor, Tensor]:
    """Linear regression.

    Args:
        x: the features ``[batch, n]``.
        y: the labels ``[batch]`` or ``[batch, m]``.
        init_mean: the mean of the variables' initial values; None for the default initializer.
        init_stddev: their standard deviation.

    Returns:
        The predictions and the mean squared error.
    """
    with variable_scope("linear_regression"):
        y_shape = y.get_shape()
        outputs = 1 if len(y_shape) == 1 else y_shape[1]
        weights, bias = _linear_variables(x, y, outputs, init_mean, init_stddev)
        scope = get_variable_scope().name
        histogram(f"{scope}.weights", weights)
        histogram(f"{scope}.bias", bias)
        return mean_squared_error_regressor(x, y, weights, bias)


@export("contrib.learn.models.logistic_regression")
def logistic_regression(
    x: Tensor,
    y: Tensor,
    class_weight: TensorLike | None = None,
    init_mean: float | None = None,
    init_stddev: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """Logistic regression.

    Args:
        x: the features ``[batch, n]``.
        y: the labels, one-hot ``[batch, classes]``.
        class_weight: factors of the logits ``[classes]``; None for the tensor "class_weight:0" of
            the graph, if there is one.
        init_mean: the mean of the variables' initial values; None for the default initializer.
        init_stddev: their standard deviation.

    Returns:
        The probabilities and the cross entropy.
    """
    with variable_scope("logistic_regression"):
        weights, bias = _linear_variables(x, y, y.get_shape()[-1], init_mean, init_stddev)
        scope = get_variable_scope().name
        histogram(f"{scope}.weights", weights)
        histogram(f"{scope}.bias", bias)
        if class_weight is None:
            class_weight = _class_weight_of_graph()
        return softmax_classifier(x, y, weights, bias, class_weight=class_weight)


def _class_weight_of_graph() -> Tensor | None:
    try:
        weight: Tensor = get_default_graph().get_tensor_by_name("class_weight:0")
    except KeyError:
        return None
    return weight


def _reversed(inputs: Sequence[Tensor], lengths: Tensor | None) -> list[Tensor]:
    """The steps of sequences in reverse order, up to the length of each if it is given."""
    if lengths is None:
        return list(reversed(inputs))
    for value in inputs:
        value.set_shape(value.get_shape().with_rank(2))
    steps = unstack(reverse_sequence(stack(list(inputs)), lengths, 0, 1))
    for step, value in zip(steps, inputs):
        step.set_shape(value.get_shape())
    return list(steps)


@export("contrib.learn.models.bidirectional_rnn")
def bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Sequence[Tensor],
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: Tensor | None = None,
    scope: Any = None,
) -> tuple[list[Tensor], Tensor]:
    """Unrolls two cells, one from the first step to the last and one the other way.

    Args:
        cell_fw: the cell that goes forward; its state is one tensor.
        cell_bw: the cell that goes backward.
        inputs: the input ``[batch, n]`` of each step.
        initial_state_fw: the state before the first step; zeros if None.
        initial_state_bw: the state after the last step; zeros if None.
        dtype: the type of the states, if none is given.
        sequence_length: the lengths of the sequences ``[batch]``, or None.
        scope: the prefix of two variable scopes; "BiRNN" if None.

    Returns:
        The outputs of both cells side by side for each step, and the last states side by side.

    Raises:
        TypeError: if a cell is not an RNN cell, or the inputs are not a list.
        ValueError: if there are no inputs.
    """
    if not isinstance(inputs, list):
        raise TypeError("inputs must be a list")
    if not inputs:
        raise ValueError("inputs must not be empty")
    name = scope or "BiRNN"
    with variable_scope(f"{name}_FW"):
        output_fw, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length)
    with variable_scope(f"{name}_BW"):
        backward, state_bw = static_rnn(
            cell_bw, _reversed(inputs, sequence_length), initial_state_bw, dtype, sequence_length
        )
    output_bw = _reversed(backward, sequence_length)
    outputs = [concat([fw, bw], 1) for fw, bw in zip(output_fw, output_bw)]
    return outputs, concat([state_fw, state_bw], 1)


def _lstm(units: int) -> BasicLSTMCell:
    return BasicLSTMCell(units, state_is_tuple=False)


_CELLS: dict[str, Callable[[int], Any]] = {"rnn": BasicRNNCell, "gru": GRUCell, "lstm": _lstm}


@export("contrib.learn.models.get_rnn_model")
def get_rnn_model(
    rnn_size: int,
    cell_type: str,
    num_layers: int,
    input_op_fn: Callable[[Any], Any],
    bidirectional: bool,
    target_predictor_fn: Callable[[Tensor, Any], Any],
    sequence_length: Any,
    initial_state: Any,
    attn_length: int | None,
    attn_size: int | None,
    attn_vec_size: int | None,
) -> Callable[[Any, Any], Any]:
    """Makes the function of a recurrent model, for an estimator.

    Args:
        rnn_size: the number of units of a layer.
        cell_type: "rnn", "gru" or "lstm".
        num_layers: the number of layers.
        input_op_fn: a function that makes a list of inputs of features.
        bidirectional: whether a second stack of cells goes backward.
        target_predictor_fn: a function of the last state and the labels.
        sequence_length: the lengths of the sequences ``[batch]``, or None.
        initial_state: the state before the first step; zeros if None.
        attn_length: how many steps attention looks back; None for no attention.
        attn_size: the size of what it yields.
        attn_vec_size: the number of its features.

    Returns:
        A function of features and labels that returns what `target_predictor_fn` returns.

    Raises:
        ValueError: raised by the function if there is no such type of cell.
    """

    def stacked() -> MultiRNNCell:
        cells = [_CELLS[cell_type](rnn_size) for _ in range(num_layers)]
        if attn_length is not None:
            cells = [
                AttentionCellWrapper(
                    cell,
                    attn_length=attn_length,
                    attn_size=attn_size,
                    attn_vec_size=attn_vec_size,
                    state_is_tuple=False,
                )
                for cell in cells
            ]
        return MultiRNNCell(cells, state_is_tuple=False)

    def rnn_estimator(x: Any, y: Any) -> Any:
        inputs = input_op_fn(x)
        if cell_type not in _CELLS:
            raise ValueError(f"cell_type {cell_type} is not supported. ")
        options: dict[str, Any] = {"dtype": dtypes.float32, "sequence_length": sequence_length}
        if bidirectional:
            _, encoding = bidirectional_rnn(
                stacked(),
                stacked(),
                inputs,
                initial_state_fw=initial_state,
                initial_state_bw=initial_state,
                **options,
            )
        else:
            _, encoding = static_rnn(stacked(), inputs, initial_state=initial_state, **options)
        return target_predictor_fn(encoding, y)

    return rnn_estimator
