"""DynamicRnnEstimator: a recurrent network over sequences of different lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from headwater.base import dtypes, nest
from headwater.base.export import export
from headwater.contrib.layers.column_ops import (
    input_from_feature_columns,
    sequence_input_from_feature_columns,
    transform_features,
)
from headwater.contrib.layers.fully_connected import fully_connected
from headwater.contrib.layers.optimizers import OPTIMIZER_SUMMARIES, optimize_loss
from headwater.contrib.layers.target_column import (
    TargetColumn,
)
from headwater.contrib.learn.canned import rnn_parts as parts
from headwater.contrib.learn.canned.rnn_parts import PredictionType, RNNKeys
from headwater.contrib.learn.estimating.custom_estimator import Estimator
from headwater.contrib.learn.estimating.keys import ModeKeys, PredictionKey, ProblemType
from headwater.contrib.learn.estimating.model_fn_ops import ModelFnOps
from headwater.graph import Tensor, control_dependencies, name_scope
from headwater.model.rnn.dynamic import dynamic_rnn
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.shape import shape
from headwater.ops.array.tile import tile
from headwater.ops.control.identity import identity
from headwater.ops.control.rank_checks import assert_rank
from headwater.ops.control.type_checks import assert_type
from headwater.ops.math.arg_extrema import argmax
from headwater.train.optimizers.momentum import MomentumOptimizer


def state_name(index: int) -> str:
    """The name of a part of the state."""
    return f"{RNNKeys.STATE_PREFIX}_{index}"


def dict_to_state_tuple(features: Mapping[str, Any], cell: Any) -> Any:
    """The initial state of a cell among features; None if there is none.

    Raises:
        ValueError: if there are parts of a state, but not all.
    """
    flat = nest.flatten(cell.state_size)
    parts_of_state = [features.get(state_name(index)) for index in range(len(flat))]
    if all(part is None for part in parts_of_state):
        return None
    if any(part is None for part in parts_of_state):
        raise ValueError(
            f"RNN cell was specified with {len(flat)} states, but features have "
            f"{sum(part is not None for part in parts_of_state)} of them."
        )
    return nest.pack_sequence_as(cell.state_size, parts_of_state)


def state_tuple_to_dict(state: Any) -> dict[str, Tensor]:
    """The parts of a state by name."""
    with name_scope("state_tuple_to_dict"):
        return {
            state_name(index): identity(part, name=state_name(index))
            for index, part in enumerate(nest.flatten(state))
        }


def _with_context(sequence: Tensor, context: Tensor) -> Tensor:
    """Each step of sequences with the context of its sequence."""
    checks = [
        check
        for name, tensor, rank in (("sequence_input", sequence, 3), ("context_input", context, 2))
        for check in (
            assert_rank(tensor, rank, message=f"{name} must have rank {rank}"),
            assert_type(
                tensor,
                dtypes.float32,
                message=f"{name} must have dtype float32; got {tensor.dtype}.",
            ),
        )
    ]
    with control_dependencies(checks):
        steps = shape(sequence)[1]
        repeated = tile(expand_dims(context, 1), concat([[1], [steps], [1]], 0))
    return concat([sequence, repeated], 2)


def build_sequence_input(
    features: Mapping[Any, Any],
    sequence_feature_columns: Iterable[Any],
    context_feature_columns: Iterable[Any] | None,
) -> Tensor:
    """The input of a recurrent network.

    Args:
        features: tensors by name.
        sequence_feature_columns: the columns of steps.
        context_feature_columns: the columns of whole sequences; or None.

    Returns:
        A float32 tensor ``[batch, steps, n]``.
    """
    steps = list(sequence_feature_columns)
    context = list(context_feature_columns or [])
    found: dict[Any, Any] = {**features, **transform_features(features, steps + context)}
    sequence = sequence_input_from_feature_columns(found, steps)
    if context_feature_columns is None:
        return sequence
    return _with_context(sequence, input_from_feature_columns(found, context))


def construct_rnn(
    initial_state: Any,
    sequence_input: Tensor,
    cell: Any,
    num_label_columns: int,
    dtype: Any = dtypes.float32,
    parallel_iterations: int | None = 32,
    swap_memory: bool = True,
) -> tuple[Tensor, Any]:
    """Unrolls a cell and adds a linear layer.

    Returns:
        The activations ``[batch, steps, num_label_columns]`` and the last state.
    """
    with name_scope("RNN"):
        outputs, state = dynamic_rnn(
            cell=cell,
            inputs=sequence_input,
            initial_state=initial_state,
            dtype=dtype,
            parallel_iterations=parallel_iterations,
            swap_memory=swap_memory,
            time_major=False,
        )
        activations = fully_connected(
            inputs=outputs, num_outputs=num_label_columns, activation_fn=None, trainable=True
        )
        return activations, state


def predictions_name(problem_type: int) -> str:
    classes = problem_type == ProblemType.CLASSIFICATION
    return PredictionKey.CLASSES if classes else PredictionKey.SCORES


def _single_predictions(
    activations: Tensor, lengths: Any, target: TargetColumn, name: str, probabilities: bool
) -> dict[str, Tensor]:
    with name_scope("SingleValuePrediction"):
        last = parts.select_last_activations(activations, lengths)
        if not probabilities:
            return {name: target.logits_to_predictions(last, proba=False)}
        found = target.logits_to_predictions(last, proba=True)
        return {PredictionKey.PROBABILITIES: found, name: argmax(found, 1)}


def multiple_predictions(
    activations: Tensor, target: TargetColumn, name: str, probabilities: bool
) -> dict[str, Tensor]:
    with name_scope("MultiValuePrediction"):
        sizes = shape(activations)
        flat = reshape(activations, [-1, sizes[2]])
        result: dict[str, Tensor] = {}
        if probabilities:
            found = target.logits_to_predictions(flat, proba=True)
            values = argmax(found, 1)
            two = target.num_label_columns == 1
            result[PredictionKey.PROBABILITIES] = reshape(
                found, concat([sizes[:2], [2]], 0) if two else sizes, name="probabilities"
            )
        else:
            values = target.logits_to_predictions(flat, proba=False)
        result[name] = reshape(values, [sizes[0], sizes[1]], name=name)
        return result


def _loss(
    activations: Tensor,
    labels: Tensor,
    lengths: Any,
    target: TargetColumn,
    features: Any,
    one: bool,
) -> Tensor:
    if one:
        with name_scope("SingleValueLoss"):
            last = parts.select_last_activations(activations, lengths)
            return target.loss(last, labels, features)
    with name_scope("MultiValueLoss"):
        masked = parts.mask_activations_and_labels(activations, labels, lengths)
        return target.loss(*masked, features)


def output_alternatives(
    prediction_type: int, problem_type: int, predictions: Mapping[str, Any]
) -> dict[Any, Any] | None:
    """What a model can serve: its predictions without the state; None if there are several.

    Args:
        prediction_type: a value of PredictionType.
        problem_type: a value of ProblemType.
        predictions: the predictions by name.

    Returns:
        {name: (problem_type, tensors by name)} or None.
    """
    if prediction_type != PredictionType.SINGLE_VALUE:
        return None
    served = {
        name: value
        for name, value in predictions.items()
        if not name.startswith(RNNKeys.STATE_PREFIX)
    }
    return {"dynamic_rnn_output": (problem_type, served)}


def dynamic_rnn_model_fn(
    cell_type: Any,
    num_units: int | Sequence[int] | None,
    target_column: TargetColumn,
    problem_type: int,
    prediction_type: int,
    optimizer: Any,
    sequence_feature_columns: Iterable[Any],
    context_feature_columns: Iterable[Any] | None = None,
    predict_probabilities: bool = False,
    learning_rate: float | None = None,
    gradient_clipping_norm: float | None = None,
    dropout_keep_probabilities: Sequence[float] | None = None,
    sequence_length_key: str = RNNKeys.SEQUENCE_LENGTH_KEY,
    dtype: Any = dtypes.float32,
    parallel_iterations: int | None = None,
    swap_memory: bool = True,
    name: str = "DynamicRNNModel",
) -> Callable[..., ModelFnOps]:
    """Makes the model function of a recurrent network; see DynamicRnnEstimator.

    Args:
        cell_type: "basic_rnn", "lstm", "gru", or a class of cells.
        num_units: the number of units, or of each layer.
        target_column: makes loss and predictions of activations.
        problem_type: a value of ProblemType.
        prediction_type: a value of PredictionType.
        optimizer: an optimizer, its name, or a function that makes it.
        sequence_feature_columns: the columns of steps.
        context_feature_columns: the columns of whole sequences; or None.
        predict_probabilities: whether probabilities are predicted too.
        learning_rate: the learning rate.
        gradient_clipping_norm: the largest global norm of gradients; or None.
        dropout_keep_probabilities: how probably inputs and outputs are kept in training; or None.
        sequence_length_key: the name of the feature with the lengths of sequences.
        dtype: the type of the state.
        parallel_iterations: how many steps may run at once.
        swap_memory: whether tensors of steps may leave the device.
        name: the name scope.

    Returns:
        A function of features, labels and mode that returns ModelFnOps.
    """
    one = prediction_type == PredictionType.SINGLE_VALUE
    key = predictions_name(problem_type)

    def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
        with name_scope(name):
            lengths = features.get(sequence_length_key)
            inputs = build_sequence_input(
                features, sequence_feature_columns, context_feature_columns
            )
            dropout = dropout_keep_probabilities if mode == ModeKeys.TRAIN else None
            cell = parts.construct_rnn_cell(num_units, cell_type, dropout)  # type: ignore[arg-type]
            activations, state = construct_rnn(
                dict_to_state_tuple(features, cell),
                inputs,
                cell,
                target_column.num_label_columns,
                dtype=dtype,
                parallel_iterations=parallel_iterations,
                swap_memory=swap_memory,
            )
            if one:
                predictions = _single_predictions(
                    activations, lengths, target_column, key, predict_probabilities
                )
            else:
                predictions = multiple_predictions(
                    activations, target_column, key, predict_probabilities
                )
            loss = metrics = train_op = None
            if mode != ModeKeys.INFER:
                loss = _loss(activations, labels, lengths, target_column, features, one)
            predictions.update(state_tuple_to_dict(state))
            if mode != ModeKeys.INFER:
                metrics = parts.eval_metrics(
                    problem_type, prediction_type, lengths, predictions, labels
                )
            if mode == ModeKeys.TRAIN:
                train_op = optimize_loss(
                    loss=loss,
                    global_step=None,
                    learning_rate=learning_rate,
                    optimizer=optimizer,
                    clip_gradients=gradient_clipping_norm,
                    summaries=OPTIMIZER_SUMMARIES,
                )
        return ModelFnOps(
            mode=mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=metrics,
            output_alternatives=output_alternatives(prediction_type, problem_type, predictions),
        )

    return model_fn


@export("contrib.learn.DynamicRnnEstimator", "contrib.learn.estimators.DynamicRnnEstimator")
class DynamicRnnEstimator(Estimator):
    """A recurrent network over sequences of different lengths.

    The feature "sequence_length" has the number of steps of each sequence; without it all have as
    many as the input. Features "rnn_cell_state_0" and so on are the state to begin with.

    Args:
        problem_type: `ProblemType.CLASSIFICATION` or `LINEAR_REGRESSION`.
        prediction_type: `PredictionType.SINGLE_VALUE` or `MULTIPLE_VALUE`, one prediction for a
            sequence or for each step.
        sequence_feature_columns: the columns of steps.
        context_feature_columns: the columns of whole sequences; or None.
        num_classes: the number of classes of a classification.
        num_units: the number of units, or of each layer.
        cell_type: "basic_rnn", "lstm", "gru", or a class of cells.
        optimizer: an optimizer, its name, or a function that makes it.
        learning_rate: the learning rate.
        predict_probabilities: whether probabilities are predicted too.
        momentum: the momentum of the optimizer "Momentum".
        gradient_clipping_norm: the largest global norm of gradients; or None.
        dropout_keep_probabilities: how probably inputs of each layer, and outputs of the last one,
            are kept in training; or None.
        model_dir: the folder of checkpoints; or None.
        feature_engineering_fn: a function of features and labels; or None.
        config: a RunConfig; or None.

    Raises:
        ValueError: if a type is unknown, or there is no number of classes.
    """

    def __init__(
        self,
        problem_type: int,
        prediction_type: int,
        sequence_feature_columns: Iterable[Any],
        context_feature_columns: Iterable[Any] | None = None,
        num_classes: int | None = None,
        num_units: int | Sequence[int] | None = None,
        cell_type: Any = "basic_rnn",
        optimizer: Any = "SGD",
        learning_rate: float = 0.1,
        predict_probabilities: bool = False,
        momentum: float | None = None,
        gradient_clipping_norm: float | None = 5.0,
        dropout_keep_probabilities: Sequence[float] | None = None,
        model_dir: str | None = None,
        feature_engineering_fn: Any = None,
        config: Any = None,
    ) -> None:
        if prediction_type not in (PredictionType.SINGLE_VALUE, PredictionType.MULTIPLE_VALUE):
            raise ValueError(
                "prediction_type must be one of PredictionType.MULTIPLE_VALUE or "
                f"PredictionType.SINGLE_VALUE; got {prediction_type}"
            )
        target, kind = parts.target_of(problem_type, num_classes)
        if optimizer == "Momentum":
            optimizer = MomentumOptimizer(learning_rate, momentum)
        count = "Single" if prediction_type == PredictionType.SINGLE_VALUE else "Multi"
        super().__init__(
            model_fn=dynamic_rnn_model_fn(
                cell_type,
                num_units,
                target,
                problem_type,
                prediction_type,
                optimizer,
                sequence_feature_columns,
                context_feature_columns,
                predict_probabilities,
                learning_rate,
                gradient_clipping_norm,
                dropout_keep_probabilities,
                name=f"{count}ValueDynamicRNN{kind}",
            ),
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )
