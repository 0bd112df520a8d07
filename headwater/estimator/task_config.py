"""The environment variable TF_CONFIG: the cluster, and the task of this process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.distributed.cluster_spec import ClusterSpec


class TaskType:
    """The names of jobs."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"
    CHIEF = "chief"
    EVALUATOR = "evaluator"


@dataclass
class TaskConfig:
    """The cluster and the task of this process.

    Attributes:
        service: what TF_CONFIG has under "service", or None.
        cluster_spec: the cluster; empty for a local run and for an evaluator.
        task_type: the job of this task.
        task_id: its index in the job.
        global_id_in_cluster: its number among all tasks; None for an evaluator.
        master: where training graphs run; "" is this process.
        evaluation_master: where graphs of evaluations run.
        is_chief: whether the task initializes and saves the model.
        num_ps_replicas: the number of parameter servers.
        num_worker_replicas: the number of workers, the chief included.
    """

    service: dict[str, Any] | None
    cluster_spec: ClusterSpec
    task_type: str = TaskType.WORKER
    task_id: int = 0
    global_id_in_cluster: int | None = 0
    master: str = ""
    evaluation_master: str = ""
    is_chief: bool = True
    num_ps_replicas: int = 0
    num_worker_replicas: int = 1


def read_task_config(tf_config: Mapping[str, Any], protocol: str | None = None) -> TaskConfig:
    """Reads TF_CONFIG.

    Args:
        tf_config: the parsed value of the variable.
        protocol: how tasks speak with each other; gRPC if None.

    Returns:
        A TaskConfig.

    Raises:
        ValueError: if the cluster or the task is not valid.
        TypeError: if the service is not a dict.
    """
    service = tf_config.get("service")
    if service is not None and not isinstance(service, dict):
        raise TypeError(
            f'If "service" is set in TF_CONFIG, it must be a dict. Given {type(service)}'
        )
    config = TaskConfig(service, ClusterSpec(tf_config.get("cluster", {})))
    task = tf_config.get("task", {})
    if not config.cluster_spec:
        _set_local(config, task, tf_config)
        return config
    has_master = TaskType.MASTER in config.cluster_spec.jobs
    if has_master:
        _check_legacy_cluster(config.cluster_spec, task)
    chief = TaskType.MASTER if has_master else TaskType.CHIEF
    config.task_type, config.task_id = _task(config.cluster_spec, task, chief)
    if has_master or config.task_type == TaskType.EVALUATOR:
        config.evaluation_master = tf_config.get("eval_session_master", "")
    if config.task_type == TaskType.EVALUATOR:
        _set_evaluator(config)
        return config
    master = tf_config.get("session_master")
    config.master = _master(config, protocol) if master is None else master
    config.num_ps_replicas = _count(config.cluster_spec, TaskType.PS)
    config.num_worker_replicas = _count(config.cluster_spec, TaskType.WORKER) + 1
    config.global_id_in_cluster = _global_id(config, chief)
    config.is_chief = config.task_type == chief
    return config


def has_own_variables(strategy: Any) -> bool:
    """Whether the tasks of a strategy train together, each with variables of its own."""
    extended: Any = getattr(strategy, "extended", None)
    return bool(
        getattr(extended, "_copies_variables", False) and extended.experimental_between_graph
    )


def collective_task(tf_config: Mapping[str, Any], strategy: Any) -> TaskConfig:
    """The task of a worker with variables of its own, whose sessions run in its process.

    Args:
        tf_config: the parsed value of TF_CONFIG.
        strategy: the Strategy of the workers.
    """
    task = tf_config.get("task", {})
    config = TaskConfig(tf_config.get("service"), ClusterSpec({}))
    config.task_type = task.get("type", TaskType.WORKER)
    config.task_id = int(task.get("index", 0))
    if config.task_type == TaskType.EVALUATOR:
        _set_evaluator(config)
        return config
    context = strategy.extended.input_context()
    config.global_id_in_cluster = context.input_pipeline_id
    config.num_worker_replicas = context.num_input_pipelines
    config.is_chief = strategy.extended.should_checkpoint
    return config


def _set_local(config: TaskConfig, task: Mapping[str, Any], tf_config: Mapping[str, Any]) -> None:
    if task.get("type", TaskType.WORKER) != TaskType.WORKER:
        raise ValueError('If "cluster" is not set in TF_CONFIG, task type must be WORKER.')
    if int(task.get("index", 0)) != 0:
        raise ValueError('If "cluster" is not set in TF_CONFIG, task index must be 0.')
    config.master = tf_config.get("session_master", "")
    config.evaluation_master = tf_config.get("eval_session_master", "")


def _set_evaluator(config: TaskConfig) -> None:
    """An evaluator is no part of the cluster and runs alone."""
    config.cluster_spec = ClusterSpec({})
    config.global_id_in_cluster = None
    config.is_chief = False
    config.num_worker_replicas = 0


def _check_legacy_cluster(cluster: ClusterSpec, task: Mapping[str, Any]) -> None:
    if TaskType.CHIEF in cluster.jobs:
        raise ValueError("If `master` node exists in `cluster`, job `chief` is not supported.")
    if task.get("type") == TaskType.EVALUATOR:
        raise ValueError(
            "If `master` node exists in `cluster`, task_type `evaluator` is not supported."
        )


def _task(cluster: ClusterSpec, task: Mapping[str, Any], chief: str) -> tuple[str, int]:
    """The type and index of a task of a cluster.

    Raises:
        ValueError: if the cluster has not exactly one chief, or the task is not valid.
    """
    if chief not in cluster.jobs:
        raise ValueError(f'If "cluster" is set in TF_CONFIG, it must have one "{chief}" node.')
    if cluster.num_tasks(chief) > 1:
        raise ValueError(f'The "cluster" in TF_CONFIG must have only one "{chief}" node.')
    task_type, task_id = task.get("type"), task.get("index")
    if not task_type:
        raise ValueError('If "cluster" is set in TF_CONFIG, task type must be set.')
    if task_id is None:
        raise ValueError('If "cluster" is set in TF_CONFIG, task index must be set.')
    task_id = int(task_id)
    if task_id < 0:
        raise ValueError("Task index must be non-negative number.")
    if task_type == TaskType.EVALUATOR:
        return task_type, task_id
    note = (
        f" in the cluster_spec:\n{cluster}\n\nNote that these values may be coming from the "
        "TF_CONFIG environment variable."
    )
    if task_type not in cluster.jobs:
        raise ValueError(f"{task_type} is not a valid task_type{note}")
    if task_id >= cluster.num_tasks(task_type):
        raise ValueError(f"{task_id} is not a valid task_id for task_type {task_type}{note}")
    return task_type, task_id


def _master(config: TaskConfig, protocol: str | None) -> str:
    """The address of the task; "" if it is the only one."""
    jobs = config.cluster_spec.jobs
    if len(jobs) == 1 and config.cluster_spec.num_tasks(jobs[0]) == 1:
        return ""
    address = config.cluster_spec.task_address(config.task_type, config.task_id)
    return f"{protocol or 'grpc'}://{address}"


def _count(cluster: ClusterSpec, job: str) -> int:
    return cluster.num_tasks(job) if job in cluster.jobs else 0


def _global_id(config: TaskConfig, chief: str) -> int:
    """The number of the task: the chief first, then workers, other jobs and parameter servers."""
    first, last = [chief, TaskType.WORKER], [TaskType.PS]
    others = sorted(job for job in config.cluster_spec.jobs if job not in first + last)
    number = 0
    for job in first + others + last:
        if job == config.task_type:
            break
        number += _count(config.cluster_spec, job)
    return number + config.task_id
