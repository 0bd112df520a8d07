"""StateSavingRnnEstimator: a recurrent network over segments of sequences, with saved states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from headwater.base import dtypes, nest
from headwater.contrib.layers.column_ops import sequence_input_from_feature_columns
from headwater.contrib.layers.fully_connected import fully_connected
from headwater.contrib.layers.optimizers import optimize_loss
from headwater.contrib.layers.target_column import (
    TargetColumn,
)
from headwater.contrib.learn.canned import rnn_parts as parts
from headwater.contrib.learn.canned.dynamic_rnn import (
    multiple_predictions,
    predictions_name,
    state_name,
    state_tuple_to_dict,
)
from headwater.contrib.learn.canned.rnn_parts import PredictionType, RNNKeys
from headwater.contrib.learn.estimating.custom_estimator import Estimator
from headwater.contrib.learn.estimating.keys import ModeKeys
from headwater.contrib.learn.estimating.model_fn_ops import ModelFnOps
from headwater.contrib.training.sequence_batches import batch_sequences_with_states
from headwater.contrib.training.state_saver import NextQueuedSequenceBatch
from headwater.graph import Tensor, name_scope
from headwater.model.global_step import get_global_step
from headwater.model.rnn.lstm import LSTMStateTuple
from headwater.model.rnn.static import static_state_saving_rnn
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.array.stack import stack, unstack
from headwater.ops.array.tile import tile
from headwater.ops.control.identity import identity
from headwater.train.optimizers.momentum import MomentumOptimizer


def construct_state_saving_rnn(
    cell: Any,
    inputs: Sequence[Tensor],
    num_label_columns: int,
    state_saver: Any,
    state_name: Any,
    scope: str = "rnn",
) -> tuple[Tensor, Tensor]:
    """Unrolls a cell whose state is saved between runs, and adds a linear layer.

    Args:
        cell: an RNNCell.
        inputs: the input of each step, ``[batch, n]``.
        num_label_columns: the number of activations of a step.
        state_saver: an object with the methods `state` and `save_state`.
        state_name: the names of the parts of the state, in the structure of the state.
        scope: the name scope.

    Returns:
        The activations ``[batch, steps, num_label_columns]`` and the last state, its parts
        stacked if there are several.
    """
    with name_scope(scope):
        outputs, state = static_state_saving_rnn(
            cell=cell,
            inputs=inputs,
            state_saver=state_saver,
            state_name=state_name,
            scope=scope,
        )
        activations = fully_connected(
            inputs=stack(outputs, axis=1),
            num_outputs=num_label_columns,
            activation_fn=None,
            trainable=True,
        )
        return activations, identity(state, name=RNNKeys.FINAL_STATE_KEY)


def state_names(cell: Any) -> Any:
    """The names of the parts of the state of a cell, in the structure of the state."""

    def names_of(size: Any, index: int) -> Any:
        name = state_name(index)
        return [f"{name}_c", f"{name}_h"] if isinstance(size, LSTMStateTuple) else name

    sizes = cell.state_size
    if isinstance(sizes, tuple) and not isinstance(sizes, LSTMStateTuple):
        return [names_of(size, index) for index, size in enumerate(sizes)]
    return names_of(sizes, 0)


def initial_states(cell: Any) -> dict[str, Tensor]:
    """The state that a sequence begins with, zeros, by the names of its parts."""
    zeros = cell.zero_state(batch_size=1, dtype=dtypes.float32)
    names = nest.flatten(state_names(cell))
    return {name: squeeze(part, [0]) for name, part in zip(names, nest.flatten(zeros), strict=True)}


def parents_of(column: Any) -> list[str]:
    """The names of the features that a column is made of."""
    return sorted(column.config)


def split_features(
    features: Mapping[str, Any],
    labels: Any,
    mode: str,
    sequence_feature_columns: Iterable[Any],
    context_feature_columns: Iterable[Any] | None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features that belong to steps, with the labels, and those of the whole sequence.

    Args:
        features: tensors by name.
        labels: the labels of the steps; or None.
        mode: a value of ModeKeys; labels count except for INFER.
        sequence_feature_columns: the columns of steps.
        context_feature_columns: the columns of whole sequences; or None.

    Returns:
        Two dicts of tensors by name.

    Raises:
        ValueError: if a feature of a column is missing.
    """

    def chosen(columns: Iterable[Any], kind: str) -> dict[str, Any]:
        found = {}
        for column in columns:
            for name in parents_of(column):
                if features.get(name) is None:
                    raise ValueError(f"No key in features for {kind} feature: {name}")
                found[name] = features[name]
        return found

    steps = chosen(sequence_feature_columns, "sequence")
    context = chosen(context_feature_columns or [], "context")
    if mode != ModeKeys.INFER:
        steps[RNNKeys.LABELS_KEY] = labels
    return steps, context


def read_batch(
    cell: Any,
    features: Mapping[str, Any],
    labels: Any,
    mode: str,
    num_unroll: int,
    batch_size: int,
    sequence_feature_columns: Iterable[Any],
    context_feature_columns: Iterable[Any] | None = None,
    num_threads: int = 3,
    queue_capacity: int = 1000,
    seed: int | None = None,
) -> NextQueuedSequenceBatch:
    """Makes batches of segments of the sequences that an input function reads one by one.

    Args:
        cell: the RNNCell whose state is saved.
        features: tensors of one sequence by name.
        labels: the labels of its steps; or None.
        mode: a value of ModeKeys.
        num_unroll: the number of steps of a segment.
        batch_size: how many segments make a batch.
        sequence_feature_columns: the columns of steps.
        context_feature_columns: the columns of whole sequences; or None.
        num_threads: how many threads read sequences.
        queue_capacity: how many sequences may be under way.
        seed: the seed of the keys of sequences; or None.

    Returns:
        A NextQueuedSequenceBatch.
    """
    first = initial_states(cell)
    steps, context = split_features(
        features, labels, mode, sequence_feature_columns, context_feature_columns
    )
    return batch_sequences_with_states(
        input_key="key",
        input_sequences=steps,
        input_context=context,
        input_length=None,
        initial_states=first,
        num_unroll=num_unroll,
        batch_size=batch_size,
        pad=True,
        make_keys_unique=True,
        make_keys_unique_seed=seed,
        num_threads=num_threads,
        capacity=queue_capacity,
    )


def prepare_inputs(
    sequence_features: Mapping[Any, Any],
    context_features: Mapping[str, Tensor],
    sequence_feature_columns: Iterable[Any],
    num_unroll: int,
) -> list[Tensor]:
    """The input of each step: the columns of steps and the features of the sequence.

    Args:
        sequence_features: the features of steps by name, ``[batch, num_unroll, ...]``.
        context_features: the features of sequences by name, ``[batch, 1]``.
        sequence_feature_columns: the columns of steps.
        num_unroll: the number of steps.

    Returns:
        A list of `num_unroll` tensors ``[batch, n]``.
    """
    inputs = sequence_input_from_feature_columns(
        columns_to_tensors=dict(sequence_features), feature_columns=list(sequence_feature_columns)
    )
    if context_features:
        repeated = [
            squeeze(tile(expand_dims(context_features[key], 1), [1, num_unroll, 1]), [2])
            for key in sorted(context_features)
        ]
        inputs = concat([inputs, stack(repeated, 2)], 2)
    return unstack(inputs, num=num_unroll, axis=1)


def multi_value_loss(
    activations: Tensor,
    labels: Tensor,
    sequence_length: Tensor,
    target_column: TargetColumn,
    features: Any,
) -> Tensor:
    """The loss over all steps.

    Args:
        activations: ``[batch, steps, n]``.
        labels: ``[batch, steps]``.
        sequence_length: the number of steps of each sequence.
        target_column: makes the loss of activations.
        features: tensors by name, for weights.

    Returns:
        The loss, a scalar.
    """
    with name_scope("MultiValueLoss"):
        masked = parts.mask_activations_and_labels(activations, labels, sequence_length)
        return target_column.loss(*masked, features)


def state_saving_rnn_model_fn(
    cell_type: Any,
    target_column: TargetColumn,
    problem_type: int,
    optimizer: Any,
    num_unroll: int,
    num_units: int | Sequence[int] | None,
    num_threads: int,
    queue_capacity: int,
    batch_size: int,
    sequence_feature_columns: Iterable[Any],
    context_feature_columns: Iterable[Any] | None = None,
    predict_probabilities: bool = False,
    learning_rate: float | None = None,
    gradient_clipping_norm: float | None = None,
    dropout_keep_probabilities: Sequence[float] | None = None,
    name: str = "StateSavingRNNModel",
    seed: int | None = None,
) -> Callable[..., ModelFnOps]:
    """Makes the model function; for arguments see StateSavingRnnEstimator.

    Args:
        cell_type: the type of the cells.
        target_column: makes loss and predictions of activations.
        problem_type: a value of ProblemType.
        optimizer: an optimizer, its name, or a function that makes it.
        num_unroll: the number of steps of a segment.
        num_units: the number of units, or of each layer.
        num_threads: how many threads read sequences.
        queue_capacity: how many sequences may be under way.
        batch_size: how many segments make a batch.
        sequence_feature_columns: the columns of steps.
        context_feature_columns: the columns of whole sequences; or None.
        predict_probabilities: whether probabilities are predicted too.
        learning_rate: the learning rate.
        gradient_clipping_norm: the largest global norm of gradients; or None.
        dropout_keep_probabilities: how probably inputs and outputs are kept in training; or None.
        name: the name scope.
        seed: the seed of the keys of sequences and of dropout; or None.

    Returns:
        A function of features, labels and mode that returns ModelFnOps.
    """
    columns = list(sequence_feature_columns)

    def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
        with name_scope(name):
            dropout = dropout_keep_probabilities if mode == ModeKeys.TRAIN else None
            cell = parts.construct_rnn_cell(num_units, cell_type, dropout)  # type: ignore[arg-type]
            batch = read_batch(
                cell=cell,
                features=features,
                labels=labels,
                mode=mode,
                num_unroll=num_unroll,
                batch_size=batch_size,
                sequence_feature_columns=columns,
                context_feature_columns=context_feature_columns,
                num_threads=num_threads,
                queue_capacity=queue_capacity,
                seed=seed,
            )
            steps = dict(batch.sequences)
            step_labels = steps.pop(RNNKeys.LABELS_KEY, None)
            activations, state = construct_state_saving_rnn(
                cell=cell,
                inputs=prepare_inputs(steps, batch.context, columns, num_unroll),
                num_label_columns=target_column.num_label_columns,
                state_saver=batch,
                state_name=state_names(cell),
            )
            loss = metrics = train_op = None
            if mode != ModeKeys.INFER:
                loss = multi_value_loss(
                    activations, step_labels, batch.length, target_column, features
                )
            predictions = multiple_predictions(
                activations, target_column, predictions_name(problem_type), predict_probabilities
            )
            if mode != ModeKeys.INFER:
                metrics = parts.eval_metrics(
                    problem_type,
                    PredictionType.MULTIPLE_VALUE,
                    batch.length,
                    predictions,
                    step_labels,
                )
            predictions.update(state_tuple_to_dict(state))
            if mode == ModeKeys.TRAIN:
                train_op = optimize_loss(
                    loss=loss,
                    global_step=get_global_step(),
                    learning_rate=learning_rate,
                    optimizer=optimizer,
                    clip_gradients=gradient_clipping_norm,
                    summaries=[],
                )
        return ModelFnOps(
            mode=mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=metrics,
        )

    return model_fn


class StateSavingRnnEstimator(Estimator):
    """A recurrent network over long sequences, cut into segments whose state is carried on.

    The input function returns one sequence at a time, without a dimension of batches.

    Args:
        problem_type: `ProblemType.CLASSIFICATION` or `LINEAR_REGRESSION`.
        num_unroll: the number of steps of a segment, over which gradients flow.
        batch_size: how many segments make a batch.
        sequence_feature_columns: the columns of steps.
        context_feature_columns: the columns of whole sequences; or None.
        num_classes: the number of classes of a classification.
        num_units: the number of units, or of each layer.
        cell_type: "basic_rnn", "lstm", "gru", or a class of cells.
        optimizer_type: an optimizer, its name, or a function that makes it.
        learning_rate: the learning rate.
        predict_probabilities: whether probabilities are predicted too.
        momentum: the momentum of the optimizer "Momentum".
        gradient_clipping_norm: the largest global norm of gradients; or None.
        dropout_keep_probabilities: how probably inputs of each layer, and outputs of the last one,
            are kept in training; or None.
        model_dir: the folder of checkpoints; or None.
        config: a RunConfig; or None.
        feature_engineering_fn: a function of features and labels; or None.
        num_threads: how many threads read sequences.
        queue_capacity: how many sequences may be under way.
        seed: the seed of the keys of sequences; or None.

    Raises:
        ValueError: if a type is unknown, or there is no number of classes.
    """

    def __init__(
        self,
        problem_type: int,
        num_unroll: int,
        batch_size: int,
        sequence_feature_columns: Iterable[Any],
        context_feature_columns: Iterable[Any] | None = None,
        num_classes: int | None = None,
        num_units: int | Sequence[int] | None = None,
        cell_type: Any = "basic_rnn",
        optimizer_type: Any = "SGD",
        learning_rate: float = 0.1,
        predict_probabilities: bool = False,
        momentum: float | None = None,
        gradient_clipping_norm: float | None = 5.0,
        dropout_keep_probabilities: Sequence[float] | None = None,
        model_dir: str | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        num_threads: int = 3,
        queue_capacity: int = 1000,
        seed: int | None = None,
    ) -> None:
        target, kind = parts.target_of(problem_type, num_classes)
        if optimizer_type == "Momentum":
            optimizer_type = MomentumOptimizer(learning_rate, momentum)
        super().__init__(
            model_fn=state_saving_rnn_model_fn(
                cell_type=cell_type,
                target_column=target,
                problem_type=problem_type,
                optimizer=optimizer_type,
                num_unroll=num_unroll,
                num_units=num_units,
                num_threads=num_threads,
                queue_capacity=queue_capacity,
                batch_size=batch_size,
                sequence_feature_columns=sequence_feature_columns,
                context_feature_columns=context_feature_columns,
                predict_probabilities=predict_probabilities,
                learning_rate=learning_rate,
                gradient_clipping_norm=gradient_clipping_norm,
                dropout_keep_probabilities=dropout_keep_probabilities,
                name=f"MultiValueStateSavingRNN{kind}",
                seed=seed,
            ),
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )
