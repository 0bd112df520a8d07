"""Clusters of servers in one process, for tests."""

from __future__ import annotations

from typing import Any

from headwater.base import errors


def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: Any = None,
    ps_config: Any = None,
) -> tuple[list[Any], list[Any]]:
    """Starts servers of a cluster in this process.

    Args:
      num_workers: the number of workers.
      num_ps: the number of parameter servers.
      protocol: the protocol between them.
      worker_config: a ConfigProto of the workers, or None.
      ps_config: a ConfigProto of the parameter servers, or None.

    Returns:
      The servers of the workers, and those of the parameter servers.

    Raises:
      UnimplementedError: there are no servers yet.
    """
    raise errors.UnimplementedError(
        None,
        None,
        f"Cannot start {num_workers} workers and {num_ps} parameter servers: this release of "
        "Headwater runs graphs in one process, without servers.",
    )
