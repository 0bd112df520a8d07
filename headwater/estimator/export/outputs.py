"""What an exported model gives: the signatures of its outputs."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Operation, Tensor, control_dependencies
from headwater.ops.array.constant import constant
from headwater.serving.saved_model import constants
from headwater.serving.saved_model.signature_defs import (
    classification_signature_def,
    predict_signature_def,
    regression_signature_def,
    supervised_eval_signature_def,
    supervised_train_signature_def,
)

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import SignatureDef

_SEPARATOR = "/"
_LOSS = "loss"
_PREDICTIONS = "predictions"
_METRICS = "metrics"


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


@export("estimator.export.ExportOutput")
class ExportOutput(abc.ABC):
    """An output of a model that can be exported."""

    _SEPARATOR_CHAR = _SEPARATOR

    @abc.abstractmethod
    def as_signature_def(self, receiver_tensors: Mapping[str, TensorLike]) -> SignatureDef:
        """Makes the signature of this output.

        Args:
            receiver_tensors: the inputs by name.

        Returns:
            A SignatureDef.
        """

    def _check_output_key(self, key: Any, error_label: str) -> str:
        """A key as text; keys of several parts, as Keras has them, are joined."""
        if isinstance(key, tuple):
            key = _SEPARATOR.join(key)
        if not isinstance(key, str):
            raise ValueError(f"{error_label} output key must be a string; got {key}.")
        return key

    def _wrap_and_check_outputs(
        self, outputs: Any, single_output_default_name: str, error_label: str | None = None
    ) -> dict[str, Tensor]:
        """Outputs by name; a single one gets a default name.

        Raises:
            ValueError: if a name is not text or an output is not a tensor.
        """
        if not isinstance(outputs, dict):
            outputs = {single_output_default_name: outputs}
        label = error_label or single_output_default_name
        checked = {}
        for key, value in outputs.items():
            key = self._check_output_key(key, label)
            if not _is_tensor(value):
                raise ValueError(f"{label} output value must be a Tensor; got {value}.")
            checked[key] = value
        return checked


def _single_string_input(receiver_tensors: Mapping[str, TensorLike], kind: str) -> Any:
    tensors = list(receiver_tensors.values())
    if len(tensors) != 1 or not dtypes.as_dtype(tensors[0].dtype).is_compatible_with(dtypes.string):
        raise ValueError(
            f"{kind} input must be a single string Tensor; got {dict(receiver_tensors)}"
        )
    return tensors[0]


@export("estimator.export.ClassificationOutput")
class ClassificationOutput(ExportOutput):
    """The output of a classifier: scores, names of classes, or both.

    Args:
        scores: a float tensor of shape [batch, classes]; or None.
        classes: a string tensor of shape [batch, classes]; or None.

    Raises:
        ValueError: if both are None or a type is wrong.
    """

    def __init__(self, scores: TensorLike | None = None, classes: TensorLike | None = None) -> None:
        if scores is not None and not (_is_tensor(scores) and scores.dtype.is_floating):
            raise ValueError(f"Classification scores must be a float32 Tensor; got {scores}")
        if classes is not None and not (
            _is_tensor(classes) and classes.dtype.base_dtype == dtypes.string
        ):
            raise ValueError(f"Classification classes must be a string Tensor; got {classes}")
        if scores is None and classes is None:
            raise ValueError("At least one of scores and classes must be set.")
        self._scores = scores
        self._classes = classes

    @property
    def scores(self) -> Any:
        """The tensor of scores, or None."""
        return self._scores

    @property
    def classes(self) -> Any:
        """The tensor of names of classes, or None."""
        return self._classes

    def as_signature_def(self, receiver_tensors: Mapping[str, TensorLike]) -> SignatureDef:
        """Makes a signature for classification.

        Args:
            receiver_tensors: the only input, serialized Examples.

        Returns:
            A SignatureDef.

        Raises:
            ValueError: if the input is something else.
        """
        examples = _single_string_input(receiver_tensors, "Classification")
        return classification_signature_def(examples, self.classes, self.scores)


@export("estimator.export.RegressionOutput")
class RegressionOutput(ExportOutput):
    """The output of a regression.

    Args:
        value: a float tensor of shape [batch, dimension].

    Raises:
        ValueError: if it is something else.
    """

    def __init__(self, value: TensorLike) -> None:
        if not (_is_tensor(value) and value.dtype.is_floating):
            raise ValueError(f"Regression output value must be a float32 Tensor; got {value}")
        self._value = value

    @property
    def value(self) -> Any:
        """The tensor."""
        return self._value

    def as_signature_def(self, receiver_tensors: Mapping[str, TensorLike]) -> SignatureDef:
        """Makes a signature for regression.

        Args:
            receiver_tensors: the only input, serialized Examples.

        Returns:
            A SignatureDef.

        Raises:
            ValueError: if the input is something else.
        """
        examples = _single_string_input(receiver_tensors, "Regression")
        return regression_signature_def(examples, self.value)


@export("estimator.export.PredictOutput")
class PredictOutput(ExportOutput):
    """Any outputs of a model.

    Args:
        outputs: tensors by name, or a tensor, which gets the name "output".

    Raises:
        ValueError: if a name is not text or an output is not a tensor.
    """

    _SINGLE_OUTPUT_DEFAULT_NAME = "output"

    def __init__(self, outputs: Any) -> None:
        self._outputs = self._wrap_and_check_outputs(
            outputs, self._SINGLE_OUTPUT_DEFAULT_NAME, error_label="Prediction"
        )

    @property
    def outputs(self) -> dict[str, Tensor]:
        """The tensors by name."""
        return self._outputs

    def as_signature_def(self, receiver_tensors: Mapping[str, TensorLike]) -> SignatureDef:
        """Makes a signature for prediction.

        Args:
            receiver_tensors: the inputs by name.

        Returns:
            A SignatureDef.
        """
        return predict_signature_def(receiver_tensors, self.outputs)


class SupervisedOutput(ExportOutput):
    """The loss, predictions and metrics of a model that learns or is evaluated.

    Args:
        loss: a tensor, tensors by name, or None.
        predictions: a tensor, tensors by name, or None.
        metrics: a pair (value, update op), pairs by name, or None.
    """

    LOSS_NAME = _LOSS
    PREDICTIONS_NAME = _PREDICTIONS
    METRICS_NAME = _METRICS
    METRIC_VALUE_SUFFIX = "value"
    METRIC_UPDATE_SUFFIX = "update_op"

    def __init__(self, loss: Any = None, predictions: Any = None, metrics: Any = None) -> None:
        self._loss = self._prefixed(loss, _LOSS)
        self._predictions = self._prefixed(predictions, _PREDICTIONS)
        self._metrics: dict[str, Any] | None = None
        if metrics is not None:
            self._metrics = self._prefix_output_keys(
                self._wrap_and_check_metrics(metrics), _METRICS
            )

    def _prefixed(self, outputs: Any, name: str) -> dict[str, Tensor] | None:
        if outputs is None:
            return None
        checked = self._wrap_and_check_outputs(outputs, name)
        return self._prefix_output_keys(checked, name)

    def _prefix_output_keys(self, outputs: dict[str, Any], output_name: str) -> dict[str, Any]:
        return {self._prefix_key(key, output_name): value for key, value in sorted(outputs.items())}

    def _prefix_key(self, key: str, output_name: str) -> str:
        return key if key.startswith(output_name) else f"{output_name}{_SEPARATOR}{key}"

    def _wrap_and_check_metrics(self, metrics: Any) -> dict[str, Any]:
        """Values and update ops of metrics by name; an update op becomes a tensor."""
        if not isinstance(metrics, dict):
            metrics = {_METRICS: metrics}
        outputs: dict[str, Any] = {}
        for key, pair in metrics.items():
            if isinstance(pair, tuple):
                value, update = pair
            else:
                value, update = pair.result(), pair.updates[0]
            key = self._check_output_key(key, _METRICS)
            if not _is_tensor(value):
                raise ValueError(f"{_METRICS} output value must be a Tensor; got {value}.")
            if not isinstance(update, (Tensor, Operation)):
                raise ValueError(
                    f"{_METRICS} update_op must be a Tensor or Operation; got {update}."
                )
            # A signature names tensors only.
            if isinstance(update, Operation) or update.dtype.base_dtype == dtypes.resource:
                with control_dependencies([update]):
                    update = constant([], name="metric_op_wrapper")
            outputs[f"{key}{_SEPARATOR}{self.METRIC_VALUE_SUFFIX}"] = value
            outputs[f"{key}{_SEPARATOR}{self.METRIC_UPDATE_SUFFIX}"] = update
        return outputs

    @property
    def loss(self) -> dict[str, Tensor] | None:
        """The tensors of the loss by name."""
        return self._loss

    @property
    def predictions(self) -> dict[str, Tensor] | None:
        """The predictions by name."""
        return self._predictions

    @property
    def metrics(self) -> dict[str, Any] | None:
        """The values and update ops of metrics by name."""
        return self._metrics

    @abc.abstractmethod
    def _get_signature_def_fn(self) -> Any:
        """The function that makes the signature."""

    def as_signature_def(self, receiver_tensors: Mapping[str, TensorLike]) -> SignatureDef:
        """Makes the signature.

        Args:
            receiver_tensors: the inputs by name.

        Returns:
            A SignatureDef.
        """
        make = self._get_signature_def_fn()
        return make(receiver_tensors, self.loss, self.predictions, self.metrics)


class TrainOutput(SupervisedOutput):
    """The loss, predictions and metrics of a model that learns."""

    def _get_signature_def_fn(self) -> Any:
        return supervised_train_signature_def


class EvalOutput(SupervisedOutput):
    """The loss, predictions and metrics of a model that is evaluated."""

    def _get_signature_def_fn(self) -> Any:
        return supervised_eval_signature_def


def checked_export_outputs(export_outputs: Any, predictions: Any) -> dict[str, ExportOutput]:
    """The outputs of a model by name, one of them under the default name.

    Args:
        export_outputs: ExportOutputs by name; None for one of the predictions.
        predictions: tensors by name, or a tensor.

    Returns:
        ExportOutputs by name.

    Raises:
        TypeError: if it is something else.
        ValueError: if there are several, but none with the default name.
    """
    if export_outputs is None:
        export_outputs = {constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: PredictOutput(predictions)}
    if not isinstance(export_outputs, dict):
        raise TypeError(f"export_outputs must be dict, given: {export_outputs}")
    for value in export_outputs.values():
        if not isinstance(value, ExportOutput):
            raise TypeError(
                f"Values in export_outputs must be ExportOutput objects. Given: {export_outputs}"
            )
    if len(export_outputs) == 1:
        (output,) = export_outputs.values()
        export_outputs[constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY] = output
    if len(export_outputs) > 1 and (
        constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY not in export_outputs
    ):
        raise ValueError(
            "Multiple export_outputs were provided, but none of them is specified as the default."
            "  Do this by naming one of them with "
            "signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY."
        )
    return export_outputs
