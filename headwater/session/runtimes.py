"""Runtimes: where the runs of a session happen.

A session without a target runs in this process. Others are made for the target's protocol, by the
function that a later layer has registered for it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import cancellation, declarations, errors
from headwater.engine.devices import Device
from headwater.engine.running.functions import SessionFunctions
from headwater.engine.running.plan import Plan
from headwater.engine.state import State
from headwater.graph import Graph, Operation, Tensor
from headwater.session import observed_run
from headwater.session.configuration import Configuration
from headwater.session.partial_run import PartialRun
from headwater.session.prepared_run import PreparedRun


class Runtime(ABC):
    """Makes the plans of a session and runs them.

    Attributes:
        state: what the session keeps between runs in this process.
        is_local: whether plans are plain `Plan`s that the session may execute itself.
    """

    is_local = False
    state: State

    @abstractmethod
    def plan(
        self,
        graph: Graph,
        fetches: Sequence[Tensor],
        targets: Sequence[Operation],
        feeds: Sequence[Tensor],
    ) -> Any:
        """Plans one kind of run; the result has `changes` and `same_work` as a Plan."""

    @abstractmethod
    def run(
        self,
        prepared: PreparedRun,
        feeds: list[np.ndarray],
        options: Any,
        metadata: Any,
        number: int,
        session: cancellation.Cancellation,
    ) -> list[Any]:
        """Executes a plan.

        Args:
            prepared: the plan with what is fetched and fed.
            feeds: the fed arrays, in order.
            options: a RunOptions proto or None.
            metadata: a RunMetadata proto that is filled in, or None.
            number: how many runs the session has begun.
            session: cancels all runs of the session.

        Returns:
            The values of the fetched tensors.

        Raises:
            OpError: if an op fails.
        """

    @abstractmethod
    def partial_run(self, plan: Any, targets: list[Any], feeds: list[Tensor]) -> Any:
        """Begins a run that is done in several calls."""

    @abstractmethod
    def list_devices(self) -> list[Device]:
        """The devices that ops can run on."""

    @abstractmethod
    def close(self) -> None:
        """Frees what belongs to the session; all its runs have ended."""

    def closed_error(self) -> errors.OpError:
        """The error of a run after the session was reset."""
        return errors.CancelledError(None, None, "Session has been closed.")


class LocalRuntime(Runtime):
    """Runs everything in this process, with a state that belongs to the session.

    Args:
        settings: the settings of the session.
    """

    is_local = True

    def __init__(self, settings: Configuration) -> None:
        self._settings = settings
        self.state = State(settings.jit_mode, settings.devices, settings.soft_placement)
        self.state.functions = SessionFunctions(self.state)

    def plan(
        self,
        graph: Graph,
        fetches: Sequence[Tensor],
        targets: Sequence[Operation],
        feeds: Sequence[Tensor],
    ) -> Plan:
        return Plan(graph, self.state, fetches, targets, feeds)

    def run(
        self,
        prepared: PreparedRun,
        feeds: list[np.ndarray],
        options: Any,
        metadata: Any,
        number: int,
        session: cancellation.Cancellation,
    ) -> list[Any]:
        run = observed_run.ObservedRun(self._settings, options, metadata, number)
        pool = options.inter_op_thread_pool if options is not None else 0
        # -1 is the thread of the caller.
        if not -1 <= pool < self._settings.thread_pools:
            text = f"Invalid inter_op_thread_pool: {pool}"
            raise errors.InvalidArgumentError(None, None, text)
        return run.execute(prepared, feeds, self.state, session)

    def partial_run(self, plan: Any, targets: list[Any], feeds: list[Tensor]) -> PartialRun:
        return PartialRun(plan, targets, feeds)

    def list_devices(self) -> list[Device]:
        return list(self.state.devices)

    def close(self) -> None:
        self.state.clear()


class Protocol(ABC):
    """What a layer above this one registers for the targets of a protocol."""

    @abstractmethod
    def runtime(self, target: str, graph: Graph, config: Any, settings: Configuration) -> Runtime:
        """Makes the runtime of a session.

        Raises:
            InvalidArgumentError: if the target is malformed.
        """

    def config(self, target: str, config: Any) -> Any:
        """The ConfigProto of a session, None for none; a server may have one for its sessions."""
        return config

    @abstractmethod
    def reset(self, target: str, containers: Sequence[str], config: Any) -> None:
        """Clears containers where the target runs, and closes the sessions there."""


_protocols: dict[str, tuple[str, Protocol]] = {}


def register_protocol(scheme: str, name: str, protocol: Protocol) -> None:
    """Registers what makes sessions for the targets of a protocol.

    Args:
        scheme: how targets begin, such as ``"grpc://"``.
        name: the name in error texts.
        protocol: what makes their runtimes.
    """
    _protocols[scheme] = name, protocol
    declarations.declare(declarations.PROTOCOL, scheme)


def protocol_of(target: str, config: Any) -> Protocol | None:
    """The protocol of a target; None for this process.

    Raises:
        NotFoundError: if no runtime is known for the target.
    """
    if target in ("", "local"):
        return None
    declarations.load_all(declarations.PROTOCOL)
    for scheme, (_, protocol) in _protocols.items():
        if target.startswith(scheme):
            return protocol
    text = " ".join(str(config).split()) if config is not None else ""
    names = ", ".join(["DIRECT_SESSION", *(name for name, _ in _protocols.values())])
    raise errors.NotFoundError(
        None,
        None,
        "No session factory registered for the given session options: "
        f'{{target: "{target}" config: {text}}} Registered factories are {{{names}}}.',
        hint='"" is this process, "grpc://host:port" a server.',
    )


def config_of(target: str, config: Any) -> Any:
    """The ConfigProto of a session with a target and a ConfigProto of its own; None for none.

    Raises:
        NotFoundError: if no runtime is known for the target.
    """
    protocol = protocol_of(target, config)
    return config if protocol is None else protocol.config(target, config)


def runtime_of(target: str, graph: Graph, config: Any, settings: Configuration) -> Runtime:
    """Makes the runtime of a session with a target.

    Raises:
        NotFoundError: if no runtime is known for the target.
    """
    protocol = protocol_of(target, config)
    if protocol is None:
        return LocalRuntime(settings)
    return protocol.runtime(target, graph, config, settings)
