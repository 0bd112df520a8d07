"""RNN: the layer that applies a cell to the steps of sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors
from headwater.graph import build, export
from headwater.keras.backend.recurrence import rnn
from headwater.keras.backend.values import batch_set_value
from headwater.keras.backend.variables import zeros
from headwater.keras.layers.arguments import KerasConfig
from headwater.keras.layers.stacked_cells import (
    StackedRNNCells,
    initial_state,
    output_size,
    takes,
)
from headwater.keras.layers.wrappers import layer_of, listed
from headwater.model.layers.input_spec import InputSpec
from headwater.model.layers.layer import Layer
from headwater.model.trackable.base import no_automatic_dependency_tracking

_HOW_TO_FIX = (
    "\n- If using a Sequential model, specify the {what} by passing {argument} to your first "
    "layer.{more}\n- If using the functional API, specify the {what} by passing a {functional} "
    "argument to your Input layer."
)
_NO_BATCH_SIZE = (
    "If a RNN is stateful, it needs to know its batch size. Specify the batch size of your input "
    "tensors: "
) + _HOW_TO_FIX.format(
    what="batch size",
    argument="a `batch_input_shape` argument",
    more="",
    functional="`batch_shape`",
)
_NO_STEPS = "Cannot unroll a RNN if the time dimension is undefined. " + _HOW_TO_FIX.format(
    what="time dimension",
    argument="an `input_shape` or `batch_input_shape` argument",
    more=" If your first layer is an Embedding, you can also use the `input_length` argument.",
    functional="`shape` or `batch_shape`",
)
_MIXED = (
    "The initial state or constants of an RNN layer cannot be specified with a mix of Keras "
    'tensors and non-Keras tensors (a "Keras tensor" is a tensor that was returned by a Keras '
    "layer, or by `Input`)"
)


@export("keras.layers.RNN")
class RNN(KerasConfig):
    """Applies a cell to the steps of sequences.

    Args:
        cell: the cell, or a list of cells.
        return_sequences: whether all outputs are returned, rather than the last one.
        return_state: whether the last states are returned too.
        go_backwards: whether the last step comes first.
        stateful: whether a batch begins with the last states of the batch before.
        unroll: whether the nodes of each step are made, rather than a loop.
        time_major: whether tensors are (steps, batch, ...).
        **kwargs: `zero_output_for_mask`: whether masked outputs are zeros, rather than the ones
            before them; further arguments of Layer.

    Raises:
        ValueError: if the cell is none.
    """

    config_names: tuple[str, ...] = (
        "return_sequences",
        "return_state",
        "go_backwards",
        "stateful",
        "unroll",
        "time_major",
    )

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        time_major: bool = False,
        **kwargs: Any,
    ) -> None:
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        if not hasattr(cell, "call"):
            raise ValueError("`cell` should have a `call` method. The RNN was passed:", cell)
        if not hasattr(cell, "state_size"):
            raise ValueError(
                "The RNN cell should have an attribute `state_size` (tuple of integers, one "
                "integer per RNN state)."
            )
        if "input_shape" not in kwargs and ("input_dim" in kwargs or "input_length" in kwargs):
            kwargs["input_shape"] = (
                kwargs.pop("input_length", None),
                kwargs.pop("input_dim", None),
            )
        self.zero_output_for_mask = kwargs.pop("zero_output_for_mask", False)
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.stateful = stateful
        self.unroll = unroll
        self.time_major = time_major
        self.supports_masking = True
        self.state_spec: Any = None
        self.constants_spec: Any = None
        self._states: Any = None
        self._num_constants = 0

    # States

    @property
    def states(self) -> Any:
        """The states that a stateful layer keeps; None for each one of other layers."""
        if self._states is not None:
            return self._states
        sizes = self.cell.state_size
        empty = nest.map_structure(lambda _: None, sizes)
        return empty if nest.is_sequence(sizes) else [empty]

    @states.setter
    @no_automatic_dependency_tracking
    def states(self, values: Any) -> None:
        # They are no weights.
        self._states = values

    def get_initial_state(self, inputs: Any) -> list[Any]:
        """The states before the first step, by default zeros.

        Args:
            inputs: the sequences.

        Returns:
            A list.
        """
        first = nest.flatten(inputs)[0]
        batch: Any = build.Shape(first)[1 if self.time_major else 0]
        found = initial_state(self.cell, None, batch, first.dtype.base_dtype)
        return list(found) if nest.is_sequence(found) else [found]

    def reset_states(self, states: Any = None) -> None:
        """Sets the states of a stateful layer.

        Args:
            states: the new states; zeros if None.

        Raises:
            AttributeError: if the layer is not stateful.
            ValueError: if the number of sequences is unknown, or the states do not fit.
        """
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        spec: Any = nest.flatten(self.input_spec[0])[0]
        batch: Any = spec.shape[1 if self.time_major else 0]
        if not batch:
            raise ValueError(_NO_BATCH_SIZE)
        shapes = self._state_shapes(batch)
        known = nest.flatten(self.states)
        if known[0] is None:
            made = nest.pack_sequence_as(self.cell.state_size, [zeros(shape) for shape in shapes])
            self.states = made if nest.is_sequence(made) else [made]
            return
        if states is None:
            batch_set_value(list(zip(known, [np.zeros(shape) for shape in shapes])))
            return
        given = nest.flatten(states)
        if len(given) != len(known):
            raise ValueError(
                f"Layer {self.name} expects {len(known)} states, but it received {len(given)} "
                f"state values. Input received: {states}"
            )
        for i, (value, state) in enumerate(zip(given, known)):
            if tuple(value.shape) != tuple(state.shape.as_list()):
                raise ValueError(
                    f"State {i} is incompatible with layer {self.name}: expected "
                    f"shape={(batch, state)}, found shape={value.shape}"
                )
        batch_set_value(list(zip(known, given)))

    def _state_shapes(self, batch: int) -> list[Any]:
        """The shapes of the kept states for a number of sequences."""
        sizes = nest.flatten(self.cell.state_size)
        return [(batch, *TensorShape(size).as_list()) for size in sizes]

    # Shapes and masks

    def _step_shape(self, shape: Any) -> TensorShape:
        dims = TensorShape(shape).as_list()
        return TensorShape(dims[1:] if self.time_major else [dims[0], *dims[2:]])

    def _spec_of(self, shape: Any) -> InputSpec:
        dims = TensorShape(shape).as_list()
        batch, steps = (1, 0) if self.time_major else (0, 1)
        dims[steps] = None
        if not self.stateful:
            dims[batch] = None
        return InputSpec(shape=tuple(dims))

    def build(self, input_shape: Any) -> None:
        """Makes the variables of the cell, and the states of a stateful layer.

        Raises:
            ValueError: if initial states do not fit the cell, or the number of sequences is needed
                and unknown.
        """
        count = len(nest.flatten(self.input_spec))
        if isinstance(input_shape, list):
            input_shape = input_shape[0]
        nested = isinstance(input_shape, (tuple, dict)) and bool(
            any(isinstance(part, (TensorShape, tuple)) for part in nest.flatten(input_shape))
        )
        if nested:
            specs = nest.map_structure(self._spec_of, input_shape)
            step = nest.map_structure(self._step_shape, input_shape)
        else:
            specs, step = self._spec_of(input_shape), self._step_shape(input_shape)
        own = len(nest.flatten(specs))
        self.input_spec = [specs, *nest.flatten(self.input_spec)[own:count]]
        cell = self.cell
        if isinstance(cell, Layer) and not cell.built:
            cell._dtype = cell._dtype or self._dtype
            cell.build(step)
            cell.built = True
        sizes = nest.flatten(cell.state_size)
        if self.state_spec is not None:
            self._check_states(nest.flatten(self.state_spec), sizes)
        else:
            self.state_spec = [self._state_spec(size) for size in sizes]
        if self.stateful:
            self.reset_states()
        self.built = True

    def _state_spec(self, size: Any) -> Any:
        return InputSpec(shape=[None, *TensorShape(size).as_list()])

    def _check_states(self, specs: list[Any], sizes: list[Any]) -> None:
        fit = len(specs) == len(sizes) and all(
            TensorShape(spec.shape[1:]).is_compatible_with(
                TensorShape(self._state_spec(size).shape[1:])
            )
            for spec, size in zip(specs, sizes)
        )
        if not fit:
            raise ValueError(
                "An `initial_state` was passed that is not compatible with `cell.state_size`. "
                f"Received `state_spec`={self.state_spec}; however `cell.state_size` is "
                f"{self.cell.state_size}"
            )

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the output, or a list with those of the states."""
        if isinstance(input_shape, list):
            input_shape = input_shape[0]
        first = nest.flatten(input_shape)[0]
        whole = first if isinstance(first, (TensorShape, tuple)) else input_shape
        dims = TensorShape(whole).as_list()
        batch, steps = (dims[1], dims[0]) if self.time_major else (dims[0], dims[1])
        order = [steps, batch] if self.time_major else [batch, steps]
        start = order if self.return_sequences else [batch]

        def with_batch(size: Any) -> TensorShape:
            return TensorShape([*start, *TensorShape(size).as_list()])

        shape = nest.map_structure(with_batch, output_size(self.cell))
        if not self.return_state:
            return shape
        start = [batch]
        return [shape, *(with_batch(size) for size in nest.flatten(self.cell.state_size))]

    def compute_mask(self, inputs: NestedTensors, mask: Any = None) -> Any:
        """The mask of the input if all outputs are returned."""
        mask = nest.flatten(mask)[0]
        found = mask if self.return_sequences else None
        if not self.return_state:
            return found
        return [found, *[None for _ in self.states]]

    # Calls

    def _parts(self, inputs: Any, states: Any, constants: Any) -> tuple[Any, Any, Any]:
        """Sequences, initial states and constants, of which a list of inputs may have all."""
        if isinstance(inputs, list):
            end = len(inputs) - self._num_constants
            constants = list(inputs[end:]) or constants
            states = list(inputs[1:end]) or states
            inputs = inputs[0]
        states = None if states is None else listed(states)
        return inputs, states, None if constants is None else listed(constants)

    def __call__(
        self, inputs: Any, initial_state: Any = None, constants: Any = None, **kwargs: Any
    ) -> Any:
        """Applies the layer.

        Args:
            inputs: sequences, or a list of them, initial states and constants.
            initial_state: the states before the first step.
            constants: tensors that each step gets besides.
            **kwargs: further arguments of `call`.

        Returns:
            The outputs.

        Raises:
            ValueError: if the states do not fit, or only a part of them are tensors of a model.
        """
        inputs, states, constants = self._parts(inputs, initial_state, constants)
        if states is None and constants is None:
            return super().__call__(inputs, **kwargs)
        extra = nest.flatten([states or [], constants or []])
        if states is not None:
            self.state_spec = [
                nest.map_structure(lambda x: InputSpec(shape=tuple(x.shape.as_list())), state)
                for state in states
            ]
        if constants is not None:
            self.constants_spec = [InputSpec(shape=tuple(x.shape.as_list())) for x in constants]
            self._num_constants = len(constants)
        in_model = [hasattr(x, "_keras_history") for x in extra]
        if any(in_model) != all(in_model):
            raise ValueError(_MIXED)
        if all(in_model):
            # As inputs, the tensors are connected in the model.
            own = self.input_spec or [None for _ in nest.flatten(inputs)]
            specs = [*(self.state_spec if states else ()), *(self.constants_spec or ())]
            self.input_spec = [*own, *specs]
            try:
                return super().__call__([inputs, *(states or []), *(constants or [])], **kwargs)
            finally:
                self.input_spec = self.input_spec[: len(self.input_spec) - len(specs)]
        if states is not None:
            kwargs["initial_state"] = states
        if constants is not None:
            kwargs["constants"] = constants
        return super().__call__(inputs, **kwargs)

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        initial_state: Any = None,
        constants: Any = None,
    ) -> Any:
        """Computes the outputs.

        Args:
            inputs: sequences, or a list of them, initial states and constants.
            mask: the mask of the steps.
            training: whether the cell drops elements.
            initial_state: the states before the first step.
            constants: tensors that each step gets besides.

        Returns:
            The outputs; with the states if they are returned.

        Raises:
            ValueError: if the number of states or of steps is wrong or unknown.
        """
        inputs, states, constants = self._parts(inputs, initial_state, constants)
        states = self._initial_states(inputs, states)
        mask = nest.flatten(mask)[0]
        self._reset_dropout()
        steps = nest.flatten(inputs)[0].shape[0 if self.time_major else 1].value
        if self.unroll and steps is None:
            raise ValueError(_NO_STEPS)
        last, outputs, new = rnn(
            self._step(training, constants),
            inputs,
            states,
            constants=constants,
            go_backwards=self.go_backwards,
            mask=mask,
            unroll=self.unroll,
            input_length=self._loop_bound(steps),
            time_major=self.time_major,
            zero_output_for_mask=self.zero_output_for_mask,
        )
        return self._results(last, outputs, new)

    def _loop_bound(self, steps: int | None) -> int | None:
        """The number of steps if the loop counts them besides the time."""
        return None

    def _initial_states(self, inputs: Any, states: Any) -> list[Any]:
        if states is None:
            states = list(self.states) if self.stateful else self.get_initial_state(inputs)
        expected = self.states
        if len(states) != len(expected):
            flat = nest.flatten(self.cell.state_size)
            if len(flat) != len(nest.flatten(states)):
                raise ValueError(
                    f"Layer has {len(expected)} states but was passed {len(states)} initial states."
                )
            states = list(nest.pack_sequence_as(self.cell.state_size, nest.flatten(states)))
        return states

    def _reset_dropout(self) -> None:
        for cell in (self.cell, *getattr(self.cell, "cells", ())):
            if hasattr(cell, "reset_dropout_mask"):
                cell.reset_dropout_mask()
                cell.reset_recurrent_dropout_mask()

    def _step(self, training: Any, constants: Any) -> Any:
        cell = self.cell
        arguments: dict[str, Any] = {"training": training} if takes(cell, "training") else {}
        if constants and not takes(cell, "constants"):
            raise ValueError("RNN cell does not support constants")

        def step(inputs: Any, states: Any) -> tuple[Any, Any]:
            if constants:
                arguments["constants"] = states[-len(constants) :]
                states = states[: -len(constants)]
            single = len(states) == 1 and getattr(cell, "_is_tf_rnn_cell", False)
            output, new = cell.call(inputs, states[0] if single else states, **arguments)
            return output, new if nest.is_sequence(new) and not single else [new]

        return step

    def _results(self, last: Any, outputs: Any, states: Any) -> Any:
        if self.stateful:
            pairs = zip(nest.flatten(self.states), nest.flatten(states), strict=True)
            self.add_update([old.assign(new) for old, new in pairs])
        result = outputs if self.return_sequences else last
        if not self.return_state:
            return result
        results = result if isinstance(result, list) else [result]
        return [*results, *states]

    # Configuration

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        config = super().get_config()
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if self.zero_output_for_mask:
            config["zero_output_for_mask"] = self.zero_output_for_mask
        if type(self).from_config.__func__ is RNN.from_config.__func__:  # type: ignore[attr-defined]
            cell = self.cell
            config["cell"] = {"class_name": type(cell).__name__, "config": cell.get_config()}
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
        config["cell"] = layer_of(config["cell"], custom_objects)
        layer = cls(**config)
        layer._num_constants = constants
        return layer
