"""The outputs of a compiled model with their targets, losses and metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import nest
from headwater.graph import Tensor, name_scope
from headwater.keras.backend.tensors import placeholder
from headwater.keras.losses import classes as losses
from headwater.keras.losses import functions as loss_functions
from headwater.keras.metrics import functions as metric_functions
from headwater.keras.metrics import lookup as metrics
from headwater.keras.metrics.base import MeanMetricWrapper, Metric
from headwater.ops.math.cast import cast

_LOSSES_OF_CLASSES = ("sparse_categorical_crossentropy", "SparseCategoricalCrossentropy")


class Endpoint:
    """One output.

    Args:
        output: the tensor.
        name: its name.
        loss: the loss; None if the output is not trained.
        weight: the factor of the loss.
        target: a tensor of targets instead of a placeholder.

    Attributes:
        sample_weight: the placeholder of weights; None until a program gives weights.
        metrics: pairs of a name and a metric object.
        weighted_metrics: the same for metrics that use the weights.
    """

    def __init__(self, output: Any, name: str, loss: Any, weight: float, target: Any) -> None:
        self.output = output
        self.name = name
        self.loss = _loss_object(loss)
        self.weight = weight
        self.metrics: list[tuple[str, Any]] = []
        self.weighted_metrics: list[tuple[str, Any]] = []
        self.sample_weight: Any = None
        self.is_fed = target is None and self.loss is not None
        self.target = target
        self.loss_metric: Any = None
        if self.is_fed:
            rank = output.shape.ndims or 2
            self.target = placeholder(
                ndim=rank, name=f"{name}_target", dtype=output.dtype.base_dtype.name
            )

    @property
    def takes_classes(self) -> bool:
        """Whether targets are numbers of classes."""
        return _name_of(self.loss) in _LOSSES_OF_CLASSES

    @property
    def target_shape(self) -> tuple[int | None, ...] | None:
        """The shape that targets must have; None if the loss takes any."""
        if self.output.shape.ndims is None:
            return None
        dims = tuple(self.output.shape.as_list())
        if self.takes_classes:
            return (*dims[:-1], 1)
        known = getattr(loss_functions, _name_of(self.loss), None) or getattr(
            losses, _name_of(self.loss), None
        )
        return dims if known is not None else None

    def loss_tensor(self) -> Tensor:
        """The loss of a batch: the mean of the losses of its examples."""
        with name_scope(f"{self.name}_loss"):
            return self.loss(self.target, self.output, sample_weight=self._weights())

    def _weights(self) -> Any:
        mask = getattr(self.output, "_keras_mask", None)
        if mask is None:
            return self.sample_weight
        mask = cast(mask, self.output.dtype.base_dtype)
        if self.sample_weight is None:
            return mask
        weight = self.sample_weight
        while weight.shape.ndims is not None and weight.shape.ndims < (mask.shape.ndims or 0):
            weight = weight[..., None]
        return mask * weight

    def metric_objects(self) -> list[Any]:
        """The metrics, and that of the loss if there is one."""
        own = [metric for _, metric in self.metrics + self.weighted_metrics]
        return own if self.loss_metric is None else [self.loss_metric, *own]

    def metric_tensors(self) -> list[Any]:
        """The results of the metrics, updated by the batch."""
        found = []
        mask = getattr(self.output, "_keras_mask", None)
        for name, metric in self.metrics:
            with name_scope("metrics"), name_scope(name):
                weight = None if mask is None else cast(mask, self.output.dtype.base_dtype)
                found.append(metric(self.target, self.output, sample_weight=weight))
        for name, metric in self.weighted_metrics:
            with name_scope("metrics"), name_scope(name):
                found.append(metric(self.target, self.output, sample_weight=self._weights()))
        return found

    def resolve_metric(self, metric: Any, weighted: bool) -> tuple[str, Any]:
        """The name and the object of a metric.

        Args:
            metric: a name, a function or a Metric.
            weighted: whether it uses the weights of examples.
        """
        if isinstance(metric, Metric):
            return metric.name, metric
        name, function = self._metric_function(metric)
        if weighted:
            name = f"weighted_{name}"
        if isinstance(function, Metric):
            return function.name, function
        return name, MeanMetricWrapper(function, name=name)

    def _metric_function(self, metric: Any) -> tuple[str, Any]:
        dims = self.output.shape.as_list()
        binary = dims[-1] == 1 or _name_of(self.loss) in (
            "binary_crossentropy",
            "BinaryCrossentropy",
        )
        classes = self.takes_classes
        if metric in ("accuracy", "acc"):
            if binary:
                return "acc", metric_functions.binary_accuracy
            if classes:
                return "acc", metric_functions.sparse_categorical_accuracy
            return "acc", metric_functions.categorical_accuracy
        if metric in ("crossentropy", "ce"):
            if binary:
                return "ce", loss_functions.binary_crossentropy
            if classes:
                return "ce", loss_functions.sparse_categorical_crossentropy
            return "ce", loss_functions.categorical_crossentropy
        found = metrics.get(metric)
        return getattr(found, "name", None) or found.__name__, found


def _name_of(loss: Any) -> str:
    function = getattr(loss, "fn", None) or loss
    return getattr(function, "__name__", None) or type(function).__name__


def _loss_object(loss: Any) -> Any:
    if loss is None or isinstance(loss, losses.Loss):
        return loss
    function = losses.get(loss)
    if isinstance(function, losses.Loss):
        return function
    return losses.LossFunctionWrapper(function, name=getattr(function, "__name__", None))


def by_output(value: Any, names: Sequence[str], what: str) -> list[Any]:
    """One item for each output of a model.

    Args:
        value: one item for all, a list, or a dict by the names of outputs.
        names: the names of the outputs.
        what: the argument, for errors.

    Raises:
        ValueError: if a name is unknown, or there are too few or too many items.
    """
    if isinstance(value, dict):
        unknown = set(value) - set(names)
        if unknown:
            raise ValueError(
                f"Unknown entries in {what} dictionary: {sorted(unknown)}. Only expected following "
                f"keys: {list(names)}"
            )
        return [value.get(name) for name in names]
    if isinstance(value, (list, tuple)):
        if len(value) != len(names):
            raise ValueError(
                f"When passing a list as {what}, it should have one entry per model outputs. The "
                f"model has {len(names)} outputs, but you passed {what}={value}"
            )
        return list(value)
    return [value] * len(names)


def metrics_by_output(value: Any, names: Sequence[str]) -> list[list[Any]]:
    """The metrics of each output, as a list."""
    if not value:
        return [[] for _ in names]
    if isinstance(value, dict):
        found = by_output(value, names, "metrics")
    elif isinstance(value, (list, tuple)):
        nested = any(isinstance(m, (list, tuple)) for m in value)
        found = by_output(value, names, "metrics") if nested else [value] * len(names)
    else:
        raise TypeError(
            "Type of `metrics` argument not understood. Expected a list or dictionary, found: "
            f"{value}"
        )
    return [list(each) if isinstance(each, (list, tuple)) else _listed(each) for each in found]


def _listed(value: Any) -> list[Any]:
    return [] if value is None else [value]


def flat_weights(value: Any) -> list[Any]:
    """Weights of examples as a list."""
    return [] if value is None else nest.flatten(value)
