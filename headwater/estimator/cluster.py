"""What the task of an Estimator needs in a cluster: devices for its ops, and a server."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import logging
from headwater.distributed.device_setter import replica_device_setter
from headwater.distributed.server import Server
from headwater.protos.lazy import config_pb2


def device_function(config: Any, ps_ops: Sequence[str] | None = None) -> Callable[..., Any] | None:
    """The device function of the graphs that a task builds.

    Args:
        config: the RunConfig of the task.
        ps_ops: the op types that parameter servers keep; those of `replica_device_setter` if None.

    Returns:
        A function that spreads variables over the parameter servers; None if there are none.
    """
    if config.num_ps_replicas <= 0:
        return None
    task = f"/job:{config.task_type}/task:{config.task_id}" if config.task_type else "/job:worker"
    return replica_device_setter(
        ps_tasks=config.num_ps_replicas,
        worker_device=task,
        merge_devices=True,
        ps_ops=ps_ops,
        cluster=config.cluster_spec,
    )


def start_server(config: Any) -> Server:
    """Starts the server of this task.

    Args:
        config: the RunConfig of the task.

    Returns:
        The server.

    Raises:
        RuntimeError: if the configuration lacks the cluster, the task or its address.
    """
    if not config.cluster_spec or not config.task_type or config.task_id is None:
        raise RuntimeError(
            "Could not start server; be sure to specify cluster_spec, task_type, and task in "
            "RunConfig or set the TF_CONFIG environment variable."
        )
    if not config.master:
        raise RuntimeError(
            "Could not start server; be sure to specify master in RunConfig or set the TF_CONFIG "
            "environment variable."
        )
    settings = config_pb2.ConfigProto()
    if config.session_config is not None:
        settings.gpu_options.CopyFrom(config.session_config.gpu_options)
    logging.info("Start Tensorflow server.")
    server = Server(
        config.cluster_spec,
        job_name=config.task_type,
        task_index=config.task_id,
        config=settings,
        start=False,
        protocol=config.protocol,
    )
    server.start()
    return server


def has_servers_already() -> bool:
    """Whether TF_CONFIG says that something else has started the servers of the tasks."""
    text = os.environ.get("TF_CONFIG")
    if not text:
        logging.warning("TF_CONFIG should not be empty in distributed environment.")
    return bool(json.loads(text or "{}").get("environment") == "google")


def is_alone(config: Any) -> bool:
    """Whether the cluster of a task has no other task, and the task no address.

    Args:
        config: the RunConfig of the task.
    """
    if not config.cluster_spec or config.master:
        return False
    jobs = config.cluster_spec.as_dict()
    return sum(len(tasks) for tasks in jobs.values()) == 1
