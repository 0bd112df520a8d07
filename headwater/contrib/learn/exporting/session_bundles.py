"""Exports as session bundles, the form before SavedModel."""

from __future__ import annotations

from typing import Any

import headwater.contrib.session_bundle.garbage_collection as gc
from headwater.base import dtypes, logging
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.learn.notices import EXPORT, EXPORT_DATE, SIGNATURE_FN
from headwater.contrib.session_bundle.exporting import (
    Exporter,
    classification_signature,
    generic_signature,
    regression_signature,
)
from headwater.graph import Graph, Tensor, get_default_graph, group
from headwater.graph.graph_keys import GraphKeys
from headwater.model.global_step import create_global_step, get_global_step
from headwater.model.lookup.interface import tables_initializer
from headwater.model.variables.variable_lists import global_variables, local_variables_initializer
from headwater.ops.array.constant import placeholder
from headwater.session.session import Session
from headwater.train.checkpoints.checkpoint_state import latest_checkpoint
from headwater.train.checkpoints.saver import Saver

_MODULE = "contrib.learn.utils.export"
_PREDICTIONS = "predictions"


def _check_examples(examples: Any) -> None:
    if examples is None:
        raise ValueError("examples cannot be None when using this signature fn.")


@export(f"{_MODULE}.generic_signature_fn")
@deprecated(EXPORT_DATE, SIGNATURE_FN)
def generic_signature_fn(examples: Any, unused_features: Any, predictions: Any) -> Any:
    """The signatures of a model of any kind.

    Args:
        examples: a tensor of serialized messages.
        unused_features: the features.
        predictions: a tensor or tensors by name.

    Returns:
        (default signature, named signatures).

    Raises:
        ValueError: if there are no messages.
    """
    return _generic_signatures(examples, predictions)


def _generic_signatures(examples: Any, predictions: Any) -> Any:
    _check_examples(examples)
    tensors = {"inputs": examples}
    if not isinstance(predictions, dict):
        predictions = {"outputs": predictions}
    tensors.update(predictions)
    return generic_signature(tensors), {}


@export(
    f"{_MODULE}.classification_signature_fn", "contrib.learn.classifier.classification_signature_fn"
)
@deprecated(EXPORT_DATE, SIGNATURE_FN)
def classification_signature_fn(examples: Any, unused_features: Any, predictions: Any) -> Any:
    """The signatures of a classifier that gives classes.

    Args:
        examples: a tensor of serialized messages.
        unused_features: the features.
        predictions: the classes, or "classes" by name.

    Returns:
        (default signature, named signatures).

    Raises:
        ValueError: if there are no messages.
    """
    _check_examples(examples)
    classes = predictions["classes"] if isinstance(predictions, dict) else predictions
    return classification_signature(examples, classes_tensor=classes), {}


@export(f"{_MODULE}.classification_signature_fn_with_prob")
@deprecated(EXPORT_DATE, SIGNATURE_FN)
def classification_signature_fn_with_prob(
    examples: Any, unused_features: Any, predictions: Any
) -> Any:
    """The signatures of a classifier that gives probabilities.

    Args:
        examples: a tensor of serialized messages.
        unused_features: the features.
        predictions: the probabilities, or "probabilities" by name.

    Returns:
        (default signature, named signatures).

    Raises:
        ValueError: if there are no messages.
    """
    _check_examples(examples)
    scores = predictions["probabilities"] if isinstance(predictions, dict) else predictions
    return classification_signature(examples, scores_tensor=scores), {}


@export(f"{_MODULE}.regression_signature_fn")
@deprecated(EXPORT_DATE, SIGNATURE_FN)
def regression_signature_fn(examples: Any, unused_features: Any, predictions: Any) -> Any:
    """The signatures of a regression.

    Args:
        examples: a tensor of serialized messages.
        unused_features: the features.
        predictions: a tensor.

    Returns:
        (default signature, named signatures).

    Raises:
        ValueError: if there are no messages.
    """
    _check_examples(examples)
    return regression_signature(input_tensor=examples, output_tensor=predictions), {}


@export(f"{_MODULE}.logistic_regression_signature_fn")
@deprecated(EXPORT_DATE, SIGNATURE_FN)
def logistic_regression_signature_fn(examples: Any, unused_features: Any, predictions: Any) -> Any:
    """The signatures of a logistic regression.

    Args:
        examples: a tensor of serialized messages.
        unused_features: the features.
        predictions: a matrix of the probabilities of both classes, or "probabilities" by name.

    Returns:
        (default signature, named signatures), of the probability of the second class.

    Raises:
        ValueError: if there are no messages.
    """
    _check_examples(examples)
    tensor = predictions["probabilities"] if isinstance(predictions, dict) else predictions
    shape = tensor.get_shape()
    if shape.ndims is not None and shape.ndims != 2:
        logging.fatal(
            "Expected predictions to have rank 2, but received predictions with rank: "
            f"{shape.ndims} and shape: {shape}"
        )
    if shape.ndims == 2 and shape.as_list()[1] not in (None, 2):
        logging.fatal(
            "Expected predictions to have 2nd dimension: 2, but received predictions with 2nd "
            f"dimension: {shape[1]} and shape: {shape}. Did you mean to use "
            "regression_signature_fn or classification_signature_fn_with_prob instead?"
        )
    return regression_signature(input_tensor=examples, output_tensor=tensor[:, 1]), {}


@deprecated(EXPORT_DATE, EXPORT)
def _default_input_fn(estimator: Any, examples: Any) -> Any:
    """Parses messages into the features that an estimator was trained on.

    Args:
        estimator: the estimator.
        examples: a tensor of serialized tf.train.Example messages.

    Returns:
        Features.
    """
    return estimator._get_feature_ops_from_example(examples)


@export(f"{_MODULE}.export_estimator", "contrib.learn.utils.export_estimator")
@deprecated("2016-09-23", EXPORT)
def export_estimator(
    estimator: Any,
    export_dir: str,
    signature_fn: Any = None,
    input_fn: Any = _default_input_fn,
    default_batch_size: int | None = 1,
    exports_to_keep: int | None = None,
) -> None:
    """Exports the latest checkpoint of an estimator as a session bundle.

    Args:
        estimator: the estimator.
        export_dir: the folder of all exports.
        signature_fn: a function of messages, features and predictions that returns the default
            signature and the named ones; or None.
        input_fn: a function of the estimator and a tensor of serialized tf.train.Example
            messages that returns features.
        default_batch_size: the size of the batch of messages; None for any.
        exports_to_keep: how many exports are kept; None for all.

    Raises:
        ValueError: if there is no input function.
    """
    export_bundle(
        estimator,
        export_dir,
        signature_fn=signature_fn,
        input_fn=input_fn,
        default_batch_size=default_batch_size,
        exports_to_keep=exports_to_keep,
    )


def export_bundle(
    estimator: Any,
    export_dir: str,
    signature_fn: Any,
    input_fn: Any,
    default_batch_size: int | None,
    exports_to_keep: int | None,
    input_feature_key: str | None = None,
    use_deprecated_input_fn: bool = True,
    prediction_key: str | None = None,
    checkpoint_path: str | None = None,
) -> bytes:
    """Exports a checkpoint of an estimator as a session bundle.

    Args:
        estimator: the estimator.
        export_dir: the folder of all exports.
        signature_fn: a function of messages, features and predictions that returns the default
            signature and the named ones; or None.
        input_fn: a function of the estimator and a tensor of messages that returns features, or
            one without arguments that returns features and labels.
        default_batch_size: the size of the batch of messages; None for any.
        exports_to_keep: how many exports are kept; None for all.
        input_feature_key: the name of the feature with the serialized messages; or None.
        use_deprecated_input_fn: whether `input_fn` is of the first kind.
        prediction_key: the name of the prediction that is exported; None for all.
        checkpoint_path: the path of the checkpoint; the latest one by default.

    Returns:
        The path of the export.

    Raises:
        ValueError: if there is no input function, or it gives nothing.
    """
    if input_fn is None:
        raise ValueError("input_fn must be defined.")
    checkpoint_path = checkpoint_path or latest_checkpoint(estimator._model_dir)
    with Graph().as_default() as graph:
        create_global_step(graph)
        features, examples = _inputs(
            estimator, input_fn, default_batch_size, input_feature_key, use_deprecated_input_fn
        )
        ops = estimator._get_predict_ops(features)
        predictions = ops.predictions
        signature_fn = signature_fn or ops.signature_fn
        if prediction_key is not None:
            predictions = predictions[prediction_key]
        if signature_fn:
            default, named = signature_fn(examples, features, predictions)
        else:
            logging.warning(
                "Change warning: `signature_fn` will be required after2016-08-01.\nUsing generic "
                "signatures for now.  To maintain this behavior, pass:\n  "
                "signature_fn=export.generic_signature_fn\nAlso consider passing a regression or "
                "classification signature; see cl/126430915 for an example."
            )
            default, named = _generic_signatures(examples, predictions)
        keep = None if exports_to_keep is None else gc.largest_export_versions(exports_to_keep)
        return _export_graph(graph, checkpoint_path, export_dir, default, named, keep)


def _inputs(
    estimator: Any,
    input_fn: Any,
    default_batch_size: int | None,
    input_feature_key: str | None,
    use_deprecated_input_fn: bool,
) -> tuple[Any, Tensor | None]:
    """The features and the tensor of messages.

    Raises:
        ValueError: if there are neither.
    """
    if use_deprecated_input_fn:
        examples = placeholder(
            dtypes.string, shape=[default_batch_size], name="input_example_tensor"
        )
        return input_fn(estimator, examples), examples
    features, _ = input_fn()
    messages = features.pop(input_feature_key) if input_feature_key is not None else None
    if not features and messages is None:
        raise ValueError("Either features or examples must be defined.")
    return features, messages


def _saver() -> Saver | None:
    """The saver of the default graph; a new one if there is none."""
    graph = get_default_graph()
    savers = graph.get_collection(GraphKeys.SAVERS)
    if savers:
        saver: Saver = savers[0]
        return saver
    if not global_variables():
        return None
    saver = Saver()
    graph.add_to_collection(GraphKeys.SAVERS, saver)
    return saver


def _export_graph(
    graph: Graph, checkpoint_path: Any, export_dir: str, default: Any, named: Any, keep: Any
) -> bytes:
    saver = _saver()
    assert saver is not None  # the global step is a variable
    with Session("", graph=graph) as session:
        init_op = group(local_variables_initializer(), tables_initializer())
        session.run(init_op)
        saver.restore(session, checkpoint_path)
        exporter = Exporter(saver)
        exporter.init(
            init_op=init_op,
            default_graph_signature=default,
            named_graph_signatures=named,
            assets_collection=graph.get_collection(GraphKeys.ASSET_FILEPATHS),
        )
        return exporter.export(export_dir, get_global_step(), session, exports_to_keep=keep)
