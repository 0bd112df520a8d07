"""Distributions with all of their mass in one point."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike
from headwater.graph import (
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
)
from headwater.model.distributions.distribution import NOT_REPARAMETERIZED, Distribution
from headwater.ops.array.concat import concat
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import ones
from headwater.ops.array.shape import shape
from headwater.ops.control.identity import identity
from headwater.ops.control.rank_checks import assert_rank_at_least
from headwater.ops.control.value_checks import assert_non_negative
from headwater.ops.math.cast import cast
from headwater.ops.math.reduce_functions import reduce_all


class _Fixed(Distribution):
    """The base of both: a location, and the tolerance within which points count as equal."""

    def __init__(
        self,
        loc: TensorLike,
        atol: TensorLike | None,
        rtol: TensorLike | None,
        is_vector: bool,
        validate_args: bool,
        allow_nan_stats: bool,
        name: str,
        parameters: dict[str, Any],
    ) -> None:
        with name_scope(name, None, [loc, atol, rtol]) as scope:
            given: TensorLike = convert_to_tensor(loc, name="loc")
            if is_vector and validate_args:
                text = "Argument loc must be at least rank 1."
                if given.get_shape().ndims is not None:
                    if given.get_shape().ndims < 1:
                        raise ValueError(text)
                else:
                    with control_dependencies([assert_rank_at_least(given, 1, message=text)]):
                        given = identity(given)
            self._loc = given
            super().__init__(
                dtype=given.dtype,
                reparameterization_type=NOT_REPARAMETERIZED,
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                parameters=parameters,
                graph_parents=[given],
                name=scope,
            )
            self._atol: Tensor = self._tolerance(atol, "atol")
            self._rtol: Tensor = self._tolerance(rtol, "rtol")
            # Without tolerances, only equal points match.
            self._slack: TensorLike
            if rtol is None:
                self._slack = self._atol
            else:
                self._slack = self._atol + self._rtol * build.Abs(self._loc)

    def _tolerance(self, value: TensorLike, name: str) -> Tensor:
        if value is None:
            return convert_to_tensor(0, dtype=self._loc.dtype, name=name)
        tensor = convert_to_tensor(value, dtype=self._loc.dtype, name=name)
        if not self.validate_args:
            return tensor
        check = assert_non_negative(tensor, message=f'Argument "{name}" must be non-negative')
        with control_dependencies([check]):
            return identity(tensor)

    @property
    def loc(self) -> Tensor:
        """The points."""
        return self._loc

    @property
    def atol(self) -> Tensor:
        """The absolute tolerance."""
        return self._atol

    @property
    def rtol(self) -> Tensor:
        """The relative tolerance."""
        return self._rtol

    def _entropy(self) -> Tensor:
        return build.Fill(self.batch_shape_tensor(), constant(0, dtype=self.dtype))

    def _mean(self) -> Tensor:
        return identity(self.loc)

    def _variance(self) -> Tensor:
        return build.ZerosLike(self.loc)

    def _mode(self) -> Tensor:
        return self.mean()

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        event = self.event_shape_tensor()
        whole = concat([[n], self.batch_shape_tensor(), event], 0)
        return self.loc * ones(whole, dtype=self.dtype)

    def _near(self, x: Tensor) -> Tensor:
        return build.LessEqual(build.Abs(x - self.loc), self._slack)


@export("contrib.distributions.Deterministic")
class Deterministic(_Fixed):
    """A number that is always the same; the probability of it is 1.

    Args:
        loc: the numbers.
        atol: how far from them other numbers count as the same; 0 if None.
        rtol: the same, relative to them.
        validate_args: whether parameters are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        loc: TensorLike,
        atol: TensorLike | None = None,
        rtol: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Deterministic",
    ) -> None:
        super().__init__(
            loc, atol, rtol, False, validate_args, allow_nan_stats, name, dict(locals())
        )

    def _batch_shape_tensor(self) -> Tensor:
        return shape(self.loc)

    def _batch_shape(self) -> TensorShape:
        return self.loc.get_shape()

    def _event_shape_tensor(self) -> Tensor:
        return constant([], dtype=dtypes.int32)

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _prob(self, x: Tensor) -> Tensor:
        return cast(self._near(x), self.dtype)

    def _cdf(self, x: TensorLike) -> Tensor:
        return cast(build.GreaterEqual(x, self.loc - self._slack), self.dtype)


@export("contrib.distributions.VectorDeterministic")
class VectorDeterministic(_Fixed):
    """A vector that is always the same; the probability of it is 1.

    Args:
        loc: the vectors, [..., k].
        atol: how far from their elements others count as the same; 0 if None.
        rtol: the same, relative to them.
        validate_args: whether parameters and values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        loc: TensorLike,
        atol: TensorLike | None = None,
        rtol: TensorLike = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorDeterministic",
    ) -> None:
        super().__init__(
            loc, atol, rtol, True, validate_args, allow_nan_stats, name, dict(locals())
        )

    def _batch_shape_tensor(self) -> Tensor:
        sizes: TensorLike = shape(self.loc)
        return sizes[:-1]

    def _batch_shape(self) -> TensorShape:
        return self.loc.get_shape()[:-1]

    def _event_shape_tensor(self) -> Tensor:
        sizes: TensorLike = shape(self.loc)
        return sizes[-1:]

    def _event_shape(self) -> TensorShape:
        return self.loc.get_shape()[-1:]

    def _prob(self, x: TensorLike) -> Tensor:
        if self.validate_args:
            text = "Argument x must be at least rank 1."
            with control_dependencies([assert_rank_at_least(x, 1, message=text)]):
                x = identity(x)
        return cast(reduce_all(self._near(x), axis=-1), self.dtype)
