"""`tf.train.Server`: a task of a cluster, which runs the graphs of clients."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import errors
from headwater.base.export import export
from headwater.base.rendezvous import Edge
from headwater.base.waiting import Waiting
from headwater.distributed.cluster_spec import ClusterSpec
from headwater.distributed.link_service import LinkService
from headwater.distributed.master_service import MasterService, reset
from headwater.distributed.peers import LocalPeer, Peer, RemotePeer
from headwater.distributed.remote_runtime import RemoteRuntime, address_of, open_stub
from headwater.distributed.server_def import listening_host, make_server_def, own_address
from headwater.distributed.server_runtime import ServerRuntime
from headwater.distributed.task import Task
from headwater.distributed.transport import MASTER, TASKS, WORKER, make_server
from headwater.distributed.worker import Worker
from headwater.distributed.worker_service import WorkerService
from headwater.graph import Graph
from headwater.protos.lazy import config_pb2, master_pb2
from headwater.session.configuration import Configuration
from headwater.session.runtimes import Protocol, Runtime, register_protocol

# The tasks of this process by target. As in TensorFlow, a server lives as long as the process.
_tasks: dict[str, Task] = {}


@export("train.Server", "distribute.Server")
class Server:
    """A task of a cluster in this process.

    It runs what clients with its target ask for, and the parts of graphs that other tasks send.
    The protocol, TensorFlow's own, has no authentication: whoever can reach the port can run
    programs. A server whose cluster is on ``localhost`` listens there only.

    Args:
        server_or_cluster_def: a ServerDef, a ClusterDef, a ClusterSpec, or a dict as for that.
        job_name: the job of this task; needed if there are several.
        task_index: its index; needed if the job has several tasks.
        protocol: ``"grpc"``, the default.
        config: a ConfigProto for the sessions of this server, or None.
        start: whether to start at once.

    Raises:
        OpError: if the server cannot be started.
        TypeError: if the first argument is neither a server nor a cluster.
        ValueError: if job or task are not given and there are several.

    Example:
        >>> server = tf.train.Server.create_local_server()
        >>> with tf.Session(server.target) as session:
        ...     print(session.run(tf.constant(6) * 7))
        42
    """

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        self._server_def = make_server_def(
            server_or_cluster_def, job_name, task_index, protocol, config
        )
        address = own_address(self._server_def)
        self._task = Task(self._server_def)
        listening = f"{listening_host(self._server_def)}:{address.rpartition(':')[2]}"
        worker = Worker(self._task, self._receive)
        self._task.join(worker, self._find_peer)
        service = WorkerService(worker)
        master = MasterService(self._task)
        methods = {**master.methods(), **service.methods()}
        self._links = LinkService(
            listening.rpartition(":")[0],
            methods,
            {"RecvTensor": service.send_tensor},
            {"CleanupGraph": service.clean_up, "PutTensors": service.put_tensors},
        )
        self._server, self._port = make_server(
            {
                MASTER: master.methods(),
                WORKER: service.methods(),
                TASKS: service.methods_of_tasks(),
            },
            self._links.handler(),
            listening,
        )
        if self._port == 0:
            raise errors.UnknownError(
                None,
                None,
                "Could not start gRPC server",
                hint=f"{listening} cannot be listened on: is another server there?",
            )
        self._target = f"grpc://localhost:{self._port}"
        self._task.target = self._target
        # As the cluster calls it, and as clients on this machine may.
        _tasks[f"grpc://{address}"] = _tasks[self._target] = self._task
        self._started = False
        self._stopped = threading.Event()
        if start:
            self.start()

    def _find_peer(self, name: str) -> Peer:
        """The worker of a task of the cluster."""
        if name in self._task.names:
            return LocalPeer(self._task.worker)
        address = self._task.address_of(name)
        task = _tasks.get(f"grpc://{address}")
        return RemotePeer(address) if task is None else LocalPeer(task.worker)

    def _receive(self, task: str, edge: Edge, number: int, work: Waiting) -> Callable[[], object]:
        peer: Peer = self._task.peer(task)
        return peer.receive(edge, number, work)

    def start(self) -> None:
        """Starts the server; does nothing if it has been started.

        Raises:
            OpError: if it cannot be started.
        """
        if not self._started:
            self._links.start()
            self._server.start()
            self._started = True

    def join(self) -> None:
        """Blocks until the server has shut down: as long as the process lives.

        Raises:
            OpError: if waiting fails.
        """
        # In pieces, so that Ctrl-C is taken on every system.
        while not self._stopped.wait(3600.0):
            pass

    @property
    def server_def(self) -> Any:
        """The ServerDef of this server."""
        return self._server_def

    @property
    def target(self) -> str:
        """What a session of this server has as its target, ``grpc://localhost:2222``."""
        return self._target

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """Makes a server that is a cluster of its own, on a free port.

        Args:
            config: a ConfigProto for its sessions, or None.
            start: whether to start at once.

        Returns:
            The server.
        """
        return Server(
            ClusterSpec({"local": ["localhost:0"]}), protocol="grpc", config=config, start=start
        )


class _Grpc(Protocol):
    """Sessions with targets ``grpc://...``."""

    def runtime(self, target: str, graph: Graph, config: Any, settings: Configuration) -> Runtime:
        task = _tasks.get(target)
        if task is not None:
            return ServerRuntime(task, graph, config, settings)
        return RemoteRuntime(target, graph, config, settings)

    def config(self, target: str, config: Any) -> Any:
        task = _tasks.get(target)
        if task is None or not task.server_def.default_session_config.ByteSize():
            return config
        merged = config_pb2.ConfigProto()
        merged.CopyFrom(task.server_def.default_session_config)
        if config is not None:
            merged.MergeFrom(config)
        return merged

    def reset(self, target: str, containers: Sequence[str], config: Any) -> None:
        task = _tasks.get(target)
        if task is not None:
            reset(task, list(containers))
            return
        stub = open_stub(address_of(target))
        filters = list(config.device_filters) if config is not None else []
        timeout = config.operation_timeout_in_ms / 1000 if config is not None else 0
        request = master_pb2.ResetRequest(container=containers, device_filters=filters)
        try:
            stub.call("Reset", request, timeout or None, wait=True)
        finally:
            stub.close()


register_protocol("grpc://", "GRPC_SESSION", _Grpc())
