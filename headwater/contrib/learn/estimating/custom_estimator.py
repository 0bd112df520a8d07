"""Estimator: a model function with everything that trains, evaluates and exports it."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.base import logging
from headwater.base.arguments import fn_args
from headwater.base.export import export
from headwater.contrib.learn.estimating.base_estimator import BaseEstimator
from headwater.contrib.learn.estimating.keys import MetricKey, ModeKeys
from headwater.contrib.learn.estimating.metric_specs import make_metrics_ops
from headwater.contrib.learn.estimating.model_fn_ops import ModelFnOps, ModelFnOpsBase
from headwater.contrib.learn.estimating.sklearn_base import NotFittedError
from headwater.contrib.learn.estimating.tensor_signatures import (
    create_placeholders_from_signatures,
)
from headwater.contrib.learn.exporting.saved_models import export_model
from headwater.model.metrics.means import mean
from headwater.serving.saved_model import constants
from headwater.train.checkpoints.checkpoint_state import latest_checkpoint


@export("contrib.learn.estimators.GraphRewriteSpec", "contrib.learn.GraphRewriteSpec")
class GraphRewriteSpec(namedtuple("GraphRewriteSpec", ["tags", "transforms"])):
    """How the graph of an export is rewritten.

    Args:
        tags: the tags of the graph in the SavedModel.
        transforms: the names of rewrites; empty for the graph as it is.
    """

    __slots__ = ()


_DEFAULT_REWRITES = (GraphRewriteSpec((constants.SERVING,), ()),)


def _unchanged(features: Any, labels: Any) -> tuple[Any, Any]:
    return features, labels


@export(
    "contrib.learn.Estimator",
    "contrib.learn.estimators.Estimator",
    "contrib.learn.estimator.Estimator",
)
class Estimator(BaseEstimator):
    """A model function with everything that trains, evaluates, runs and exports it.

    Each call of a method builds a graph of its own: it calls the input function, then the model
    function, restores the latest checkpoint of the folder and runs a session.

    Args:
        model_fn: a function of features and labels and, if it has these parameters, `mode`,
            `params`, `config` and `model_dir`, which returns ModelFnOps, or predictions, loss and
            the op that trains.
        model_dir: the folder of checkpoints and event files; by default that of the
            configuration, or else a temporary one.
        config: a RunConfig; or None.
        params: hyperparameters for the model function; or None.
        feature_engineering_fn: a function of features and labels that returns those that the
            model function gets; or None.

    Raises:
        ValueError: if the model function takes no `params`, but there are some, or folders
            differ.

    Example:
        >>> def model(features, labels):
        ...     weight = tf.get_variable("w", initializer=0.0)
        ...     loss = tf.reduce_mean(tf.square(features * weight - labels))
        ...     step = tf.train.get_global_step()
        ...     train = tf.train.GradientDescentOptimizer(0.5).minimize(loss, step)
        ...     return features * weight, loss, train
        >>> data = lambda: (tf.constant([1.0]), tf.constant([3.0]))
        >>> estimator = tf.contrib.learn.Estimator(model, tempfile.mkdtemp())
        >>> print(estimator.fit(input_fn=data, steps=9).get_variable_value("w"))
        3.0
    """

    def __init__(
        self,
        model_fn: Callable[..., Any] | None = None,
        model_dir: str | None = None,
        config: Any = None,
        params: Any = None,
        feature_engineering_fn: Callable[[Any, Any], tuple[Any, Any]] | None = None,
    ) -> None:
        super().__init__(model_dir=model_dir, config=config)
        if model_fn is not None:
            names = fn_args(model_fn)
            if params is not None and "params" not in names:
                raise ValueError(
                    f"Estimator's model_fn ({model_fn}) does not have a params argument, but "
                    f"params ({params}) were passed to the Estimator's constructor."
                )
            if params is None and "params" in names:
                logging.warning(
                    "Estimator's model_fn (%s) includes params argument, but params are not passed "
                    "to Estimator.",
                    model_fn,
                )
        self._model_fn: Any = model_fn
        self.params = params
        self._feature_engineering_fn = feature_engineering_fn or _unchanged

    def _call_model_fn(
        self, features: Any, labels: Any, mode: str, metrics: Any = None, config: Any = None
    ) -> Any:
        """Calls the model function with those of its parameters that it has.

        Args:
            features: the features.
            labels: the labels, or None.
            mode: a value of ModeKeys.
            metrics: MetricSpecs by name; or None.
            config: the RunConfig; that of the estimator by default.

        Returns:
            ModelFnOps.

        Raises:
            ValueError: if the function returns something else.
        """
        features, labels = self._feature_engineering_fn(features, labels)
        given = {
            "mode": mode,
            "params": self.params,
            "config": config or self.config,
            "model_dir": self.model_dir,
        }
        names = fn_args(self._model_fn)
        kwargs = {name: value for name, value in given.items() if name in names}
        result = self._model_fn(features, labels, **kwargs)
        if isinstance(result, ModelFnOpsBase):
            ops: Any = result
        else:
            if len(result) != 3:
                raise ValueError(
                    "Unrecognized value returned by model_fn, please return ModelFnOps."
                )
            ops = ModelFnOps(mode=mode, predictions=result[0], loss=result[1], train_op=result[2])
        if metrics:
            # The caller's metrics take the place of those of the model.
            made = make_metrics_ops(metrics, features, labels, ops.predictions)
            ops.eval_metric_ops.update(made)
        return ops

    def _get_train_ops(self, features: Any, labels: Any) -> Any:
        """The ModelFnOps for training."""
        return self._call_model_fn(features, labels, ModeKeys.TRAIN)

    def _get_eval_ops(self, features: Any, labels: Any, metrics: Any) -> Any:
        """The ModelFnOps for evaluation, "loss" among the metrics."""
        ops = self._call_model_fn(features, labels, ModeKeys.EVAL, metrics)
        if MetricKey.LOSS not in ops.eval_metric_ops:
            ops.eval_metric_ops[MetricKey.LOSS] = mean(ops.loss)
        return ops

    def _get_predict_ops(self, features: Any) -> Any:
        """The ModelFnOps for inference; labels, if they are known, are placeholders."""
        labels = create_placeholders_from_signatures(self._labels_info)
        return self._call_model_fn(features, labels, ModeKeys.INFER)

    def export_savedmodel(
        self,
        export_dir_base: str,
        serving_input_fn: Callable[[], Any],
        default_output_alternative_key: str | None = None,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        graph_rewrite_specs: Sequence[GraphRewriteSpec] = _DEFAULT_REWRITES,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """Exports a checkpoint as a SavedModel, in a new folder named after the time.

        Args:
            export_dir_base: the folder of all exports.
            serving_input_fn: a function that returns InputFnOps.
            default_output_alternative_key: the output alternative of the default signature;
                needed if there are several.
            assets_extra: paths of files by their paths in the folder "assets.extra"; or None.
            as_text: whether the SavedModel has the text form.
            checkpoint_path: the path of the checkpoint; the latest one by default.
            graph_rewrite_specs: the tags of the graph; further graphs, rewritten, are not
                supported.
            strip_default_attrs: whether attrs with default values are left out of the graph.

        Returns:
            The path of the new folder, bytes.

        Raises:
            ValueError: if there is no input function, the default output is not clear, or the
                first graph is to be rewritten.
            NotFittedError: if there is no checkpoint.
        """
        if serving_input_fn is None:
            raise ValueError("serving_input_fn must be defined.")
        checkpoint_path = checkpoint_path or latest_checkpoint(self._model_dir)
        if not checkpoint_path:
            raise NotFittedError(f"Couldn't find trained model at {self._model_dir}.")
        if graph_rewrite_specs[0].transforms:
            raise ValueError("The first element of graph_rewrite_specs must specify no transforms.")
        return export_model(
            self,
            export_dir_base,
            serving_input_fn,
            checkpoint_path,
            default_output_alternative_key=default_output_alternative_key,
            assets_extra=assets_extra,
            as_text=as_text,
            rewrites=graph_rewrite_specs,
            strip_default_attrs=strip_default_attrs,
        )
