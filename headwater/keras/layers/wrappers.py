"""Layers around another layer: Wrapper and TimeDistributed."""

from __future__ import annotations

from typing import Any

from headwater.base import nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array, NestedTensors, ShapeLike, TensorLike
from headwater.graph import Tensor, build, export, shape_tensor
from headwater.keras.backend.recurrence import rnn
from headwater.keras.engine.hdf5 import converted_weights
from headwater.keras.engine.registry import deserialize
from headwater.model.layers.input_spec import InputSpec
from headwater.model.layers.layer import Layer
from headwater.ops.math.reduce_functions import reduce_any


@export("keras.layers.Wrapper")
class Wrapper(Layer):
    """The base of layers around another layer.

    Args:
        layer: the layer inside.
        **kwargs: further arguments of Layer.
    """

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        assert isinstance(layer, Layer)
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape: Any = None) -> None:
        """Makes the variables of the layer inside."""
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True
        self.built = True

    @property  # type: ignore[misc]  # that of the layer inside cannot be set here
    def activity_regularizer(self) -> Any:
        """That of the layer inside."""
        return getattr(self.layer, "activity_regularizer", None)

    def converted_weights(self, values: list[Array]) -> list[Array]:
        """The values of a file for the layer inside."""
        return converted_weights(self.layer, values)

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        inside = {"class_name": type(self.layer).__name__, "config": self.layer.get_config()}
        return {**self._own_config(), "layer": inside}

    def _own_config(self) -> dict[str, Any]:
        config: dict[str, Any] = {"name": self.name, "trainable": self.trainable}
        if hasattr(self, "_batch_input_shape"):
            config["batch_input_shape"] = self._batch_input_shape
        return {**config, "dtype": self.dtype}

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Any:
        """Makes a layer from what `get_config` of another one has returned.

        Args:
            config: the arguments of the constructor.
            custom_objects: {name: class or function} that the configuration names.

        Returns:
            A layer.
        """
        rest = dict(config)
        inside = layer_of(rest.pop("layer"), custom_objects)
        return cls(inside, **rest)


@export("keras.layers.TimeDistributed")
class TimeDistributed(Wrapper):
    """Applies a layer to each step of sequences (batch, steps, ...).

    Args:
        layer: the layer.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if `layer` is not a layer.
    """

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                "Please initialize `TimeDistributed` layer with a `Layer` instance. You passed: "
                f"{layer}"
            )
        super().__init__(layer, **kwargs)
        self.supports_masking = True
        # What the layer inside is applied to, by the id of the input, for its mask.
        self._self_joined: dict[int, Any] = {}

    def _joins_axes(self) -> bool:
        """Whether the steps can be treated as examples for any batch size.

        A layer of a program may depend on the batch, and so does one with a state.
        """
        built_in = type(self.layer).__module__.partition(".")[0] == __name__.partition(".")[0]
        return built_in and not getattr(self.layer, "stateful", False)

    def build(self, input_shape: ShapeLike = None) -> None:
        """Makes the variables of the layer inside."""
        dims = TensorShape(input_shape).as_list()
        if len(dims) < 3:
            raise ValueError(
                "`TimeDistributed` Layer should be passed an `input_shape ` with at least 3 "
                f"dimensions, received: {dims}"
            )
        self.input_spec = InputSpec(shape=[None, None, *dims[2:]])
        super().build(TensorShape([dims[0], *dims[2:]]))

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the output."""
        dims = TensorShape(input_shape).as_list()
        inside = TensorShape(self.layer.compute_output_shape(TensorShape([dims[0], *dims[2:]])))
        batch, *rest = inside.as_list()
        return TensorShape([batch, dims[1], *rest])

    def call(self, inputs: TensorLike, training: Any = None, mask: Any = None) -> Tensor:
        """Applies the layer to each step.

        Args:
            inputs: a tensor (batch, steps, ...).
            training: whether the layer is being trained.
            mask: the mask of the steps.

        Returns:
            A tensor (batch, steps, ...).
        """
        arguments = {"training": training} if self.layer._call_takes("training") else {}
        dims = inputs.shape.as_list()
        if dims[0] and not self._joins_axes():

            def step(x: Tensor, _: Any) -> tuple[Any, list[Any]]:
                return self.layer.call(x, **arguments), []

            _, outputs, _ = rnn(step, inputs, [], input_length=dims[1], mask=mask)
        else:
            if self.layer._call_takes("mask") and mask is not None:
                arguments["mask"] = _joined(mask)
            joined = self._self_joined[id(inputs)] = _joined(inputs)
            found = self.layer.call(joined, **arguments)
            known = self.compute_output_shape(inputs.shape).as_list()[2:]
            outputs = _parted(found, dims[1] or shape_tensor(inputs)[1], known)
        regularizer = self.activity_regularizer
        if regularizer is not None:
            self.add_loss(regularizer(outputs), inputs)
        return outputs

    def compute_mask(self, inputs: TensorLike, mask: Any = None) -> Any:
        """The mask of the outputs: that of the layer inside, step by step."""
        dims = inputs.shape.as_list()
        if dims[0]:
            return mask
        joined = self._self_joined.get(id(inputs), inputs)
        inside = self.layer.compute_mask(joined, None if mask is None else _joined(mask))
        if inside is not None:
            return _parted(inside, dims[1] or shape_tensor(inputs)[1], inside.shape.as_list()[1:])
        if mask is None:
            return None
        for _ in range(2, mask.shape.ndims):
            mask = reduce_any(mask, axis=-1)
        return mask


def _joined(x: TensorLike) -> Tensor:
    """A tensor whose steps are examples: (batch * steps, ...)."""
    return build.Reshape(x, _lengths([-1], x, x.shape.as_list()[2:], 2))


def _parted(x: TensorLike, steps: Any, known: list[int | None]) -> Tensor:
    """The reverse of `_joined`: (batch, steps, ...)."""
    return build.Reshape(x, _lengths([-1, steps], x, known, 1))


def _lengths(start: list[Any], x: TensorLike, known: list[int | None], first: int) -> list[Any]:
    """A shape that begins with `start`; unknown lengths are those of x, from axis `first` on."""
    if all(known):
        return [*start, *known]
    whole: Any = shape_tensor(x)
    return [*start, *(n if n else whole[first + i] for i, n in enumerate(known))]


def listed(value: NestedTensors | None) -> list[Any]:
    """A list of tensors: that of a list, of a single tensor, or an empty one for None."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else nest.flatten(value)


def layer_of(value: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The layer or cell of a configuration.

    Args:
        value: the configuration, or the layer if it has been made already.
        custom_objects: {name: class or function} that the configuration names.
    """
    return deserialize(value, custom_objects) if isinstance(value, dict) else value
