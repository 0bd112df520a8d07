"""The session of programs that open none: checkpoints of objects and models of Keras share it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from headwater.base.thread_state import inherited
from headwater.graph import Graph
from headwater.graph.default_graph import get_default_graph
from headwater.protos.lazy import config_pb2
from headwater.session.session import BaseSession, Session, get_default_session

_local = inherited(threading.local())
_preparations: list[Callable[[BaseSession], None]] = []


def prepare_with(function: Callable[[BaseSession], None]) -> None:
    """Has a function called with the session whenever a program without a session needs one."""
    _preparations.append(function)


def get_session() -> BaseSession:
    """The default session, or else the one of the default graph, which is prepared."""
    session = get_default_session()
    if session is None:
        session = implicit_session(get_default_graph())
        for prepare in _preparations:
            prepare(session)
    return session


def implicit_session(graph: Graph) -> BaseSession:
    """The session that this thread uses for a graph if there is no default session."""
    session: BaseSession | None = getattr(_local, "session", None)
    if session is None or session.graph is not graph:
        # A model may be placed on devices that this machine does not have.
        config = config_pb2.ConfigProto(allow_soft_placement=True)
        session = _local.session = Session(graph=graph, config=config)
    return session


def set_implicit_session(session: BaseSession | None) -> None:
    """Replaces the session of this thread; None has a new one made at the next use."""
    _local.session = session
