"""The base of distributions: public methods that check arguments and call what a class defines."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.export import export_value
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, ShapeLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_value,
    constant_value_as_shape,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.model.distributions.arguments import pick_vector
from headwater.model.distributions.kullback_leibler import cross_entropy, kl_divergence
from headwater.model.distributions.older_methods import OlderMethods
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import rank, shape
from headwater.ops.math.reduce_functions import reduce_prod


@export("distributions.ReparameterizationType", "contrib.distributions.ReparameterizationType")
class ReparameterizationType:
    """Whether samples are differentiable functions of the parameters; compared by identity.

    Args:
        rep_type: a text that describes it.
    """

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameteriation Type: {self._rep_type}>"


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")
for _module in ("distributions", "contrib.distributions"):
    export_value(f"{_module}.FULLY_REPARAMETERIZED", FULLY_REPARAMETERIZED)
    export_value(f"{_module}.NOT_REPARAMETERIZED", NOT_REPARAMETERIZED)
_SELF = ("self", "__class__")


@export("distributions.Distribution", "contrib.distributions.Distribution")
class Distribution(OlderMethods):
    """A family of random variables with parameters; a batch of them if parameters are tensors.

    A class defines some of `_sample_n`, `_log_prob` or `_prob`, `_log_cdf` or `_cdf`,
    `_log_survival_function` or `_survival_function`, `_quantile`, `_entropy`, `_mean`, `_mode`,
    `_variance` or `_stddev`, `_covariance`, and `_batch_shape`, `_event_shape` with their tensors.

    Args:
        dtype: the type of samples.
        reparameterization_type: whether gradients go through samples.
        validate_args: whether parameters and arguments are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        parameters: the arguments that the distribution was made with.
        graph_parents: the tensors that it was made of.
        name: the name, or a name scope that ends with a slash.

    Raises:
        ValueError: if one of `graph_parents` is not a tensor.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        reparameterization_type: ReparameterizationType,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: dict[str, Any] | None = None,
        graph_parents: Sequence[TensorLike] | None = None,
        name: str | None = None,
    ) -> None:
        graph_parents = [] if graph_parents is None else graph_parents
        for i, parent in enumerate(graph_parents):
            if not hasattr(parent, "graph"):
                raise ValueError(f"Graph parent item {i} is not a Tensor; {parent}.")
        if not name or name[-1] != "/":
            with name_scope(name or type(self).__name__) as scope:
                name = scope
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._reparameterization_type = reparameterization_type
        self._allow_nan_stats = allow_nan_stats
        self._validate_args = validate_args
        self._parameters = parameters or {}
        self._graph_parents = graph_parents
        self._name = name

    # Parameters

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict[str, Any]:
        raise NotImplementedError("_param_shapes not implemented")

    @classmethod
    def param_shapes(
        cls, sample_shape: ShapeLike, name: str = "DistributionParamShapes"
    ) -> dict[str, Any]:
        """Tensors with the shapes of parameters for which one sample has a shape.

        Args:
            sample_shape: the shape of `sample()`.
            name: the name scope.

        Returns:
            {name of a parameter: its shape}.
        """
        with name_scope(name, None, [sample_shape]):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape: ShapeLike) -> dict[str, TensorShape]:
        """The shapes of parameters for which one sample has a shape.

        Args:
            sample_shape: the shape of `sample()`, known when the graph is built.

        Returns:
            {name of a parameter: its TensorShape}.

        Raises:
            ValueError: if the shape is not known.
        """
        text = "sample_shape must be a fully-defined TensorShape or list/tuple"
        if isinstance(sample_shape, TensorShape):
            if not sample_shape.is_fully_defined():
                raise ValueError(text)
            sample_shape = sample_shape.as_list()
        found = {}
        for name, tensor in cls.param_shapes(sample_shape).items():
            value = constant_value(tensor)
            if value is None:
                raise ValueError(text)
            found[name] = TensorShape(value.tolist())
        return found

    @property
    def name(self) -> str:
        """The name scope, which ends with a slash."""
        return self._name

    @property
    def dtype(self) -> DTypeLike:
        """The type of samples."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that the distribution was made with."""
        return {name: value for name, value in self._parameters.items() if name not in _SELF}

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """Whether gradients go through samples."""
        return self._reparameterization_type

    @property
    def is_reparameterized(self) -> bool:
        """Whether samples have gradients for all parameters: the name before release 1.2."""
        return self._reparameterization_type is FULLY_REPARAMETERIZED

    @property
    def allow_nan_stats(self) -> bool:
        """Whether undefined statistics are NaN instead of an error."""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """Whether parameters and arguments are checked when the graph runs."""
        return self._validate_args

    def copy(self, **override_parameters_kwargs: Any) -> Any:
        """Makes a distribution of the same class.

        Args:
            **override_parameters_kwargs: arguments that differ.

        Returns:
            The new distribution.
        """
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    # Shapes

    def _absent(self, method: str) -> NoReturn:
        raise NotImplementedError(f"{method} is not implemented: {type(self).__name__}")

    def _batch_shape_tensor(self) -> Tensor:
        self._absent("batch_shape_tensor")

    def _batch_shape(self) -> TensorShape:
        return TensorShape(None)

    def _event_shape_tensor(self) -> Tensor:
        self._absent("event_shape_tensor")

    def _event_shape(self) -> TensorShape:
        return TensorShape(None)

    @property
    def batch_shape(self) -> TensorShape:
        """The shape of the batch of distributions, as far as it is known."""
        return TensorShape(self._batch_shape())

    @property
    def event_shape(self) -> TensorShape:
        """The shape of one sample of one distribution, as far as it is known."""
        return TensorShape(self._event_shape())

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The shape of the batch of distributions.

        Args:
            name: the name scope.

        Returns:
            An int32 vector.
        """
        with self._name_scope(name):
            known = self.batch_shape
            if known.is_fully_defined():
                return convert_to_tensor(known.as_list(), dtypes.int32, name="batch_shape")
            return self._batch_shape_tensor()

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Tensor:
        """The shape of one sample of one distribution.

        Args:
            name: the name scope.

        Returns:
            An int32 vector.
        """
        with self._name_scope(name):
            known = self.event_shape
            if known.is_fully_defined():
                return convert_to_tensor(known.as_list(), dtypes.int32, name="event_shape")
            return self._event_shape_tensor()

    def is_scalar_event(self, name: str = "is_scalar_event") -> Tensor:
        """Whether samples are scalars.

        Args:
            name: the name scope.

        Returns:
            A bool scalar.
        """
        with self._name_scope(name):
            result = self._is_scalar_helper(self.event_shape, self.event_shape_tensor)
            return convert_to_tensor(result, name="is_scalar_event")

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Tensor:
        """Whether there is one distribution only.

        Args:
            name: the name scope.

        Returns:
            A bool scalar.
        """
        with self._name_scope(name):
            result = self._is_scalar_helper(self.batch_shape, self.batch_shape_tensor)
            return convert_to_tensor(result, name="is_scalar_batch")

    def _is_scalar_helper(
        self, static_shape: TensorShape, dynamic_shape_fn: Callable[[], Tensor]
    ) -> Tensor | float:
        if static_shape.ndims is not None:
            return static_shape.ndims == 0
        dynamic = dynamic_shape_fn()
        count = dynamic.get_shape().ndims is not None and dynamic.get_shape()[0].value
        if count is not None and count is not False:
            return count == 0
        sizes: Tensor = shape_tensor(dynamic)
        return build.Equal(sizes[0], 0)

    # Samples

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        self._absent("sample_n")

    def _call_sample_n(
        self, sample_shape: TensorLike, seed: int | None, name: str, **kwargs: Any
    ) -> Tensor:
        with self._name_scope(name, [sample_shape]):
            sample_shape = convert_to_tensor(sample_shape, dtypes.int32, name="sample_shape")
            sample_shape, n = self._expand_sample_shape_to_vector(sample_shape, "sample_shape")
            samples: Tensor = self._sample_n(n, seed, **kwargs)
            whole: Tensor = shape(samples)
            final = concat([sample_shape, whole[1:]], 0)
            return self._set_sample_static_shape(reshape(samples, final), sample_shape)

    def sample(
        self, sample_shape: TensorLike = (), seed: int | None = None, name: str = "sample"
    ) -> Tensor:
        """Draws samples.

        Args:
            sample_shape: an int32 vector or number: how many samples.
            seed: a seed of the op.
            name: the name scope.

        Returns:
            A tensor of shape sample_shape + batch_shape + event_shape.

        Raises:
            ValueError: if `sample_shape` is neither a vector nor a scalar.
        """
        return self._call_sample_n(sample_shape, seed, name)

    def _expand_sample_shape_to_vector(self, x: TensorLike, name: str) -> tuple[Tensor, Any]:
        known = constant_value(x)
        count = reduce_prod(x) if known is None else np.prod(known, dtype=x.dtype.as_numpy_dtype())
        ndims = x.get_shape().ndims
        if ndims is None:
            sizes = pick_vector(
                build.Equal(rank(x), 0), np.array([1], dtype=np.int32), shape_tensor(x)
            )
            return reshape(x, sizes), count
        if ndims == 0:
            if known is not None:
                return convert_to_tensor(
                    np.array([known], x.dtype.as_numpy_dtype()), name=name
                ), count
            return reshape(x, [1]), count
        if ndims != 1:
            raise ValueError("Input is neither scalar nor vector.")
        return x, count

    def _set_sample_static_shape(self, x: TensorLike, sample_shape: Tensor) -> Any:
        known = TensorShape(constant_value_as_shape(sample_shape))
        ndims = x.get_shape().ndims
        counts = known.ndims, self.batch_shape.ndims, self.event_shape.ndims
        sample_ndims, batch_ndims, event_ndims = counts
        if ndims is None and None not in counts:
            ndims = sum(counts)
            x.set_shape([None] * ndims)
        if ndims is not None and event_ndims is not None and self.event_shape.is_fully_defined():
            leading = TensorShape([None] * (ndims - event_ndims))
            x.set_shape(x.get_shape().merge_with(leading.concatenate(self.event_shape)))
        if ndims is not None and event_ndims is not None and batch_ndims is not None:
            before = TensorShape([None] * (ndims - event_ndims - batch_ndims))
            whole = before.concatenate(self.batch_shape).concatenate([None] * event_ndims)
            x.set_shape(x.get_shape().merge_with(whole))
        if ndims is not None and sample_ndims is not None:
            whole = known.concatenate([None] * (ndims - sample_ndims))
            x.set_shape(x.get_shape().merge_with(whole))
        return x

    # Functions of a value

    def _log_prob(self, value: Tensor) -> Tensor:
        self._absent("log_prob")

    def _prob(self, value: Tensor) -> Tensor:
        self._absent("prob")

    def _log_cdf(self, value: Tensor) -> Tensor:
        self._absent("log_cdf")

    def _cdf(self, value: Tensor) -> Tensor:
        self._absent("cdf")

    def _log_survival_function(self, value: Tensor) -> Tensor:
        self._absent("log_survival_function")

    def _survival_function(self, value: Tensor) -> Tensor:
        self._absent("survival_function")

    def _quantile(self, value: Tensor) -> Tensor:
        self._absent("quantile")

    def _of_value(
        self,
        value: TensorLike,
        name: str,
        first: str,
        other: Callable[[Any], Any],
        kwargs: dict[str, Any],
    ) -> Tensor:
        """The method that a class defines, or a fallback computed from another one."""
        with self._name_scope(name, [value]):
            value = convert_to_tensor(value, preferred_dtype=self.dtype, name="value")
            try:
                return getattr(self, first)(value, **kwargs)
            except NotImplementedError as error:
                try:
                    return other(value)
                except NotImplementedError:
                    raise error from None

    def _call_log_prob(self, value: TensorLike, name: str, **kwargs: Any) -> Tensor:
        def other(value: Tensor) -> Tensor:
            return build.Log(self._prob(value, **kwargs))

        return self._of_value(value, name, "_log_prob", other, kwargs)

    def _call_prob(self, value: TensorLike, name: str, **kwargs: Any) -> Tensor:
        def other(value: Tensor) -> Tensor:
            return build.Exp(self._log_prob(value, **kwargs))

        return self._of_value(value, name, "_prob", other, kwargs)

    def _call_log_cdf(self, value: TensorLike, name: str, **kwargs: Any) -> Tensor:
        def other(value: Tensor) -> Tensor:
            return build.Log(self._cdf(value, **kwargs))

        return self._of_value(value, name, "_log_cdf", other, kwargs)

    def _call_cdf(self, value: TensorLike, name: str, **kwargs: Any) -> Tensor:
        def other(value: Tensor) -> Tensor:
            return build.Exp(self._log_cdf(value, **kwargs))

        return self._of_value(value, name, "_cdf", other, kwargs)

    def _call_log_survival_function(self, value: TensorLike, name: str, **kwargs: Any) -> Tensor:
        def other(value: Tensor) -> Tensor:
            return build.Log1p(-self.cdf(value, **kwargs))

        return self._of_value(value, name, "_log_survival_function", other, kwargs)

    def _call_survival_function(self, value: TensorLike, name: str, **kwargs: Any) -> Tensor:
        def other(value: Tensor) -> Tensor:
            return 1.0 - self.cdf(value, **kwargs)

        return self._of_value(value, name, "_survival_function", other, kwargs)

    def _call_quantile(self, value: TensorLike, name: str, **kwargs: Any) -> Tensor:
        with self._name_scope(name, [value]):
            value = convert_to_tensor(value, preferred_dtype=self.dtype, name="value")
            return self._quantile(value, **kwargs)

    def log_prob(self, value: TensorLike, name: str = "log_prob") -> Tensor:
        """The logarithm of the probability density or mass.

        Args:
            value: samples; what comes before the batch and event shapes is broadcast.
            name: the name scope.

        Returns:
            A tensor with one number per sample.
        """
        return self._call_log_prob(value, name)

    def prob(self, value: TensorLike, name: str = "prob") -> Tensor:
        """The probability density or mass.

        Args:
            value: samples; what comes before the batch and event shapes is broadcast.
            name: the name scope.

        Returns:
            A tensor with one number per sample.
        """
        return self._call_prob(value, name)

    def log_cdf(self, value: TensorLike, name: str = "log_cdf") -> Tensor:
        """The logarithm of the probability of at most `value`.

        Args:
            value: a tensor.
            name: the name scope.

        Returns:
            A tensor with one number per value.
        """
        return self._call_log_cdf(value, name)

    def cdf(self, value: TensorLike, name: str = "cdf") -> Tensor:
        """The probability of at most `value`.

        Args:
            value: a tensor.
            name: the name scope.

        Returns:
            A tensor with one number per value.
        """
        return self._call_cdf(value, name)

    def log_survival_function(
        self, value: TensorLike, name: str = "log_survival_function"
    ) -> Tensor:
        """The logarithm of the probability of more than `value`.

        Args:
            value: a tensor.
            name: the name scope.

        Returns:
            A tensor with one number per value.
        """
        return self._call_log_survival_function(value, name)

    def survival_function(self, value: TensorLike, name: str = "survival_function") -> Tensor:
        """The probability of more than `value`.

        Args:
            value: a tensor.
            name: the name scope.

        Returns:
            A tensor with one number per value.
        """
        return self._call_survival_function(value, name)

    def quantile(self, value: TensorLike, name: str = "quantile") -> Tensor:
        """The inverse of `cdf`.

        Args:
            value: probabilities.
            name: the name scope.

        Returns:
            A tensor with one number per value.
        """
        return self._call_quantile(value, name)

    # Statistics

    def _entropy(self) -> Tensor:
        self._absent("entropy")

    def _mean(self) -> Tensor:
        self._absent("mean")

    def _mode(self) -> Tensor:
        self._absent("mode")

    def _variance(self) -> Tensor:
        self._absent("variance")

    def _stddev(self) -> Tensor:
        self._absent("stddev")

    def _covariance(self) -> Tensor:
        self._absent("covariance")

    def entropy(self, name: str = "entropy") -> Tensor:
        """The entropy in nats, for each distribution of the batch.

        Args:
            name: the name scope.

        Returns:
            A tensor of the batch's shape.
        """
        with self._name_scope(name):
            return self._entropy()

    def mean(self, name: str = "mean") -> Tensor:
        """The mean.

        Args:
            name: the name scope.

        Returns:
            A tensor of shape batch_shape + event_shape.
        """
        with self._name_scope(name):
            return self._mean()

    def mode(self, name: str = "mode") -> Tensor:
        """The most probable sample.

        Args:
            name: the name scope.

        Returns:
            A tensor of shape batch_shape + event_shape.
        """
        with self._name_scope(name):
            return self._mode()

    def variance(self, name: str = "variance") -> Tensor:
        """The variance of each element of a sample.

        Args:
            name: the name scope.

        Returns:
            A tensor of shape batch_shape + event_shape.
        """
        with self._name_scope(name):
            try:
                return self._variance()
            except NotImplementedError as error:
                try:
                    return build.Square(self._stddev())
                except NotImplementedError:
                    raise error from None

    def stddev(self, name: str = "stddev") -> Tensor:
        """The standard deviation of each element of a sample.

        Args:
            name: the name scope.

        Returns:
            A tensor of shape batch_shape + event_shape.
        """
        with self._name_scope(name):
            try:
                return self._stddev()
            except NotImplementedError as error:
                try:
                    return build.Sqrt(self._variance())
                except NotImplementedError:
                    raise error from None

    def covariance(self, name: str = "covariance") -> Tensor:
        """The covariance of the elements of a sample.

        Args:
            name: the name scope.

        Returns:
            A tensor of shape batch_shape + [k, k] for vectors of k elements.
        """
        with self._name_scope(name):
            return self._covariance()

    def _cross_entropy(self, other: Distribution) -> Tensor:
        return cross_entropy(self, other, allow_nan_stats=self.allow_nan_stats)

    def cross_entropy(self, other: Distribution, name: str = "cross_entropy") -> Tensor:
        """The cross entropy of this distribution and another one, in nats.

        Args:
            other: a distribution.
            name: the name scope.

        Returns:
            A tensor of the batch's shape.
        """
        with self._name_scope(name):
            return self._cross_entropy(other)

    def _kl_divergence(self, other: Distribution) -> Tensor:
        return kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def kl_divergence(self, other: Distribution, name: str = "kl_divergence") -> Tensor:
        """The Kullback-Leibler divergence of this distribution from another one, in nats.

        Args:
            other: a distribution.
            name: the name scope.

        Returns:
            A tensor of the batch's shape.
        """
        with self._name_scope(name):
            return self._kl_divergence(other)

    def _shape_texts(self) -> list[tuple[str, TensorShape]]:
        shapes = (("batch_shape", self.batch_shape), ("event_shape", self.event_shape))
        return [(name, value) for name, value in shapes if value.ndims is not None]

    def __str__(self) -> str:
        texts = [f'"{self.name}"', *(f"{name}={value}" for name, value in self._shape_texts())]
        texts.append(f"dtype={self.dtype.name}")
        return f"tfp.distributions.{type(self).__name__}({', '.join(texts)})"

    def __repr__(self) -> str:
        return (
            f"<tfp.distributions.{type(self).__name__} '{self.name}' "
            f"batch_shape={self.batch_shape} event_shape={self.event_shape} "
            f"dtype={self.dtype.name}>"
        )

    @contextlib.contextmanager
    def _name_scope(
        self, name: str | None = None, values: Sequence[TensorLike] | None = None
    ) -> Iterator[str]:
        with (
            name_scope(self.name),
            name_scope(name, None, [*(values or []), *self._graph_parents]) as scope,
        ):
            yield scope
