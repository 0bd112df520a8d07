"""Wrappers that embed or project the inputs of a cell, or project its outputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.base import logging
from headwater.base.typing import DTypeLike, InitializerLike, NestedTensors, TensorLike
from headwater.graph import Tensor, build, export, get_default_graph, name_scope
from headwater.model.nn.embedding import embedding_lookup
from headwater.model.rnn.cell import RNNCell, check_cell
from headwater.model.rnn.linear import Linear
from headwater.model.variables.random_initializers import RandomUniform
from headwater.model.variables.variable_scope import get_variable, get_variable_scope

if TYPE_CHECKING:
    from headwater.model.variables.variable_store import Reuse


class _Around(RNNCell):
    """A cell that wraps another one and has variables of its own."""

    def __init__(self, cell: Any, reuse: Reuse) -> None:
        super().__init__(_reuse=reuse)
        check_cell("cell", cell, hint="\nThe parameter cell is not RNNCell.")
        self._cell = cell

    @property
    def state_size(self) -> NestedTensors:
        """The sizes of the states of the inner cell."""
        return self._cell.state_size

    @property
    def output_size(self) -> int:
        """The sizes of the outputs of the inner cell."""
        return self._cell.output_size

    def zero_state(self, batch_size: TensorLike | None, dtype: DTypeLike) -> NestedTensors:
        """The zero state of the inner cell.

        Args:
            batch_size: the number of sequences, or a scalar tensor.
            dtype: the type of the state.

        Returns:
            Tensors in the structure of `state_size`.
        """
        with name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)


@export("contrib.rnn.EmbeddingWrapper", "nn.rnn_cell.EmbeddingWrapper")
class EmbeddingWrapper(_Around):
    """Embeds integer inputs before they reach a cell.

    Args:
        cell: the inner cell.
        embedding_classes: the number of different inputs.
        embedding_size: the size of an embedding.
        initializer: the initializer of the embedding; by default that of the scope, else numbers
            between -sqrt(3) and sqrt(3).
        reuse: whether existing variables are used.

    Raises:
        TypeError: if `cell` is not a cell.
        ValueError: if there are no classes or the size is not positive.
    """

    def __init__(
        self,
        cell: Any,
        embedding_classes: int,
        embedding_size: int,
        initializer: InitializerLike | None = None,
        reuse: Reuse = None,
    ) -> None:
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                "Both embedding_classes and embedding_size must be > 0: "
                f"{embedding_classes}, {embedding_size}."
            )
        self._embedding_classes = embedding_classes
        self._embedding_size = embedding_size
        self._initializer = initializer

    def call(self, inputs: TensorLike, state: NestedTensors) -> tuple[NestedTensors, ...]:
        """Computes one step.

        Args:
            inputs: integers, one per sequence.
            state: the state of the inner cell.

        Returns:
            The outputs and the new state of the inner cell.
        """
        with get_default_graph().device("/cpu:0"):
            initializer = self._initializer or get_variable_scope().initializer
            if not initializer:
                initializer = RandomUniform(-math.sqrt(3), math.sqrt(3))
            dtype = state[0].dtype if isinstance(state, tuple) else state.dtype
            embedding = get_variable(
                "embedding",
                [self._embedding_classes, self._embedding_size],
                initializer=initializer,
                dtype=dtype,
            )
            embedded = embedding_lookup(embedding, build.Reshape(inputs, [-1]))
            return self._cell(embedded, state)


@export("contrib.rnn.InputProjectionWrapper", "nn.rnn_cell.InputProjectionWrapper")
class InputProjectionWrapper(_Around):
    """Applies a linear map to the inputs of a cell.

    Args:
        cell: the inner cell.
        num_proj: the number of projected inputs.
        activation: a function of the projected inputs; None for none.
        input_size: accepted and not needed.
        reuse: whether existing variables are used.

    Raises:
        TypeError: if `cell` is not a cell.
    """

    def __init__(
        self,
        cell: Any,
        num_proj: int,
        activation: Any = None,
        input_size: int | None = None,
        reuse: Reuse = None,
    ) -> None:
        if activation is not None and not callable(activation):
            # Releases before 1.1: (cell, num_proj, input_size).
            activation, input_size = None, activation
        super().__init__(cell, reuse)
        if input_size is not None:
            logging.warning("%s: The input_size parameter is deprecated.", self)
        self._num_proj = num_proj
        self._activation = activation
        self._linear: Callable[..., Any] | None = None

    def call(self, inputs: NestedTensors, state: NestedTensors | None) -> tuple[Tensor, ...]:
        """Computes one step.

        Args:
            inputs: a matrix of one row per sequence.
            state: the state of the inner cell.

        Returns:
            The outputs and the new state of the inner cell.
        """
        if self._linear is None:
            self._linear = Linear(inputs, self._num_proj, True)
        projected = self._linear(inputs)
        if self._activation:
            projected = self._activation(projected)
        return self._cell(projected, state)


@export("contrib.rnn.OutputProjectionWrapper", "nn.rnn_cell.OutputProjectionWrapper")
class OutputProjectionWrapper(_Around):
    """Applies a linear map to the outputs of a cell.

    Args:
        cell: the inner cell.
        output_size: the number of projected outputs.
        activation: a function of the projected outputs; None for none.
        reuse: whether existing variables are used.

    Raises:
        TypeError: if `cell` is not a cell.
        ValueError: if `output_size` is not positive.
    """

    def __init__(
        self,
        cell: Any,
        output_size: int,
        activation: Callable[..., Any] | None = None,
        reuse: Reuse = None,
    ) -> None:
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._output_size = output_size
        self._activation = activation
        self._linear: Callable[..., Any] | None = None

    @property
    def output_size(self) -> int:
        """The number of projected outputs."""
        return self._output_size

    def call(self, inputs: NestedTensors, state: NestedTensors | None) -> tuple[NestedTensors, ...]:
        """Computes one step.

        Args:
            inputs: the inputs of the inner cell.
            state: the state of the inner cell.

        Returns:
            The projected outputs and the new state.
        """
        output, new_state = self._cell(inputs, state)
        if self._linear is None:
            self._linear = Linear(output, self._output_size, True)
        projected = self._linear(output)
        if self._activation:
            projected = self._activation(projected)
        return projected, new_state
