"""What models share per graph: the session, the learning phase and variables."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from headwater.base.export import export
from headwater.graph import Graph, Tensor, get_default_graph, name_scope, reset_default_graph
from headwater.model.layers.names import forget_counts, next_number
from headwater.model.variables.variable_lists import is_variable_initialized, variables_initializer
from headwater.ops.array.constant import placeholder_with_default
from headwater.session.implicit_session import implicit_session, prepare_with, set_implicit_session
from headwater.session.session import BaseSession, get_default_session


class GraphState:
    """What belongs to one graph.

    Attributes:
        learning_phase: the placeholder, or the value that a program has set; None before its use.
        variables: the variables that the session initializes when it first meets them.
        optimizers: objects with `weights`, which are initialized like the variables.
    """

    def __init__(self) -> None:
        self.learning_phase: Any = None
        self.variables: weakref.WeakSet[Any] = weakref.WeakSet()
        self.optimizers: weakref.WeakSet[Any] = weakref.WeakSet()


_states: weakref.WeakKeyDictionary[Graph, GraphState] = weakref.WeakKeyDictionary()
_options = {"manual_initialization": False}


def graph_state(graph: Graph | None = None) -> GraphState:
    """The state of a graph, of the default one if it is None."""
    graph = get_graph() if graph is None else graph
    if graph not in _states:
        _states[graph] = GraphState()
    return _states[graph]


def get_graph() -> Graph:
    """Returns the graph in which models are built: the default graph."""
    return get_default_graph()


@export("keras.backend.get_uid")
def get_uid(prefix: str = "") -> int:
    """Counts how often a prefix has been asked for in the default graph.

    Args:
        prefix: a string, such as the kind of a layer.

    Returns:
        1 for the first call, 2 for the second one, and so on.
    """
    return next_number(prefix)


@export("keras.backend.reset_uids")
def reset_uids() -> None:
    """Numbers the names of layers from the start again, in all graphs.

    Returns:
        None.
    """
    forget_counts()


@export("keras.backend.manual_variable_initialization")
def manual_variable_initialization(value: bool) -> None:
    """Chooses who initializes variables.

    Args:
        value: True if the program does, False (the default) if `get_session` does.

    Returns:
        None.
    """
    _options["manual_initialization"] = value


def track_variable(variable: Any) -> None:
    """Makes `get_session` initialize a variable of the default graph."""
    graph_state(getattr(variable, "graph", None)).variables.add(variable)


def track_tf_optimizer(optimizer: Any) -> None:
    """Makes `get_session` initialize the weights of an optimizer."""
    graph_state().optimizers.add(optimizer)


def _tracked_variables(graph: Graph) -> list[Any]:
    state = graph_state(graph)
    found = {id(variable): variable for variable in state.variables}
    for optimizer in state.optimizers:
        inner = getattr(optimizer, "optimizer", optimizer)
        weights = inner.variables() if callable(inner.variables) else inner.variables
        found.update((id(variable), variable) for variable in weights)
    return sorted(found.values(), key=lambda variable: variable.name)


def _initialize_variables(session: BaseSession) -> None:
    if _options["manual_initialization"]:
        return
    candidates = [
        variable
        for variable in _tracked_variables(session.graph)
        if not getattr(variable, "_keras_initialized", False)
    ]
    if not candidates:
        return
    with session.graph.as_default():
        flags = session.run([is_variable_initialized(variable) for variable in candidates])
        missing = []
        for flag, variable in zip(flags, candidates, strict=True):
            if not flag:
                missing.append(variable)
            variable._keras_initialized = True
        if missing:
            session.run(variables_initializer(missing))


prepare_with(_initialize_variables)


def _session_of_graph(op_input_list: Sequence[Any]) -> BaseSession:
    default = get_default_session()
    if default is not None:
        return default
    graph = get_graph()
    for value in op_input_list:
        graph = getattr(value, "graph", graph)
        break
    return implicit_session(graph)


@export("keras.backend.get_session")
def get_session(op_input_list: Any = ()) -> BaseSession:
    """Returns the session that models use, and initializes the variables that need it.

    It is the default session, or else one that is made for the graph and kept.

    Args:
        op_input_list: tensors whose graph is used; that of the default graph if empty.

    Returns:
        A session.
    """
    inputs = op_input_list if isinstance(op_input_list, (list, tuple)) else [op_input_list]
    session = _session_of_graph(inputs)
    _initialize_variables(session)
    return session


@export("keras.backend.set_session")
def set_session(session: BaseSession) -> None:
    """Sets the session that models use in this thread.

    Args:
        session: a session.

    Returns:
        None.
    """
    set_implicit_session(session)


@export("keras.backend.clear_session")
def clear_session() -> None:
    """Drops the default graph, the session and all names: models are built anew."""
    reset_default_graph()
    reset_uids()
    set_implicit_session(None)
    _states.pop(get_graph(), None)
    with name_scope(""):
        graph_state().learning_phase = _phase_placeholder()


def _phase_placeholder() -> Tensor:
    return placeholder_with_default(False, shape=(), name="keras_learning_phase")


@export("keras.backend.learning_phase")
def learning_phase() -> Any:
    """The learning phase of the default graph: 1 or True while training.

    Returns:
        A boolean placeholder that is False by default, or the value that has been set.
    """
    state = graph_state()
    if state.learning_phase is None:
        with name_scope(""):
            state.learning_phase = _phase_placeholder()
    return state.learning_phase


def symbolic_learning_phase() -> Tensor:
    """The learning phase as a tensor, even where a value has been set."""
    phase: Tensor = learning_phase()
    return phase


def _checked_phase(value: Any) -> Any:
    if value not in {0, 1}:
        raise ValueError("Expected learning phase to be 0 or 1.")
    return value


@export("keras.backend.set_learning_phase")
def set_learning_phase(value: int) -> None:
    """Sets the learning phase of the default graph.

    Args:
        value: 0 (inference) or 1 (training).

    Returns:
        None.

    Raises:
        ValueError: if it is something else.
    """
    graph_state().learning_phase = _checked_phase(value)


@export("keras.backend.learning_phase_scope")
@contextmanager
def learning_phase_scope(value: int) -> Iterator[None]:
    """A context in which the learning phase is a given one.

    Args:
        value: 0 (inference) or 1 (training).

    Returns:
        A context manager.

    Raises:
        ValueError: if it is something else.
    """
    _checked_phase(value)
    state = graph_state()
    before = state.learning_phase
    state.learning_phase = value
    try:
        yield
    finally:
        state.learning_phase = before
