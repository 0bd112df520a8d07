"""RNNClassifier and RNNEstimator: recurrent networks over sequence columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.contrib.estimator.extenders import clip_gradients_by_norm
from headwater.contrib.feature_column.sequence_input_layer import sequence_input_layer
from headwater.estimator.canned.heads import check_features, check_units, classifier_head
from headwater.estimator.canned.optimizers import get_optimizer_instance
from headwater.estimator.estimator import Estimator
from headwater.estimator.head.base import _Head
from headwater.estimator.model_fn import EstimatorSpec
from headwater.graph import Tensor, control_dependencies, name_scope
from headwater.model.feature_column.input_layer import input_layer
from headwater.model.global_step import get_global_step
from headwater.model.layers import core
from headwater.model.losses.weighting import Reduction
from headwater.model.rnn.basic import BasicRNNCell, GRUCell
from headwater.model.rnn.cell import RNNCell
from headwater.model.rnn.dynamic import dynamic_rnn
from headwater.model.rnn.lstm import BasicLSTMCell
from headwater.model.rnn.multi import MultiRNNCell
from headwater.model.variables.partitioned_variable import min_max_variable_partitioner
from headwater.model.variables.random_initializers import GlorotUniform
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.gather import gather
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.shape import shape
from headwater.ops.array.tile import tile
from headwater.ops.control.rank_checks import assert_rank
from headwater.ops.control.type_checks import assert_type
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import range_ as range_of
from headwater.ops.summary.histogram import histogram
from headwater.train.optimizers.optimizer import Optimizer

LEARNING_RATE = 0.05
CLIP_NORM = 5.0
_INPUT_SLICE = 64 << 20
_CELL_TYPES = {"basic_rnn": BasicRNNCell, "lstm": BasicLSTMCell, "gru": GRUCell}
_USE_DEFAULT = object()

CellFn = Callable[[str], Any]


def _single_cell(units: int, cell_type: Any) -> Any:
    cell = _CELL_TYPES.get(cell_type, cell_type)
    if not cell or not issubclass(cell, RNNCell):
        raise ValueError(f"Supported cell types are {list(_CELL_TYPES)}; got {cell}")
    return cell(num_units=units)


def _cell_fn(rnn_cell_fn: CellFn | None, num_units: Any, cell_type: Any) -> CellFn:
    """The function of the mode that makes the cell."""
    if rnn_cell_fn:
        if num_units or cell_type is not _USE_DEFAULT:
            raise ValueError("num_units and cell_type must not be specified when using rnn_cell_fn")
        return rnn_cell_fn
    kind = "basic_rnn" if cell_type is _USE_DEFAULT else cell_type

    def cell_of_units(mode: str) -> Any:
        cells = [_single_cell(units, kind) for units in num_units]
        return cells[0] if len(cells) == 1 else MultiRNNCell(cells)

    return cell_of_units


def with_context(sequence: Tensor, context: Tensor) -> Tensor:
    """Each step of sequences with the context of its sequence."""
    checks = [
        check
        for name, tensor, rank in (("sequence_input", sequence, 3), ("context_input", context, 2))
        for check in (
            assert_rank(
                tensor, rank, message=f"{name} must have rank {rank}", data=[shape(tensor)]
            ),
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


def last_steps(outputs: Tensor, lengths: Tensor) -> Tensor:
    """The last step of each sequence: [batch, n] of [batch, steps, n]."""
    with name_scope("select_last_activations", values=[outputs, lengths]):
        sizes = shape(outputs)
        batch, steps, width = sizes[0], sizes[1], sizes[2]
        indices = cast(range_of(batch) * steps, dtypes.int64) + lengths - 1
        last = gather(reshape(outputs, [batch * steps, width]), indices)
        static = outputs.get_shape()
        last.set_shape([static[0], static[2]])
        return last


def _logits(
    features: Any,
    mode: str,
    units: int,
    cell_fn: CellFn,
    columns: Sequence[Any],
    context_columns: Sequence[Any],
    partitioner: Callable[..., Any],
    return_sequences: bool,
) -> Tensor:
    check_units(units)
    with variable_scope(
        "sequence_input_layer", values=tuple(features.values()), partitioner=partitioner
    ):
        inputs, lengths = sequence_input_layer(features, columns)
        histogram("sequence_length", lengths)
        if context_columns:
            context = input_layer(features=features, feature_columns=context_columns)
            inputs = with_context(inputs, context)
    outputs, _ = dynamic_rnn(
        cell=cell_fn(mode),
        inputs=inputs,
        sequence_length=lengths,
        dtype=dtypes.float32,
        time_major=False,
    )
    if not return_sequences:
        outputs = last_steps(outputs, lengths)
    with variable_scope("logits", values=(outputs,)):
        logits: Tensor = core.dense(outputs, units=units, kernel_initializer=GlorotUniform())
        return logits


def _optimizer(optimizer: Any) -> Optimizer:
    """An Optimizer as given; gradients of one given by name or function are clipped."""
    if isinstance(optimizer, Optimizer):
        return optimizer
    made = get_optimizer_instance(optimizer, learning_rate=LEARNING_RATE)
    return clip_gradients_by_norm(made, CLIP_NORM)


class _RNN(Estimator):
    """An Estimator of a recurrent network and a head; the arguments are those of RNNEstimator."""

    def __init__(
        self,
        head: _Head,
        cell_fn: CellFn,
        columns: Iterable[Any],
        context_columns: Iterable[Any] | None,
        return_sequences: bool,
        optimizer: Any,
        input_layer_partitioner: Callable[..., Any] | None,
        model_dir: str | None,
        config: Any,
    ) -> None:
        sequence, context = tuple(columns or ()), tuple(context_columns or ())

        def _model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            check_features(features)
            chosen = _optimizer(optimizer)
            servers = config.num_ps_replicas if config else 0
            partitioner = min_max_variable_partitioner(max_partitions=servers)
            with variable_scope("rnn", values=tuple(features.values()), partitioner=partitioner):
                logits = _logits(
                    features,
                    mode,
                    head.logits_dimension,
                    cell_fn,
                    sequence,
                    context,
                    input_layer_partitioner
                    or min_max_variable_partitioner(
                        max_partitions=servers, min_slice_size=_INPUT_SLICE
                    ),
                    return_sequences,
                )
                return head.create_estimator_spec(
                    features=features,
                    mode=mode,
                    labels=labels,
                    train_op_fn=lambda loss: chosen.minimize(loss, global_step=get_global_step()),
                    logits=logits,
                )

        super().__init__(model_fn=_model_fn, model_dir=model_dir, config=config)


@export("contrib.estimator.RNNClassifier")
class RNNClassifier(_RNN):
    """A classifier of sequences by a recurrent network.

    Args:
        sequence_feature_columns: sequence columns, the inputs of each step.
        context_feature_columns: dense columns, whose values all steps get; or None.
        num_units: the numbers of units of the layers.
        cell_type: "basic_rnn", "lstm", "gru", or a class of cells; "basic_rnn" by default.
        rnn_cell_fn: a function of the mode that returns a cell, instead of `num_units` and
            `cell_type`; or None.
        model_dir: the folder of checkpoints and event files; or None.
        n_classes: the number of classes.
        weight_column: the name or column of the weights of examples; or None.
        label_vocabulary: the names of the classes, if labels are strings; or None.
        optimizer: an Optimizer, a function that returns one, or a name.
        loss_reduction: how the losses of examples become one; a member of `tf.losses.Reduction`.
        input_layer_partitioner: the partitioner of the variables of columns; or None.
        config: a RunConfig; or None.

    Raises:
        ValueError: if a cell function and a number of units or a type of cells are given.
    """

    def __init__(
        self,
        sequence_feature_columns: Iterable[Any],
        context_feature_columns: Iterable[Any] | None = None,
        num_units: Iterable[int] | None = None,
        cell_type: Any = _USE_DEFAULT,
        rnn_cell_fn: CellFn | None = None,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Adagrad",
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        input_layer_partitioner: Callable[..., Any] | None = None,
        config: Any = None,
    ) -> None:
        cell_fn = _cell_fn(rnn_cell_fn, num_units, cell_type)
        super().__init__(
            classifier_head(n_classes, weight_column, label_vocabulary, loss_reduction),
            cell_fn,
            sequence_feature_columns,
            context_feature_columns,
            return_sequences=False,
            optimizer=optimizer,
            input_layer_partitioner=input_layer_partitioner,
            model_dir=model_dir,
            config=config,
        )


@export("contrib.estimator.RNNEstimator")
class RNNEstimator(_RNN):
    """A recurrent network with a head.

    Args:
        head: the head, as `tf.contrib.estimator.regression_head()` makes it.
        sequence_feature_columns: sequence columns, the inputs of each step.
        context_feature_columns: dense columns, whose values all steps get; or None.
        num_units: the numbers of units of the layers.
        cell_type: "basic_rnn", "lstm", "gru", or a class of cells; "basic_rnn" by default.
        rnn_cell_fn: a function of the mode that returns a cell, instead of `num_units` and
            `cell_type`; or None.
        return_sequences: whether logits are those of all steps, or of the last one.
        model_dir: the folder of checkpoints and event files; or None.
        optimizer: an Optimizer, a function that returns one, or a name.
        input_layer_partitioner: the partitioner of the variables of columns; or None.
        config: a RunConfig; or None.

    Raises:
        ValueError: if a cell function and a number of units or a type of cells are given.
    """

    def __init__(
        self,
        head: _Head,
        sequence_feature_columns: Iterable[Any],
        context_feature_columns: Iterable[Any] | None = None,
        num_units: Iterable[int] | None = None,
        cell_type: Any = _USE_DEFAULT,
        rnn_cell_fn: CellFn | None = None,
        return_sequences: bool = False,
        model_dir: str | None = None,
        optimizer: Any = "Adagrad",
        input_layer_partitioner: Callable[..., Any] | None = None,
        config: Any = None,
    ) -> None:
        super().__init__(
            head,
            _cell_fn(rnn_cell_fn, num_units, cell_type),
            sequence_feature_columns,
            context_feature_columns,
            return_sequences=return_sequences,
            optimizer=optimizer,
            input_layer_partitioner=input_layer_partitioner,
            model_dir=model_dir,
            config=config,
        )
