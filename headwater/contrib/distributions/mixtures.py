"""Mixtures: one of several distributions, drawn by a categorical one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope, with_dependencies
from headwater.model.distributions.arguments import gen_new_seed
from headwater.model.distributions.categorical import Categorical
from headwater.model.distributions.distribution import (
    NOT_REPARAMETERIZED,
    Distribution,
)
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.one_hot import one_hot
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.shape import shape, size
from headwater.ops.array.stack import stack, unstack
from headwater.ops.control.value_checks import assert_equal
from headwater.ops.math.add_n import add_n
from headwater.ops.math.ranges import range_
from headwater.ops.math.reduce_functions import reduce_logsumexp, reduce_prod, reduce_sum
from headwater.ops.nn.softmax import log_softmax, softmax


@export("contrib.distributions.Mixture")
class Mixture(Distribution):
    """One of a list of distributions, of any kinds.

    Args:
        cat: a Categorical with one class per distribution.
        components: the distributions, with the same type, batch and event.
        validate_args: whether shapes are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        use_static_graph: whether samples are drawn of all, and then selected.
        name: the name scope.

    Raises:
        TypeError: if an argument is not a distribution, or types differ.
        ValueError: if there are no components, or shapes differ.
    """

    def __init__(
        self,
        cat: Any,
        components: Sequence[Distribution],
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        use_static_graph: bool = False,
        name: str = "Mixture",
    ) -> None:
        parameters = dict(locals())
        if not isinstance(cat, Categorical):
            raise TypeError(f"cat must be a Categorical distribution, but saw: {cat}")
        if not components:
            raise ValueError("components must be a non-empty list or tuple")
        if not isinstance(components, (list, tuple)):
            raise TypeError(f"components must be a list or tuple, but saw: {components}")
        if not all(isinstance(c, Distribution) for c in components):
            raise TypeError(
                f"all entries in components must be Distribution instances but saw: {components}"
            )
        dtype = components[0].dtype
        if not all(c.dtype == dtype for c in components):
            raise TypeError(
                "All components must have the same dtype, but saw dtypes: "
                f"{[(c.name, c.dtype) for c in components]}"
            )
        event = components[0].event_shape
        batch = cat.batch_shape
        for c in components:
            batch = batch.merge_with(c.batch_shape)
            event = event.merge_with(c.event_shape)
        if event.ndims is None:
            raise ValueError(
                "Expected to know rank(event_shape) from components, but "
                "none of the components provide a static number of ndims"
            )
        with name_scope(name) as scope:
            count: TensorLike = cat.event_size
            known = cat.logits.get_shape()
            if known.ndims is not None and known[-1].value is not None:
                count = known[-1].value
                if count != len(components):
                    raise ValueError(
                        f"cat.num_classes != len(components): {count} vs. {len(components)}"
                    )
            self._cat = cat
            self._components = list(components)
            self._static_event, self._static_batch = event, batch
            self._use_static_graph = use_static_graph
            self._checks: list[Any] = []
            if validate_args:
                text = "components batch shape must match cat batch shape"
                sizes = cat.batch_shape_tensor()
                self._checks = [
                    assert_equal(sizes, c.batch_shape_tensor(), message=text)
                    for c in self._components
                ]
        parents = list(cat._graph_parents)
        for c in components:
            parents += c._graph_parents
        super().__init__(
            dtype=dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=parents,
            name=scope,
        )

    @property
    def cat(self) -> Categorical:
        """The distribution of classes."""
        return self._cat

    @property
    def components(self) -> list[Any]:
        """The distributions."""
        return self._components

    @property
    def num_components(self) -> int:
        """Their number."""
        return len(self._components)

    def _batch_shape_tensor(self) -> Tensor:
        return self._cat.batch_shape_tensor()

    def _batch_shape(self) -> TensorShape:
        return self._static_batch

    def _event_shape_tensor(self) -> Tensor:
        return self._components[0].event_shape_tensor()

    def _event_shape(self) -> TensorShape:
        return self._static_event

    def _expanded(self, x: TensorLike) -> Tensor:
        """A value of the batch that broadcasts over events."""
        for _ in range(self._static_event.ndims or 0):
            x = expand_dims(x, -1)
        return x

    def _class_probs(self, log_probs: bool) -> list[Any]:
        which = log_softmax if log_probs else softmax
        probs = unstack(which(self.cat.logits), num=self.num_components, axis=-1)
        return list(probs)

    def _mean(self) -> Tensor:
        probs = self._class_probs(log_probs=False)
        return add_n(
            [self._expanded(p) * c.mean() for p, c in zip(probs, self.components, strict=True)]
        )

    def _stddev(self) -> Tensor:
        # The mean of variances, and the variance of means.
        probs = [self._expanded(p) for p in self._class_probs(log_probs=False)]
        means = stack([c.mean() for c in self.components], axis=-1)
        deviations = stack([c.stddev() for c in self.components], axis=-1)
        weights: TensorLike = stack(
            [p + build.ZerosLike(c.mean()) for p, c in zip(probs, self.components, strict=True)],
            axis=-1,
        )
        mean: Tensor = reduce_sum(weights * means, axis=-1)
        spread = reduce_sum(weights * (build.Square(deviations) + build.Square(means)), axis=-1)
        return build.Sqrt(spread - build.Square(mean))

    def _log_prob(self, x: TensorLike) -> Tensor:
        x = with_dependencies(self._checks, x) if self._checks else x
        logs = self._class_probs(log_probs=True)
        found = [p + c.log_prob(x) for p, c in zip(logs, self.components, strict=True)]
        return reduce_logsumexp(stack(found, axis=0), axis=[0])

    def _log_cdf(self, x: TensorLike) -> Tensor:
        x = with_dependencies(self._checks, x) if self._checks else x
        logs = self._class_probs(log_probs=True)
        found = [p + c.log_cdf(x) for p, c in zip(logs, self.components, strict=True)]
        return reduce_logsumexp(stack(found, axis=0), axis=[0])

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        if self._use_static_graph:
            return self._sample_all(n, seed)
        n = convert_to_tensor(n, name="n")
        drawn: Tensor = self.cat.sample(n, seed=seed)
        static = drawn.get_shape()
        if static.is_fully_defined():
            samples_shape: Array = static.as_list()
            samples_size: TensorLike = static.num_elements()
        else:
            samples_shape = shape(drawn)
            samples_size = size(drawn)
        known_batch = self.batch_shape
        if known_batch.is_fully_defined():
            batch_size: TensorLike = known_batch.num_elements()
        else:
            batch_size = reduce_prod(self.batch_shape_tensor())
        known_event = self.event_shape
        if known_event.is_fully_defined():
            event_shape: TensorLike = known_event.as_list()
        else:
            event_shape = self.event_shape_tensor()
        # For each component: which samples are its own, and of which distribution of the batch.
        places = reshape(range_(0, samples_size), samples_shape)
        own_places = build.DynamicPartition(places, drawn, num_partitions=self.num_components)
        rows: TensorLike = range_(0, batch_size)
        batch_rows = reshape(
            rows + build.ZerosLike(reshape(places, [-1, batch_size])), samples_shape
        )
        own_rows = build.DynamicPartition(batch_rows, drawn, num_partitions=self.num_components)
        found = []
        for k, component in enumerate(self.components):
            count = size(own_places[k])
            seed = gen_new_seed(seed, "mixture")
            each = component.sample(count, seed=seed)
            # Of `count` draws of the whole batch, the one of the distribution at this position.
            ids = range_(0, count) * batch_size + own_rows[k]
            flat = reshape(each, concat([[-1], event_shape], 0))
            found.append(build.GatherV2(flat, ids, 0))
        flat = build.DynamicStitch(list(own_places), found)
        result = reshape(flat, concat([samples_shape, event_shape], 0))
        result.set_shape(TensorShape([None]).concatenate(known_batch).concatenate(known_event))
        return result

    def _sample_all(self, n: Array, seed: int | None) -> Tensor:
        found = []
        drawn = self.cat.sample(n, seed=seed)
        stream = seed
        for component in self.components:
            stream = gen_new_seed(stream, "mixture")
            found.append(component.sample(n, seed=stream))
        stacked = stack(found, -1 - (self._static_event.ndims or 0))
        mask: Tensor = one_hot(
            indices=drawn,
            depth=self.num_components,
            on_value=constant(1, self.dtype),
            off_value=constant(0, self.dtype),
            dtype=self.dtype,
        )
        mask = self._expanded(mask)
        return reduce_sum(stacked * mask, axis=-1 - (self._static_event.ndims or 0))

    def entropy_lower_bound(self, name: str = "entropy_lower_bound") -> Tensor:
        """A lower bound of the entropy: the mean of the components' entropies.

        Args:
            name: the name scope.

        Returns:
            A tensor with the shape of the batch.
        """
        with self._name_scope(name, [self.cat.logits]):
            probs = self._class_probs(log_probs=False)
            return add_n([p * c.entropy() for p, c in zip(probs, self.components, strict=True)])


@export("contrib.distributions.MixtureSameFamily")
class MixtureSameFamily(Distribution):
    """One of several distributions of one kind: the last dimension of its batch.

    Args:
        mixture_distribution: a Categorical, with that batch without its last dimension, or with
            no batch.
        components_distribution: the distributions.
        validate_args: whether shapes are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        ValueError: if the numbers of classes and of distributions, or batches, differ.
    """

    def __init__(
        self,
        mixture_distribution: Any,
        components_distribution: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MixtureSameFamily",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._mixture_distribution = mixture_distribution
            self._components_distribution = components_distribution
            if not mixture_distribution.dtype.is_integer:
                raise ValueError(
                    f"`mixture_distribution.dtype` ({mixture_distribution.dtype.name}) is not "
                    "over integers"
                )
            known = mixture_distribution.batch_shape
            below = components_distribution.batch_shape.with_rank_at_least(1)[:-1]
            static = known.is_fully_defined() and below.is_fully_defined()
            if static and known.ndims != 0 and known != below:
                raise ValueError(
                    "`mixture_distribution.batch_shape` "
                    f"(`{known.as_list()}`) is not compatible with "
                    f"`components_distribution.batch_shape` (`{below.as_list()}`)"
                )
            classes = mixture_distribution.logits.get_shape()
            classes = None if classes.ndims is None else classes[-1].value
            count = components_distribution.batch_shape.with_rank_at_least(1)[-1].value
            if classes is not None and count is not None and classes != count:
                raise ValueError(
                    f"`mixture_distribution components` ({classes}) does not equal "
                    f"`components_distribution.batch_shape[-1]` ({count})"
                )
            self._num_components = classes if classes is not None else count
            self._event_ndims = components_distribution.event_shape.ndims or 0
        super().__init__(
            dtype=components_distribution.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=(
                mixture_distribution._graph_parents + components_distribution._graph_parents
            ),
            name=scope,
        )

    @property
    def mixture_distribution(self) -> Categorical:
        """The distribution of classes."""
        return self._mixture_distribution

    @property
    def components_distribution(self) -> Distribution:
        """The distributions."""
        return self._components_distribution

    def _batch_shape_tensor(self) -> Tensor:
        sizes: TensorLike = self.components_distribution.batch_shape_tensor()
        return sizes[:-1]

    def _batch_shape(self) -> TensorShape:
        return self.components_distribution.batch_shape.with_rank_at_least(1)[:-1]

    def _event_shape_tensor(self) -> Tensor:
        return self.components_distribution.event_shape_tensor()

    def _event_shape(self) -> TensorShape:
        return self.components_distribution.event_shape

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        x: TensorLike = self.components_distribution.sample(n, seed=seed)
        if x.get_shape().is_fully_defined():
            batch = x.get_shape().as_list()[1 : x.get_shape().ndims - self._event_ndims - 1]
        else:
            sizes: TensorLike = shape(x)
            batch = sizes[1 : size(sizes) - self._event_ndims - 1]
        counts: Any = [n]
        if self.mixture_distribution.batch_shape.ndims == 0:
            counts = concat([[n], batch], 0)
        drawn = self.mixture_distribution.sample(
            counts, seed=gen_new_seed(seed, "MixtureSameFamily")
        )
        mask: TensorLike = one_hot(drawn, depth=self._num_components, dtype=self.dtype)
        return reduce_sum(x * self._spread(mask), axis=-1 - self._event_ndims)

    def _spread(self, x: TensorLike) -> Tensor:
        for _ in range(self._event_ndims):
            x = expand_dims(x, -1)
        return x

    def _padded(self, x: TensorLike) -> Tensor:
        """A value with a dimension of components before those of the event."""
        return expand_dims(x, -1 - self._event_ndims)

    def _log_prob(self, x: Tensor) -> Tensor:
        logs = self.components_distribution.log_prob(self._padded(x))
        return reduce_logsumexp(logs + log_softmax(self.mixture_distribution.logits), axis=-1)

    def _log_cdf(self, x: Tensor) -> Tensor:
        logs = self.components_distribution.log_cdf(self._padded(x))
        return reduce_logsumexp(logs + log_softmax(self.mixture_distribution.logits), axis=-1)

    def _cdf(self, x: Tensor) -> Tensor:
        return build.Exp(self._log_cdf(x))

    def _mean(self) -> Tensor:
        probs: TensorLike = self._spread(self.mixture_distribution.probs)
        return reduce_sum(probs * self.components_distribution.mean(), axis=-1 - self._event_ndims)

    def _variance(self) -> Tensor:
        # The mean of variances, and the variance of means.
        probs: TensorLike = self._spread(self.mixture_distribution.probs)
        axis = -1 - self._event_ndims
        mean = self._mean()
        of_means = reduce_sum(
            probs
            * build.SquaredDifference(self.components_distribution.mean(), self._padded(mean)),
            axis=axis,
        )
        return reduce_sum(probs * self.components_distribution.variance(), axis=axis) + of_means

    def _covariance(self) -> Tensor:
        if self._event_ndims != 1:
            raise NotImplementedError("covariance is not implemented")
        probs: Tensor = self.mixture_distribution.probs
        weights: Tensor = expand_dims(expand_dims(probs, -1), -1)
        means: Tensor = self.components_distribution.mean()
        difference: Tensor = means - self._padded(self._mean())
        outer = expand_dims(difference, -1) * expand_dims(difference, -2)
        return reduce_sum(weights * (self.components_distribution.covariance() + outer), axis=-3)
