"""What recurrent estimators have in common: cells, masks, the last steps, metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.base.typing import TensorLike
from headwater.contrib.layers.target_column import multi_class_target, regression_target
from headwater.contrib.learn.estimating.keys import PredictionKey, ProblemType
from headwater.contrib.metrics.renamed import streaming_accuracy
from headwater.graph import Tensor, name_scope
from headwater.model.rnn.basic import BasicRNNCell, GRUCell
from headwater.model.rnn.cell import RNNCell
from headwater.model.rnn.dropout_wrapper import DropoutWrapper
from headwater.model.rnn.lstm import LSTMCell
from headwater.model.rnn.multi import MultiRNNCell
from headwater.ops.array.gather import gather
from headwater.ops.array.getitem import boolean_mask, sequence_mask
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import shape
from headwater.ops.math.ranges import range_ as range_of


class RNNKeys:
    """Names of features and predictions."""

    FINAL_STATE_KEY = "final_state"
    LABELS_KEY = "__labels__"
    SEQUENCE_LENGTH_KEY = "sequence_length"
    STATE_PREFIX = "rnn_cell_state"


class PredictionType:
    """How many predictions a sequence has: one, or one for each step."""

    SINGLE_VALUE = 1
    MULTIPLE_VALUE = 2


def target_of(problem_type: int, num_classes: int | None) -> tuple[Any, str]:
    """The target column of a problem, and the kind of its estimator.

    Args:
        problem_type: `ProblemType.CLASSIFICATION` or `LINEAR_REGRESSION`.
        num_classes: the number of classes of a classification.

    Returns:
        The column, and "Classifier" or "Regressor".

    Raises:
        ValueError: if the type is unknown, or there is no number of classes.
    """
    if problem_type == ProblemType.LINEAR_REGRESSION:
        return regression_target(), "Regressor"
    if problem_type == ProblemType.CLASSIFICATION:
        if not num_classes:
            raise ValueError("For CLASSIFICATION problem_type, num_classes must be specified.")
        return multi_class_target(n_classes=num_classes), "Classifier"
    raise ValueError(
        "problem_type must be either ProblemType.LINEAR_REGRESSION or "
        f"ProblemType.CLASSIFICATION; got {problem_type}"
    )


_CELL_TYPES = {"basic_rnn": BasicRNNCell, "lstm": LSTMCell, "gru": GRUCell}


def _single_cell(cell_type: Any, units: int) -> Any:
    cell = _CELL_TYPES.get(cell_type, cell_type)
    if not isinstance(cell, type) or not issubclass(cell, RNNCell):
        raise ValueError(f"The supported cell types are {list(_CELL_TYPES)}; got {cell_type}")
    return cell(num_units=units)


def construct_rnn_cell(
    num_units: int | Sequence[int],
    cell_type: Any = "basic_rnn",
    dropout_keep_probabilities: Sequence[float] | None = None,
) -> Any:
    """A cell, or a stack of cells.

    Args:
        num_units: the number of units, or of each layer.
        cell_type: "basic_rnn", "lstm", "gru", or a class of cells.
        dropout_keep_probabilities: how probably inputs of each layer, and outputs of the last one,
            are kept; or None.

    Returns:
        An RNNCell.

    Raises:
        ValueError: if there is no such type, or there is not one probability more than layers.
    """
    layers = num_units if isinstance(num_units, (list, tuple)) else (num_units,)
    cells = [_single_cell(cell_type, units) for units in layers]
    if dropout_keep_probabilities:
        cells = apply_dropout(cells, dropout_keep_probabilities)
    return cells[0] if len(cells) == 1 else MultiRNNCell(cells)


def apply_dropout(
    cells: Sequence[Any], dropout_keep_probabilities: Sequence[float], random_seed: Any = None
) -> list[Any]:
    """Cells with dropout of the inputs of each, and of the outputs of the last one.

    Args:
        cells: RNNCells.
        dropout_keep_probabilities: how probably they are kept, one more than cells.
        random_seed: the seed; or None.

    Raises:
        ValueError: if there is not one probability more than cells.
    """
    if len(dropout_keep_probabilities) != len(cells) + 1:
        raise ValueError(
            "The number of dropout probabilities must be one greater than the number of cells. Got "
            f"{len(cells)} cells and {len(dropout_keep_probabilities)} dropout probabilities."
        )
    inputs = dropout_keep_probabilities[:-1]
    outputs = [1.0] * (len(cells) - 1) + [dropout_keep_probabilities[-1]]
    return [
        DropoutWrapper(cell, keep_in, keep_out, seed=random_seed)
        for cell, keep_in, keep_out in zip(cells, inputs, outputs)
    ]


def eval_metrics(
    problem_type: int,
    prediction_type: int,
    sequence_length: TensorLike | None,
    predictions: Mapping[str, Tensor],
    labels: Tensor,
) -> dict[str, Any]:
    """The metrics of a model: the accuracy of a classification."""
    if problem_type != ProblemType.CLASSIFICATION:
        return {}
    classes = predictions[PredictionKey.CLASSES]
    if prediction_type == PredictionType.MULTIPLE_VALUE:
        classes, labels = mask_activations_and_labels(classes, labels, sequence_length)
    return {"accuracy": streaming_accuracy(predictions=classes, labels=labels)}


def select_last_activations(activations: Tensor, sequence_lengths: TensorLike | None) -> Tensor:
    """The last step of each sequence.

    Args:
        activations: ``[batch, steps, n]``.
        sequence_lengths: the number of steps of each sequence; None for all.

    Returns:
        A tensor ``[batch, n]``.
    """
    with name_scope("select_last_activations", values=[activations, sequence_lengths]):
        sizes = shape(activations)
        batch, steps, width = sizes[0], sizes[1], sizes[2]
        lengths = steps if sequence_lengths is None else sequence_lengths
        rows = reshape(activations, [-1, width])
        last = gather(rows, range_of(batch) * steps + lengths - 1)
        static = activations.get_shape()
        last.set_shape([static[0], static[2]])
        return last


def mask_activations_and_labels(
    activations: Tensor, labels: Tensor, sequence_lengths: TensorLike | None
) -> tuple[Tensor, Tensor]:
    """The steps of all sequences in rows, padding left out.

    Args:
        activations: ``[batch, steps, n]`` or ``[batch, steps]``.
        labels: ``[batch, steps]``.
        sequence_lengths: the number of steps of each sequence; None for all.

    Returns:
        Activations ``[rows, n]`` or ``[rows]``, and labels ``[rows]``.
    """
    with name_scope("mask_activations_and_labels", values=[activations, labels, sequence_lengths]):
        sizes = shape(labels)
        batch, steps = sizes[0], sizes[1]
        if sequence_lengths is None:
            rows = steps * batch
            return reshape(activations, [rows, -1]), reshape(labels, [rows])
        mask = sequence_mask(sequence_lengths, steps)
        return boolean_mask(activations, mask), boolean_mask(labels, mask)
