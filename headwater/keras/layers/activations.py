"""Activations that are layers: ReLU and its variants, ELU, Softmax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import Tensor, build, export
from headwater.keras.backend.elementwise import elu, relu, softmax
from headwater.keras.backend.settings import cast_to_floatx, floatx
from headwater.keras.layers.arguments import KerasConfig, resolved
from headwater.model.layers.input_spec import InputSpec


class _Elementwise(KerasConfig):
    """The base of layers whose output has the shape of the input and keeps its mask."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shape of the input."""
        return input_shape


@export("keras.layers.LeakyReLU")
class LeakyReLU(_Elementwise):
    """x where it is positive, alpha * x elsewhere.

    Args:
        alpha: the slope of the negative part.
        **kwargs: further arguments of Layer.
    """

    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = cast_to_floatx(alpha)

    def call(self, inputs: TensorLike) -> Tensor:
        """Applies the function."""
        return relu(inputs, alpha=self.alpha)

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {**super().get_config(), "alpha": float(self.alpha)}


@export("keras.layers.PReLU")
class PReLU(_Elementwise):
    """x where it is positive, alpha * x elsewhere, with a trained alpha for each place.

    Args:
        alpha_initializer: the initializer of the slopes.
        alpha_regularizer: a function from the slopes to a loss.
        alpha_constraint: a function from new slopes to those that are kept.
        shared_axes: axes along which the slopes are the same, counted from 1.
        **kwargs: further arguments of Layer.
    """

    config_names = ("alpha_initializer", "alpha_regularizer", "alpha_constraint", "shared_axes")
    alpha_initializer: Any
    alpha_regularizer: Any
    alpha_constraint: Any

    def __init__(
        self,
        alpha_initializer: Any = "zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: int | Sequence[int] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        found = resolved(
            alpha_initializer=alpha_initializer,
            alpha_regularizer=alpha_regularizer,
            alpha_constraint=alpha_constraint,
        )
        for name, value in found.items():
            setattr(self, name, value)
        if shared_axes is None or isinstance(shared_axes, (list, tuple)):
            self.shared_axes: Any = None if shared_axes is None else list(shared_axes)
        else:
            self.shared_axes = [shared_axes]

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the slopes."""
        dims = TensorShape(input_shape).as_list()
        shared = list(self.shared_axes or ())
        lengths = [1 if axis in shared else n for axis, n in enumerate(dims)]
        self.alpha = self.add_weight(
            shape=lengths[1:],
            name="alpha",
            initializer=self.alpha_initializer,
            regularizer=self.alpha_regularizer,
            constraint=self.alpha_constraint,
        )
        fixed = {axis: dims[axis] for axis in range(1, len(dims)) if axis not in shared}
        self.input_spec = InputSpec(ndim=len(dims), axes=fixed if shared else {})
        self.built = True

    def call(self, inputs: TensorLike, mask: Any = None) -> Tensor:
        """Applies the function."""
        return relu(inputs) + -self.alpha * relu(-inputs)


@export("keras.layers.ELU")
class ELU(_Elementwise):
    """x where it is positive, alpha * (exp(x) - 1) elsewhere.

    Args:
        alpha: the factor of the negative part.
        **kwargs: further arguments of Layer.
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = cast_to_floatx(alpha)

    def call(self, inputs: TensorLike) -> Tensor:
        """Applies the function."""
        return elu(inputs, self.alpha)

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {**super().get_config(), "alpha": float(self.alpha)}


@export("keras.layers.ThresholdedReLU")
class ThresholdedReLU(_Elementwise):
    """x where it is above a threshold, 0 elsewhere.

    Args:
        theta: the threshold.
        **kwargs: further arguments of Layer.
    """

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.theta = cast_to_floatx(theta)

    def call(self, inputs: TensorLike, mask: Any = None) -> Tensor:
        """Applies the function."""
        return inputs * build.Cast(build.Greater(inputs, self.theta), DstT=floatx())

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {**super().get_config(), "theta": float(self.theta)}


@export("keras.layers.Softmax")
class Softmax(_Elementwise):
    """The softmax along an axis.

    Args:
        axis: the axis.
        **kwargs: further arguments of Layer.
    """

    config_names = ("axis",)

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: TensorLike) -> Tensor:
        """Applies the function."""
        return softmax(inputs, axis=self.axis)


@export("keras.layers.ReLU")
class ReLU(KerasConfig):
    """x where it is above a threshold, at most max_value; a slope elsewhere.

    Args:
        max_value: the largest output; unbounded if None.
        negative_slope: the slope below the threshold.
        threshold: the threshold.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if the largest output or the slope is negative.
    """

    config_names = ("max_value", "negative_slope", "threshold")

    def __init__(
        self,
        max_value: float | None = None,
        negative_slope: float = 0,
        threshold: float = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if max_value is not None and max_value < 0.0:
            raise ValueError(f"max_value of Relu layer cannot be negative value: {max_value}")
        if negative_slope < 0.0:
            raise ValueError(
                f"negative_slope of Relu layer cannot be negative value: {negative_slope}"
            )
        self.max_value = None if max_value is None else cast_to_floatx(max_value)
        self.negative_slope = cast_to_floatx(negative_slope)
        self.threshold = cast_to_floatx(threshold)

    def call(self, inputs: TensorLike) -> Tensor:
        """Applies the function."""
        return relu(
            inputs,
            alpha=self.negative_slope,
            max_value=self.max_value,
            threshold=self.threshold,
        )

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shape of the input."""
        return input_shape

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        own = {name: getattr(self, name) for name in self.config_names}
        return {**super().get_config(), **own}
