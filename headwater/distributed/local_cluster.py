"""Clusters of servers in one process, for tests."""

from __future__ import annotations

import socket
from typing import Any

from headwater.base.export import export
from headwater.distributed.cluster_spec import ClusterSpec
from headwater.distributed.server import Server


@export("test.create_local_cluster")
def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: Any = None,
    ps_config: Any = None,
) -> tuple[list[Server], list[Server]]:
    """Starts the servers of a cluster in this process.

    Args:
        num_workers: the number of workers.
        num_ps: the number of parameter servers.
        protocol: the protocol between them.
        worker_config: a ConfigProto of the workers, or None.
        ps_config: a ConfigProto of the parameter servers, or None.

    Returns:
        The servers of the workers, and those of the parameter servers.

    Raises:
        NotFoundError: if there is no such protocol.

    Example:
        >>> workers, ps = tf.test.create_local_cluster(num_workers=1, num_ps=1)
        >>> with tf.device("/job:ps/task:0"):
        ...     v = tf.Variable(2.0)
        >>> with tf.Session(workers[0].target) as session:
        ...     session.run(v.initializer)
        ...     print(session.run(v * 3))
        6.0
    """
    addresses = [f"localhost:{port}" for port in free_ports(num_workers + num_ps)]
    jobs = {"worker": addresses[:num_workers], "ps": addresses[num_workers:]}
    cluster = ClusterSpec({name: found for name, found in jobs.items() if found})

    def servers(job: str, config: Any) -> list[Server]:
        return [
            Server(cluster, job, index, protocol, config=config) for index in range(len(jobs[job]))
        ]

    return servers("worker", worker_config), servers("ps", ps_config)


def free_ports(count: int) -> list[int]:
    """Some ports that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
