"""Statistics of samples, moving averages, posteriors, and streams of seeds."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.axes import counted_from_start
from headwater.base.older_calls import renamed
from headwater.base.typing import Array, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_value,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
)
from headwater.graph.graph_keys import GraphKeys
from headwater.model.distributions.arrays import rotate_transpose
from headwater.model.distributions.normal import Normal
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.gather import gather
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.shape import shape
from headwater.ops.array.transpose import transpose
from headwater.ops.control.identity import identity
from headwater.ops.control.value_checks import assert_less_equal, assert_non_negative
from headwater.ops.math.cast import cast
from headwater.ops.math.complex_numbers import complex_, real
from headwater.ops.math.fft_functions import fft, ifft
from headwater.ops.math.reduce_functions import reduce_mean
from headwater.ops.nn.top_k import top_k
from headwater.ops.state.assign import assign, assign_add, assign_sub


@export("contrib.distributions.SeedStream")
class SeedStream:
    """A stream of seeds derived from a seed and a salt.

    Args:
        seed: an integer, a text, or another stream; None gives None each time.
        salt: a text that tells this stream from others.
    """

    def __init__(self, seed: int | str, salt: str) -> None:
        self._seed = seed.original_seed if isinstance(seed, SeedStream) else seed
        self._salt = salt
        self._counter = 0

    def __call__(self) -> int | None:
        """The next seed."""
        self._counter += 1
        if self._seed is None:
            return None
        text = str((self._seed, self._counter, self._salt)).encode()
        return int(hashlib.sha512(text).hexdigest(), 16)

    @property
    def original_seed(self) -> Any:
        """The seed that the stream was made with."""
        return self._seed

    @property
    def salt(self) -> str:
        """The text."""
        return self._salt


_INTERPOLATIONS = {"lower": "Ceil", "higher": "Floor", "nearest": "Round"}


@export("contrib.distributions.percentile")
def percentile(
    x: TensorLike,
    q: TensorLike,
    axis: TensorLike | None = None,
    interpolation: str | None = None,
    keep_dims: bool = False,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The q-th percentile along some axes: the value that q percent do not exceed.

    Args:
        x: a tensor of numbers.
        q: a scalar in [0, 100].
        axis: the axes, integers; all if None.
        interpolation: which neighbour is taken: "lower", "higher" or "nearest" (None).
        keep_dims: whether the axes stay, with length 1.
        validate_args: whether `q` is checked when the graph runs.
        name: the name scope.

    Returns:
        A tensor of the type of `x`.

    Raises:
        ValueError: if `q` is not a scalar, or the interpolation is unknown.
    """
    name = name or "percentile"
    kind = "nearest" if interpolation is None else interpolation
    if kind not in _INTERPOLATIONS:
        raise ValueError(
            "Argument 'interpolation' must be in "
            f"{{'higher', 'lower', 'nearest'}}.  Found {interpolation}"
        )
    with name_scope(name, None, [x, q]):
        x = convert_to_tensor(x, name="x")
        # In double precision: a rounded product must not change the index.
        share: Tensor = cast(q, dtypes.float64, name="q")
        if share.get_shape().ndims not in (None, 0):
            raise ValueError(f"Expected argument 'x' to have ndims 0.  Found tensor {share}")
        if validate_args:
            checks = [
                assert_non_negative(share),
                assert_less_equal(share, convert_to_tensor(100.0, dtypes.float64)),
            ]
            with control_dependencies(checks):
                share = identity(share)
        ndims = x.get_shape().ndims
        if axis is None:
            y = reshape(x, [-1])
            axes = list(range(ndims)) if ndims is not None else None
        else:
            if ndims is None:
                raise ValueError("rank of x must be statically known if axis is given")
            given: Array = constant_value(convert_to_tensor(axis))
            if not ndims:
                raise ValueError(f"Expected argument 'x' to have ndims >= 1.  Found tensor {x}")
            axes = sorted(_checked_axis(int(a), ndims) for a in np.atleast_1d(given))
            rest = [a for a in range(ndims) if a not in axes]
            moved = transpose(x, rest + axes)
            sizes: TensorLike = shape(moved)
            y = reshape(moved, concat([sizes[: len(rest)], [-1]], 0))
        length: int = y.get_shape()[-1].value
        if length is None:
            whole: TensorLike = shape(y)
            length = whole[-1]
        # Counted from the largest element.
        place: Tensor = (1 - share / 100.0) * cast(length - 1, dtypes.float64)
        rounded = getattr(build, _INTERPOLATIONS[kind])
        index = cast(rounded(place), dtypes.int32)
        index = build.Minimum(build.Maximum(index, 0), length - 1)
        ordered, _ = top_k(y, k=length, sorted=True)
        result = gather(ordered, index, axis=-1)
        if keep_dims and axes is not None:
            for a in axes:
                result = expand_dims(result, a)
        return result


def _checked_axis(axis: int, rank: int) -> int:
    if axis >= rank:
        raise ValueError(f"dim {axis} not in the interval [0, {rank - 1}].")
    if axis < -rank:
        raise ValueError(f"Negatively indexed dim {axis} not in the interval [{-rank}, -1]")
    return axis % rank


@export("contrib.distributions.auto_correlation")
def auto_correlation(
    x: TensorLike,
    axis: int = -1,
    max_lags: TensorLike | None = None,
    center: bool = True,
    normalize: bool = True,
    name: str = "auto_correlation",
) -> Tensor:
    """The autocorrelation of a series at lag m: mean of x[n] conj(x[n + m]).

    Args:
        x: a floating-point or complex tensor.
        axis: the axis of time.
        max_lags: the largest m; all if None.
        center: whether the mean is subtracted first.
        normalize: whether the result is divided by that of m = 0.
        name: the name scope.

    Returns:
        A tensor like `x`, with the lags in the place of time.
    """
    with name_scope(name, None, [x]):
        x = convert_to_tensor(x, name="x")
        ndims = x.get_shape().ndims
        if ndims is None:
            raise ValueError("rank of x must be statically known")
        shift = ndims - 1 - counted_from_start(axis, ndims)
        rotated: Tensor = rotate_transpose(x, shift) if shift else x
        if center:
            rotated = rotated - reduce_mean(rotated, axis=-1, keepdims=True)
        sizes: TensorLike = shape(rotated)
        n: int | None = rotated.get_shape()[-1].value
        n = sizes[-1] if n is None else n
        # Zero padding to twice the next power of two prevents wrap-around.
        length = cast(n, dtypes.float64)
        power = build.Ceil(build.Log(length) / np.log(2.0).astype(np.float64))
        total = cast(build.Pow(convert_to_tensor(2.0, dtypes.float64), power + 1), dtypes.int32)
        paddings = [[0, 0]] * (ndims - 1) + [[0, total - n]]
        padded = build.Pad(rotated, paddings)
        if padded.dtype.is_complex:
            spectrum: TensorLike = fft(padded)
        else:
            spectrum = fft(complex_(padded, build.ZerosLike(padded)))
        product: Tensor = ifft(spectrum * build.Conj(spectrum))
        if not padded.dtype.is_complex:
            product = real(product)
        lags: Tensor | float = n - 1 if max_lags is None else build.Minimum(n - 1, max_lags)
        found = product[..., : lags + 1]
        # The sum of n - m products becomes their mean.
        counts: Tensor = cast(n, dtypes.float32) - cast(build.Range(0, lags + 1, 1), dtypes.float32)
        found = found / cast(counts, found.dtype)
        if normalize:
            found = found / found[..., :1]
        known = rotated.get_shape()[:-1]
        limit = constant_value(convert_to_tensor(lags))
        found.set_shape(known.concatenate([None if limit is None else int(limit) + 1]))
        return rotate_transpose(found, -shift) if shift else found


@export(
    "contrib.distributions.normal_conjugates_known_scale_posterior",
    "contrib.distributions.normal_conjugates_known_sigma_posterior",
)
@renamed(sigma="scale")
def normal_conjugates_known_scale_posterior(
    prior: Any, scale: TensorLike, s: TensorLike, n: TensorLike
) -> Normal:
    """The posterior of the mean of normal numbers with a known deviation and a normal prior.

    Args:
        prior: a Normal, the prior of the mean.
        scale: the standard deviation of the numbers.
        s: their sum.
        n: how many they are, an integer.

    Returns:
        A Normal.

    Raises:
        TypeError: if `prior` is not a Normal, or `s` has another type.
    """
    loc, variance, _ = _posterior(prior, scale, s, n)
    return Normal(loc=loc, scale=build.Sqrt(variance))


@export(
    "contrib.distributions.normal_conjugates_known_scale_predictive",
    "contrib.distributions.normal_conjugates_known_sigma_predictive",
)
@renamed(sigma="scale")
def normal_conjugates_known_scale_predictive(
    prior: Any, scale: TensorLike, s: TensorLike, n: TensorLike
) -> Normal:
    """The predictive distribution of normal numbers, with a normal prior of their mean.

    Args:
        prior: a Normal, the prior of the mean.
        scale: the standard deviation of the numbers.
        s: the sum of those that are known.
        n: how many they are, an integer.

    Returns:
        A Normal.

    Raises:
        TypeError: if `prior` is not a Normal, or `s` has another type.
    """
    loc, variance, noise = _posterior(prior, scale, s, n)
    return Normal(loc=loc, scale=build.Sqrt(variance + noise))


def _posterior(prior: Any, scale: TensorLike, s: Tensor, n: TensorLike) -> tuple[Any, Any, Any]:
    """The mean and variance of the posterior, and the variance of one number."""
    if not isinstance(prior, Normal):
        raise TypeError("Expected prior to be an instance of type Normal")
    if s.dtype != prior.dtype:
        raise TypeError(
            f"Observation sum s.dtype does not match prior dtype: {s.dtype} vs. {prior.dtype}"
        )
    count: Tensor = cast(n, prior.dtype)
    before: Tensor = build.Square(prior.scale)
    noise: Tensor = build.Square(convert_to_tensor(scale, dtype=prior.dtype))
    variance: Tensor = 1 / (1 / before + count / noise)
    return (prior.loc / before + s / noise) * variance, variance, noise


@export("contrib.distributions.assign_moving_mean_variance")
def assign_moving_mean_variance(
    mean_var: TensorLike,
    variance_var: TensorLike,
    value: TensorLike,
    decay: TensorLike,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Updates the exponentially weighted mean and variance of a series, with its next value.

    The formulas are those of Finch, "Incremental calculation of weighted mean and variance", 2009.

    Args:
        mean_var: the variable of the mean.
        variance_var: the variable of the variance.
        value: the next value.
        decay: the weight of what has been.
        name: the name scope.

    Returns:
        The new mean and variance.

    Raises:
        TypeError: if variables have different or no floating-point types.
    """
    with name_scope(name, "assign_moving_mean_variance", [variance_var, mean_var, value, decay]):
        if mean_var.dtype.base_dtype != variance_var.dtype.base_dtype:
            raise TypeError("dtypes of mean_var and variance_var must match.")
        dtype = variance_var.dtype.base_dtype
        if not dtype.is_floating:
            raise TypeError(f"dtype({variance_var.name}) does not support floating point")
        decay = convert_to_tensor(decay, dtype=dtype, name="decay")
        delta: Tensor = value - mean_var
        with control_dependencies([delta]):
            mean = assign_add(mean_var, (1.0 - decay) * delta)
            variance = assign_sub(
                variance_var, (1.0 - decay) * (variance_var - decay * build.Square(delta))
            )
        return mean, variance


@export("contrib.distributions.assign_log_moving_mean_exp")
def assign_log_moving_mean_exp(
    log_mean_exp_var: TensorLike, log_value: TensorLike, decay: TensorLike, name: str | None = None
) -> Tensor:
    """Updates log of the exponentially weighted mean of exp(log_value).

    Args:
        log_mean_exp_var: the variable.
        log_value: the logarithm of the next value.
        decay: the weight of what has been.
        name: the name scope.

    Returns:
        The new value of the variable.
    """
    with name_scope(name, "assign_log_moving_mean_exp", [log_mean_exp_var, log_value, decay]):
        dtype = log_mean_exp_var.dtype.base_dtype
        if not dtype.is_floating:
            raise TypeError(f"dtype({log_mean_exp_var.name}) does not support floating point")
        decay = convert_to_tensor(decay, dtype=dtype, name="decay")
        before: Tensor = log_mean_exp_var + build.Log(decay)
        added: Tensor = log_value + build.Log1p(-decay)
        larger: Tensor = build.Maximum(before, added)
        total = larger + build.Log(build.Exp(before - larger) + build.Exp(added - larger))
        return assign(log_mean_exp_var, total)


@export("contrib.distributions.moving_mean_variance")
def moving_mean_variance(
    value: TensorLike,
    decay: TensorLike,
    collections: Sequence[str] | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The exponentially weighted mean and variance of a series, in new variables.

    Args:
        value: the next value.
        decay: the weight of what has been.
        collections: the collections of the variables; the global variables if None.
        name: the name of their scope.

    Returns:
        The mean and variance after `value`.
    """
    collections = [GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
    with variable_scope(name, "moving_mean_variance", [value, decay]):
        value = convert_to_tensor(value, name="value")
        dtype = value.dtype.base_dtype
        variance_var, mean_var = (
            get_variable(
                key,
                dtype=dtype,
                initializer=build.ZerosLike(value),
                trainable=False,
                collections=collections,
            )
            for key in ("moving_variance", "moving_mean")
        )
        return assign_moving_mean_variance(mean_var, variance_var, value, decay)
