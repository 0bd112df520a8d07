"""ServerDefs: what a server is told about its cluster and its own place in it."""

from __future__ import annotations

from typing import Any

from headwater.base import errors
from headwater.distributed.cluster_spec import ClusterSpec
from headwater.protos.lazy import tensorflow_server_pb2

_LOOPBACK = ("localhost", "127.", "[::1]", "::1")


def make_server_def(
    server_or_cluster_def: Any,
    job_name: str | None,
    task_index: int | None,
    protocol: str | None,
    config: Any,
) -> Any:
    """Makes a complete ServerDef from the arguments of a server.

    Raises:
        TypeError: if the first argument is neither a server nor a cluster.
        ValueError: if job or task are not given and there are several.
    """
    server_def = tensorflow_server_pb2.ServerDef()
    if isinstance(server_or_cluster_def, tensorflow_server_pb2.ServerDef):
        server_def.CopyFrom(server_or_cluster_def)
        if job_name is not None:
            server_def.job_name = job_name
        if task_index is not None:
            server_def.task_index = task_index
        if protocol is not None:
            server_def.protocol = protocol
    else:
        try:
            cluster = ClusterSpec(server_or_cluster_def)
        except TypeError:
            raise TypeError(
                "Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or "
                "`tf.train.ClusterSpec`."
            ) from None
        job_name = _only_job(cluster) if job_name is None else job_name
        task_index = _only_task(cluster, job_name) if task_index is None else task_index
        server_def.cluster.CopyFrom(cluster.as_cluster_def())
        server_def.job_name = job_name
        server_def.task_index = task_index
        server_def.protocol = protocol or "grpc"
    if config is not None:
        server_def.default_session_config.CopyFrom(config)
    return server_def


def _only_job(cluster: ClusterSpec) -> str:
    if len(cluster.jobs) != 1:
        raise ValueError("Must specify an explicit `job_name`.")
    return cluster.jobs[0]


def _only_task(cluster: ClusterSpec, job_name: str) -> int:
    indices = cluster.task_indices(job_name)
    if len(indices) != 1:
        raise ValueError("Must specify an explicit `task_index`.")
    return indices[0]


def own_address(server_def: Any) -> str:
    """The address of the task itself, ``host:port``.

    Raises:
        NotFoundError: if no server speaks the protocol.
        InvalidArgumentError: if the cluster has no such task, or its address no port.
    """
    if server_def.protocol not in ("grpc",):
        raise errors.NotFoundError(
            None,
            None,
            f"No server factory registered for the given ServerDef: {server_def}\nThe available "
            "server factories are: [ GRPC_SERVER ]",
        )
    for job in server_def.cluster.job:
        if job.name != server_def.job_name:
            continue
        if server_def.task_index in job.tasks:
            address: str = job.tasks[server_def.task_index]
            port = address.rpartition(":")[2] if ":" in address else ""
            if not port.isdigit() or int(port) > 65535:
                raise errors.InvalidArgumentError(
                    None, None, f'Could not parse port for local server from "{address}".'
                )
            return address
        raise errors.InvalidArgumentError(
            None,
            None,
            f'Task {server_def.task_index} was not defined in job "{server_def.job_name}"',
        )
    raise errors.InvalidArgumentError(
        None, None, f'Job "{server_def.job_name}" was not defined in cluster'
    )


def listening_host(server_def: Any) -> str:
    """Where a server listens: on loopback if the whole cluster is there, else everywhere."""
    addresses = [a for job in server_def.cluster.job for a in job.tasks.values()]
    local = all(address.startswith(_LOOPBACK) for address in addresses)
    return "127.0.0.1" if local else "[::]"
