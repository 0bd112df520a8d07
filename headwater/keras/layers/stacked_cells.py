"""Cells that programs write, and stacks of cells."""

from __future__ import annotations

from typing import Any

from headwater.base import nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors
from headwater.graph import Tensor, build, export
from headwater.keras.engine.registry import deserialize
from headwater.keras.layers.arguments import KerasConfig
from headwater.model.layers.layer import Layer
from headwater.ops.array.fill import zeros as make_zeros


def zero_state(cell: Any, batch_size: Any, dtype: Any) -> Any:
    """The states of a cell before the first step.

    Args:
        cell: the cell.
        batch_size: the number of sequences: a number or a tensor.
        dtype: the type.

    Returns:
        Zeros in the structure of the cell's `state_size`.

    Raises:
        ValueError: if the number or the type is None.
    """
    if batch_size is None or dtype is None:
        raise ValueError(
            "batch_size and dtype cannot be None while constructing initial state: "
            f"batch_size={batch_size}, dtype={dtype}"
        )

    def zeros(size: Any) -> Tensor:
        return make_zeros([batch_size, *TensorShape(size).as_list()], dtype=dtype)

    return nest.map_structure(zeros, cell.state_size)


def initial_state(cell: Any, inputs: Any, batch_size: Any, dtype: Any) -> Any:
    """The states of a cell before the first step: its own, or zeros.

    Args:
        cell: the cell.
        inputs: the inputs of the first step, or None.
        batch_size: the number of sequences.
        dtype: the type.
    """
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=inputs, batch_size=batch_size, dtype=dtype)
    return zero_state(cell, batch_size, dtype)


def output_size(cell: Any) -> Any:
    """The length of a cell's output: that of its first state if it does not say."""
    size = getattr(cell, "output_size", None)
    if size is not None:
        return size
    sizes = cell.state_size
    return sizes[0] if isinstance(sizes, (list, tuple)) else sizes


def takes(cell: Any, argument: str) -> bool:
    """Whether the `call` of a cell has an argument."""
    if isinstance(cell, Layer):
        return cell._call_takes(argument)
    code = getattr(cell.call, "__code__", None)
    return code is not None and argument in code.co_varnames[: code.co_argcount]


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
        if inputs is not None:
            batch_size, dtype = build.Shape(inputs)[0], inputs.dtype
        return zero_state(self, batch_size, dtype)


@export("keras.layers.StackedRNNCells")
class StackedRNNCells(KerasConfig):
    """Cells of which each gets the output of the one before.

    Args:
        cells: the cells.
        **kwargs: further arguments of Layer; `reverse_state_order`: whether the states of the last
            cell come first.

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
        self.reverse_state_order = kwargs.pop("reverse_state_order", False)
        super().__init__(**kwargs)
        self.cells = list(cells)

    def _ordered(self, values: Any) -> Any:
        """Values of the cells in the order of the states, or the reverse."""
        return values[::-1] if self.reverse_state_order else values

    @property
    def state_size(self) -> tuple[Any, ...]:
        """The lengths of the states of all cells."""
        return tuple(cell.state_size for cell in self._ordered(self.cells))

    @property
    def output_size(self) -> Any:
        """The length of the output."""
        return output_size(self.cells[-1])

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> tuple[Any, ...]:
        """The states before the first step."""
        return tuple(
            initial_state(cell, inputs, batch_size, dtype) for cell in self._ordered(self.cells)
        )

    def build(self, input_shape: Any) -> None:
        """Makes the variables of all cells."""
        if isinstance(input_shape, list):
            input_shape = input_shape[0]
        shape = TensorShape(input_shape)
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                cell._dtype = cell._dtype or self._dtype
                cell.build(shape)
                cell.built = True
            shape = TensorShape([shape[0], *TensorShape(output_size(cell)).as_list()])
        self.built = True

    def call(
        self, inputs: Any, states: Any, constants: Any = None, training: Any = None, **kwargs: Any
    ) -> Any:
        """Computes one step of all cells."""
        sizes = self._ordered(self.state_size)
        nested = nest.pack_sequence_as(self.state_size, nest.flatten(states))
        new = []
        for cell, size, state in zip(self.cells, sizes, self._ordered(nested), strict=True):
            state = state if nest.is_sequence(state) else [state]
            if getattr(cell, "_is_tf_rnn_cell", False) and len(state) == 1:
                state = state[0]
            arguments = {"training": training} if takes(cell, "training") else {}
            if constants is not None and takes(cell, "constants"):
                arguments["constants"] = constants
            inputs, state = cell.call(inputs, state, **arguments)
            single = not nest.is_sequence(size)
            new.append(state[0] if single and isinstance(state, (list, tuple)) else state)
        flat = nest.flatten(tuple(self._ordered(new)))
        return inputs, nest.pack_sequence_as(self.state_size, flat)

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
        cells = [
            deserialize(each, custom_objects) if isinstance(each, dict) else each
            for each in config.pop("cells")
        ]
        return cls(cells, **config)
