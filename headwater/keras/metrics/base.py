"""Metrics as objects: measures that accumulate over batches."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.dtypes import as_dtype
from headwater.base.typing import DTypeLike, InitializerLike, ShapeLike, TensorLike
from headwater.graph import (
    Operation,
    Tensor,
    control_dependencies,
    convert_to_tensor,
    export,
    get_default_graph,
    group,
)
from headwater.keras import resolvers as _resolvers  # noqa: F401 - sets those of layers
from headwater.keras.backend.settings import floatx
from headwater.keras.backend.values import batch_set_value
from headwater.model.layers.layer import Layer
from headwater.model.layers.resolvers import resolvers
from headwater.model.squeezing import remove_squeezable_dimensions
from headwater.model.variables.variable_creation import VariableAggregation, VariableSynchronization
from headwater.model.weights_broadcast import broadcast_weights
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.array.shape import size
from headwater.ops.control.identity import identity
from headwater.ops.math.cast import cast
from headwater.ops.math.division import divide_no_nan
from headwater.ops.math.reduce_functions import reduce_mean, reduce_sum


@export("keras.metrics.Metric")
class Metric(Layer, abc.ABC):
    """The base of metrics. Subclasses define `update_state` and `result`.

    Args:
        name: the name; that of the class in snake case by default.
        dtype: the type of the state and of the result; the default floating-point type if None.
        **kwargs: further arguments of a layer.
    """

    def __init__(
        self, name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any
    ) -> None:
        super().__init__(name=name, dtype=floatx() if dtype is None else dtype, **kwargs)
        self.stateful = True
        self.built = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "update_state" in cls.__dict__:
            cls.update_state = _recording(cls.update_state)  # type: ignore[method-assign]
        if "result" in cls.__dict__:
            cls.result = _marking(cls.result)  # type: ignore[method-assign]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Updates the state with a batch.

        Args:
            *args: those of `update_state`.
            **kwargs: those of `update_state`.

        Returns:
            The result after the update.
        """
        update = self.update_state(*args, **kwargs)
        with control_dependencies([] if update is None else [update]):
            result = self.result()
        # What a step fetches: the value after the update.
        object.__setattr__(self, "_call_result", result)
        return result

    def reset_states(self) -> None:
        """Sets all variables to 0."""
        batch_set_value([(v, np.zeros(v.shape.as_list())) for v in self.variables])

    @abc.abstractmethod
    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Makes the op that adds a batch to the state.

        Args:
            *args: the values of the batch.
            **kwargs: the values of the batch.

        Returns:
            An op.
        """
        raise NotImplementedError("Must be implemented in subclasses.")

    @abc.abstractmethod
    def result(self) -> Any:
        """Makes the tensor of the value of the metric.

        Returns:
            A tensor.
        """
        raise NotImplementedError("Must be implemented in subclasses.")

    def add_weight(  # type: ignore[override]
        self,
        name: str,
        shape: ShapeLike = (),
        aggregation: Any = VariableAggregation.SUM,
        synchronization: Any = VariableSynchronization.ON_READ,
        initializer: InitializerLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> Any:
        """Makes a variable of the state.

        Args:
            name: the name.
            shape: the shape.
            aggregation: a VariableAggregation.
            synchronization: a VariableSynchronization.
            initializer: the initializer, or its name.
            dtype: the type; that of the metric if None.

        Returns:
            A variable that is not trained and in no collection.
        """
        with control_dependencies(None):
            return super().add_weight(
                name=name,
                shape=shape,
                dtype=self._dtype if dtype is None else dtype,
                trainable=False,
                initializer=initializer,
                collections=[],
                aggregation=aggregation,
                synchronization=synchronization,
            )

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {"name": self.name, "dtype": self.dtype}


def _recording(method: Callable[..., Any]) -> Callable[..., Any]:
    """`update_state` such that the op is an update of the metric.

    All state that the method of a program changes belongs to the update, whatever it returns.
    """

    @functools.wraps(method)
    def update_state(self: Metric, *args: Any, **kwargs: Any) -> Any:
        nested = self.__dict__.get("_in_update", False)
        object.__setattr__(self, "_in_update", True)
        graph = get_default_graph()
        known = len(graph.get_operations())
        try:
            update = method(self, *args, **kwargs)
        finally:
            object.__setattr__(self, "_in_update", nested)
        if nested:
            return update
        if not type(self).__module__.startswith("headwater.keras.metrics."):
            changes = [op for op in graph.get_operations()[known:] if _changes_state(op)]
            update = group(*changes) if changes else update
        if update is not None:
            self.add_update(update)
        return update

    return update_state


def _changes_state(op: Operation) -> bool:
    return op.type.startswith(("Assign", "Scatter", "ResourceScatter"))


def _marking(method: Callable[..., Any]) -> Callable[..., Any]:
    """`result` such that the tensor knows its metric."""

    @functools.wraps(method)
    def result(self: Metric, *args: Any, **kwargs: Any) -> Any:
        value: Any = identity(method(self, *args, **kwargs))
        value._metric_obj = self
        return value

    return result


def aligned(y_true: TensorLike, y_pred: TensorLike) -> tuple[Tensor, Tensor]:
    """Targets and predictions, without a last axis of length 1 that the other does not have."""
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    ranks = y_pred.shape.ndims, y_true.shape.ndims
    if None in ranks:
        return y_true, y_pred
    if ranks[0] - ranks[1] != 1 or y_pred.shape[-1].value == 1:
        return remove_squeezable_dimensions(y_true, y_pred)
    return y_true, y_pred


def fitting_weights(weights: TensorLike, values: Tensor) -> Tensor:
    """Weights with the rank of values, if their ranks differ by a last axis of length 1."""
    weights = convert_to_tensor(weights)
    rank, weights_rank = values.shape.ndims, weights.shape.ndims
    if not weights_rank or rank is None:
        return weights
    if weights_rank - rank == 1:
        return squeeze(weights, [-1])
    return expand_dims(weights, -1) if rank - weights_rank == 1 else weights


def added(pairs: list[tuple[Any, Tensor]]) -> Operation:
    """The op that adds a value to each of several variables."""
    return group(*(variable.assign_add(value) for variable, value in pairs))


class Reduce(Metric):
    """A metric that sums values, and counts them if it is their mean.

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    _is_mean = True

    def __init__(self, name: str | None, dtype: DTypeLike | None = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total = self.add_weight("total", initializer="zeros")
        if self._is_mean:
            self.count = self.add_weight("count", initializer="zeros")

    def update_state(self, values: TensorLike, sample_weight: TensorLike | None = None) -> Any:
        """Adds values.

        Args:
            values: a tensor.
            sample_weight: weights that fit them; 1 if None.

        Returns:
            An op.
        """
        values = _as(values, self._dtype)
        weights: Any = None
        if sample_weight is not None:
            values, weights = self._weighted(values, _as(sample_weight, self._dtype))
        total = reduce_sum(values)
        with control_dependencies([total]):
            update = self.total.assign_add(total)
        if not self._is_mean:
            return update
        count = cast(size(values), self._dtype) if weights is None else reduce_sum(weights)
        with control_dependencies([update]):
            return self.count.assign_add(count)

    def _weighted(self, values: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        weights = fitting_weights(weights, values)
        try:
            weights = broadcast_weights(weights, values)
        except ValueError:
            # One weight for several values: they are reduced to one value first.
            axes = list(range(weights.shape.ndims or 0, values.shape.ndims or 0))
            values = (reduce_mean if self._is_mean else reduce_sum)(values, axis=axes)
        return values * weights, weights

    def result(self) -> Any:
        """Returns the sum, or the mean; 0 before the first value."""
        if not self._is_mean:
            return identity(self.total)
        return divide_no_nan(self.total, self.count)


def _as(value: TensorLike, dtype: Any) -> Tensor:
    return cast(convert_to_tensor(value), as_dtype(dtype))


@export("keras.metrics.Sum")
class Sum(Reduce):
    """The sum of values.

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    _is_mean = False

    def __init__(self, name: str | None = "sum", dtype: DTypeLike | None = None) -> None:
        super().__init__(name=name, dtype=dtype)


@export("keras.metrics.Mean")
class Mean(Reduce):
    """The mean of values.

    Args:
        name: the name.
        dtype: the type of the state and of the result.
    """

    def __init__(self, name: str | None = "mean", dtype: DTypeLike | None = None) -> None:
        super().__init__(name=name, dtype=dtype)


class MeanMetricWrapper(Mean):
    """The mean of what a function makes of targets and predictions.

    Args:
        fn: a function of targets and predictions.
        name: the name.
        dtype: the type of the state and of the result.
        **kwargs: further arguments of the function.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self._fn = fn
        self._fn_kwargs = kwargs

    def update_state(  # type: ignore[override]
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Adds a batch.

        Args:
            y_true: the targets.
            y_pred: the predictions.
            sample_weight: weights of examples; 1 if None.

        Returns:
            An op.
        """
        y_true, y_pred = aligned(_as(y_true, self._dtype), _as(y_pred, self._dtype))
        values = self._fn(y_true, y_pred, **self._fn_kwargs)
        return super().update_state(values, sample_weight=sample_weight)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return {**self._fn_kwargs, **super().get_config()}


resolvers["mean_metric"] = lambda name: Mean(name=name)
