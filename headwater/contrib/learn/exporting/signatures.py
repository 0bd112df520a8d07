"""The signatures of exported models: of each input with each output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export, export_value
from headwater.contrib.learn.estimating.keys import PredictionKey, ProblemType
from headwater.contrib.learn.exporting.serving_inputs import InputFnOps
from headwater.contrib.learn.notices import EXPORTER
from headwater.serving.saved_model import constants
from headwater.serving.saved_model.signature_defs import (
    classification_signature_def,
    predict_signature_def,
    regression_signature_def,
)

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import SignatureDef

_MODULE = "contrib.learn.utils.saved_model_export_utils"
DEFAULT_INPUT_ALTERNATIVE_KEY = "default_input_alternative"
FEATURES_INPUT_ALTERNATIVE_KEY = "features_input_alternative"
export_value(f"{_MODULE}.DEFAULT_INPUT_ALTERNATIVE_KEY", DEFAULT_INPUT_ALTERNATIVE_KEY)
export_value(f"{_MODULE}.FEATURES_INPUT_ALTERNATIVE_KEY", FEATURES_INPUT_ALTERNATIVE_KEY)


@export(f"{_MODULE}.build_standardized_signature_def")
@deprecated(None, EXPORTER)
def build_standardized_signature_def(
    input_tensors: Mapping[str, Any], output_tensors: Mapping[str, Any], problem_type: int
) -> SignatureDef:
    """The signature of inputs and outputs: of the method that fits the problem, or of prediction.

    Args:
        input_tensors: tensors by name.
        output_tensors: tensors by name.
        problem_type: a value of ProblemType.

    Returns:
        A SignatureDef.

    Raises:
        ValueError: if there are no inputs or outputs, or one has a type that does not fit.
    """
    return standardized_signature(input_tensors, output_tensors, problem_type)


def standardized_signature(
    input_tensors: Mapping[str, Any], output_tensors: Mapping[str, Any], problem_type: int
) -> SignatureDef:
    """The same as `build_standardized_signature_def`, without a notice."""
    if not input_tensors:
        raise ValueError("input_tensors must be provided.")
    if not output_tensors:
        raise ValueError("output_tensors must be provided.")
    if len(input_tensors) == 1:
        (examples,) = input_tensors.values()
        if problem_type in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
            classes, scores = _classes_and_scores(output_tensors)
            if classes is not None or scores is not None:
                return classification_signature_def(examples, classes, scores)
        elif problem_type == ProblemType.LINEAR_REGRESSION and len(output_tensors) == 1:
            (predictions,) = output_tensors.values()
            return regression_signature_def(examples, predictions)
    return predict_signature_def(dict(input_tensors), dict(output_tensors))


def _classes_and_scores(outputs: Mapping[str, Any]) -> tuple[Any, Any]:
    """The outputs with the classes and the scores; an only output is one of them by its type."""
    classes = outputs.get(PredictionKey.CLASSES)
    if classes is not None and classes.dtype != dtypes.string:
        classes = None  # servers take classes as strings only
    scores = outputs.get(PredictionKey.SCORES)
    if scores is None:
        scores = outputs.get(PredictionKey.PROBABILITIES)
    if classes is None and scores is None and len(outputs) == 1:
        (only,) = outputs.values()
        return (only, None) if only.dtype == dtypes.string else (None, only)
    return classes, scores


@export(f"{_MODULE}.get_input_alternatives")
@deprecated(None, EXPORTER)
def get_input_alternatives(input_ops: Any) -> tuple[dict[str, Any], Any]:
    """The inputs that can be fed, and the features.

    Args:
        input_ops: InputFnOps, or a pair of features and labels.

    Returns:
        (tensors by name by the names of alternatives, features).

    Raises:
        ValueError: if there are no features.
    """
    return input_alternatives_of(input_ops)


def input_alternatives_of(input_ops: Any) -> tuple[dict[str, Any], Any]:
    """The same as `get_input_alternatives`, without a notice."""
    alternatives: dict[str, Any] = {}
    if isinstance(input_ops, InputFnOps):
        features, _, default_inputs = input_ops
        alternatives[DEFAULT_INPUT_ALTERNATIVE_KEY] = default_inputs
    else:
        features, _ = input_ops
    if not features:
        raise ValueError("Features must be defined.")
    return alternatives, features


@export(f"{_MODULE}.build_all_signature_defs")
@deprecated(None, EXPORTER)
def build_all_signature_defs(
    input_alternatives: Mapping[str, Any],
    output_alternatives: Mapping[Any, Any],
    actual_default_output_alternative_key: Any,
) -> dict[str, SignatureDef]:
    """The signatures of each input with each output, and the default one.

    Args:
        input_alternatives: tensors by name by the names of alternatives.
        output_alternatives: pairs of ProblemType and tensors by name, by name.
        actual_default_output_alternative_key: the name of the output of the default signature.

    Returns:
        SignatureDefs by name.

    Raises:
        ValueError: if there is no default input.
    """
    return all_signatures(
        input_alternatives, output_alternatives, actual_default_output_alternative_key
    )


def all_signatures(
    input_alternatives: Mapping[str, Any], output_alternatives: Mapping[Any, Any], default_key: Any
) -> dict[str, SignatureDef]:
    """The same as `build_all_signature_defs`, without a notice."""
    signatures = {
        f"{input_key}:{output_key or 'None'}": standardized_signature(inputs, outputs, kind)
        for input_key, inputs in input_alternatives.items()
        for output_key, (kind, outputs) in output_alternatives.items()
    }
    default_inputs = input_alternatives.get(DEFAULT_INPUT_ALTERNATIVE_KEY)
    if not default_inputs:
        raise ValueError("A default input_alternative must be provided.")
    kind, outputs = output_alternatives[default_key]
    signatures[constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY] = standardized_signature(
        default_inputs, outputs, kind
    )
    return signatures
