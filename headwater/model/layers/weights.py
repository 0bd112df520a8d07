"""The values of a layer's variables as arrays."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.graph import Graph
from headwater.model.layers.resolvers import load_resolvers
from headwater.session.session import Session, get_default_session

# Sessions for programs that read values of layers without a session of their own, and the names of
# the variables that have been initialized in them.
_sessions: weakref.WeakKeyDictionary[Graph, tuple[Session, set[str]]] = weakref.WeakKeyDictionary()

# The function of tf.keras that finds the session of models, once tf.keras is loaded.
session_finders: list[Callable[[list[Any]], Any]] = []
# The function of tf.keras that sets values of variables, likewise.
value_setters: list[Callable[[list[tuple[Any, Any]]], None]] = []


def _session_for(graph: Graph, variables: list[Any]) -> Any:
    """The default session, or one of the graph in which the variables have values."""
    session = get_default_session()
    if session is not None:
        return session
    load_resolvers()
    if session_finders:
        return session_finders[0](variables)
    if graph not in _sessions:
        _sessions[graph] = Session(graph=graph), set()
    session, initialized = _sessions[graph]
    new = [v for v in variables if v.name not in initialized]
    session.run([v.initializer for v in new])
    initialized.update(v.name for v in new)
    return session


class LayerWeights:
    """The values of a layer's variables, and the layers inside of it."""

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
        load_resolvers()
        if value_setters:
            value_setters[0](list(zip(variables, weights)))
            return
        session = _session_for(self._graph, variables)
        for variable, value in zip(variables, weights):
            variable.load(np.asarray(value, variable.dtype.as_numpy_dtype), session)
