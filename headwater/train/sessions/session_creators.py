"""Session creators: how a monitored session gets its session, again after a failure."""

from __future__ import annotations

import abc
from typing import Any

from headwater.base.export import export
from headwater.graph import get_default_graph
from headwater.session.session import Session
from headwater.train.sessions.scaffold import Scaffold
from headwater.train.sessions.session_manager import SessionManager


@export("train.SessionCreator")
class SessionCreator(abc.ABC):
    """Creates sessions for a MonitoredSession."""

    @abc.abstractmethod
    def create_session(self) -> Session:
        """Creates a session whose model is ready.

        Returns:
            A Session.
        """
        raise NotImplementedError(f"create_session is not implemented for {self}.")


def _manager(scaffold: Scaffold) -> SessionManager:
    return SessionManager(
        local_init_op=scaffold.local_init_op,
        ready_op=scaffold.ready_op,
        ready_for_local_init_op=scaffold.ready_for_local_init_op,
        graph=get_default_graph(),
    )


@export("train.ChiefSessionCreator")
class ChiefSessionCreator(SessionCreator):
    """Creates sessions of a chief, which restores or initializes the model.

    Args:
        scaffold: a Scaffold; a new one if None.
        master: where the graph runs; "" is this process.
        config: a ConfigProto or None.
        checkpoint_dir: the folder of the checkpoints to restore from; or None.
        checkpoint_filename_with_path: the path of a checkpoint; or None.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        self._checkpoint_dir = checkpoint_dir
        self._checkpoint_filename_with_path = checkpoint_filename_with_path
        self._scaffold = scaffold or Scaffold()
        self._session_manager: SessionManager | None = None
        self._master = master
        self._config = config

    def _get_session_manager(self) -> SessionManager:
        if self._session_manager is None:
            self._session_manager = _manager(self._scaffold)
        return self._session_manager

    def create_session(self) -> Session:
        """Finalizes the graph and creates a session.

        Returns:
            A Session.
        """
        scaffold = self._scaffold.finalize()
        return self._get_session_manager().prepare_session(
            self._master,
            saver=scaffold.saver,
            checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_filename_with_path,
            config=self._config,
            init_op=scaffold.init_op,
            init_feed_dict=scaffold.init_feed_dict,
            init_fn=scaffold.init_fn,
        )


@export("train.WorkerSessionCreator")
class WorkerSessionCreator(SessionCreator):
    """Creates sessions of a worker, which waits until the chief has initialized the model.

    Args:
        scaffold: a Scaffold; a new one if None.
        master: where the graph runs; "" is this process.
        config: a ConfigProto or None.
        max_wait_secs: how many seconds to wait at most.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        max_wait_secs: float = 30 * 60,
    ) -> None:
        self._scaffold = scaffold or Scaffold()
        self._session_manager: SessionManager | None = None
        self._master = master
        self._config = config
        self._max_wait_secs = max_wait_secs

    def _get_session_manager(self) -> SessionManager:
        if self._session_manager is None:
            self._session_manager = _manager(self._scaffold)
        return self._session_manager

    def create_session(self) -> Session:
        """Finalizes the graph and waits for a session.

        Returns:
            A Session.

        Raises:
            DeadlineExceededError: if the model is not ready in time.
        """
        self._scaffold.finalize()
        return self._get_session_manager().wait_for_session(
            self._master, config=self._config, max_wait_secs=self._max_wait_secs
        )
