"""Normal distributions of vectors, and other distributions of scale z + loc."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base.older_calls import renamed
from headwater.base.typing import DTypeLike, TensorLike
from headwater.contrib.distributions.affine_bijectors import AffineLinearOperator
from headwater.contrib.distributions.scales import make_diag_scale, make_tril_scale
from headwater.graph import (
    Tensor,
    build,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
)
from headwater.model.distributions.exponential import Exponential
from headwater.model.distributions.kullback_leibler import RegisterKL
from headwater.model.distributions.laplace import Laplace
from headwater.model.distributions.normal import Normal
from headwater.model.distributions.transformed_distribution import TransformedDistribution
from headwater.model.linalg.diag import LinearOperatorDiag
from headwater.model.linalg.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from headwater.model.linalg.low_rank_update import LinearOperatorLowRankUpdate
from headwater.model.linalg.operator import LinearOperator
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones, zeros
from headwater.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape, shape
from headwater.ops.control.identity import identity
from headwater.ops.control.value_checks import assert_near
from headwater.ops.linalg.cholesky import cholesky
from headwater.ops.linalg.diagonal import matrix_diag, matrix_diag_part
from headwater.ops.math.matmul import matmul
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.nn.softplus import softplus

if TYPE_CHECKING:
    from headwater.model.distributions.scalar import ScalarDistribution


def shapes_of(loc: TensorLike, scale: LinearOperator) -> tuple[Any, Any]:
    """The shapes of batch and event, as lists of integers where they are known."""
    static = scale.batch_shape
    event: int | None = scale.range_dimension.value
    event_shape = [event] if event is not None else [scale.range_dimension_tensor()]
    if loc is not None and loc.get_shape().ndims is not None:
        static = broadcast_static_shape(static, loc.get_shape()[:-1])
        if static.is_fully_defined():
            return static.as_list(), event_shape
    elif loc is None and static.is_fully_defined():
        return static.as_list(), event_shape
    sizes: TensorLike = scale.batch_shape_tensor()
    if loc is not None:
        of_loc: TensorLike = shape(loc)
        sizes = broadcast_dynamic_shape(sizes, of_loc[:-1])
    return sizes, event_shape


class _VectorLinear(TransformedDistribution):
    """The distribution of scale z + loc; z has independent elements with a given distribution."""

    def _make(
        self,
        base: ScalarDistribution,
        loc: TensorLike,
        scale: LinearOperator,
        validate_args: bool,
        name: str,
        parameters: dict[str, Any],
    ) -> None:
        batch_shape, event_shape = shapes_of(loc, scale)
        TransformedDistribution.__init__(
            self,
            distribution=base,
            bijector=AffineLinearOperator(shift=loc, scale=scale, validate_args=validate_args),
            batch_shape=batch_shape,
            event_shape=event_shape,
            validate_args=validate_args,
            name=name,
        )
        self._parameters = parameters

    @property
    def loc(self) -> Tensor | None:
        """What is added; None for nothing."""
        return self.bijector.shift

    @property
    def scale(self) -> Any:
        """The operator that scales."""
        return self.bijector.scale

    def _whole_shape(self) -> Any:
        known = self.batch_shape.concatenate(self.event_shape)
        if known.is_fully_defined():
            return known.as_list()
        return concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)

    def _broadcast(self, x: Tensor) -> Tensor:
        """`x` with the shape of batch and event."""
        result = x + zeros(self._whole_shape(), dtype=self.dtype)
        return result

    def _mean_of_base(self) -> Any:
        """The mean and mode of z; None for 0."""
        return None

    def _variance_of_base(self) -> float:
        return 1.0

    def _mean(self) -> Tensor:
        if self.loc is None:
            return zeros(self._whole_shape(), dtype=self.dtype)
        known = self.batch_shape.concatenate(self.event_shape)
        if known.is_fully_defined() and self.loc.get_shape() == known:
            return identity(self.loc)
        return self._broadcast(self.loc)

    def _mode(self) -> Tensor:
        return self._mean()

    def _is_diagonal(self) -> bool:
        scale = self.scale
        kinds = (LinearOperatorIdentity, LinearOperatorScaledIdentity, LinearOperatorDiag)
        return isinstance(scale, kinds)

    def _covariance(self) -> Tensor:
        factor = self._variance_of_base()
        if self._is_diagonal():
            result: Tensor = matrix_diag(build.Square(self.scale.diag_part()))
        else:
            dense = self.scale.to_dense()
            result = matmul(dense, dense, adjoint_b=True)
        return result if factor == 1.0 else factor * result

    def _variance(self) -> Tensor:
        factor = self._variance_of_base()
        if self._is_diagonal():
            result: TensorLike = build.Square(self.scale.diag_part())
        elif isinstance(self.scale, LinearOperatorLowRankUpdate) and self.scale.is_self_adjoint:
            result = matrix_diag_part(self.scale.matmul(self.scale.to_dense()))
        else:
            dense = self.scale.to_dense()
            result = reduce_sum(build.Square(dense), axis=-1)
        return result if factor == 1.0 else factor * result

    def _stddev(self) -> Tensor:
        if self._is_diagonal() and self._variance_of_base() == 1.0:
            return build.Abs(self.scale.diag_part())
        return build.Sqrt(self._variance())


def _type_of(loc: TensorLike, scale: TensorLike) -> Any:
    return scale.dtype.base_dtype if loc is None else loc.dtype.base_dtype


@export("contrib.distributions.MultivariateNormalLinearOperator")
class MultivariateNormalLinearOperator(_VectorLinear):
    """The normal distribution of vectors scale z + loc, where z is standard normal.

    Args:
        loc: the means, [..., k]; zeros if None.
        scale: a LinearOperator [..., k, k], not singular.
        validate_args: whether values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        ValueError: if `scale` is missing.
        TypeError: if its elements are not floating-point numbers.
    """

    @property
    def mu(self) -> Tensor:
        """The means: the name before release 1.2."""
        return self.mean()

    @property
    def sigma(self) -> Tensor:
        """The covariances: the name before release 1.2."""
        return self.covariance()

    def __init__(
        self,
        loc: TensorLike | None = None,
        scale: LinearOperator | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalLinearOperator",
    ) -> None:
        parameters = dict(locals())
        if scale is None:
            raise ValueError("Missing required `scale` parameter.")
        if not scale.dtype.is_floating:
            raise TypeError("`scale` parameter must have floating-point dtype.")
        with name_scope(name, None, [loc, *scale.graph_parents]) as scope:
            given = None if loc is None else convert_to_tensor(loc, name="loc")
            self._make(
                Normal(loc=zeros([], dtype=scale.dtype), scale=ones([], dtype=scale.dtype)),
                given,
                scale,
                validate_args,
                scope,
                parameters,
            )


@export("contrib.distributions.MultivariateNormalDiag")
class MultivariateNormalDiag(MultivariateNormalLinearOperator):
    """The normal distribution of vectors whose elements are independent.

    Args:
        loc: the means, [..., k]; zeros if None.
        scale_diag: the standard deviations, [..., k].
        scale_identity_multiplier: a number that is added to all of them, [...].
        validate_args: whether values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        ValueError: if neither `loc` nor `scale_diag` tells how long vectors are.
    """

    @renamed(mu="loc", diag_stdev="scale_diag")
    def __init__(
        self,
        loc: TensorLike | None = None,
        scale_diag: TensorLike | None = None,
        scale_identity_multiplier: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope, name_scope("init", None, [loc, scale_diag]):
            # No need for the diagonal to be positive: the sign does not matter.
            scale = make_diag_scale(
                loc=loc,
                scale_diag=scale_diag,
                scale_identity_multiplier=scale_identity_multiplier,
                validate_args=validate_args,
                assert_positive=False,
            )
        super().__init__(
            loc=loc,
            scale=scale,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            name=scope,
        )
        self._parameters = parameters


@export(
    "contrib.distributions.MultivariateNormalDiagWithSoftplusScale",
    "contrib.distributions.MultivariateNormalDiagWithSoftplusStDev",
)
class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """MultivariateNormalDiag of softplus(scale_diag)."""

    @renamed(mu="loc", diag_stdev="scale_diag")
    def __init__(
        self,
        loc: TensorLike,
        scale_diag: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagWithSoftplusScale",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name, None, [scale_diag]) as scope:
            super().__init__(
                loc=loc,
                scale_diag=softplus(scale_diag),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
                name=scope,
            )
        self._parameters = parameters


@export(
    "contrib.distributions.MultivariateNormalTriL",
    "contrib.distributions.MultivariateNormalCholesky",
)
class MultivariateNormalTriL(MultivariateNormalLinearOperator):
    """The normal distribution of vectors whose covariance is scale_tril scale_tril'.

    Args:
        loc: the means, [..., k]; zeros if None.
        scale_tril: lower triangles with a diagonal that is not 0, [..., k, k].
        validate_args: whether values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        ValueError: if neither `loc` nor `scale_tril` is given.
    """

    @renamed(mu="loc", chol="scale_tril")
    def __init__(
        self,
        loc: TensorLike | None = None,
        scale_tril: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalTriL",
    ) -> None:
        parameters = dict(locals())
        if loc is None and scale_tril is None:
            raise ValueError("Must specify one or both of `loc`, `scale_tril`.")
        with name_scope(name) as scope, name_scope("init", None, [loc, scale_tril]):
            if scale_tril is None:
                given: Tensor = convert_to_tensor(loc, name="loc")
                scale: LinearOperator = make_diag_scale(loc=given, dtype=given.dtype)
            else:
                scale = make_tril_scale(loc=loc, scale_tril=scale_tril, validate_args=validate_args)
        super().__init__(
            loc=loc,
            scale=scale,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            name=scope,
        )
        self._parameters = parameters


@export(
    "contrib.distributions.MultivariateNormalFullCovariance",
    "contrib.distributions.MultivariateNormalFull",
)
class MultivariateNormalFullCovariance(MultivariateNormalTriL):
    """The normal distribution of vectors with a given covariance.

    Args:
        loc: the means, [..., k]; zeros if None.
        covariance_matrix: symmetric positive definite matrices, [..., k, k]; the identity if None.
        validate_args: whether values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        ValueError: if neither `loc` nor `covariance_matrix` is given.
    """

    @renamed(mu="loc", sigma="covariance_matrix")
    def __init__(
        self,
        loc: TensorLike = None,
        covariance_matrix: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalFullCovariance",
    ) -> None:
        parameters = dict(locals())
        with name_scope(name) as scope, name_scope("init", None, [loc, covariance_matrix]):
            scale_tril = None
            if covariance_matrix is not None:
                matrix: Tensor = convert_to_tensor(covariance_matrix, name="covariance_matrix")
                checks = []
                if validate_args:
                    text = "Matrix was not symmetric"
                    transposed = build.Conj(matrix) if matrix.dtype.is_complex else matrix
                    axes = list(range(matrix.get_shape().ndims or 2))
                    axes[-2:] = axes[:-3:-1]
                    checks = [assert_near(build.Transpose(transposed, axes), matrix, message=text)]
                with control_dependencies(checks):
                    matrix = identity(matrix) if checks else matrix
                scale_tril = cholesky(matrix)
        super().__init__(
            loc=loc,
            scale_tril=scale_tril,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            name=scope,
        )
        self._parameters = parameters


@export("contrib.distributions.MultivariateNormalDiagPlusLowRank")
class MultivariateNormalDiagPlusLowRank(MultivariateNormalLinearOperator):
    """The normal distribution whose scale is diag(d) + U diag(m) U'.

    Args:
        loc: the means, [..., k]; zeros if None.
        scale_diag: d, [..., k].
        scale_identity_multiplier: a number that is added to d, [...].
        scale_perturb_factor: U, [..., k, r].
        scale_perturb_diag: m, [..., r]; ones if None.
        validate_args: whether values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.

    Raises:
        ValueError: if nothing tells how long vectors are.
    """

    def __init__(
        self,
        loc: TensorLike | None = None,
        scale_diag: TensorLike | None = None,
        scale_identity_multiplier: TensorLike | None = None,
        scale_perturb_factor: TensorLike | None = None,
        scale_perturb_diag: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagPlusLowRank",
    ) -> None:
        parameters = dict(locals())
        values = [loc, scale_diag, scale_identity_multiplier, scale_perturb_factor]
        with name_scope(name) as scope, name_scope("init", None, values):
            scale: LinearOperator = make_diag_scale(
                loc=loc,
                scale_diag=scale_diag,
                scale_identity_multiplier=scale_identity_multiplier,
                validate_args=validate_args,
                assert_positive=False,
            )
            factor = convert_to_tensor(scale_perturb_factor, name="scale_perturb_factor")
            diag = None
            if scale_perturb_diag is not None:
                diag = convert_to_tensor(scale_perturb_diag, name="scale_perturb_diag")
            scale = LinearOperatorLowRankUpdate(
                scale,
                u=factor,
                diag_update=diag,
                is_diag_update_positive=diag is None,
                is_non_singular=True,
                is_self_adjoint=True,
                is_positive_definite=True,
                is_square=True,
            )
        super().__init__(
            loc=loc,
            scale=scale,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            name=scope,
        )
        self._parameters = parameters


@export("contrib.distributions.MultivariateNormalDiagPlusVDVT")
class MultivariateNormalDiagPlusVDVT(MultivariateNormalDiagPlusLowRank):
    """MultivariateNormalDiagPlusLowRank with the arguments that it had before release 1.2.

    Args:
        mu: the means ``[..., k]``.
        diag_large: the diagonal of the scale ``[..., k]``.
        v: the factor of the change of low rank ``[..., k, r]``.
        diag_small: the diagonal in it ``[..., r]``; ones if None.
        validate_args: whether the parameters are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        mu: TensorLike,
        diag_large: TensorLike,
        v: TensorLike,
        diag_small: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagPlusVDVT",
    ) -> None:
        parameters = dict(locals())
        super().__init__(
            loc=mu,
            scale_diag=diag_large,
            scale_perturb_factor=v,
            scale_perturb_diag=diag_small,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            name=name,
        )
        self._parameters = parameters


@RegisterKL(MultivariateNormalLinearOperator, MultivariateNormalLinearOperator)
def _kl_mvn_mvn(
    a: MultivariateNormalLinearOperator, b: MultivariateNormalDiag, name: str | None = None
) -> Tensor:
    # 0.5 (|b^-1 a|_F^2 + |b^-1 (mean_b - mean_a)|^2 - k) + log |det b| - log |det a|.
    with name_scope(name, "kl_mvn"):
        if a._is_diagonal() and b._is_diagonal():
            first = reduce_sum(build.Square(a.scale.diag_part() / b.scale.diag_part()), axis=-1)
        else:
            solved = b.scale.solve(a.scale.to_dense())
            first = reduce_sum(build.Square(solved), axis=[-2, -1])
        distance: Tensor = b.scale.solvevec(b.mean() - a.mean())
        k: int = a.scale.domain_dimension.value
        if k is None:
            k = build.Cast(a.scale.domain_dimension_tensor(), DstT=a.dtype)
        result: TensorLike = (
            b.scale.log_abs_determinant()
            - a.scale.log_abs_determinant()
            + 0.5 * (-float(k) if isinstance(k, int) else -k)
            + 0.5 * (first + reduce_sum(build.Square(distance), axis=-1))
        )
        result.set_shape(broadcast_static_shape(a.batch_shape, b.batch_shape))
        return result


class _DiagonalVector(_VectorLinear):
    """scale z + loc with a diagonal scale."""

    def _diagonal(
        self,
        kind: Callable[..., Any],
        loc: TensorLike,
        scale_diag: TensorLike,
        multiplier: TensorLike,
        validate_args: bool,
        name: str,
        parameters: dict[str, Any],
    ) -> None:
        with name_scope(name) as scope:
            with name_scope("init", None, [loc, scale_diag, multiplier]):
                scale = make_diag_scale(
                    loc=loc,
                    scale_diag=scale_diag,
                    scale_identity_multiplier=multiplier,
                    validate_args=validate_args,
                    assert_positive=False,
                )
                given = None if loc is None else convert_to_tensor(loc, name="loc")
            self._make(kind(scale.dtype), given, scale, validate_args, scope, parameters)


@export("contrib.distributions.VectorExponentialDiag")
class VectorExponentialDiag(_DiagonalVector):
    """The distribution of diag(scale) z + loc, where z has independent exponential elements.

    Args:
        loc: what is added, [..., k]; zeros if None.
        scale_diag: the scales, [..., k].
        scale_identity_multiplier: a number that is added to all of them, [...].
        validate_args: whether values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        loc: TensorLike | None = None,
        scale_diag: TensorLike | None = None,
        scale_identity_multiplier: TensorLike = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorExponentialDiag",
    ) -> None:
        def base(dtype: DTypeLike) -> Exponential:
            return Exponential(rate=ones([], dtype=dtype), allow_nan_stats=allow_nan_stats)

        parameters = {k: v for k, v in locals().items() if k != "base"}
        self._diagonal(
            base, loc, scale_diag, scale_identity_multiplier, validate_args, name, parameters
        )

    def _mean(self) -> Tensor:
        # The mean of z is a vector of ones.
        result = self.scale.diag_part()
        result = result if self.loc is None else result + self.loc
        return self._broadcast(result)

    def _mode(self) -> Tensor:
        return _VectorLinear._mean(self)


@export("contrib.distributions.VectorLaplaceDiag")
class VectorLaplaceDiag(_DiagonalVector):
    """The distribution of diag(scale) z + loc, where z has independent Laplace elements.

    Args:
        loc: the means, [..., k]; zeros if None.
        scale_diag: the scales, [..., k].
        scale_identity_multiplier: a number that is added to all of them, [...].
        validate_args: whether values are checked when the graph runs.
        allow_nan_stats: whether statistics that do not exist are NaN, and no error.
        name: the name scope.
    """

    def __init__(
        self,
        loc: TensorLike | None = None,
        scale_diag: TensorLike = None,
        scale_identity_multiplier: TensorLike = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorLaplaceDiag",
    ) -> None:
        def base(dtype: DTypeLike) -> Any:
            return Laplace(
                loc=zeros([], dtype=dtype),
                scale=ones([], dtype=dtype),
                allow_nan_stats=allow_nan_stats,
            )

        parameters = {k: v for k, v in locals().items() if k != "base"}
        self._diagonal(
            base, loc, scale_diag, scale_identity_multiplier, validate_args, name, parameters
        )

    def _variance_of_base(self) -> float:
        return 2.0
