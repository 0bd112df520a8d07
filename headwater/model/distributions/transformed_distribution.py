"""The distribution of a function of a random variable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_value_as_shape,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
)
from headwater.model.distributions.arrays import rotate_transpose
from headwater.model.distributions.bijector import Bijector, Identity
from headwater.model.distributions.distribution import Distribution
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import zeros
from headwater.ops.array.reshape import reshape
from headwater.ops.array.shape import broadcast_static_shape, shape
from headwater.ops.control.assertion import assert_
from headwater.ops.control.identity import identity
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_prod, reduce_sum


@export("contrib.distributions.TransformedDistribution")
class TransformedDistribution(Distribution):
    """The distribution of y = bijector.forward(x), where x has a given distribution.

    The density of y is that of x = bijector.inverse(y) times |det dx/dy|.

    Args:
        distribution: the distribution of x.
        bijector: the function; the identity if None.
        batch_shape: a batch of independent variables x; only for a scalar batch.
        event_shape: an event of independent variables x; only for scalar events.
        validate_args: whether parameters and arguments are checked when the graph runs.
        name: the name scope; those of bijector and distribution if None.

    Raises:
        ValueError: if a shape is given and the distribution has one already.
    """

    def __init__(
        self,
        distribution: Distribution,
        bijector: Bijector | None = None,
        batch_shape: ShapeLike = None,
        event_shape: ShapeLike | None = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        parameters = dict(locals())
        if name is None:
            name = ("" if bijector is None else bijector.name) + distribution.name
        with name_scope(name, None, [batch_shape, event_shape]) as scope:
            self._distribution = distribution
            self._bijector = Identity(validate_args=validate_args) if bijector is None else bijector
            self._new_batch = self._override(
                batch_shape, "batch_shape", distribution.is_scalar_batch, validate_args
            )
            self._new_event = self._override(
                event_shape, "event_shape", distribution.is_scalar_event, validate_args
            )
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=parameters,
            graph_parents=distribution._graph_parents + self._bijector.graph_parents,
            name=scope,
        )

    def _override(
        self, value: TensorLike, role: str, is_scalar: Callable[..., Any], validate_args: bool
    ) -> Any:
        """A new shape as an int32 vector, or None; checks that it takes the place of none."""
        if value is None:
            return None
        sizes: TensorLike = convert_to_tensor(value, dtype=dtypes.int32, name=role)
        length = None if sizes.get_shape().ndims is None else sizes.get_shape()[0].value
        if length == 0:
            return None
        base = getattr(self._distribution, role)
        if base.ndims is None:
            if validate_args:
                text = "base distribution not scalar"
                with control_dependencies([assert_(is_scalar(), [text])]):
                    sizes = identity(sizes)
        elif base.ndims != 0:
            raise ValueError("base distribution not scalar")
        return sizes

    @property
    def distribution(self) -> Any:
        """The distribution of x."""
        return self._distribution

    @property
    def bijector(self) -> Any:
        """The function."""
        return self._bijector

    # Shapes

    def _base_event_shape(self) -> TensorShape:
        if self._new_event is None:
            return self.distribution.event_shape
        return TensorShape(constant_value_as_shape(self._new_event))

    def _event_shape_tensor(self) -> Tensor:
        base = self._new_event
        if base is None:
            base = self.distribution.event_shape_tensor()
        return self.bijector.forward_event_shape_tensor(base)

    def _event_shape(self) -> TensorShape:
        return self.bijector.forward_event_shape(self._base_event_shape())

    def _batch_shape_tensor(self) -> Tensor:
        if self._new_batch is None:
            return self.distribution.batch_shape_tensor()
        return self._new_batch

    def _batch_shape(self) -> TensorShape:
        if self._new_batch is None:
            return self.distribution.batch_shape
        return TensorShape(constant_value_as_shape(self._new_batch))

    def _new_event_ndims(self) -> int:
        if self._new_event is None:
            return 0
        return self._new_event.get_shape()[0].value

    def _rotated_ndims(self) -> int:
        """How many event dimensions are drawn before the batch and must be moved behind it."""
        known = self.distribution.batch_shape.ndims
        if self._new_batch is not None or known == 0:
            return 0
        return self._new_event_ndims()

    # Samples

    def _call_sample_n(
        self, sample_shape: TensorLike, seed: int | None, name: str, **kwargs: Any
    ) -> Tensor:
        with self._name_scope(name, [sample_shape]):
            sample_shape = convert_to_tensor(sample_shape, dtypes.int32, name="sample_shape")
            sample_shape, n = self._expand_sample_shape_to_vector(sample_shape, "sample_shape")
            rotated = self._rotated_ndims()
            parts = [x for x in (self._new_batch, self._new_event) if x is not None]
            parts = [*parts, [n]] if rotated else [[n], *parts]
            counts = concat(parts, 0) if len(parts) > 1 else convert_to_tensor(parts[0])
            x = self.distribution.sample(sample_shape=counts, seed=seed)
            if rotated:
                x = rotate_transpose(x, -rotated)
            whole: Tensor = shape(x)
            x = reshape(x, concat([sample_shape, whole[1:]], 0))
            y = self.bijector.forward(x, **kwargs)
            return self._set_sample_static_shape(y, sample_shape)

    # Functions of a value

    def _log_prob(self, y: Tensor) -> Tensor:
        x = self.bijector.inverse(y)
        log_det = self._inverse_log_det(y)
        result = self.distribution.log_prob(self._rotated_back(x))
        if self._new_event is not None:
            result = reduce_sum(result, self._event_axes())
        result = result + cast(log_det, result.dtype)
        return self._with_batch_shape(result, y)

    def _prob(self, y: Tensor) -> Tensor:
        x = self.bijector.inverse(y)
        log_det = self._inverse_log_det(y)
        result = self.distribution.prob(self._rotated_back(x))
        if self._new_event is not None:
            result = reduce_prod(result, self._event_axes())
        result = result * build.Exp(cast(log_det, result.dtype))
        return self._with_batch_shape(result, y)

    def _inverse_log_det(self, y: Tensor) -> Tensor:
        return self.bijector.inverse_log_det_jacobian(y, event_ndims=self._event_ndims())

    def _event_ndims(self) -> Any:
        known = self.event_shape.ndims
        if known is not None:
            return known
        sizes: TensorLike = shape(self.event_shape_tensor())
        return sizes[0]

    def _rotated_back(self, x: TensorLike) -> Tensor:
        rotated = self._rotated_ndims()
        return rotate_transpose(x, rotated) if rotated else x

    def _event_axes(self) -> list[int]:
        count = self._new_event_ndims()
        return list(range(count)) if self._rotated_ndims() else list(range(-count, 0))

    def _with_batch_shape(self, result: Tensor, y: Tensor) -> Tensor:
        ndims, event_ndims = y.get_shape().ndims, self.event_shape.ndims
        if self._new_event is not None and ndims is not None and event_ndims is not None:
            batch = y.get_shape()[: ndims - event_ndims]
            result.set_shape(broadcast_static_shape(batch, self.batch_shape))
        return result

    def _of_scalar_events(self, method: str) -> Any:
        if self._new_event is not None:
            raise NotImplementedError(f"{method} is not implemented when overriding event_shape")
        return getattr(self.distribution, method)

    def _log_cdf(self, y: Tensor) -> Tensor:
        return self._of_scalar_events("log_cdf")(self.bijector.inverse(y))

    def _cdf(self, y: Tensor) -> Tensor:
        return self._of_scalar_events("cdf")(self.bijector.inverse(y))

    def _log_survival_function(self, y: Tensor) -> Tensor:
        return self._of_scalar_events("log_survival_function")(self.bijector.inverse(y))

    def _survival_function(self, y: Tensor) -> Tensor:
        return self._of_scalar_events("survival_function")(self.bijector.inverse(y))

    def _quantile(self, value: Tensor) -> Tensor:
        return self.bijector.forward(self._of_scalar_events("quantile")(value))

    # Statistics

    def _entropy(self) -> Tensor:
        if not self.bijector.is_constant_jacobian:
            raise NotImplementedError("entropy is not implemented")
        # The entropy of y is that of x plus the logarithm of the constant |det dy/dx|.
        entropy = self.distribution.entropy()
        if self._new_event is not None:
            entropy = entropy * cast(reduce_prod(self._new_event), entropy.dtype.base_dtype)
        if self._new_batch is not None:
            entropy = entropy + zeros(self._new_batch, entropy.dtype)
        whole = concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        sample: Tensor = zeros(whole, self.dtype)
        return entropy - self._inverse_log_det(sample)
