"""tf.contrib.gan.features: the spectral norm of weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.graph import Tensor, build, control_dependencies, convert_to_tensor, name_scope
from headwater.model.nn.batch_normalization import l2_normalize
from headwater.model.variables.random_initializers import RandomNormal
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.reshape import reshape
from headwater.ops.array.transpose import transpose
from headwater.ops.control.identity import identity
from headwater.ops.math.matmul import matmul


@export("contrib.gan.features.compute_spectral_norm")
def compute_spectral_norm(
    w_tensor: Any, power_iteration_rounds: int = 1, name: str | None = None
) -> Tensor:
    """Estimates the largest singular value of weights by power iteration.

    Each run goes on with the vector of the last one, a variable.

    Args:
        w_tensor: a tensor [..., outputs], taken as a matrix of `outputs` columns.
        power_iteration_rounds: how many rounds a run makes.
        name: the variable scope.

    Returns:
        A scalar.

    Raises:
        ValueError: if there is no round.
    """
    if power_iteration_rounds < 1:
        raise ValueError("power_iteration_rounds must be at least 1.")
    with variable_scope(name, "spectral_norm"):
        matrix: Any = reshape(w_tensor, (-1, w_tensor.get_shape()[-1]))
        u_var = get_variable(
            "spectral_norm_u",
            shape=(matrix.shape[0], 1),
            dtype=matrix.dtype,
            initializer=RandomNormal(),
            trainable=False,
        )
        u: Any = u_var
        for _ in range(power_iteration_rounds):
            v = l2_normalize(matmul(transpose(matrix), u))
            u = l2_normalize(matmul(matrix, v))
        with control_dependencies([u_var.assign(u, name="update_u")]):
            u = identity(u)
        u, v = build.StopGradient(u), build.StopGradient(v)
        norm: Any = matmul(matmul(transpose(u), matrix), v)
        scalar: Tensor = norm[0][0]
        return scalar


@export("contrib.gan.features.spectral_normalize")
def spectral_normalize(w: Any, power_iteration_rounds: int = 1, name: str | None = None) -> Tensor:
    """Divides weights by their spectral norm.

    Args:
        w: a tensor [..., outputs].
        power_iteration_rounds: how many rounds of power iteration a run makes.
        name: the variable scope.

    Returns:
        A tensor of the shape of `w`.
    """
    with variable_scope(name, "spectral_normalize"):
        normalized = w / compute_spectral_norm(w, power_iteration_rounds)
        return reshape(normalized, w.get_shape())


@export("contrib.gan.features.spectral_norm_regularizer")
def spectral_norm_regularizer(
    scale: float, power_iteration_rounds: int = 1, scope: str | None = None
) -> Callable[..., Tensor | None]:
    """Makes a regularizer whose loss is the spectral norm of weights.

    Args:
        scale: by what the norm is multiplied; 0.0 for no loss.
        power_iteration_rounds: how many rounds of power iteration a run makes.
        scope: the name scope.

    Returns:
        A function of weights that returns a scalar, or None if `scale` is 0.0.

    Raises:
        ValueError: if `scale` is an integer or negative.
    """
    if isinstance(scale, (int, float)) and scale < 0:
        raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale:g}")
    if isinstance(scale, int):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if scale == 0.0:
        return lambda _: None

    def sn(weights: Any, name: str | None = None) -> Tensor:
        with name_scope(scope, "SpectralNormRegularizer", [weights]) as name:
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            norm = compute_spectral_norm(weights, power_iteration_rounds)
            loss: Tensor = build.Mul(factor, norm, name=name)
            return loss

    return sn
