"""`tf.keras.experimental.WideDeepModel`: the mean of a linear and a deep model."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import NestedTensors
from headwater.graph import export
from headwater.keras.activations import functions as activations
from headwater.keras.engine.registry import deserialize
from headwater.keras.engine.training import Model
from headwater.keras.utils.serialization import serialize_keras_object
from headwater.model.layers.layer import Layer


@export("keras.experimental.WideDeepModel")
class WideDeepModel(Model):
    """The mean of a linear and a deep model, which are trained together.

    A list of two optimizers may be given to `compile`: one for each of the models.

    Args:
        linear_model: the linear model.
        dnn_model: the deep model.
        activation: an activation function of the mean, or its name; none if None.
        **kwargs: arguments of a model, such as `name`.
    """

    def __init__(
        self, linear_model: Any, dnn_model: Any, activation: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.linear_model = linear_model
        self.dnn_model = dnn_model
        self.activation = activations.get(activation)

    def call(self, inputs: NestedTensors, training: Any = None, mask: Any = None) -> NestedTensors:
        """Computes the mean.

        Args:
            inputs: the inputs of both models, or a pair with those of each.
            training: whether layers behave as in training.
            mask: has no effect.

        Returns:
            A tensor.
        """
        pair = isinstance(inputs, (tuple, list)) and len(inputs) == 2
        wide, deep = inputs if pair else (inputs, inputs)
        linear = self.linear_model(wide)
        takes = self.dnn_model._call_takes("training")
        arguments = {"training": training} if takes else {}
        return self.activation(0.5 * (linear + self.dnn_model(deep, **arguments)))

    def _optimizer_updates(self) -> list[Any]:
        if not isinstance(self.optimizer, (list, tuple)):
            return super()._optimizer_updates()
        of_linear = set(map(id, self.linear_model.trainable_weights))
        parts: tuple[list[Any], list[Any]] = ([], [])
        for variable in self._made_trainable:
            parts[id(variable) not in of_linear].append(variable)
        updates = []
        for optimizer, variables in zip(self.optimizer, parts):
            updates += optimizer.get_updates(params=variables, loss=self._total_loss)
        return updates

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {
            **Layer.get_config(self),
            "linear_model": serialize_keras_object(self.linear_model),
            "dnn_model": serialize_keras_object(self.dnn_model),
            "activation": activations.serialize(self.activation),
        }

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Any:
        """Makes a model of the configuration of another one.

        Args:
            config: what `get_config` has returned.
            custom_objects: {name: class or function} that the configuration names.
        """
        parts = {
            name: deserialize(config[name], custom_objects)
            for name in ("linear_model", "dnn_model")
        }
        return cls(**{**config, **parts})
