"""What canned classifiers and regressors have in common: predictions and exports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from headwater.base.deprecated_api import deprecated, deprecated_args
from headwater.contrib.layers.column_ops import parse_feature_columns_from_examples
from headwater.contrib.learn.estimating.custom_estimator import Estimator
from headwater.contrib.learn.estimating.keys import PredictionKey
from headwater.contrib.learn.estimating.metric_specs import MetricSpec
from headwater.contrib.learn.exporting.session_bundles import (
    classification_signature_fn_with_prob,
    regression_signature_fn,
)
from headwater.contrib.learn.notices import (
    EXPORT,
    EXPORT_DATE,
    SCIKIT_DECOUPLE_DATE,
    SCIKIT_DECOUPLE_INSTRUCTIONS,
)

# For arguments that the interface of scikit-learn takes instead.
with_notice = deprecated_args(
    SCIKIT_DECOUPLE_DATE,
    SCIKIT_DECOUPLE_INSTRUCTIONS,
    ("x", None),
    ("batch_size", None),
    ("as_iterable", True),
)


class CannedEstimator(Estimator):
    """An estimator with feature columns."""

    def _columns(self) -> Sequence[Any]:
        """The feature columns, which say how serialized examples are parsed."""
        return tuple(self.params["feature_columns"])

    def _predicted(
        self, key: str, x: Any, input_fn: Any, batch_size: int | None, as_iterable: bool
    ) -> Any:
        """One prediction: an iterator of values, or an array."""
        predictions = Estimator.predict(
            self,
            x=x,
            input_fn=input_fn,
            batch_size=batch_size,
            outputs=[key],
            as_iterable=as_iterable,
        )
        if as_iterable:
            return _values(predictions, key)
        return predictions[key]

    def _exported(
        self, export_dir: str, input_fn: Any, signature_fn: Any, key: str, **options: Any
    ) -> Any:
        def parse(unused_estimator: Any, examples: Any) -> Any:
            return parse_feature_columns_from_examples(examples, self._columns())

        return Estimator.export(
            self,
            export_dir=export_dir,
            input_fn=input_fn or parse,
            signature_fn=signature_fn,
            prediction_key=key,
            **options,
        )


def _values(predictions: Iterable[Any], key: str) -> Iterable[Any]:
    return (prediction[key] for prediction in predictions)


class CannedClassifier(CannedEstimator):
    """An estimator that predicts classes and their probabilities."""

    @with_notice
    def predict(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        outputs: Sequence[str] | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns predictions for an input.

        Args:
            x: an array of features, its first dimension the examples; or None.
            input_fn: a function that returns features, if `x` is None.
            batch_size: the size of batches of `x`; or None.
            outputs: names of predictions; None for the classes alone.
            as_iterable: whether predictions come example by example, until the input ends.

        Returns:
            Classes as `predict_classes` returns them; or, if there are `outputs`, an iterator of
            dicts, or arrays by name.
        """
        if not outputs:
            return self.predict_classes(
                x=x, input_fn=input_fn, batch_size=batch_size, as_iterable=as_iterable
            )
        return Estimator.predict(
            self,
            x=x,
            input_fn=input_fn,
            batch_size=batch_size,
            outputs=outputs,
            as_iterable=as_iterable,
        )

    @with_notice
    def predict_classes(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns the most probable classes for an input.

        Args:
            x: an array of features, its first dimension the examples; or None.
            input_fn: a function that returns features, if `x` is None.
            batch_size: the size of batches of `x`; or None.
            as_iterable: whether classes come example by example, until the input ends.

        Returns:
            An iterator of classes, or an array of them.
        """
        return self._predicted(PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)

    @with_notice
    def predict_proba(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns the probabilities of the classes for an input.

        Args:
            x: an array of features, its first dimension the examples; or None.
            input_fn: a function that returns features, if `x` is None.
            batch_size: the size of batches of `x`; or None.
            as_iterable: whether probabilities come example by example, until the input ends.

        Returns:
            An iterator of vectors, or an array ``[examples, classes]``.
        """
        return self._predicted(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)

    @deprecated(EXPORT_DATE, EXPORT)
    def export(
        self,
        export_dir: str,
        input_fn: Any = None,
        input_feature_key: str | None = None,
        use_deprecated_input_fn: bool = True,
        signature_fn: Any = None,
        default_batch_size: int | None = 1,
        exports_to_keep: int | None = None,
    ) -> Any:
        """Exports the latest checkpoint as a session bundle.

        Args:
            export_dir: the folder of all exports.
            input_fn: see `BaseEstimator.export`; None to parse the feature columns.
            input_feature_key: the name of the feature with the serialized messages; or None.
            use_deprecated_input_fn: which kind of function `input_fn` is.
            signature_fn: see `BaseEstimator.export`; None for the signature of a classifier.
            default_batch_size: the size of the batch of messages; None for any.
            exports_to_keep: how many exports are kept; None for all.

        Returns:
            The path of the export, bytes.
        """
        return self._exported(
            export_dir,
            input_fn,
            signature_fn or classification_signature_fn_with_prob,
            PredictionKey.PROBABILITIES,
            input_feature_key=input_feature_key,
            use_deprecated_input_fn=use_deprecated_input_fn,
            default_batch_size=default_batch_size,
            exports_to_keep=exports_to_keep,
        )


class CannedRegressor(CannedEstimator):
    """An estimator that predicts scores."""

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
    ) -> Any:
        """Evaluates a checkpoint.

        Args:
            x: an array of features, its first dimension the examples; or None.
            y: an array of labels; or None.
            input_fn: a function that returns features and labels, if `x` and `y` are None.
            feed_fn: a function that returns the feeds of a batch; or None.
            batch_size: the size of batches of `x` and `y`; or None.
            steps: how many batches; None for all of the input.
            metrics: MetricSpecs by name, or functions of the scores and the labels; or None.
            name: the name of the evaluation, if there are several; or None.
            checkpoint_path: the path of the checkpoint; the latest one by default.
            hooks: SessionRunHooks; or None.

        Returns:
            The values of the metrics by name, "loss" and "global_step" among them.
        """
        of_scores = {
            key
            if isinstance(metric, MetricSpec) or isinstance(key, tuple)
            else (key, PredictionKey.SCORES): metric
            for key, metric in (metrics or {}).items()
        }
        return Estimator.evaluate(
            self,
            x=x,
            y=y,
            input_fn=input_fn,
            feed_fn=feed_fn,
            batch_size=batch_size,
            steps=steps,
            metrics=of_scores,
            name=name,
            checkpoint_path=checkpoint_path,
            hooks=hooks,
        )

    @with_notice
    def predict(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        outputs: Sequence[str] | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns predictions for an input.

        Args:
            x: an array of features, its first dimension the examples; or None.
            input_fn: a function that returns features, if `x` is None.
            batch_size: the size of batches of `x`; or None.
            outputs: names of predictions; None for the scores alone.
            as_iterable: whether predictions come example by example, until the input ends.

        Returns:
            Scores as `predict_scores` returns them; or, if there are `outputs`, an iterator of
            dicts, or arrays by name.
        """
        if not outputs:
            return self.predict_scores(
                x=x, input_fn=input_fn, batch_size=batch_size, as_iterable=as_iterable
            )
        return Estimator.predict(
            self,
            x=x,
            input_fn=input_fn,
            batch_size=batch_size,
            outputs=outputs,
            as_iterable=as_iterable,
        )

    @with_notice
    def predict_scores(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns the scores for an input.

        Args:
            x: an array of features, its first dimension the examples; or None.
            input_fn: a function that returns features, if `x` is None.
            batch_size: the size of batches of `x`; or None.
            as_iterable: whether scores come example by example, until the input ends.

        Returns:
            An iterator of scores, or an array of them; vectors if labels have several dimensions.
        """
        return self._predicted(PredictionKey.SCORES, x, input_fn, batch_size, as_iterable)

    @deprecated(EXPORT_DATE, EXPORT)
    def export(
        self,
        export_dir: str,
        input_fn: Any = None,
        input_feature_key: str | None = None,
        use_deprecated_input_fn: bool = True,
        signature_fn: Any = None,
        default_batch_size: int | None = 1,
        exports_to_keep: int | None = None,
    ) -> Any:
        """Exports the latest checkpoint as a session bundle.

        Args:
            export_dir: the folder of all exports.
            input_fn: see `BaseEstimator.export`; None to parse the feature columns.
            input_feature_key: the name of the feature with the serialized messages; or None.
            use_deprecated_input_fn: which kind of function `input_fn` is.
            signature_fn: see `BaseEstimator.export`; None for the signature of a regressor.
            default_batch_size: the size of the batch of messages; None for any.
            exports_to_keep: how many exports are kept; None for all.

        Returns:
            The path of the export, bytes.
        """
        return self._exported(
            export_dir,
            input_fn,
            signature_fn or regression_signature_fn,
            PredictionKey.SCORES,
            input_feature_key=input_feature_key,
            use_deprecated_input_fn=use_deprecated_input_fn,
            default_batch_size=default_batch_size,
            exports_to_keep=exports_to_keep,
        )
