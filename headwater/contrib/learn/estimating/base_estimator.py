"""BaseEstimator: trains, evaluates and runs the graphs that a derived class builds."""

from __future__ import annotations

import abc
import copy
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from headwater.base import errors, logging
from headwater.base.arguments import fn_args
from headwater.base.deprecated_api import deprecated, deprecated_args
from headwater.base.export import export
from headwater.contrib.learn.estimating.cluster_configs import RunConfig
from headwater.contrib.learn.estimating.inputs import get_input_fn, verify_input_args
from headwater.contrib.learn.estimating.interfaces import Evaluable, Trainable
from headwater.contrib.learn.estimating.keys import ModeKeys
from headwater.contrib.learn.estimating.sk_compat import SKCompat
from headwater.contrib.learn.estimating.sklearn_base import NotFittedError, SklearnEstimator
from headwater.contrib.learn.estimating.tensor_signatures import (
    create_example_parser_from_signatures,
    create_signatures,
    tensors_compatible,
)
from headwater.contrib.learn.estimating.training_run import run_training
from headwater.contrib.learn.exporting.session_bundles import _default_input_fn, export_bundle
from headwater.contrib.learn.monitoring.adapters import replace_monitors_with_hooks
from headwater.contrib.learn.notices import (
    ESTIMATOR,
    EXPORT,
    EXPORT_DATE,
    SCIKIT_DECOUPLE_DATE,
    SCIKIT_DECOUPLE_INSTRUCTIONS,
)
from headwater.distributed.device_setter import STANDARD_PS_OPS
from headwater.estimator.cluster import device_function
from headwater.estimator.eval_results import write_results
from headwater.graph import Graph, Operation, group
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.seeds import set_random_seed
from headwater.io.files import join_path
from headwater.model.global_step import create_global_step, read_global_step
from headwater.train.checkpoints.checkpoint_reader import list_variables, load_variable
from headwater.train.checkpoints.checkpoint_state import latest_checkpoint
from headwater.train.hooks.evaluation import StopAfterNEvalsHook
from headwater.train.hooks.feeding import FeedFnHook
from headwater.train.hooks.stop_at_step import StopAtStepHook
from headwater.train.sessions.evaluation import evaluate_once
from headwater.train.sessions.monitored_session import MonitoredSession
from headwater.train.sessions.session_creators import ChiefSessionCreator

# Resources of boosted trees and accumulators are not among what the servers of
# `tf.contrib.learn` keep.
_PS_OPS = STANDARD_PS_OPS[: STANDARD_PS_OPS.index("VarHandleOp") + 1]


def device_function_of(config: Any) -> Callable[..., Any] | None:
    """The device function of a task's graphs: it spreads variables over the parameter servers.

    Args:
        config: the RunConfig of the task.
    """
    return device_function(config, _PS_OPS)


@export(
    "contrib.learn.BaseEstimator",
    "contrib.learn.estimators.BaseEstimator",
    "contrib.learn.estimator.BaseEstimator",
)
class BaseEstimator(SklearnEstimator, Evaluable, Trainable):
    """Trains, evaluates and runs graphs; a derived class builds them.

    It defines `_get_train_ops`, `_get_predict_ops` and `_get_eval_ops`, which return ModelFnOps.

    Args:
        model_dir: the folder of checkpoints and event files; by default that of the
            configuration, or else a temporary one.
        config: a RunConfig; or None.

    Raises:
        ValueError: if folders differ.
    """

    # What makes the configuration if none is given; launchers replace it.
    _Config = RunConfig

    @deprecated(None, ESTIMATOR)
    def __init__(self, model_dir: str | None = None, config: Any = None) -> None:
        if config is None:
            config = BaseEstimator._Config()
            logging.info("Using default config.")
        self._config = config
        self._session_config = _session_config(config)
        in_config = getattr(config, "model_dir", None)
        if model_dir is not None and in_config is not None and model_dir != in_config:
            raise ValueError(
                "model_dir are set both in constructor and RunConfig, but with different values. "
                f"In constructor: '{model_dir}', in RunConfig: '{in_config}' "
            )
        self._model_dir: str = model_dir or in_config or ""
        if not self._model_dir:
            self._model_dir = tempfile.mkdtemp()
            logging.warning("Using temporary folder as model directory: %s", self._model_dir)
        if in_config is None:
            self._config = self._config.replace(model_dir=self._model_dir)
        logging.info("Using config: %s", str(vars(self._config)))
        given = getattr(self._config, "device_fn", None)
        self._device_fn = given or device_function_of(self._config)
        # The signatures of features and labels, known after the first call of a method.
        self._features_info: Any = None
        self._labels_info: Any = None
        self._graph: Graph | None = None

    @property
    def config(self) -> Any:
        """A copy of the configuration."""
        return copy.deepcopy(self._config)

    @property
    def model_fn(self) -> Any:
        """The model function, as a function of features, labels, mode and config."""

        def public_model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            return self._call_model_fn(features, labels, mode, config=config)

        return public_model_fn

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and event files."""
        return self._model_dir

    @deprecated_args(
        SCIKIT_DECOUPLE_DATE,
        SCIKIT_DECOUPLE_INSTRUCTIONS,
        ("x", None),
        ("y", None),
        ("batch_size", None),
    )
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Any = None,
        max_steps: int | None = None,
    ) -> Any:
        """Trains from the latest checkpoint on.

        Args:
            x: an array of features, its first dimension the examples, or an iterator of them; or
                None.
            y: an array of labels, or an iterator of them; or None.
            input_fn: a function that returns features and labels, if `x` and `y` are None.
            steps: how many steps to train; None until the input ends.
            batch_size: the size of batches of `x` and `y`; or None.
            monitors: monitors and SessionRunHooks; or None.
            max_steps: the global step to stop at; or None.

        Returns:
            This object.

        Raises:
            ValueError: if both kinds of input, or both limits, are given.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        verify_input_args(x, y, input_fn, None, batch_size)
        if x is not None:
            SKCompat(self).fit(x, y, batch_size, steps, max_steps, monitors)
            return self
        if max_steps is not None and self._trained_steps() >= max_steps:
            logging.info("Skipping training since max_steps has already saved.")
            return self
        hooks = list(replace_monitors_with_hooks(monitors, self))
        if steps is not None or max_steps is not None:
            hooks.append(StopAtStepHook(steps, max_steps))
        loss = self._train_model(input_fn=input_fn, hooks=hooks)
        logging.info("Loss for final step: %s.", loss)
        return self

    def _trained_steps(self) -> int:
        try:
            return int(load_variable(self._model_dir, GraphKeys.GLOBAL_STEP))
        except (errors.OpError, ValueError, TypeError):
            return -1

    @deprecated_args(
        SCIKIT_DECOUPLE_DATE,
        SCIKIT_DECOUPLE_INSTRUCTIONS,
        ("x", None),
        ("y", None),
        ("batch_size", None),
    )
    def partial_fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: int | None = 1,
        batch_size: int | None = None,
        monitors: Any = None,
    ) -> Any:
        """Trains for a few steps on a part of the data.

        Args:
            x: an array of features; or None.
            y: an array of labels; or None.
            input_fn: a function that returns features and labels, if `x` and `y` are None.
            steps: how many steps to train.
            batch_size: the size of batches of `x` and `y`; or None.
            monitors: monitors and SessionRunHooks; or None.

        Returns:
            This object.

        Raises:
            ValueError: if both kinds of input are given.
        """
        logging.warning(
            "The current implementation of partial_fit is not optimized for use in a loop. "
            "Consider using fit() instead."
        )
        return self.fit(
            x=x, y=y, input_fn=input_fn, steps=steps, batch_size=batch_size, monitors=monitors
        )

    @deprecated_args(
        SCIKIT_DECOUPLE_DATE,
        SCIKIT_DECOUPLE_INSTRUCTIONS,
        ("x", None),
        ("y", None),
        ("batch_size", None),
    )
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        feed_fn: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
        log_progress: bool = True,
    ) -> Any:
        """Evaluates a checkpoint.

        Args:
            x: an array of features, its first dimension the examples; or None.
            y: an array of labels; or None.
            input_fn: a function that returns features and labels, if `x` and `y` are None.
            feed_fn: a function that returns the feeds of a batch; or None.
            batch_size: the size of batches of `x` and `y`; or None.
            steps: how many batches; None for all of the input.
            metrics: MetricSpecs by name; or None.
            name: the name of the evaluation, if there are several; or None.
            checkpoint_path: the path of the checkpoint; the latest one by default.
            hooks: SessionRunHooks; or None.
            log_progress: whether lines such as "Evaluation [1/3]" are logged.

        Returns:
            The values of the metrics by name, "loss" and "global_step" among them.

        Raises:
            ValueError: if both kinds of input are given, or `metrics` is not a dict.
            NotFittedError: if there is no checkpoint.
        """
        verify_input_args(x, y, input_fn, feed_fn, batch_size)
        if x is not None:
            return SKCompat(self).score(x, y, batch_size, steps, metrics, name)
        if metrics is not None and not isinstance(metrics, dict):
            raise ValueError(f"Metrics argument should be None or dict. Got {metrics}.")
        results, global_step = self._evaluate_model(
            input_fn=input_fn,
            feed_fn=feed_fn,
            steps=steps,
            metrics=metrics,
            name=name,
            checkpoint_path=checkpoint_path,
            hooks=hooks,
            log_progress=log_progress,
        )
        if results is not None:
            results.update({"global_step": global_step})
        return results

    @deprecated_args(
        SCIKIT_DECOUPLE_DATE,
        SCIKIT_DECOUPLE_INSTRUCTIONS,
        ("x", None),
        ("batch_size", None),
        ("as_iterable", True),
    )
    def predict(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        outputs: Sequence[str] | None = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Returns the predictions for an input.

        Args:
            x: an array of features, its first dimension the examples; or None.
            input_fn: a function that returns features, if `x` is None.
            batch_size: the size of batches of `x`; or None.
            outputs: names of predictions; None for all.
            as_iterable: whether predictions come example by example, until the input ends.
            iterate_batches: whether they come batch by batch instead.

        Returns:
            An iterator of values, or of values by name; or, if `as_iterable` is False, an array
            or arrays by name.

        Raises:
            ValueError: if both kinds of input are given, or none of `outputs` is known.
            NotFittedError: if there is no checkpoint.
        """
        verify_input_args(x, None, input_fn, None, batch_size)
        if x is not None and not as_iterable:
            return SKCompat(self).predict(x, batch_size)
        input_fn, feed_fn = get_input_fn(x, None, input_fn, None, batch_size)
        return self._infer_model(
            input_fn=input_fn,
            feed_fn=feed_fn,
            outputs=outputs,
            as_iterable=as_iterable,
            iterate_batches=iterate_batches,
        )

    def get_variable_value(self, name: str) -> Any:
        """The value of a variable in the latest checkpoint.

        Args:
            name: its name.

        Returns:
            An array, or a NumPy number or bytes of a scalar.
        """
        return load_variable(self.model_dir, name)

    def get_variable_names(self) -> list[str]:
        """The names of the variables in the latest checkpoint.

        Returns:
            A sorted list.
        """
        return [name for name, _ in list_variables(self.model_dir)]

    @deprecated(EXPORT_DATE, EXPORT)
    def export(
        self,
        export_dir: str,
        input_fn: Any = _default_input_fn,
        input_feature_key: str | None = None,
        use_deprecated_input_fn: bool = True,
        signature_fn: Any = None,
        prediction_key: str | None = None,
        default_batch_size: int | None = 1,
        exports_to_keep: int | None = None,
        checkpoint_path: str | None = None,
    ) -> Any:
        """Exports a checkpoint as a session bundle, in a new folder named after the step.

        Args:
            export_dir: the folder of all exports.
            input_fn: if `use_deprecated_input_fn`, a function of the estimator and a tensor of
                serialized tf.train.Example messages that returns features; otherwise a function
                that returns features and labels.
            input_feature_key: the name of the feature with the serialized messages; or None.
            use_deprecated_input_fn: which kind of function `input_fn` is.
            signature_fn: a function of the messages, the features and the predictions that
                returns the default signature and the named ones.
            prediction_key: the name of the prediction that is exported; None for all.
            default_batch_size: the size of the batch of messages; None for any.
            exports_to_keep: how many exports are kept; None for all.
            checkpoint_path: the path of the checkpoint; the latest one by default.

        Returns:
            The path of the export, bytes.
        """
        return export_bundle(
            self,
            export_dir,
            signature_fn=signature_fn,
            input_fn=input_fn,
            default_batch_size=default_batch_size,
            exports_to_keep=exports_to_keep,
            input_feature_key=input_feature_key,
            use_deprecated_input_fn=use_deprecated_input_fn,
            prediction_key=prediction_key,
            checkpoint_path=checkpoint_path,
        )

    @abc.abstractmethod
    def _get_train_ops(self, features: Any, labels: Any) -> Any:
        """The ModelFnOps for training."""

    @abc.abstractmethod
    def _get_predict_ops(self, features: Any) -> Any:
        """The ModelFnOps for inference."""

    def _get_eval_ops(self, features: Any, labels: Any, metrics: Any) -> Any:
        """The ModelFnOps for evaluation."""
        raise NotImplementedError("_get_eval_ops not implemented in BaseEstimator")

    def _call_model_fn(
        self, features: Any, labels: Any, mode: str, metrics: Any = None, config: Any = None
    ) -> Any:
        """The ModelFnOps for a mode."""
        if mode == ModeKeys.TRAIN:
            return self._get_train_ops(features, labels)
        if mode == ModeKeys.EVAL:
            return self._get_eval_ops(features, labels, metrics)
        return self._get_predict_ops(features)

    def _get_feature_ops_from_example(self, examples_batch: Any) -> Any:
        """Parses tf.train.Example messages into the features that the model was trained on."""
        if self._features_info is None:
            raise ValueError("Features information missing, was fit() ever called?")
        return create_example_parser_from_signatures(self._features_info, examples_batch)

    def _check_inputs(self, features: Any, labels: Any) -> None:
        """Checks that features and labels have the signatures of those before.

        Raises:
            ValueError: if they do not.
        """
        self._features_info = _checked_signatures("Features", features, self._features_info)
        if labels is not None:
            self._labels_info = _checked_signatures("Labels", labels, self._labels_info)

    def _extract_metric_update_ops(
        self, eval_dict: Mapping[str, Any]
    ) -> tuple[Operation | None, Any]:
        """Separates the updates of metrics from their values."""
        updates: list[Any] = []
        values: dict[str, Any] = {}
        for name, ops in eval_dict.items():
            if not isinstance(ops, (list, tuple)):
                values[name] = ops
            elif len(ops) == 2:
                values[name] = ops[0]
                updates.append(ops[1])
            else:
                logging.warning(
                    f"Ignoring metric {name}. It returned a list|tuple with len {len(ops)}, "
                    "expected 2"
                )
                values[name] = ops
        return (group(*updates) if updates else None), values

    def _trained_checkpoint(self) -> str:
        path = latest_checkpoint(self._model_dir)
        if not path:
            raise NotFittedError(f"Couldn't find trained model at {self._model_dir}.")
        return path

    def _evaluate_model(
        self,
        input_fn: Any,
        steps: int | None,
        feed_fn: Any = None,
        metrics: Any = None,
        name: str | None = "",
        checkpoint_path: str | None = None,
        hooks: Any = None,
        log_progress: bool = True,
    ) -> tuple[Any, Any]:
        """Evaluates a checkpoint; returns (values of metrics by name, its global step)."""
        config = self._config
        path = checkpoint_path or self._trained_checkpoint()
        eval_dir = join_path(self._model_dir, f"eval_{name}" if name else "eval")
        with Graph().as_default() as graph:
            set_random_seed(config.tf_random_seed)
            global_step = create_global_step(graph)
            features, labels = input_fn()
            self._check_inputs(features, labels)
            ops = self._get_eval_ops(features, labels, metrics)
            update_op, values = self._extract_metric_update_ops(ops.eval_metric_ops)
            step_name = GraphKeys.GLOBAL_STEP
            while step_name in values:
                step_name = f"_{step_name}"
            values[step_name] = global_step
            results = evaluate_once(
                checkpoint_path=path,
                master=config.evaluation_master,
                scaffold=ops.scaffold,
                eval_ops=update_op,
                final_ops=values,
                hooks=_evaluation_hooks(hooks, feed_fn, steps, log_progress),
                config=self._session_config,
            )
            step = results[step_name]
            write_results(eval_dir, results, step)
        return results, step

    def _get_features_from_input_fn(self, input_fn: Any) -> Any:
        result = input_fn()
        return result[0] if isinstance(result, (list, tuple)) else result

    def _infer_model(
        self,
        input_fn: Any,
        feed_fn: Any = None,
        outputs: Sequence[str] | None = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """The predictions of the latest checkpoint for an input."""
        path = self._trained_checkpoint()
        with Graph().as_default() as graph:
            set_random_seed(self._config.tf_random_seed)
            create_global_step(graph)
            features = self._get_features_from_input_fn(input_fn)
            ops = self._get_predict_ops(features)
            predictions = self._filter_predictions(ops.predictions, outputs)
            creator = ChiefSessionCreator(
                checkpoint_filename_with_path=path,
                scaffold=ops.scaffold,
                config=self._session_config,
            )
            session = MonitoredSession(session_creator=creator)
            if as_iterable:
                return self._predict_generator(session, predictions, feed_fn, iterate_batches)
            with session:
                if not session.should_stop():
                    return session.run(predictions, feed_fn() if feed_fn else None)
        return None

    def _predict_generator(
        self, mon_sess: Any, predictions: Any, feed_fn: Any, iterate_batches: bool
    ) -> Iterator[Any]:
        """Yields predictions example by example, or batch by batch."""
        with mon_sess:
            while not mon_sess.should_stop():
                values = mon_sess.run(predictions, feed_fn() if feed_fn else None)
                if iterate_batches:
                    yield values
                elif isinstance(values, dict):
                    for index in range(_batch_length(values)):
                        yield {name: value[index] for name, value in values.items()}
                else:
                    yield from values
                if self._is_input_constant(feed_fn, mon_sess.graph):
                    return

    def _is_input_constant(self, feed_fn: Any, graph: Graph) -> bool:
        """Whether every run of a graph would give the same predictions."""
        return not graph.get_collection(GraphKeys.QUEUE_RUNNERS) and feed_fn is None

    def _filter_predictions(self, predictions: Any, outputs: Sequence[str] | None) -> Any:
        """The predictions of given names.

        Raises:
            ValueError: if there are no names, or none of them is given.
        """
        if not outputs:
            return predictions
        if not isinstance(predictions, dict):
            raise ValueError("outputs argument is not valid in case of non-dict predictions.")
        found = {name: value for name, value in predictions.items() if name in outputs}
        if not found:
            raise ValueError(
                f"Expected to run at least one output from {predictions.keys()}, provided "
                f"{outputs}."
            )
        return found

    def _train_model(self, input_fn: Any, hooks: Sequence[Any]) -> Any:
        """Builds the training graph and runs it; returns the last loss."""
        self._graph = Graph()
        with self._graph.as_default() as graph, graph.device(self._device_fn):
            set_random_seed(self._config.tf_random_seed)
            global_step = create_global_step(graph)
            features, labels = input_fn()
            self._check_inputs(features, labels)
            # Summaries and hooks read the step as it is before the update.
            read_global_step(graph)
            ops = self._get_train_ops(features, labels)
            return run_training(
                ops, self._config, self._model_dir, self._session_config, global_step, hooks
            )


def _session_config(config: Any) -> Any:
    """The ConfigProto of sessions: that of a configuration, or one made of its arguments."""
    given = getattr(config, "session_config", None)
    if given is not None:
        return given
    made = copy.deepcopy(config.tf_config)
    made.allow_soft_placement = True
    return made


def _checked_signatures(kind: str, tensors: Any, signatures: Any) -> Any:
    if signatures is None:
        return create_signatures(tensors)
    if not tensors_compatible(tensors, signatures):
        raise ValueError(
            f"{kind} are incompatible with given information. Given {kind.lower()}: {tensors}, "
            f"required signatures: {signatures}."
        )
    return signatures


def _evaluation_hooks(hooks: Any, feed_fn: Any, steps: int | None, log_progress: bool) -> list[Any]:
    result = list(hooks or [])
    if feed_fn:
        result.append(FeedFnHook(feed_fn))
    if steps == 0:
        logging.warning(
            "evaluation steps are 0. If `input_fn` does not raise `OutOfRangeError`, the "
            "evaluation will never stop. Use steps=None if intended."
        )
    if steps:
        result.append(StopAfterNEvalsHook(steps, log_progress=log_progress))
    return result


def _batch_length(values: Mapping[str, Any]) -> int:
    first = next(iter(values.values()))
    return int(first.dense_shape[0] if hasattr(first, "dense_shape") else np.shape(first)[0])


def model_fn_args(function: Any) -> tuple[str, ...]:
    """The names of the parameters of a model function.

    Args:
        function: the function; parameters that a partial binds by name are left out.

    Returns:
        The names in order.
    """
    return fn_args(function)
