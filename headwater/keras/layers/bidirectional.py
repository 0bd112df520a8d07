"""Bidirectional: a recurrent layer in both directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import Array
from headwater.graph import Tensor, export, name_scope
from headwater.keras.backend.shaping import concatenate, reverse
from headwater.keras.engine.hdf5 import converted_weights
from headwater.keras.layers.wrappers import Wrapper, layer_of, listed
from headwater.model.layers.layer import Layer
from headwater.model.trackable.base import no_automatic_dependency_tracking

_MERGES: dict[str, Callable[[Any, Any], Tensor]] = {
    "sum": lambda y, z: y + z,
    "mul": lambda y, z: y * z,
    "ave": lambda y, z: (y + z) / 2,
    "concat": lambda y, z: concatenate([y, z]),
}


@export("keras.layers.Bidirectional")
class Bidirectional(Wrapper):
    """Runs a recurrent layer forwards and a copy of it backwards.

    Args:
        layer: the recurrent layer; two new ones are made with its arguments.
        merge_mode: how the outputs of both directions are combined: "concat", "sum", "mul", "ave";
            None for a list of both.
        weights: initial values of the variables, those of the forward layer first.
        backward_layer: the layer that runs backwards; a copy of `layer` if None.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if the arguments are wrong or the two layers do not fit.
    """

    @no_automatic_dependency_tracking
    def __init__(
        self,
        layer: Any,
        merge_mode: str | None = "concat",
        weights: Any = None,
        backward_layer: Any = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                "Please initialize `Bidirectional` layer with a `Layer` instance. You passed: "
                f"{layer}"
            )
        if backward_layer is not None and not isinstance(backward_layer, Layer):
            raise ValueError(
                f"`backward_layer` need to be a `Layer` instance. You passed: {backward_layer}"
            )
        if merge_mode is not None and merge_mode not in _MERGES:
            raise ValueError(
                "Invalid merge mode. Merge mode should be one of "
                '{"sum", "mul", "ave", "concat", None}'
            )
        given = None if backward_layer is None else _described(backward_layer)
        forward = _copy(layer)
        backward = _copy(layer, backwards=True) if given is None else backward_layer
        _check_pair(forward, backward)
        super().__init__(layer, **kwargs)
        self._given_backward = given
        self._set_directions(forward, backward)
        self.merge_mode = merge_mode
        if weights:
            half = len(weights) // 2
            self.forward_layer._initial_weights = weights[:half]
            self.backward_layer._initial_weights = weights[half:]
        # Not `stateful` even if the layer is: 1.15.5 keeps the states of both directions while
        # training only.
        self.return_sequences = forward.return_sequences
        self.return_state = forward.return_state
        self.supports_masking = True
        self._num_constants = 0
        self.input_spec = layer.input_spec

    def _set_directions(self, forward: Any, backward: Any) -> None:
        for each, direction in ((forward, "forward"), (backward, "backward")):
            if getattr(each, "zero_output_for_mask", None) is not None:
                # A masked output has no part in the sum of both directions.
                each.zero_output_for_mask = each.return_sequences
            each._name = f"{direction}_{each.name}"
        self.forward_layer, self.backward_layer = forward, backward
        # These are trained; the layer that was given is only their pattern.
        self._layers = [forward, backward]

    def build(self, input_shape: Any = None) -> None:
        """Makes the variables of both directions."""
        for layer in (self.forward_layer, self.backward_layer):
            with name_scope(layer.name):
                layer.build(input_shape)
                layer.built = True
            initial = layer.__dict__.pop("_initial_weights", None)
            if initial is not None:
                layer.set_weights(initial)
        self.built = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the output, or a list with those of the states."""
        found = self.forward_layer.compute_output_shape(input_shape)
        shape, *states = found if isinstance(found, list) else [found]
        if self.merge_mode == "concat":
            dims = TensorShape(shape).as_list()
            shape = TensorShape([*dims[:-1], None if dims[-1] is None else 2 * dims[-1]])
        outputs = [shape] if self.merge_mode else [shape, shape]
        if self.return_state:
            return outputs + states + states
        return outputs[0] if self.merge_mode else outputs

    def __call__(
        self, inputs: Any, initial_state: Any = None, constants: Any = None, **kwargs: Any
    ) -> Any:
        """Applies both directions.

        Args:
            inputs: sequences, or a list of them, initial states and constants.
            initial_state: the states before the first step: those of the forward layer, then those
                of the backward layer.
            constants: tensors that each step gets besides.
            **kwargs: further arguments of `call`.

        Returns:
            The outputs.

        Raises:
            ValueError: if the number of states is odd or only a part of the tensors is of the
                model.
        """
        if isinstance(inputs, list):
            end = len(inputs) - self._num_constants
            constants = inputs[end:] or constants
            initial_state = inputs[1:end] or initial_state
            inputs = inputs[0]
        states, constants = listed(initial_state), listed(constants)
        if not states and not constants:
            return super().__call__(inputs, **kwargs)
        if len(states) % 2:
            raise ValueError(
                "When passing `initial_state` to a Bidirectional RNN, the state should be a list "
                f"containing the states of the underlying RNNs. Found: {initial_state}"
            )
        if constants:
            for layer in (self, self.forward_layer, self.backward_layer):
                layer._num_constants = len(constants)
        in_model = [hasattr(x, "_keras_history") for x in states + constants]
        if any(in_model) != all(in_model):
            raise ValueError(
                "The initial state of a Bidirectional layer cannot be specified with a mix of "
                'Keras tensors and non-Keras tensors (a "Keras tensor" is a tensor that was '
                "returned by a Keras layer, or by `Input`)"
            )
        if all(in_model):
            spec, self.input_spec = self.input_spec, None
            try:
                return super().__call__([inputs, *states, *constants], **kwargs)
            finally:
                self.input_spec = spec
        if states:
            kwargs["initial_state"] = states
        if constants:
            kwargs["constants"] = constants
        return super().__call__(inputs, **kwargs)

    def call(
        self,
        inputs: Any,
        training: Any = None,
        mask: Any = None,
        initial_state: Any = None,
        constants: Any = None,
    ) -> Any:
        """Computes the outputs.

        Args:
            inputs: sequences, or a list of them, initial states and constants.
            training: whether the layers are being trained.
            mask: the mask of the steps.
            initial_state: the states before the first step.
            constants: tensors that each step gets besides.

        Returns:
            The combined outputs; a list of both without `merge_mode`, and with the states.
        """
        if isinstance(inputs, list):
            end = len(inputs) - self._num_constants
            constants = inputs[end:] or constants
            initial_state = inputs[1:end] or initial_state
            inputs = inputs[0]
            mask = mask[0] if isinstance(mask, list) else mask
        given = {"training": training, "mask": mask, "constants": constants}
        states = listed(initial_state)
        half = len(states) // 2
        found = []
        for layer, own in (
            (self.forward_layer, states[:half]),
            (self.backward_layer, states[half:]),
        ):
            arguments = {k: v for k, v in given.items() if layer._call_takes(k) and v is not None}
            if own:
                arguments["initial_state"] = own
            found.append(layer(inputs, **arguments))
        return self._merged(*found)

    def _merged(self, forward: Any, backward: Any) -> Any:
        states: list[Any] = []
        if self.return_state:
            states = list(forward[1:]) + list(backward[1:])
            forward, backward = forward[0], backward[0]
        if self.return_sequences:
            # 1.15.5 reverses this axis even where the steps come first.
            backward = reverse(backward, 1)
        if self.merge_mode is None:
            return [forward, backward, *states]
        output = _MERGES[self.merge_mode](forward, backward)
        return [output, *states] if self.return_state else output

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the input if all outputs are returned."""
        mask = mask[0] if isinstance(mask, list) else mask
        kept = mask if self.return_sequences else None
        masks = [kept] if self.merge_mode else [kept, kept]
        if not self.return_state:
            return masks[0] if self.merge_mode else masks
        states = nest.flatten(self.forward_layer.cell.state_size)
        return masks + [None] * (2 * len(states))

    def reset_states(self) -> None:
        """Sets the states of both directions to zeros."""
        self.forward_layer.reset_states()
        self.backward_layer.reset_states()

    @property
    def constraints(self) -> dict[Any, Any]:
        """{variable: constraint} of both directions."""
        return {
            v: v.constraint
            for layer in (self.forward_layer, self.backward_layer)
            for v in layer.weights
            if getattr(v, "constraint", None) is not None
        }

    def converted_weights(self, values: list[Array]) -> list[Array]:
        """The values of a file for both directions."""
        half = len(values) // 2
        forward = converted_weights(self.forward_layer, values[:half])
        return forward + converted_weights(self.backward_layer, values[half:])

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        config = {**super().get_config(), "merge_mode": self.merge_mode}
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if self._given_backward is not None:
            config["backward_layer"] = self._given_backward
        return config

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
        config = dict(config)
        constants = config.pop("num_constants", 0)
        if config.get("backward_layer") is not None:
            config["backward_layer"] = layer_of(config["backward_layer"], custom_objects)
        layer = super().from_config(config, custom_objects)
        layer._num_constants = constants
        return layer


def _described(layer: Any) -> dict[str, Any]:
    return {"class_name": type(layer).__name__, "config": layer.get_config()}


def _copy(layer: Any, backwards: bool = False) -> Any:
    """A new layer with the arguments of another one, of the other direction if asked for."""
    config = layer.get_config()
    if backwards:
        config["go_backwards"] = not config["go_backwards"]
    code = getattr(layer.from_config, "__code__", None)
    takes = code is not None and "custom_objects" in code.co_varnames[: code.co_argcount]
    if not takes:
        return type(layer).from_config(config)
    classes = {
        type(cell).__name__: type(cell)
        for cell in (
            getattr(layer, "cell", None),
            *getattr(getattr(layer, "cell", None), "cells", ()),
        )
        if cell is not None
    }
    return type(layer).from_config(config, custom_objects=classes)


def _check_pair(forward: Any, backward: Any) -> None:
    if forward.go_backwards == backward.go_backwards:
        raise ValueError(
            "Forward layer and backward layer should have different `go_backwards` value."
        )
    for name in ("stateful", "return_sequences", "return_state"):
        ours, theirs = getattr(forward, name), getattr(backward, name)
        if ours != theirs:
            raise ValueError(
                "Forward layer and backward layer are expected to have the same value for "
                f"attribute {name}, got {ours} and {theirs}"
            )
