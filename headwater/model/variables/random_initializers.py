"""Initializers with random values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.typing import DTypeLike, ShapeLike, TensorLike
from headwater.graph import Tensor, build
from headwater.model.variables.initializers import Initializer, floating
from headwater.ops.array.transpose import matrix_transpose
from headwater.ops.random.normal import random_normal, truncated_normal
from headwater.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headwater.model.variables.partitions import PartitionInfo

# The standard deviation of a normal distribution that is cut off at two standard deviations.
_TRUNCATED_STDDEV = 0.87962566103423978


@export("random_uniform_initializer", "initializers.random_uniform")
class RandomUniform(Initializer):
    """Uniformly distributed initial values.

    Args:
        minval: the lower bound (included).
        maxval: the upper bound (excluded); None is 1 for floats.
        seed: the op seed.
        dtype: the default type.
    """

    def __init__(
        self,
        minval: TensorLike = 0,
        maxval: TensorLike | None = None,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed
        self.dtype = as_dtype(dtype)

    def __call__(
        self,
        shape: TensorLike,
        dtype: DTypeLike = None,
        partition_info: PartitionInfo | None = None,
    ) -> Tensor:
        """See Initializer."""
        dtype = self.dtype if dtype is None else dtype
        return random_uniform(shape, self.minval, self.maxval, dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        """See Initializer."""
        return {
            "minval": self.minval,
            "maxval": self.maxval,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class _Normal(Initializer):
    """Normally distributed initial values, in one of two forms."""

    _function: Callable[..., Tensor]

    def __init__(
        self,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self.dtype = floating(as_dtype(dtype))

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike = None, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        """See Initializer."""
        dtype = self.dtype if dtype is None else dtype
        return type(self)._function(shape, self.mean, self.stddev, dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        """See Initializer."""
        return {
            "mean": self.mean,
            "stddev": self.stddev,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


@export("random_normal_initializer", "initializers.random_normal")
class RandomNormal(_Normal):
    """Normally distributed initial values.

    Args:
        mean: the mean.
        stddev: the standard deviation.
        seed: the op seed.
        dtype: the default type, a floating-point one.
    """

    _function = staticmethod(random_normal)


@export("truncated_normal_initializer", "initializers.truncated_normal")
class TruncatedNormal(_Normal):
    """Normally distributed initial values no further than two deviations from the mean.

    Args:
        mean: the mean.
        stddev: the standard deviation before the cut.
        seed: the op seed.
        dtype: the default type, a floating-point one.
    """

    _function = staticmethod(truncated_normal)


@export("uniform_unit_scaling_initializer", "initializers.uniform_unit_scaling")
class UniformUnitScaling(Initializer):
    """Uniformly distributed initial values that keep the scale of a layer's inputs.

    The values lie between plus and minus sqrt(3 / n) * factor, where n is the product of all
    dimensions but the last (Sussillo and Abbott, 2014).

    Args:
        factor: the factor.
        seed: the op seed.
        dtype: the default type, a floating-point one.
        full_shape: the shape that gives n in early releases; by default the variable's.
    """

    def __init__(
        self,
        factor: float = 1.0,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
        full_shape: ShapeLike | None = None,
    ) -> None:
        self.factor = factor
        self.seed = seed
        self.dtype = floating(as_dtype(dtype))
        self.full_shape = full_shape

    def __call__(
        self,
        shape: TensorLike,
        dtype: DTypeLike = None,
        partition_info: PartitionInfo | None = None,
    ) -> Tensor:
        """See Initializer."""
        whole = self.full_shape or _scale_shape(shape, partition_info)
        size = max(1.0, float(math.prod(whole[:-1])))
        bound = math.sqrt(3 / size) * self.factor
        dtype = self.dtype if dtype is None else dtype
        return random_uniform(shape, -bound, bound, dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        """See Initializer."""
        return {"factor": self.factor, "seed": self.seed, "dtype": self.dtype.name}


@export(
    "variance_scaling_initializer",
    "initializers.variance_scaling",
    "keras.initializers.VarianceScaling",
)
class VarianceScaling(Initializer):
    """Random initial values whose variance is `scale` / n.

    Args:
        scale: the factor.
        mode: what n is: ``"fan_in"`` (inputs of a unit), ``"fan_out"`` or ``"fan_avg"``.
        distribution: ``"truncated_normal"`` (or ``"normal"``), ``"untruncated_normal"`` or
            ``"uniform"``.
        seed: the op seed.
        dtype: the default type, a floating-point one.

    Raises:
        ValueError: if an argument has no such value.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError("`scale` must be positive float.")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError("Invalid `mode` argument:", mode)
        distribution = distribution.lower()
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError("Invalid `distribution` argument:", distribution)
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.seed = seed
        self.dtype = floating(as_dtype(dtype))

    def __call__(
        self,
        shape: TensorLike,
        dtype: DTypeLike = None,
        partition_info: PartitionInfo | None = None,
    ) -> Tensor:
        """See Initializer."""
        dtype = self.dtype if dtype is None else dtype
        fan_in, fan_out = fans(_scale_shape(shape, partition_info))
        count = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}
        variance = self.scale / max(1.0, count[self.mode])
        if self.distribution == "uniform":
            bound = math.sqrt(3.0 * variance)
            return random_uniform(shape, -bound, bound, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return random_normal(shape, 0.0, math.sqrt(variance), dtype, seed=self.seed)
        stddev = math.sqrt(variance) / _TRUNCATED_STDDEV
        return truncated_normal(shape, 0.0, stddev, dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        """See Initializer."""
        return {
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


@export(
    "glorot_uniform_initializer", "initializers.glorot_uniform", "keras.initializers.glorot_uniform"
)
class GlorotUniform(VarianceScaling):
    """Uniform values within sqrt(6 / (inputs + outputs)) (Glorot and Bengio, 2010).

    Args:
        seed: the op seed.
        dtype: the default type, a floating-point one.
    """

    def __init__(self, seed: int | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        """See Initializer."""
        return {"seed": self.seed, "dtype": self.dtype.name}


@export(
    "glorot_normal_initializer", "initializers.glorot_normal", "keras.initializers.glorot_normal"
)
class GlorotNormal(VarianceScaling):
    """Truncated normal values of variance 2 / (inputs + outputs) (Glorot and Bengio, 2010).

    Args:
        seed: the op seed.
        dtype: the default type, a floating-point one.
    """

    def __init__(self, seed: int | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        """See Initializer."""
        return {"seed": self.seed, "dtype": self.dtype.name}


@export("initializers.he_normal", "keras.initializers.he_normal")
def he_normal(seed: int | None = None) -> VarianceScaling:
    """Truncated normal values of variance 2 / inputs (He et al., 2015).

    Args:
        seed: the op seed.

    Returns:
        An initializer.
    """
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


@export("initializers.he_uniform", "keras.initializers.he_uniform")
def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform values of variance 2 / inputs (He et al., 2015).

    Args:
        seed: the op seed.

    Returns:
        An initializer.
    """
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


@export("initializers.lecun_normal", "keras.initializers.lecun_normal")
def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Truncated normal values of variance 1 / inputs (LeCun et al., 1998).

    Args:
        seed: the op seed.

    Returns:
        An initializer.
    """
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


@export("initializers.lecun_uniform", "keras.initializers.lecun_uniform")
def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform values of variance 1 / inputs (LeCun et al., 1998).

    Args:
        seed: the op seed.

    Returns:
        An initializer.
    """
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


@export(
    "orthogonal_initializer",
    "initializers.orthogonal",
    "keras.initializers.Orthogonal",
    "keras.initializers.orthogonal",
)
class Orthogonal(Initializer):
    """An orthogonal matrix (its rows or columns are, if it is not square).

    More than two dimensions count as a matrix with the last one as columns. The matrix is the
    orthogonal factor of a normally distributed one (Saxe et al., 2014).

    Args:
        gain: a factor.
        seed: the op seed.
        dtype: the default type, a floating-point one. `seed` and `dtype` may be given in the
            order of TensorFlow 1.0, too.
    """

    def __init__(
        self, gain: float = 1.0, seed: int | None = None, dtype: DTypeLike = dtypes.float32
    ) -> None:
        if isinstance(seed, (DType, str, type)):
            seed, dtype = (None if dtype is dtypes.float32 else dtype), seed
        self.gain = gain
        self.seed = seed
        self.dtype = floating(as_dtype(dtype))

    def __call__(
        self,
        shape: TensorLike,
        dtype: DTypeLike = None,
        partition_info: PartitionInfo | None = None,
    ) -> Tensor:
        """See Initializer."""
        dtype = self.dtype if dtype is None else dtype
        if len(shape) < 2:
            raise ValueError("The tensor to initialize must be at least two-dimensional")
        rows, columns = math.prod(int(d) for d in shape[:-1]), int(shape[-1])
        flat = (max(columns, rows), min(columns, rows))
        normal = random_normal(flat, dtype=dtype, seed=self.seed)
        q, r = build.Qr(normal, full_matrices=False)
        # The sign of the diagonal makes the distribution uniform.
        q *= build.Sign(build.DiagPart(r))
        if rows < columns:
            q = matrix_transpose(q)
        return self.gain * build.Reshape(q, shape)

    def get_config(self) -> dict[str, Any]:
        """See Initializer."""
        return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}


def fans(shape: Sequence[int]) -> tuple[float, float]:
    """The numbers of inputs and outputs of a unit with weights of this shape."""
    shape = [int(d) for d in shape]
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


def _scale_shape(shape: Sequence[int], partition_info: PartitionInfo | None) -> Sequence[int]:
    """The shape that the scale follows: that of the whole variable."""
    return shape if partition_info is None else partition_info.full_shape


@export("contrib.layers.variance_scaling_initializer", "contrib.slim.variance_scaling_initializer")
def layers_variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: DTypeLike = dtypes.float32,
) -> Callable[..., Tensor]:
    """An initializer whose values have the variance `factor` / n.

    Args:
        factor: the factor.
        mode: what n is: ``"FAN_IN"``, ``"FAN_OUT"`` or ``"FAN_AVG"``.
        uniform: whether the values are distributed uniformly, or else truncated normally.
        seed: the op seed.
        dtype: the default type, a floating-point one.

    Returns:
        A function ``(shape, dtype, partition_info)``.

    Raises:
        TypeError: if an argument has no such value.
    """
    if not as_dtype(dtype).is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError("Unknown mode %s [FAN_IN, FAN_OUT, FAN_AVG]", mode)

    def _initializer(
        shape: TensorLike, dtype: DTypeLike = dtype, partition_info: PartitionInfo | None = None
    ) -> Tensor:
        if not as_dtype(dtype).is_floating:
            raise TypeError("Cannot create initializer for non-floating point type.")
        sizes = [float(d) for d in shape]
        field = math.prod(sizes[:-2])
        fan_in = (sizes[-2] if len(sizes) > 1 else sizes[-1]) * field if sizes else 1.0
        fan_out = sizes[-1] * field if sizes else 1.0
        count = {"FAN_IN": fan_in, "FAN_OUT": fan_out, "FAN_AVG": (fan_in + fan_out) / 2.0}[mode]
        if uniform:
            bound = math.sqrt(3.0 * factor / count)
            return random_uniform(shape, -bound, bound, dtype, seed=seed)
        # The factor 1.3 compensates for the truncated tails.
        stddev = math.sqrt(1.3 * factor / count)
        return truncated_normal(shape, 0.0, stddev, dtype, seed=seed)

    return _initializer


@export(
    "contrib.layers.xavier_initializer",
    "contrib.layers.xavier_initializer_conv2d",
    "contrib.slim.xavier_initializer",
    "contrib.slim.xavier_initializer_conv2d",
)
def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: DTypeLike = dtypes.float32
) -> Callable[..., Tensor]:
    """An initializer that keeps the scale of gradients the same (Glorot and Bengio, 2010).

    Args:
        uniform: whether the values are distributed uniformly, or else truncated normally.
        seed: the op seed.
        dtype: the default type, a floating-point one.

    Returns:
        A function ``(shape, dtype, partition_info)``.
    """
    return layers_variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)
