"""The outputs of a compiled model with their targets, losses and metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.graph import Tensor, name_scope
from headwater.keras.backend.tensors import placeholder
from headwater.keras.engine.weighting import check_weight
from headwater.keras.losses import classes as losses
from headwater.keras.losses import functions as loss_functions
from headwater.keras.losses.classes import reduced_loss
from headwater.keras.metrics import functions as metric_functions
from headwater.keras.metrics import lookup as metrics
from headwater.keras.metrics.base import MeanMetricWrapper, Metric
from headwater.ops.math.cast import cast

_LOSSES_OF_EQUAL_SHAPES = (
    "mean_squared_error",
    "binary_crossentropy",
    "categorical_crossentropy",
)
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

    def check_target(self, target: Any) -> None:
        """Checks the shape of targets, for losses that do not broadcast.

        Raises:
            ValueError: if it does not fit the output.
        """
        name = getattr(getattr(self.loss, "fn", None), "__name__", "")
        if isinstance(target, Tensor) or name not in _LOSSES_OF_EQUAL_SHAPES:
            return
        if name == "categorical_crossentropy" and target.shape[-1] == 1:
            raise ValueError(
                f"You are passing a target array of shape {target.shape} while using as loss "
                "`categorical_crossentropy`. `categorical_crossentropy` expects targets to be "
                "binary matrices (1s and 0s) of shape (samples, classes). If your targets are "
                "integer classes, you can convert them to the expected format via:\n```\nfrom "
                "keras.utils import to_categorical\ny_binary = to_categorical(y_int)\n```\n\n"
                "Alternatively, you can use the loss function `sparse_categorical_crossentropy` "
                "instead, which does expect integer targets."
            )
        if self.output.shape.ndims is None:
            return
        dims = tuple(self.output.shape.as_list())
        for given, wanted in zip(target.shape[1:], dims[1:]):
            if wanted is not None and given != wanted:
                raise ValueError(
                    f"A target array with shape {target.shape} was passed for an output of shape "
                    f"{dims} while using as loss `{name}`. This loss expects targets to have the "
                    "same shape as the output."
                )

    def checked_weight(self, weight: Any, target: Any) -> Any:
        """The weights of examples if their shape fits.

        Raises:
            ValueError: if it does not.
        """
        check_weight(weight, target, temporal=self.sample_weight.shape.ndims == 2)
        return weight

    @property
    def adds_losses(self) -> bool:
        """Whether the loss of a batch is the sum of those of its examples, not their mean."""
        return getattr(self.loss, "reduction", None) == losses.ReductionV2.SUM

    def loss_tensor(self) -> Tensor:
        """The loss of a batch: the mean of the losses of its examples."""
        with name_scope(f"{self.name}_loss"):
            if not hasattr(self.loss, "reduction"):
                loss: Tensor = self.loss(self.target, self.output, sample_weight=self._weights())
                return loss
            return reduced_loss(
                self.loss.call(self.target, self.output), self._weights(), self.loss.reduction
            )

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

    def weighted_metric_objects(self) -> list[Any]:
        """The metrics that use the weights of examples, that of the loss among them."""
        own = [metric for _, metric in self.weighted_metrics]
        return own if self.loss_metric is None else [self.loss_metric, *own]

    def metric_tensors(self) -> list[Any]:
        """The results of the metrics without weights, updated by the batch."""
        mask = getattr(self.output, "_keras_mask", None)
        found = []
        for name, metric in self.metrics:
            with name_scope(name):
                weight = None if mask is None else cast(mask, self.output.dtype.base_dtype)
                found.append(metric(self.target, self.output, sample_weight=weight))
        return found

    def weighted_metric_tensors(self) -> list[Any]:
        """The results of the metrics with weights, updated by the batch."""
        found = []
        for name, metric in self.weighted_metrics:
            with name_scope(name):
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


def by_output(value: Any, names: Sequence[str], what: str, unit: str = "outputs") -> list[Any]:
    """One item for each output of a model.

    Args:
        value: one item for all, a list, or a dict by the names of outputs.
        names: the names of the outputs.
        what: the argument, for errors.
        unit: what the error about a list of another length calls outputs.

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
                f"When passing a list as {what}, it should have one entry per model {unit}. The "
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
        if nested and len(value) != len(names):
            raise ValueError(
                "When passing a list of lists as `metrics`, it should have one entry per model "
                f"output. The model has {len(names)} outputs, but you passed metrics={value}"
            )
        found = list(value) if nested else [value] * len(names)
    else:
        raise TypeError(
            "Type of `metrics` argument not understood. Expected a list or dictionary, found: "
            f"{value}"
        )
    return [list(each) if isinstance(each, (list, tuple)) else _listed(each) for each in found]


def _listed(value: Any) -> list[Any]:
    return [] if value is None else [value]
