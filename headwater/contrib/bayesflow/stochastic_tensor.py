"""Stochastic tensors: values of distributions that remember the distribution."""

from __future__ import annotations

import abc
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from headwater.base.dtypes import DType
from headwater.base.export import export_value
from headwater.base.typing import DTypeLike, ShapeLike, TensorLike
from headwater.contrib.bayesflow.stochastic_gradient_estimators import score_function
from headwater.graph import (
    Tensor,
    convert_to_tensor,
    export,
    get_default_graph,
    name_scope,
    register_tensor_conversion_function,
)
from headwater.model.distributions.distribution import Distribution
from headwater.ops.control.identity import identity, stop_gradient

STOCHASTIC_TENSOR_COLLECTION = "_stochastic_tensor_collection_"
export_value(
    "contrib.bayesflow.stochastic_tensor.STOCHASTIC_TENSOR_COLLECTION", STOCHASTIC_TENSOR_COLLECTION
)


@export("contrib.bayesflow.stochastic_tensor.BaseStochasticTensor")
class BaseStochasticTensor(abc.ABC):
    """The base of stochastic tensors. They can be used where tensors can."""

    def __init__(self) -> None:
        self.graph.add_to_collection(STOCHASTIC_TENSOR_COLLECTION, self)

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name."""

    @property
    @abc.abstractmethod
    def dtype(self) -> DType:
        """The type of the value."""

    @property
    @abc.abstractmethod
    def graph(self) -> Any:
        """The graph of the value."""

    @abc.abstractmethod
    def value(self, name: str | None = None) -> Tensor:
        """The value as a tensor."""

    @abc.abstractmethod
    def loss(self, sample_loss: TensorLike) -> Tensor | None:
        """The term of a surrogate loss: see `surrogate_loss`.

        Args:
            sample_loss: the sum of the losses that depend on the value.

        Returns:
            A tensor, or None if gradients go through the value.
        """


def _converted(
    value: BaseStochasticTensor, dtype: DTypeLike | None, name: str | None, as_ref: bool
) -> Tensor:
    if dtype is not None and not value.dtype.is_compatible_with(dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype}' for variable of type "
            f"'{value.dtype.name}'"
        )
    if as_ref:
        raise ValueError(f"{type(value).__name__}: Ref type is not supported.")
    return value.value()


register_tensor_conversion_function(BaseStochasticTensor, _converted)


class _ValueType:
    """The base of the ways to take a value from a distribution.

    Args:
        stop_gradient: whether gradients do not go through the value.
    """

    def __init__(self, stop_gradient: bool = False) -> None:
        self._stop_gradient = stop_gradient

    @property
    def stop_gradient(self) -> bool:
        """Whether gradients do not go through the value."""
        return self._stop_gradient


@export("contrib.bayesflow.stochastic_tensor.MeanValue")
class MeanValue(_ValueType):
    """The value is the mean of the distribution.

    Args:
        stop_gradient: whether gradients do not go through the value.
    """


@export("contrib.bayesflow.stochastic_tensor.SampleValue")
class SampleValue(_ValueType):
    """The value is one sample, or several.

    Args:
        shape: the shape that stands before that of one sample.
        stop_gradient: whether gradients do not go through the value.
    """

    def __init__(self, shape: ShapeLike = (), stop_gradient: bool = False) -> None:
        super().__init__(stop_gradient)
        self._shape = shape

    @property
    def shape(self) -> ShapeLike:
        """The shape that stands before that of one sample."""
        return self._shape


@export("contrib.bayesflow.stochastic_tensor.NoValueTypeSetError")
class NoValueTypeSetError(ValueError):
    """There is no `value_type` around the call."""


# {thread: the value types of the contexts around it}
_value_types: dict[Any, list[_ValueType]] = defaultdict(list)


@export("contrib.bayesflow.stochastic_tensor.value_type")
@contextmanager
def value_type(dist_value_type: _ValueType) -> Iterator[None]:
    """Sets how stochastic tensors that are made inside take their values.

    Args:
        dist_value_type: a MeanValue or a SampleValue.

    Returns:
        A context manager.
    """
    stack = _value_types[threading.current_thread()]
    stack.append(dist_value_type)
    try:
        yield
    finally:
        stack.pop()


@export("contrib.bayesflow.stochastic_tensor.get_current_value_type")
def get_current_value_type() -> _ValueType:
    """Returns what the innermost `value_type` has set.

    Returns:
        A MeanValue or a SampleValue.

    Raises:
        NoValueTypeSetError: if there is none.
    """
    thread = threading.current_thread()
    if not _value_types[thread]:
        raise NoValueTypeSetError(
            f"No value type currently set for this thread ({thread.ident}).  Did you forget to "
            "wrap 'with stochastic_graph.value_type(...)'?"
        )
    return _value_types[thread][-1]


@export("contrib.bayesflow.stochastic_tensor.StochasticTensor")
class StochasticTensor(BaseStochasticTensor):
    """A value of a distribution.

    Args:
        dist: the distribution.
        name: the name scope.
        dist_value_type: a MeanValue or a SampleValue; that of the context if None, or a sample.
        loss_fn: a function of the stochastic tensor, its value and the sum of the losses that
            depend on it, which gives the term of a surrogate loss; None for no term.

    Raises:
        TypeError: if `dist` is not a distribution, or `loss_fn` cannot be called.
    """

    def __init__(
        self,
        dist: Distribution,
        name: str = "StochasticTensor",
        dist_value_type: _ValueType | None = None,
        loss_fn: Callable[..., Any] | None = score_function,
    ) -> None:
        if not isinstance(dist, Distribution):
            raise TypeError("dist must be an instance of Distribution")
        if loss_fn is not None and not callable(loss_fn):
            raise TypeError("loss_fn must be callable")
        self._dist = dist
        self._loss_fn = loss_fn
        if dist_value_type is None:
            types = _value_types[threading.current_thread()]
            dist_value_type = types[-1] if types else SampleValue()
        self._value_type = dist_value_type
        with name_scope(name) as scope:
            self._name = scope
            self._value = self._create_value()
        super().__init__()

    @property
    def value_type(self) -> _ValueType:
        """How the value is taken from the distribution."""
        return self._value_type

    @property
    def distribution(self) -> Distribution:
        """The distribution."""
        return self._dist

    def _create_value(self) -> Tensor:
        kind = self._value_type
        if isinstance(kind, MeanValue):
            value = self._dist.mean()
        elif isinstance(kind, SampleValue):
            value = self._dist.sample(kind.shape)
        else:
            raise TypeError(f"Unrecognized Distribution Value Type: {kind}")
        through = isinstance(kind, MeanValue) or self._dist.is_reparameterized
        return value if through and not kind.stop_gradient else stop_gradient(value)

    @property
    def name(self) -> str:
        """The name scope."""
        return self._name

    @property
    def graph(self) -> Any:
        """The graph of the value."""
        return self._value.graph

    @property
    def dtype(self) -> DType:
        """The type of the value."""
        return self._dist.dtype

    def entropy(self, name: str = "entropy") -> Tensor:
        """The entropy of the distribution."""
        return self._dist.entropy(name=name)

    def mean(self, name: str = "mean") -> Tensor:
        """The mean of the distribution."""
        return self._dist.mean(name=name)

    def value(self, name: str | None = "value") -> Tensor:
        """The value as a tensor."""
        return self._value

    def loss(self, final_loss: TensorLike, name: str = "Loss") -> Tensor | None:
        """The term of a surrogate loss.

        Args:
            final_loss: the sum of the losses that depend on the value.
            name: the name scope.

        Returns:
            A tensor; None if gradients go through the value.
        """
        if self._loss_fn is None:
            return None
        if not self._value_type.stop_gradient and (
            isinstance(self._value_type, MeanValue)
            or (self._dist.is_continuous and self._dist.is_reparameterized)
        ):
            return None
        with name_scope(self.name, values=[final_loss]), name_scope(name):
            term: Tensor = self._loss_fn(self, self._value, final_loss)
            return term


@export("contrib.bayesflow.stochastic_tensor.ObservedStochasticTensor")
class ObservedStochasticTensor(StochasticTensor):
    """A value that has been observed of a distribution.

    Args:
        dist: the distribution.
        value: the value, a tensor of the shape of one sample or of several.
        name: the name scope.

    Raises:
        TypeError: if `dist` is not a distribution.
        ValueError: if the value does not fit the distribution.
    """

    def __init__(self, dist: Distribution, value: TensorLike, name: str | None = None) -> None:
        if not isinstance(dist, Distribution):
            raise TypeError("dist must be an instance of Distribution")
        self._dist = dist
        with name_scope(name, "ObservedStochasticTensor", [value]) as scope:
            self._name = scope
            tensor = convert_to_tensor(value)
            _check_observed(tensor, dist)
            self._value = identity(tensor)
        self._value_type = SampleValue()
        self._loss_fn = None
        BaseStochasticTensor.__init__(self)

    def loss(self, final_loss: TensorLike, name: str | None = None) -> None:
        """None: what is observed does not depend on parameters."""
        return None


def _check_observed(value: Tensor, dist: Distribution) -> None:
    one = dist.batch_shape.concatenate(dist.event_shape)
    if value.shape.ndims is not None and one.ndims is not None:
        end = value.shape[value.shape.ndims - one.ndims :] if one.ndims else value.shape[:0]
        if value.shape.ndims < one.ndims or not end.is_compatible_with(one):
            raise ValueError(
                f"Shape of observed value {value.shape} is incompatible with the shape of a "
                f"sample from the distribution {one}."
            )
    if value.dtype != dist.dtype:
        raise ValueError(
            f"Type of observed value ({value.dtype}) does not match type of distribution "
            f"({dist.dtype})."
        )


def default_graph_tensors() -> list[BaseStochasticTensor]:
    """Returns the stochastic tensors of the default graph."""
    return list(get_default_graph().get_collection(STOCHASTIC_TENSOR_COLLECTION))
