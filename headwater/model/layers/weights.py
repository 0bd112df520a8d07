"""The values of a layer's variables as arrays, and the attributes that Keras models use."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from headwater.base import nest
from headwater.graph import Graph, Tensor
from headwater.session.session import Session, get_default_session

# Sessions for programs that read values of layers without a session of their own, and the names of
# the variables that have been initialized in them.
_sessions: weakref.WeakKeyDictionary[Graph, tuple[Session, set[str]]] = weakref.WeakKeyDictionary()


def _session_for(graph: Graph, variables: list[Any]) -> Any:
    """The default session, or one of the graph in which the variables have values."""
    session = get_default_session()
    if session is not None:
        return session
    if graph not in _sessions:
        _sessions[graph] = Session(graph=graph), set()
    session, initialized = _sessions[graph]
    new = [v for v in variables if v.name not in initialized]
    session.run([v.initializer for v in new])
    initialized.update(v.name for v in new)
    return session


class LayerWeights:
    """The values of a layer's variables, and its connections in a model.

    Only models connect layers; a layer of tf.layers, or a cell, has no connections.
    """

    _graph: Graph

    @property
    def name(self) -> str:
        """The name."""
        raise NotImplementedError

    @property
    def weights(self) -> list[Any]:
        """All variables, trainable ones first."""
        raise NotImplementedError

    # Values

    def get_weights(self) -> list[np.ndarray]:
        """The values of all variables, trainable ones first, in the default session.

        Returns:
            A list of arrays.
        """
        weights = self.weights
        return list(_session_for(self._graph, weights).run(weights)) if weights else []

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Gives all variables new values in the default session.

        Args:
            weights: arrays in the order of `get_weights`.

        Raises:
            ValueError: if their number or a shape is wrong.
        """
        variables = self.weights
        if len(variables) != len(weights):
            raise ValueError(
                f'You called `set_weights(weights)` on layer "{self.name}" with a  weight list of '
                f"length {len(weights)}, but the layer was expecting {len(variables)} weights. "
                f"Provided weights: {str(weights)[:50]}..."
            )
        for variable, value in zip(variables, weights):
            shape = tuple(variable.shape.as_list())
            if shape != np.shape(value):
                raise ValueError(
                    f"Layer weight shape {shape} not compatible with provided weight shape "
                    f"{np.shape(value)}"
                )
        session = _session_for(self._graph, variables)
        for variable, value in zip(variables, weights):
            variable.load(np.asarray(value, variable.dtype.as_numpy_dtype), session)

    # Connections in a model

    @property
    def dynamic(self) -> bool:
        """Whether `call` must run as Python: never."""
        return False

    @property
    def metrics(self) -> list[Any]:
        """The metrics that the layer has added: none."""
        return []

    @property
    def inbound_nodes(self) -> list[Any]:
        """The nodes that give the layer its inputs in a model: none."""
        return []

    @property
    def outbound_nodes(self) -> list[Any]:
        """The nodes that take the layer's outputs in a model: none."""
        return []

    @property
    def submodules(self) -> tuple[Any, ...]:
        """The layers that are attributes of this one, recursively."""
        return tuple(dict.fromkeys(_inner_layers(self)))

    def _not_connected(self, what: str) -> NoReturn:
        raise RuntimeError(f"The layer has never been called and thus has no defined {what}.")

    def get_input_at(self, node_index: int) -> None:
        """Raises RuntimeError: the layer has no place in a model."""
        self._not_connected("input")

    def get_output_at(self, node_index: int) -> None:
        """Raises RuntimeError: the layer has no place in a model."""
        self._not_connected("output")

    def get_input_shape_at(self, node_index: int) -> None:
        """Raises RuntimeError: the layer has no place in a model."""
        self._not_connected("input shape")

    def get_output_shape_at(self, node_index: int) -> None:
        """Raises RuntimeError: the layer has no place in a model."""
        self._not_connected("output shape")

    def get_input_mask_at(self, node_index: int) -> None:
        """Raises RuntimeError: the layer has no place in a model."""
        self._not_connected("input")

    def get_output_mask_at(self, node_index: int) -> None:
        """Raises RuntimeError: the layer has no place in a model."""
        self._not_connected("output")

    @property
    def input(self) -> Tensor:
        """Not known.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(f"Layer {self.name} is not connected, no input to return.")

    @property
    def output(self) -> Tensor:
        """Not known.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(f"Layer {self.name} has no inbound nodes.")

    @property
    def input_mask(self) -> Tensor:
        """Not known; see `input`."""
        raise AttributeError(f"Layer {self.name} is not connected, no input to return.")

    @property
    def output_mask(self) -> Tensor:
        """Not known; see `output`."""
        raise AttributeError(f"Layer {self.name} has no inbound nodes.")

    @property
    def input_shape(self) -> Tensor:
        """Not known.

        Raises:
            AttributeError: always.
        """
        raise AttributeError("The layer has never been called and thus has no defined input shape.")

    @property
    def output_shape(self) -> Tensor:
        """Not known.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(
            "The layer has never been called and thus has no defined output shape."
        )


def _inner_layers(layer: LayerWeights) -> Iterator[LayerWeights]:
    for key in sorted(vars(layer)):
        value = vars(layer)[key]
        if isinstance(value, (LayerWeights, list, tuple, dict)):
            for item in nest.flatten(value):
                if isinstance(item, LayerWeights):
                    yield item
                    yield from _inner_layers(item)
