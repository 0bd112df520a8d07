"""Predictors of estimators: `from_estimator` and `from_contrib_estimator`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.contrib.learn.estimating.base_estimator import BaseEstimator
from headwater.contrib.learn.estimating.output_alternatives import output_alternatives_of
from headwater.contrib.learn.exporting.signatures import (
    DEFAULT_INPUT_ALTERNATIVE_KEY,
    input_alternatives_of,
)
from headwater.contrib.predictor.predictor import Predictor
from headwater.estimator.estimator import Estimator
from headwater.estimator.mode_keys import ModeKeys
from headwater.graph import Graph
from headwater.serving.saved_model import constants
from headwater.train.checkpoints.checkpoint_state import latest_checkpoint
from headwater.train.sessions.monitored_session import MonitoredSession
from headwater.train.sessions.session_creators import ChiefSessionCreator

if TYPE_CHECKING:
    from headwater.protos.config_pb2 import ConfigProto
    from headwater.protos.meta_graph_pb2 import SignatureDef


def _signature_def(estimator: Estimator, receiver: Any, output_key: str | None) -> SignatureDef:
    spec = estimator.model_fn(receiver.features, None, ModeKeys.PREDICT, estimator.config)
    outputs = spec.export_outputs
    key = constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY if output_key is None else output_key
    if key not in outputs:
        raise KeyError(f"output_key must be one of {outputs.keys()}; got {key}")
    signature: SignatureDef = outputs[key].as_signature_def(receiver.receiver_tensors)
    return signature


class CoreEstimatorPredictor(Predictor):
    """A predictor of a `tf.estimator.Estimator`; the arguments are those of `from_estimator`."""

    def __init__(
        self,
        estimator: Estimator,
        serving_input_receiver_fn: Callable[[], Any],
        output_key: str | None = None,
        graph: Graph | None = None,
        config: ConfigProto | None = None,
    ) -> None:
        self._graph = graph or Graph()
        with self._graph.as_default():
            signature = _signature_def(estimator, serving_input_receiver_fn(), output_key)
            self._session = MonitoredSession(
                session_creator=ChiefSessionCreator(
                    config=config, checkpoint_dir=estimator.model_dir
                )
            )
        self._feed_tensors = self._named({key: info.name for key, info in signature.inputs.items()})
        self._fetch_tensors = self._named(
            {key: info.name for key, info in signature.outputs.items()}
        )


class ContribEstimatorPredictor(Predictor):
    """A predictor of a `tf.contrib.learn.Estimator`; see `from_contrib_estimator`."""

    def __init__(
        self,
        estimator: BaseEstimator,
        prediction_input_fn: Callable[[], Any],
        input_alternative_key: str | None = None,
        output_alternative_key: str | None = None,
        graph: Graph | None = None,
        config: ConfigProto | None = None,
    ) -> None:
        self._graph = graph or Graph()
        with self._graph.as_default():
            inputs, features = input_alternatives_of(prediction_input_fn())
            ops = estimator._get_predict_ops(features)
            self._session = MonitoredSession(
                session_creator=ChiefSessionCreator(
                    config=config,
                    checkpoint_filename_with_path=latest_checkpoint(estimator.model_dir),
                )
            )
        self._feed_tensors = inputs[input_alternative_key or DEFAULT_INPUT_ALTERNATIVE_KEY]
        outputs, output_key = output_alternatives_of(ops, output_alternative_key)
        _, self._fetch_tensors = outputs[output_key]


@export("contrib.predictor.from_estimator")
def from_estimator(
    estimator: Estimator,
    serving_input_receiver_fn: Callable[[], Any],
    output_key: str | None = None,
    graph: Graph | None = None,
    config: ConfigProto | None = None,
) -> Predictor:
    """Makes a predictor of the latest checkpoint of a `tf.estimator.Estimator`.

    Args:
        estimator: the Estimator.
        serving_input_receiver_fn: a function that returns a ServingInputReceiver.
        output_key: the key of the export output; "serving_default" by default.
        graph: a Graph to build the model in; a new one by default.
        config: a ConfigProto for the session.

    Returns:
        A Predictor, a function of a dictionary of arrays to a dictionary of arrays.

    Raises:
        KeyError: if there is no such output.
        TypeError: if `estimator` is an Estimator of contrib.learn.
    """
    if isinstance(estimator, BaseEstimator):
        raise TypeError(
            "Expected estimator to be of type tf.python.estimator.Estimator, but got "
            "type tf.contrib.learn.Estimator. You likely want to call from_contrib_estimator."
        )
    return CoreEstimatorPredictor(estimator, serving_input_receiver_fn, output_key, graph, config)


@export("contrib.predictor.from_contrib_estimator")
def from_contrib_estimator(
    estimator: BaseEstimator,
    prediction_input_fn: Callable[[], Any],
    input_alternative_key: str | None = None,
    output_alternative_key: str | None = None,
    graph: Graph | None = None,
    config: ConfigProto | None = None,
) -> Predictor:
    """Makes a predictor of the latest checkpoint of a `tf.contrib.learn.Estimator`.

    Args:
        estimator: the Estimator.
        prediction_input_fn: a function that returns InputFnOps.
        input_alternative_key: the name of the inputs; the default ones if None.
        output_alternative_key: the name of the outputs; needed if there are several.
        graph: a Graph to build the model in; a new one by default.
        config: a ConfigProto for the session.

    Returns:
        A Predictor, a function of a dictionary of arrays to a dictionary of arrays.

    Raises:
        TypeError: if `estimator` is a `tf.estimator.Estimator`.
        ValueError: if the outputs are unknown or not clear.
    """
    if isinstance(estimator, Estimator):
        raise TypeError(
            "Expected estimator to be of type tf.contrib.learn.Estimator, but got type "
            "tf.python.estimator.Estimator. You likely want to call from_estimator."
        )
    return ContribEstimatorPredictor(
        estimator,
        prediction_input_fn,
        input_alternative_key,
        output_alternative_key,
        graph,
        config,
    )
