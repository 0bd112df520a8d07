"""SVM: a support vector machine of two classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.learn.canned.learned_variables import LinearVariables
from headwater.contrib.learn.canned.predictions import CannedEstimator, with_notice
from headwater.contrib.learn.canned.sdca import sdca_model_fn
from headwater.contrib.learn.estimating.keys import PredictionKey
from headwater.contrib.learn.exporting.session_bundles import classification_signature_fn_with_prob
from headwater.contrib.learn.head_kinds.classification import binary_svm_head
from headwater.contrib.learn.notices import EXPORT, EXPORT_DATE
from headwater.contrib.linear_optimizer.optimizer import SDCAOptimizer


@export("contrib.learn.SVM", "contrib.learn.svm.SVM", "contrib.learn.estimators.SVM")
class SVM(LinearVariables, CannedEstimator):
    """A linear support vector machine of two classes, trained by SDCAOptimizer.

    Args:
        example_id_column: the name of the feature with the ids of examples, strings.
        feature_columns: the columns of `tf.contrib.layers`.
        weight_column_name: the name of the feature with the weights of examples; or None.
        model_dir: the folder of checkpoints; or None.
        l1_regularization: the L1 regularization of the weights.
        l2_regularization: the L2 regularization; at least 1 is used.
        num_loss_partitions: how many workers train at once.
        kernels: must be None.
        config: a RunConfig; or None.
        feature_engineering_fn: a function of features and labels; or None.

    Raises:
        ValueError: if there are kernels.

    Example:
        >>> x = tf.contrib.layers.real_valued_column("x")
        >>> def data():
        ...     features = {"x": tf.constant([[-1.0], [1.0]]), "id": tf.constant(["a", "b"])}
        ...     return features, tf.constant([[0], [1]])
        >>> svm = tf.contrib.learn.SVM(example_id_column="id", feature_columns=[x])
        >>> print(*svm.fit(input_fn=data, steps=5).predict_classes(input_fn=data))
        0 1
    """

    def __init__(
        self,
        example_id_column: str,
        feature_columns: Iterable[Any],
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        num_loss_partitions: int = 1,
        kernels: None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        if kernels is not None:
            raise ValueError("Kernel SVMs are not currently supported.")
        optimizer = SDCAOptimizer(
            example_id_column=example_id_column,
            num_loss_partitions=num_loss_partitions,
            symmetric_l1_regularization=l1_regularization,
            symmetric_l2_regularization=l2_regularization,
        )
        super().__init__(
            model_fn=sdca_model_fn,
            model_dir=model_dir,
            config=config,
            params={
                "head": binary_svm_head(weight_column_name=weight_column_name),
                "feature_columns": feature_columns,
                "optimizer": optimizer,
                "weight_column_name": weight_column_name,
            },
            feature_engineering_fn=feature_engineering_fn,
        )

    @with_notice
    def predict_classes(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns the classes for an input.

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
        outputs: Sequence[str] | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns the probabilities of the classes, which the head of an SVM does not predict.

        Args:
            x: an array of features, its first dimension the examples; or None.
            input_fn: a function that returns features, if `x` is None.
            batch_size: the size of batches of `x`; or None.
            outputs: unused.
            as_iterable: whether probabilities come example by example, until the input ends.

        Returns:
            An iterator of vectors, or an array ``[examples, classes]``.

        Raises:
            ValueError: if the model has no probabilities.
        """
        return self._predicted(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)

    @deprecated(EXPORT_DATE, EXPORT)
    def export(
        self,
        export_dir: str,
        signature_fn: Any = None,
        input_fn: Any = None,
        default_batch_size: int | None = 1,
        exports_to_keep: int | None = None,
    ) -> Any:
        """Exports the latest checkpoint as a session bundle.

        Args:
            export_dir: the folder of all exports.
            signature_fn: see `BaseEstimator.export`; None for the signature of a classifier.
            input_fn: see `BaseEstimator.export`; None to parse the feature columns.
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
            default_batch_size=default_batch_size,
            exports_to_keep=exports_to_keep,
        )
