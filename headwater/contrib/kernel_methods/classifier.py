"""KernelLinearClassifier: a linear classifier of mapped features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from headwater.base import logging
from headwater.base.export import export
from headwater.contrib.kernel_methods.mappers import DenseKernelMapper
from headwater.contrib.layers.feature_columns.real_valued import (
    _RealValuedColumn,
    real_valued_column,
)
from headwater.contrib.learn.canned.linear import linear_model_fn
from headwater.contrib.learn.canned.predictions import CannedEstimator
from headwater.contrib.learn.estimating.keys import PredictionKey
from headwater.contrib.learn.head_kinds.classification import multi_class_head
from headwater.ops.array.concat import concat

KernelMappers = Mapping[Any, Sequence[DenseKernelMapper]]


def _mapped(
    features: Mapping[str, Any], columns: Iterable[Any], kernel_mappers: KernelMappers | None
) -> tuple[dict[str, Any], list[Any]]:
    """The features and columns, and those that mappers make of real-valued columns."""
    all_features, all_columns = dict(features), list(columns)
    for column, mappers in (kernel_mappers or {}).items():
        if not isinstance(column, _RealValuedColumn):
            logging.warning(
                "Updates are currently supported on RealValuedColumns. Metadata for FeatureColumn "
                f"{column.name} will not be updated."
            )
            continue
        name = f"{column.name}_MAPPED"
        all_columns.append(real_valued_column(name, sum(each.output_dim for each in mappers)))
        all_features[name] = concat([each.map(features[column.name]) for each in mappers], 1)
    return all_features, all_columns


def _kernel_model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any = None
) -> Any:
    features, columns = _mapped(features, params["feature_columns"], params["kernel_mappers"])
    return linear_model_fn(features, labels, mode, {**params, "feature_columns": columns}, config)


def _are_kernel_mappers(mappers: KernelMappers | None) -> bool:
    return all(
        isinstance(mapper, DenseKernelMapper)
        for of_column in (mappers or {}).values()
        for mapper in of_column
    )


@export("contrib.kernel_methods.KernelLinearClassifier")
class KernelLinearClassifier(CannedEstimator):
    """A linear classifier of features that kernel mappers have mapped.

    Args:
        feature_columns: a set of columns that are used as they are; or None.
        model_dir: the folder of checkpoints; or None.
        n_classes: the number of classes.
        weight_column_name: the name of the feature with the weights of examples; or None.
        optimizer: an optimizer, its name, or a function that makes it; FTRL by default.
        kernel_mappers: by real-valued column, the list of its mappers; or None.
        config: a RunConfig; or None.

    Raises:
        ValueError: if there are neither columns nor mappers, something is not a mapper, or there
            are fewer than two classes.

    Example:
        >>> x = tf.contrib.layers.real_valued_column("x")
        >>> data = lambda: ({"x": tf.constant([[0.0], [1.0], [3.0]])}, tf.constant([0, 1, 0]))
        >>> methods = tf.contrib.kernel_methods
        >>> mappers = {x: [methods.RandomFourierFeatureMapper(1, 50)]}
        >>> classifier = methods.KernelLinearClassifier(kernel_mappers=mappers)
        >>> print(*classifier.fit(input_fn=data, steps=50).predict_classes(input_fn=data))
        0 1 0
    """

    def __init__(
        self,
        feature_columns: Iterable[Any] | None = None,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        kernel_mappers: KernelMappers | None = None,
        config: Any = None,
    ) -> None:
        head = multi_class_head(n_classes=n_classes, weight_column_name=weight_column_name)
        if not feature_columns and not kernel_mappers:
            raise ValueError("You should set at least one of feature_columns, kernel_mappers.")
        if not _are_kernel_mappers(kernel_mappers):
            raise ValueError("Invalid kernel mappers.")
        super().__init__(
            model_fn=_kernel_model_fn,
            model_dir=model_dir,
            config=config,
            params={
                "head": head,
                "feature_columns": feature_columns or set(),
                "optimizer": optimizer,
                "kernel_mappers": kernel_mappers,
            },
        )

    def predict_classes(self, input_fn: Any = None) -> Any:
        """Returns an iterator of the most probable classes.

        Args:
            input_fn: a function that returns features.
        """
        return self._predicted(PredictionKey.CLASSES, None, input_fn, None, True)

    def predict_proba(self, input_fn: Any = None) -> Any:
        """Returns an iterator of the probabilities of the classes, a vector for each example.

        Args:
            input_fn: a function that returns features.
        """
        return self._predicted(PredictionKey.PROBABILITIES, None, input_fn, None, True)
