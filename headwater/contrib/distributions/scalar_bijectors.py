"""Bijectors of single numbers, and the inverse of a bijector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope
from headwater.model.distributions.arrays import softplus_inverse
from headwater.model.distributions.bijector import Bijector
from headwater.ops.array.constant import constant
from headwater.ops.math.exponential import sigmoid
from headwater.ops.math.sign import absolute
from headwater.ops.nn.softplus import softplus

if TYPE_CHECKING:
    from headwater.base.tensor_shape import TensorShape


@export("contrib.distributions.bijectors.Exp")
class Exp(Bijector):
    """The bijector y = exp(x).

    Args:
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(self, validate_args: bool = False, name: str = "exp") -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def power(self) -> float:
        """The power of the PowerTransform that this bijector is: 0."""
        return 0.0

    def _forward(self, x: TensorLike) -> Tensor:
        return build.Exp(x)

    def _inverse(self, y: TensorLike) -> Tensor:
        return build.Log(y)

    def _inverse_log_det_jacobian(self, y: TensorLike) -> Tensor:
        return -build.Log(y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return x


@export("contrib.distributions.bijectors.Sigmoid")
class Sigmoid(Bijector):
    """The bijector y = 1 / (1 + exp(-x)).

    Args:
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(self, validate_args: bool = False, name: str = "sigmoid") -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _forward(self, x: TensorLike) -> Tensor:
        return sigmoid(x)

    def _inverse(self, y: TensorLike) -> Tensor:
        return build.Log(y) - build.Log1p(-y)

    def _inverse_log_det_jacobian(self, y: TensorLike) -> Tensor:
        return -build.Log1p(-y) - build.Log(y)

    def _forward_log_det_jacobian(self, x: TensorLike) -> Tensor:
        return -softplus(-x) - softplus(x)


@export("contrib.distributions.bijectors.Softplus")
class Softplus(Bijector):
    """The bijector y = hinge_softness * log(1 + exp(x / hinge_softness)).

    Args:
        hinge_softness: how smooth it is; 1 if None.
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(
        self,
        hinge_softness: TensorLike | None = None,
        validate_args: bool = False,
        name: str = "softplus",
    ) -> None:
        self._softness: TensorLike = None
        if hinge_softness is not None:
            with name_scope(name, None, [hinge_softness]):
                self._softness = convert_to_tensor(hinge_softness, name="hinge_softness")
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def hinge_softness(self) -> Tensor:
        """How smooth it is; None for 1."""
        return self._softness

    def _forward(self, x: TensorLike) -> Tensor:
        if self._softness is None:
            return softplus(x)
        return self._softness * softplus(x / self._softness)

    def _inverse(self, y: TensorLike) -> Tensor:
        if self._softness is None:
            return softplus_inverse(y)
        return self._softness * softplus_inverse(y / self._softness)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        y = y if self._softness is None else y / self._softness
        # dy/dx = sigmoid(x) = 1 - exp(-y).
        return -build.Log(-build.Expm1(-y))

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        x = x if self._softness is None else x / self._softness
        return -softplus(-x)


@export("contrib.distributions.bijectors.AffineScalar")
class AffineScalar(Bijector):
    """The bijector y = scale * x + shift.

    Args:
        shift: what is added; None for nothing.
        scale: the factor, not 0; None for 1.
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(
        self,
        shift: TensorLike | None = None,
        scale: TensorLike | None = None,
        validate_args: bool = False,
        name: str = "affine_scalar",
    ) -> None:
        with name_scope(name, None, [shift, scale]):
            self._shift: Tensor | None = (
                None if shift is None else convert_to_tensor(shift, name="shift")
            )
            self._scale: Tensor | None = (
                None if scale is None else convert_to_tensor(scale, name="scale")
            )
        super().__init__(
            forward_min_event_ndims=0,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name,
        )

    @property
    def shift(self) -> Tensor | None:
        """What is added; None for nothing."""
        return self._shift

    @property
    def scale(self) -> Any:
        """The factor; None for 1."""
        return self._scale

    def _forward(self, x: Tensor) -> Tensor:
        y = x if self._scale is None else x * self._scale
        return y if self._shift is None else y + self._shift

    def _inverse(self, y: Tensor) -> Tensor:
        x = y if self._shift is None else y - self._shift
        return x if self._scale is None else x / self._scale

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        # The same everywhere: one number for all elements.
        if self._scale is None:
            return constant(0.0, dtype=x.dtype.base_dtype)
        return build.Log(absolute(self._scale))


@export("contrib.distributions.bijectors.Invert")
class Invert(Bijector):
    """The inverse of a bijector.

    Args:
        bijector: the bijector.
        validate_args: whether arguments are checked when the graph runs.
        name: the name; invert_ and that of the bijector if None.
    """

    def __init__(self, bijector: Any, validate_args: bool = False, name: str | None = None) -> None:
        self._bijector = bijector
        super().__init__(
            graph_parents=bijector.graph_parents,
            forward_min_event_ndims=bijector.inverse_min_event_ndims,
            inverse_min_event_ndims=bijector.forward_min_event_ndims,
            is_constant_jacobian=bijector.is_constant_jacobian,
            validate_args=validate_args,
            dtype=bijector.dtype,
            name=name or f"invert_{bijector.name}",
        )

    @property
    def bijector(self) -> Bijector:
        """The bijector whose inverse this is."""
        return self._bijector

    def _forward_event_shape(self, input_shape: ShapeLike) -> TensorShape:
        return self.bijector._inverse_event_shape(input_shape)

    def _forward_event_shape_tensor(self, input_shape: ShapeLike) -> Tensor:
        return self.bijector._inverse_event_shape_tensor(input_shape)

    def _inverse_event_shape(self, output_shape: ShapeLike) -> TensorShape:
        return self.bijector._forward_event_shape(output_shape)

    def _inverse_event_shape_tensor(self, output_shape: ShapeLike) -> Tensor:
        return self.bijector._forward_event_shape_tensor(output_shape)

    def _forward(self, x: Tensor) -> Tensor:
        return self.bijector._inverse(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.bijector._forward(y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return self.bijector._inverse_log_det_jacobian(x)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return self.bijector._forward_log_det_jacobian(y)
