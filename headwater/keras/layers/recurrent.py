"""RNN, SimpleRNN, GRU and LSTM."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, ShapeLike
from headwater.graph import build, export
from headwater.keras.backend.recurrence import rnn
from headwater.keras.backend.values import batch_set_value
from headwater.keras.backend.variables import variable
from headwater.keras.engine.registry import deserialize
from headwater.keras.layers.arguments import KerasConfig, config_of, resolved
from headwater.keras.layers.cells import GRUCell, LSTMCell, SimpleRNNCell, zero_state
from headwater.model.layers.layer import Layer
from headwater.model.layers.node import call_context, has_history


@export("keras.layers.AbstractRNNCell")
class AbstractRNNCell(Layer):
    """The base of cells that programs write: one step of a recurrent layer."""

    def call(self, inputs: NestedTensors, states: Any) -> Any:
        """Computes one step: the output and the list of states."""
        raise NotImplementedError("Abstract method")

    @property
    def state_size(self) -> Any:
        """The lengths of the states."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The length of the output."""
        raise NotImplementedError("Abstract method")

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """The states before the first step."""
        return zero_state(self, batch_size, dtype)


@export("keras.layers.StackedRNNCells")
class StackedRNNCells(KerasConfig):
    """Cells of which each gets the output of the one before.

    Args:
        cells: the cells.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if something is no cell.
    """

    def __init__(self, cells: Any, **kwargs: Any) -> None:
        for cell in cells:
            if not hasattr(cell, "call"):
                raise ValueError("All cells must have a `call` method. received cells:", cells)
            if not hasattr(cell, "state_size"):
                raise ValueError(
                    "All cells must have a `state_size` attribute. received cells:", cells
                )
        super().__init__(**kwargs)
        self.cells = list(cells)

    @property
    def state_size(self) -> tuple[Any, ...]:
        """The lengths of the states of all cells."""
        return tuple(cell.state_size for cell in self.cells)

    @property
    def output_size(self) -> Any:
        """The length of the output."""
        last = self.cells[-1]
        if getattr(last, "output_size", None) is not None:
            return last.output_size
        return nest.flatten(last.state_size)[0]

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> tuple[Any, ...]:
        """The states before the first step."""
        return tuple(_initial(cell, inputs, batch_size, dtype) for cell in self.cells)

    def call(self, inputs: Any, states: Any, training: Any = None, **kwargs: Any) -> Any:
        """Computes one step of all cells."""
        new = []
        for cell, state in zip(self.cells, states):
            state = list(state) if isinstance(state, (list, tuple)) else [state]
            arguments = {"training": training} if cell._call_takes("training") else {}
            inputs, state = cell(inputs, state, **arguments)
            single = not isinstance(cell.state_size, (list, tuple))
            new.append(state[0] if single and isinstance(state, (list, tuple)) else state)
        return inputs, tuple(new)

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        cells = [
            {"class_name": type(cell).__name__, "config": cell.get_config()} for cell in self.cells
        ]
        return {**super().get_config(), "cells": cells}

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> StackedRNNCells:
        """Makes cells from what `get_config` of others has returned."""
        config = dict(config)
        cells = [deserialize(each, custom_objects) for each in config.pop("cells")]
        return cls(cells, **config)


def _initial(cell: Any, inputs: Any, batch_size: Any, dtype: Any) -> Any:
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return zero_state(cell, batch_size, dtype)


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
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if the cell is none.
    """

    config_names = (
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
            raise ValueError(f"`cell` should have a `call` method. The RNN was passed: {cell}")
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
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.stateful = stateful
        self.unroll = unroll
        self.time_major = time_major
        self.supports_masking = True
        self._states: Any = None
        self._num_constants = 0

    @property
    def states(self) -> Any:
        """The states that a stateful layer keeps."""
        return self._states

    @states.setter
    def states(self, values: Any) -> None:
        self._states = values

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the variables of the cell, and the states of a stateful layer."""
        first = input_shape[0] if isinstance(input_shape, list) else input_shape
        dims = TensorShape(first).as_list()
        step = TensorShape([dims[1] if self.time_major else dims[0], *dims[2:]])
        cell = self.cell
        if isinstance(cell, Layer) and not cell.built and not isinstance(cell, StackedRNNCells):
            cell._dtype = cell._dtype or self._dtype
            cell.build(step)
            cell.built = True
        self._batch_size = dims[1] if self.time_major else dims[0]
        if self.stateful:
            self.reset_states()
        self.built = True

    def get_initial_state(self, inputs: Any) -> list[Any]:
        """The states before the first step: zeros."""
        first = nest.flatten(inputs)[0]
        batch: Any = build.Shape(first)[1 if self.time_major else 0]
        found = _initial(self.cell, None, batch, first.dtype.base_dtype)
        return list(found) if isinstance(found, (list, tuple)) else [found]

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shape of the output, or a list with those of the states."""
        first = input_shape[0] if isinstance(input_shape, list) else input_shape
        dims = TensorShape(first).as_list()
        batch, steps = (dims[1], dims[0]) if self.time_major else (dims[0], dims[1])
        size = getattr(self.cell, "output_size", None)
        size = nest.flatten(self.cell.state_size)[0] if size is None else size
        tail = TensorShape(size).as_list()
        order = [steps, batch] if self.time_major else [batch, steps]
        shape = TensorShape([*(order if self.return_sequences else [batch]), *tail])
        if not self.return_state:
            return shape
        states = [
            TensorShape([batch, *TensorShape(s).as_list()])
            for s in nest.flatten(self.cell.state_size)
        ]
        return [shape, *states]

    def compute_mask(self, inputs: NestedTensors, mask: Any = None) -> Any:
        """The mask of the input if all outputs are returned."""
        mask = nest.flatten(mask)[0]
        found = mask if self.return_sequences else None
        if not self.return_state:
            return found
        return [found, *[None for _ in nest.flatten(self.cell.state_size)]]

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
        """
        if isinstance(inputs, (list, tuple)) and initial_state is None:
            end = len(inputs) - self._num_constants if self._num_constants else len(inputs)
            constants = list(inputs[end:]) or constants
            initial_state = list(inputs[1:end]) or None
            inputs = inputs[0]
        extra = _listed(initial_state) + _listed(constants)
        if constants is not None:
            self._num_constants = len(_listed(constants))
        if not extra:
            return super().__call__(inputs, **kwargs)
        if has_history(extra) and not call_context.layers:
            # As inputs, the tensors are connected in the model.
            return super().__call__([inputs, *extra], **kwargs)
        if initial_state is not None:
            kwargs["initial_state"] = _listed(initial_state)
        if constants is not None:
            kwargs["constants"] = _listed(constants)
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
        """
        if isinstance(inputs, (list, tuple)):
            end = len(inputs) - self._num_constants if self._num_constants else len(inputs)
            constants = list(inputs[end:]) or constants
            initial_state = list(inputs[1:end]) or initial_state
            inputs = inputs[0]
        mask = nest.flatten(mask)[0]
        if initial_state is None:
            initial_state = self._states if self.stateful else self.get_initial_state(inputs)
        elif len(nest.flatten(initial_state)) != len(nest.flatten(self.cell.state_size)):
            raise ValueError(
                f"Layer has {len(nest.flatten(self.cell.state_size))} states but was passed "
                f"{len(initial_state)} initial states."
            )
        elif isinstance(self.cell, StackedRNNCells):
            initial_state = nest.pack_sequence_as(self.cell.state_size, nest.flatten(initial_state))
        for cell in getattr(self.cell, "cells", [self.cell]):
            if hasattr(cell, "reset_dropout_mask"):
                cell.reset_dropout_mask()
                cell.reset_recurrent_dropout_mask()
        last, outputs, states = rnn(
            self._step(training, constants),
            inputs,
            list(initial_state),
            constants=constants,
            go_backwards=self.go_backwards,
            mask=mask,
            unroll=self.unroll,
            time_major=self.time_major,
        )
        if self.stateful:
            old, new = nest.flatten(self._states), nest.flatten(states)
            self.add_update([v.assign(s) for v, s in zip(old, new)])
        result = outputs if self.return_sequences else last
        if not self.return_state:
            return result
        return [result, *nest.flatten(states)]

    def _step(self, training: Any, constants: Any) -> Any:
        cell = self.cell
        takes_training = _takes(cell, "training")

        def step(inputs: Any, states: Any) -> tuple[Any, Any]:
            arguments: dict[str, Any] = {"training": training} if takes_training else {}
            if constants:
                arguments["constants"] = states[-len(constants) :]
                states = states[: -len(constants)]
            call = cell.call if isinstance(cell, Layer) and cell.built else cell
            output, new = call(inputs, states, **arguments)
            return output, list(new) if isinstance(new, (list, tuple)) else [new]

        return step

    def reset_states(self, states: Any = None) -> None:
        """Sets the states of a stateful layer.

        Args:
            states: the new states; zeros if None.

        Raises:
            AttributeError: if the layer is not stateful.
            ValueError: if the number of sequences is unknown.
        """
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        if self._batch_size is None:
            raise ValueError(
                "If a RNN is stateful, it needs to know its batch size. Specify the batch size of "
                "your input tensors: \n- If using a Sequential model, specify the batch size by "
                "passing a `batch_input_shape` argument to your first layer.\n- If using the "
                "functional API, specify the batch size by passing a `batch_shape` argument to "
                "your Input layer."
            )
        sizes = nest.flatten(self.cell.state_size)
        shapes: list[Any] = [(self._batch_size, *TensorShape(size).as_list()) for size in sizes]
        if self._states is None:
            made = [variable(np.zeros(shape)) for shape in shapes]
            stacked = isinstance(self.cell, StackedRNNCells)
            self._states = nest.pack_sequence_as(self.cell.state_size, made) if stacked else made
            return
        given = [np.zeros(shape) for shape in shapes] if states is None else _listed(states)
        batch_set_value(list(zip(nest.flatten(self._states), nest.flatten(given))))

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        config = super().get_config()
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if type(self) is RNN:
            cell = self.cell
            config["cell"] = {"class_name": type(cell).__name__, "config": cell.get_config()}
        return config

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Any:
        """Makes a layer from what `get_config` of another one has returned."""
        config = dict(config)
        constants = config.pop("num_constants", 0)
        if "cell" in config:
            config["cell"] = deserialize(config["cell"], custom_objects)
        layer = cls(**config)
        layer._num_constants = constants
        return layer


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _takes(cell: Any, argument: str) -> bool:
    return isinstance(cell, Layer) and cell._call_takes(argument)


class _CellRNN(RNN):
    """The base of layers with one kind of cell.

    Attributes:
        cell_class: the class of the cell.

    Args:
        units: the number of outputs.
        *args: further arguments of the cell.
        **kwargs: arguments of the cell, of RNN and of Layer.
    """

    cell_class: type[SimpleRNNCell] | type[GRUCell] | type[LSTMCell]

    def __init__(self, units: int, *args: Any, **kwargs: Any) -> None:
        own = ("name", "dtype", "trainable", "dynamic")
        names = [n for n in _arguments_of(self.cell_class) if n not in ("self", "units")]
        cell_arguments = {**dict(zip(names, args)), **{n: kwargs[n] for n in names if n in kwargs}}
        rest = {k: v for k, v in kwargs.items() if k not in names}
        activity = resolved(activity_regularizer=rest.pop("activity_regularizer", None))
        shared = {k: rest[k] for k in own[1:3] if k in rest}
        # The layer has the variables of the cell below its own name.
        cell = self.cell_class(units, **cell_arguments, name="cell", **shared)
        super().__init__(cell, **activity, **rest)
        cell._name = f"{self.name}_cell"

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in type(self).cell_class.config_names:
            return getattr(self.__dict__["cell"], name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        names = list(type(self).cell_class.config_names)
        at = names.index("kernel_constraint")
        names.insert(at, "activity_regularizer")
        own = {"activity_regularizer": self}
        found: dict[str, Any] = {}
        for name in names:
            found.update(config_of(own.get(name, self.cell), name))
        return {**super().get_config(), **found}


def _arguments_of(cell_class: type) -> list[str]:
    code = cell_class.__init__.__code__  # type: ignore[misc]
    return list(code.co_varnames[: code.co_argcount])


@export("keras.layers.SimpleRNN")
class SimpleRNN(_CellRNN):
    """A fully connected recurrent layer; see SimpleRNNCell and RNN for the arguments.

    Args:
        units: the number of outputs.
        *args: further arguments of SimpleRNNCell.
        **kwargs: arguments of SimpleRNNCell, of RNN and of Layer.
    """

    cell_class = SimpleRNNCell


@export("keras.layers.GRU")
class GRU(_CellRNN):
    """Gated recurrent units; see GRUCell and RNN for the arguments.

    Args:
        units: the number of outputs.
        *args: further arguments of GRUCell.
        **kwargs: arguments of GRUCell, of RNN and of Layer.

    Source: K. Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder", 2014.
    """

    cell_class = GRUCell


@export("keras.layers.LSTM")
class LSTM(_CellRNN):
    """Long short-term memory; see LSTMCell and RNN for the arguments.

    Args:
        units: the number of outputs.
        *args: further arguments of LSTMCell.
        **kwargs: arguments of LSTMCell, of RNN and of Layer.

    Source: S. Hochreiter, J. Schmidhuber, "Long Short-Term Memory", 1997.
    """

    cell_class = LSTMCell
