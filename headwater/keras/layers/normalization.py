"""BatchNormalization and LayerNormalization."""

from __future__ import annotations

from typing import Any

from headwater.base.signatures import signature
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import ShapeLike, TensorLike
from headwater.graph import Tensor, build, export
from headwater.keras.layers.arguments import KerasConfig, phase_or, resolved
from headwater.model.layers.normalization import BatchNormalizationLayer
from headwater.model.nn.batch_normalization import batch_normalization
from headwater.model.nn.moments import moments


@export("keras.layers.BatchNormalization")
class BatchNormalization(KerasConfig, BatchNormalizationLayer):
    """Normalizes inputs to mean 0 and variance 1, then scales and shifts them.

    While training, mean and variance are those of the batch, else moving averages of them.

    Args:
        axis: the axis of the features.
        momentum: the momentum of the moving averages.
        epsilon: what is added to the variance.
        center: whether there is an offset `beta`.
        scale: whether there is a factor `gamma`.
        beta_initializer: the initializer of the offset.
        gamma_initializer: the initializer of the factor.
        moving_mean_initializer: the initializer of the average mean.
        moving_variance_initializer: the initializer of the average variance.
        beta_regularizer: a function from the offset to a loss.
        gamma_regularizer: a function from the factor to a loss.
        beta_constraint: a function from a new offset to the one that is kept.
        gamma_constraint: a function from a new factor to the one that is kept.
        **kwargs: renorm, fused, virtual_batch_size, adjustment as in tf.layers, and further
            arguments of Layer.
    """

    config_names = (
        "momentum",
        "epsilon",
        "center",
        "scale",
        "beta_initializer",
        "gamma_initializer",
        "moving_mean_initializer",
        "moving_variance_initializer",
        "beta_regularizer",
        "gamma_regularizer",
        "beta_constraint",
        "gamma_constraint",
    )

    @signature(
        "self, axis=-1, momentum=0.99, epsilon=0.001, center=True, scale=True, "
        "beta_initializer='zeros', gamma_initializer='ones', moving_mean_initializer='zeros', "
        "moving_variance_initializer='ones', beta_regularizer=None, gamma_regularizer=None, "
        "beta_constraint=None, gamma_constraint=None, renorm=False, renorm_clipping=None, "
        "renorm_momentum=0.99, fused=None, trainable=True, virtual_batch_size=None, "
        "adjustment=None, name=None, **kwargs"
    )
    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            axis,
            momentum,
            epsilon,
            center,
            scale,
            **resolved(
                beta_initializer=beta_initializer,
                gamma_initializer=gamma_initializer,
                moving_mean_initializer=moving_mean_initializer,
                moving_variance_initializer=moving_variance_initializer,
                beta_regularizer=beta_regularizer,
                gamma_regularizer=gamma_regularizer,
                beta_constraint=beta_constraint,
                gamma_constraint=gamma_constraint,
            ),
            **kwargs,
        )
        self.supports_masking = True

    def call(self, inputs: TensorLike, training: Any = None) -> Tensor:
        """Normalizes inputs.

        Args:
            inputs: a tensor.
            training: whether mean and variance are those of the batch; the learning phase if None.

        Returns:
            A tensor like `inputs`.
        """
        return super().call(inputs, training=phase_or(training))

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        base = super().get_config()
        own = {name: base.pop(name) for name in self.config_names}
        config = {**base, "axis": self.axis, **own}
        if self.renorm:
            config["renorm"] = True
            config["renorm_clipping"] = self.renorm_clipping
            config["renorm_momentum"] = self.renorm_momentum
        if self.virtual_batch_size is not None:
            config["virtual_batch_size"] = self.virtual_batch_size
        # The adjustment is a function, which 1.15.5 does not save.
        return config


@export("keras.layers.LayerNormalization")
class LayerNormalization(KerasConfig):
    """Normalizes each example to mean 0 and variance 1, then scales and shifts it.

    Args:
        axis: the axes that are normalized together.
        epsilon: what is added to the variance.
        center: whether there is an offset `beta`.
        scale: whether there is a factor `gamma`.
        beta_initializer: the initializer of the offset.
        gamma_initializer: the initializer of the factor.
        beta_regularizer: a function from the offset to a loss.
        gamma_regularizer: a function from the factor to a loss.
        beta_constraint: a function from a new offset to the one that is kept.
        gamma_constraint: a function from a new factor to the one that is kept.
        trainable: whether optimizers change the variables.
        name: the name.
        **kwargs: further arguments of Layer.
    """

    config_names = (
        "axis",
        "epsilon",
        "center",
        "scale",
        "beta_initializer",
        "gamma_initializer",
        "beta_regularizer",
        "gamma_regularizer",
        "beta_constraint",
        "gamma_constraint",
    )

    def __init__(
        self,
        axis: Any = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, trainable=trainable, **kwargs)
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else axis
        self.epsilon, self.center, self.scale = epsilon, center, scale
        self._settings = resolved(
            beta_initializer=beta_initializer,
            gamma_initializer=gamma_initializer,
            beta_regularizer=beta_regularizer,
            gamma_regularizer=gamma_regularizer,
            beta_constraint=beta_constraint,
            gamma_constraint=gamma_constraint,
        )
        for key, value in self._settings.items():
            setattr(self, key, value)
        self.supports_masking = True
        self.beta: Any = None
        self.gamma: Any = None

    def build(self, input_shape: ShapeLike) -> None:
        """Makes factor and offset.

        Raises:
            ValueError: if an axis is wrong.
        """
        rank = TensorShape(input_shape).ndims
        if rank is None:
            raise ValueError(f"Input shape {input_shape} has undefined rank.")
        axes = [self.axis] if isinstance(self.axis, int) else list(self.axis)
        axes = [axis + rank if axis < 0 else axis for axis in axes]
        for axis in axes:
            if not 0 <= axis < rank:
                raise ValueError(f"Invalid axis: {axis}")
        if len(axes) != len(set(axes)):
            raise ValueError(f"Duplicate axis: {tuple(axes)}")
        self.axis = axes
        shape = [TensorShape(input_shape)[axis].value for axis in axes]
        for name, wanted in (("gamma", self.scale), ("beta", self.center)):
            if wanted:
                weight = self.add_weight(
                    name,
                    shape=shape,
                    initializer=self._settings[f"{name}_initializer"],
                    regularizer=self._settings[f"{name}_regularizer"],
                    constraint=self._settings[f"{name}_constraint"],
                    trainable=True,
                )
                setattr(self, name, weight)
        self.built = True

    def call(self, inputs: TensorLike) -> Tensor:
        """Normalizes the examples."""
        rank = inputs.shape.ndims
        assert rank is not None
        mean, variance = moments(inputs, self.axis, keepdims=True)
        form = [1] * rank
        for axis in self.axis:
            form[axis] = inputs.shape[axis].value

        def spread(vector: Any) -> Any:
            if vector is None or self.axis == [rank - 1]:
                return vector
            return build.Reshape(vector, form)

        outputs = batch_normalization(
            inputs, mean, variance, spread(self.beta), spread(self.gamma), self.epsilon
        )
        outputs.set_shape(inputs.shape)
        return outputs

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shape of the input."""
        return input_shape
