"""Classification into more than two classes: a softmax."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.estimator.canned.metric_keys import MetricKeys
from headwater.estimator.canned.prediction_keys import PredictionKeys
from headwater.estimator.export.outputs import ExportOutput, PredictOutput
from headwater.estimator.head.base import (
    CLASSIFY_SERVING_KEY,
    DEFAULT_SERVING_KEY,
    PREDICT_SERVING_KEY,
    SingleHead,
)
from headwater.estimator.head.checks import (
    call_loss_fn,
    check_n_classes,
    checked_logits,
    labels_in_range,
    labels_like_logits,
)
from headwater.estimator.head.classes import (
    all_class_ids,
    all_classes,
    class_ids_of,
    class_names_of,
    classification_output,
)
from headwater.graph import Tensor
from headwater.model.losses.losses import sparse_softmax_cross_entropy
from headwater.model.losses.weighting import Reduction
from headwater.model.metrics import means
from headwater.ops.array.reshape import expand_dims
from headwater.ops.math.arg_extrema import argmax
from headwater.ops.nn.softmax import softmax


class MultiClassKind:
    """What heads of both generations for several classes have in common."""

    _n_classes: int
    _label_vocabulary: Sequence[str] | None
    _loss_fn: Callable[..., Any] | None

    @property
    def logits_dimension(self) -> int:
        """How many logits an example has."""
        return self._n_classes

    def _processed_labels(self, logits: Tensor, labels: Any) -> Tensor:
        labels = labels_like_logits(labels, logits, 1)
        if self._label_vocabulary is None:
            if not labels.dtype.is_integer:
                raise ValueError(f"Labels dtype should be integer. Instead got {labels.dtype}.")
            return labels_in_range(labels, self._n_classes)
        if labels.dtype != dtypes.string:
            raise ValueError(
                "Labels dtype should be string if there is a vocabulary. Instead got "
                f"{labels.dtype}"
            )
        class_ids = class_ids_of(labels, self._label_vocabulary)
        return labels_in_range(class_ids, self._n_classes)

    def _unreduced_loss(
        self, features: Any, logits: Tensor, labels: Tensor
    ) -> tuple[Tensor, Tensor]:
        if self._loss_fn:
            return call_loss_fn(self._loss_fn, labels, logits, features), labels
        loss = sparse_softmax_cross_entropy(labels=labels, logits=logits, reduction=Reduction.NONE)
        return expand_dims(loss, axis=-1), labels

    def _predictions(self, logits: Any) -> dict[str, Tensor]:
        logits = checked_logits(logits, self.logits_dimension)
        numbers = all_class_ids(logits, self._n_classes)
        names = all_classes(logits, self._n_classes, self._label_vocabulary)
        class_ids = expand_dims(argmax(logits, axis=-1, name="class_ids"), axis=-1)
        classes = class_names_of(class_ids, self._label_vocabulary)
        probabilities = softmax(logits, name=PredictionKeys.PROBABILITIES)
        return {
            PredictionKeys.LOGITS: logits,
            PredictionKeys.PROBABILITIES: probabilities,
            PredictionKeys.CLASS_IDS: class_ids,
            PredictionKeys.CLASSES: classes,
            PredictionKeys.ALL_CLASS_IDS: numbers,
            PredictionKeys.ALL_CLASSES: names,
        }

    def _export_outputs(self, predictions: Mapping[str, Tensor]) -> dict[str, ExportOutput]:
        classes = classification_output(
            predictions[PredictionKeys.PROBABILITIES], self._n_classes, self._label_vocabulary
        )
        return {
            DEFAULT_SERVING_KEY: classes,
            CLASSIFY_SERVING_KEY: classes,
            PREDICT_SERVING_KEY: PredictOutput(predictions),
        }


class MultiClassSoftmaxHead(MultiClassKind, SingleHead):
    """A head for several classes; see `multi_class_softmax_head`."""

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        if n_classes is None:
            raise ValueError("n_classes cannot be None")
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self._n_classes = check_n_classes(n_classes)
        self._label_vocabulary = label_vocabulary

    def _metrics(
        self, predictions: Mapping[str, Tensor], labels: Tensor, weights: Any
    ) -> dict[str, Any]:
        return {
            MetricKeys.ACCURACY: means.accuracy(
                labels=labels,
                predictions=predictions[PredictionKeys.CLASS_IDS],
                weights=weights,
                name=MetricKeys.ACCURACY,
            )
        }


def multi_class_softmax_head(
    n_classes: int,
    weight_column: Any = None,
    label_vocabulary: Sequence[str] | None = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> MultiClassSoftmaxHead:
    """Makes a head for several classes with the softmax cross entropy.

    Args:
        n_classes: the number of classes, more than two.
        weight_column: the name or column of the weights of examples; or None.
        label_vocabulary: the names of the classes, if labels are strings; or None.
        loss_reduction: how the losses of examples become one; a member of Reduction.
        loss_fn: a function of labels and logits that returns [D0, ..., DN, 1]; or None.
        name: the name; or None.

    Returns:
        A head.

    Raises:
        ValueError: if an argument is wrong.
    """
    if label_vocabulary is not None and not isinstance(label_vocabulary, (list, tuple)):
        raise ValueError(
            f"label_vocabulary should be a list or a tuple. Given type: {type(label_vocabulary)}"
        )
    return MultiClassSoftmaxHead(
        n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name
    )
