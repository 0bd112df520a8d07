"""`tf.keras.experimental.LinearModel`: a linear function of one or several inputs."""

from __future__ import annotations

from typing import Any

from headwater.base import nest
from headwater.base.typing import InitializerLike, NestedTensors
from headwater.graph import export
from headwater.keras.activations import functions as activations
from headwater.keras.engine.training import Model
from headwater.keras.initializers import random_values as initializers
from headwater.keras.layers.core import Dense
from headwater.keras.regularizers import lookup as regularizers
from headwater.model.layers.layer import Layer


@export("keras.experimental.LinearModel")
class LinearModel(Model):
    """The sum of a product of each input with a kernel of its own, and a bias.

    Args:
        units: the number of outputs.
        activation: an activation function, or its name; none if None.
        use_bias: whether a bias is added.
        kernel_initializer: the initializer of the kernels.
        bias_initializer: the initializer of the bias.
        kernel_regularizer: the regularizer of the kernels; or None.
        bias_regularizer: the regularizer of the bias; or None.
        **kwargs: arguments of a model, such as `name`.
    """

    def __init__(
        self,
        units: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike | None = "glorot_uniform",
        bias_initializer: InitializerLike | None = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units = units
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.dense_layers: Any = []
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the variables.

        Args:
            input_shape: the shape of the input, or a list of shapes.
        """
        shapes = input_shape if isinstance(input_shape, list) else [input_shape]
        layers = []
        for _ in shapes:
            layer = Dense(
                self.units,
                use_bias=False,
                kernel_initializer=self.kernel_initializer,
                kernel_regularizer=self.kernel_regularizer,
            )
            layers.append(layer)
        self.dense_layers = layers
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=(self.units,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
            )
        self.built = True

    def call(self, inputs: NestedTensors, training: Any = None, mask: Any = None) -> NestedTensors:
        """Computes the linear function.

        Args:
            inputs: a tensor, or a list of tensors.
            training: has no effect.
            mask: has no effect.

        Returns:
            A tensor [examples, units].
        """
        result: Any = None
        for x, layer in zip(nest.flatten(inputs), self.dense_layers):
            product = layer(x)
            result = product if result is None else result + product
        if self.use_bias:
            result = result + self.bias
        return result if self.activation is None else self.activation(result)

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {
            **Layer.get_config(self),
            "units": self.units,
            "activation": activations.serialize(self.activation),
            "use_bias": self.use_bias,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
        }

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Any:
        """Makes a model of the configuration of another one.

        Args:
            config: what `get_config` has returned.
            custom_objects: has no effect.
        """
        return cls(**config)
