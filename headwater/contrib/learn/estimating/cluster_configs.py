"""The configuration of estimators: the cluster of TF_CONFIG, and how they run."""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from headwater.base import logging
from headwater.base.compat_strings import path_to_str
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.distributed.cluster_spec import ClusterSpec
from headwater.estimator.run_config import RunConfig as CoreRunConfig
from headwater.protos.lazy import config_pb2

# The interval of checkpoints in seconds, if none is given.
_DEFAULT_SAVE_SECS = 600
# Stands for an interval of checkpoints that is not given.
_USE_DEFAULT = 0
# What may differ between runs of the same experiment.
_NOT_IN_UID = (
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
)


@export(
    "contrib.learn.Environment",
    "contrib.learn.estimators.Environment",
    "contrib.learn.run_config.Environment",
)
class Environment:
    """Names of environments: a cluster is used in CLOUD and GOOGLE."""

    CLOUD = "cloud"
    GOOGLE = "google"
    LOCAL = "local"


@export(
    "contrib.learn.TaskType",
    "contrib.learn.estimators.TaskType",
    "contrib.learn.run_config.TaskType",
)
class TaskType:
    """The names of jobs."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"


def _tf_config() -> dict[str, Any]:
    config: dict[str, Any] = json.loads(os.environ.get("TF_CONFIG") or "{}")
    return config


@export(
    "contrib.learn.ClusterConfig",
    "contrib.learn.estimators.ClusterConfig",
    "contrib.learn.run_config.ClusterConfig",
)
class ClusterConfig:
    """The cluster of the environment variable TF_CONFIG, and the task of this process.

    Args:
        master: where training graphs run; by default the address of the task, or "" for this
            process.
        evaluation_master: where graphs of evaluations run; "" by default.

    Raises:
        ValueError: if the cluster has no such task.
    """

    def __init__(self, master: str | None = None, evaluation_master: str | None = None) -> None:
        config = _tf_config()
        task = config.get("task", {})
        self._task_type = task.get("type", None)
        self._task_id = self.get_task_id()
        self._cluster_spec = ClusterSpec(config.get("cluster", {}))
        if master is not None:
            self._master = master
        else:
            self._master = _address(self._cluster_spec, self._task_type, self._task_id) or ""
        self._num_ps_replicas = _count(self._cluster_spec, TaskType.PS)
        self._num_worker_replicas = _count(self._cluster_spec, TaskType.WORKER) + _count(
            self._cluster_spec, TaskType.MASTER
        )
        self._environment = config.get("environment", Environment.LOCAL)
        self._is_chief = self._is_first_task()
        self._evaluation_master = evaluation_master or ""

    def _is_first_task(self) -> bool:
        """Whether the task initializes and saves the model."""
        chief = TaskType.MASTER if self._environment == Environment.CLOUD else TaskType.WORKER
        return self._task_id == 0 and self._task_type in (None, chief)

    @property
    def cluster_spec(self) -> ClusterSpec:
        """The cluster; empty without TF_CONFIG."""
        return self._cluster_spec

    @property
    def environment(self) -> str:
        """A value of Environment."""
        environment: str = self._environment
        return environment

    @property
    def evaluation_master(self) -> str:
        """Where graphs of evaluations run."""
        return self._evaluation_master

    @property
    def is_chief(self) -> bool:
        """Whether this task initializes and saves the model."""
        return self._is_chief

    @property
    def master(self) -> str:
        """Where training graphs run; "" is this process."""
        return self._master

    @property
    def num_ps_replicas(self) -> int:
        """The number of parameter servers."""
        return self._num_ps_replicas

    @property
    def num_worker_replicas(self) -> int:
        """The number of workers and masters."""
        return self._num_worker_replicas

    @property
    def task_id(self) -> int:
        """The index of this task in its job."""
        return self._task_id

    @property
    def task_type(self) -> str | None:
        """The job of this task, or None."""
        return self._task_type

    @staticmethod
    def get_task_id() -> int:
        """Returns the index of this task in its job, 0 without TF_CONFIG."""
        index = _tf_config().get("task", {}).get("index")
        return int(index) if index else 0


@export(
    "contrib.learn.RunConfig",
    "contrib.learn.estimators.RunConfig",
    "contrib.learn.run_config.RunConfig",
)
class RunConfig(ClusterConfig, CoreRunConfig):
    """How an estimator runs, saves and logs.

    Args:
        master: where training graphs run; by default the address of the task of TF_CONFIG.
        num_cores: the number of threads of a session; 0 for the best number.
        log_device_placement: whether the devices of ops are logged.
        gpu_memory_fraction: the share of the memory of a GPU that is used.
        tf_random_seed: the seed of the graphs; or None.
        save_summary_steps: the interval of summaries in steps.
        save_checkpoints_secs: the interval of checkpoints in seconds, 600 if neither is given; or
            None.
        save_checkpoints_steps: the interval of checkpoints in steps; or None.
        keep_checkpoint_max: how many checkpoints are kept; 0 or None for all.
        keep_checkpoint_every_n_hours: how often a checkpoint is kept for good, in hours.
        log_step_count_steps: the interval of logged steps per second, in steps; calls of release
            1.0 may give `evaluation_master` in its place.
        protocol: how tasks speak with each other; or None.
        evaluation_master: where graphs of evaluations run.
        model_dir: the folder of checkpoints and event files; or None.
        session_config: a ConfigProto, which is used instead of the one made of the first
            arguments; or None.
        session_creation_timeout_secs: how many seconds a worker waits for its session.

    Raises:
        ValueError: if TF_CONFIG names another folder, or the cluster has no such task.

    Example:
        >>> config = tf.contrib.learn.RunConfig(save_checkpoints_steps=50)
        >>> print(config.save_checkpoints_secs, config.is_chief, config.environment)
        None True local
    """

    @deprecated(
        None, "When switching to tf.estimator.Estimator, use tf.estimator.RunConfig instead."
    )
    def __init__(
        self,
        master: str | None = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_secs: float | None = _USE_DEFAULT,
        save_checkpoints_steps: int | None = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: Any = 100,
        protocol: str | None = None,
        evaluation_master: str = "",
        model_dir: str | None = None,
        session_config: Any = None,
        session_creation_timeout_secs: float = 7200,
    ) -> None:
        if isinstance(log_step_count_steps, str):
            # The last argument of 1.0 and before.
            log_step_count_steps, evaluation_master = 100, log_step_count_steps
        # The configuration of the core reads TF_CONFIG in another way: its constructor is not run.
        ClusterConfig.__init__(self, master=master, evaluation_master=evaluation_master)
        self._train_distribute = None
        self._eval_distribute = None
        self._experimental_max_worker_delay_secs = None
        self._device_fn = None
        self._tf_config = config_pb2.ConfigProto(
            log_device_placement=log_device_placement,
            inter_op_parallelism_threads=num_cores,
            intra_op_parallelism_threads=num_cores,
            gpu_options=config_pb2.GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction),
        )
        self._tf_random_seed = tf_random_seed
        self._save_summary_steps = save_summary_steps
        self._save_checkpoints_secs = save_checkpoints_secs
        if save_checkpoints_secs == _USE_DEFAULT and save_checkpoints_secs is not None:
            self._save_checkpoints_secs = (
                _DEFAULT_SAVE_SECS if save_checkpoints_steps is None else None
            )
        self._log_step_count_steps = log_step_count_steps
        self._protocol = protocol
        self._session_config = session_config
        self._save_checkpoints_steps = save_checkpoints_steps
        self._keep_checkpoint_max = keep_checkpoint_max
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._model_dir = _model_dir(path_to_str(model_dir))
        self._session_creation_timeout_secs = session_creation_timeout_secs

    @property
    def tf_config(self) -> Any:
        """The ConfigProto made of the arguments."""
        return self._tf_config

    def uid(self, whitelist: Sequence[str] | None = None) -> str:
        """A text that is the same for configurations of the same experiment.

        Args:
            whitelist: the names of properties that may differ; None for the seed, the session and
                what concerns saving and logging.

        Returns:
            The text.
        """
        state = dict(vars(self))
        for name in _NOT_IN_UID if whitelist is None else whitelist:
            state.pop(f"_{name}", None)
        if "_cluster_spec" in state:
            jobs = state["_cluster_spec"].as_dict()
            state["_cluster_spec"] = OrderedDict(sorted(jobs.items()))
        return ", ".join(f"{name}={state[name]!r}" for name in sorted(state))


def _count(cluster: ClusterSpec, job: str) -> int:
    return len(cluster.as_dict().get(job, []))


def _address(cluster: ClusterSpec, task_type: str | None, task_id: int) -> str:
    """The address of a task; "" if it is the only one, or not part of a cluster.

    Raises:
        ValueError: if the cluster has no such task.
    """
    if not cluster:
        return ""
    jobs = cluster.jobs
    if len(jobs) == 1 and len(cluster.job_tasks(jobs[0])) == 1:
        return ""
    if not task_type:
        return ""
    if task_type not in jobs:
        raise ValueError(
            f"{task_type} is not a valid task_type in the cluster_spec:\n{cluster}\n\nNote that "
            "these values may be coming from the TF_CONFIG environment variable."
        )
    addresses = cluster.job_tasks(task_type)
    if not 0 <= task_id < len(addresses):
        raise ValueError(
            f"{task_id} is not a valid task_id for task_type {task_type} in the cluster_spec:\n"
            f"{cluster}\n\nNote that these value may be coming from the TF_CONFIG environment "
            "variable."
        )
    return f"grpc://{addresses[task_id]}"


def _model_dir(model_dir: str | None) -> str | None:
    """The folder of the model: the given one, which is that of TF_CONFIG if there is one.

    Raises:
        ValueError: if they differ.
    """
    in_environment = path_to_str(_tf_config().get("model_dir", ""))
    if model_dir is None:
        if in_environment:
            logging.info("Using model_dir in TF_CONFIG: %s", in_environment)
        return in_environment or None
    if in_environment and model_dir != in_environment:
        raise ValueError(
            "`model_dir` provided in RunConfig construct, if set, must have the same value as the "
            f'model_dir in TF_CONFIG. model_dir: {model_dir}\nTF_CONFIG["model_dir"]: '
            f"{in_environment}.\n"
        )
    return model_dir
