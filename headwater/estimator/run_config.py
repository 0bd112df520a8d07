"""RunConfig: how an Estimator runs, saves and logs."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headwater.base import logging
from headwater.base.arguments import fn_args
from headwater.base.compat_strings import path_to_str
from headwater.base.export import export
from headwater.estimator.task_config import (
    TaskType,
    collective_task,
    has_own_variables,
    read_task_config,
)
from headwater.protos.lazy import config_pb2, rewriter_config_pb2

# Stands for an interval of checkpoints that is not given.
_USE_DEFAULT: Any = object()
_DEFAULT_SAVE_SECS = 600

REPLACEABLE = (
    "model_dir",
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
    "train_distribute",
    "device_fn",
    "protocol",
    "eval_distribute",
    "experimental_distribute",
    "experimental_max_worker_delay_secs",
    "session_creation_timeout_secs",
)


def default_session_config() -> Any:
    """The ConfigProto of sessions if a program gives none."""
    rewrite = rewriter_config_pb2.RewriterConfig(
        meta_optimizer_iterations=rewriter_config_pb2.RewriterConfig.ONE
    )
    return config_pb2.ConfigProto(
        allow_soft_placement=True,
        graph_options=config_pb2.GraphOptions(rewrite_options=rewrite),
    )


@export("estimator.RunConfig")
class RunConfig:
    """How an Estimator runs, saves and logs.

    The environment variable TF_CONFIG says what the cluster is, and which of its tasks this
    process is; without it the process trains and evaluates alone.

    Args:
        model_dir: the folder of checkpoints and event files; or None.
        tf_random_seed: the seed of the graphs; or None.
        save_summary_steps: the interval of summaries in steps.
        save_checkpoints_steps: the interval of checkpoints in steps; or None.
        save_checkpoints_secs: the interval of checkpoints in seconds, 600 if neither is given; or
            None.
        session_config: a ConfigProto; or None.
        keep_checkpoint_max: how many checkpoints are kept; 0 or None for all.
        keep_checkpoint_every_n_hours: how often a checkpoint is kept for good, in hours.
        log_step_count_steps: the interval of logged losses and steps per second, in steps.
        train_distribute: a distribution strategy for training; or None.
        device_fn: a function of an Operation that returns its device; or None.
        protocol: how tasks speak with each other, "grpc" or "grpc+verbs"; or None.
        eval_distribute: a distribution strategy for evaluation; or None.
        experimental_distribute: an object with the attributes `train_distribute`,
            `eval_distribute` and `remote_cluster`; or None.
        experimental_max_worker_delay_secs: how many seconds a worker waits at its start at most;
            or None.
        session_creation_timeout_secs: how many seconds a worker waits for its session.

    Raises:
        ValueError: if both intervals of checkpoints are given, or a value is not valid.

    Example:
        >>> config = tf.estimator.RunConfig(save_checkpoints_steps=50)
        >>> print(config.save_checkpoints_secs, config.replace(tf_random_seed=3).tf_random_seed)
        None 3
    """

    def __init__(
        self,
        model_dir: str | None = None,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_steps: int | None = _USE_DEFAULT,
        save_checkpoints_secs: float | None = _USE_DEFAULT,
        session_config: Any = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int | None = 100,
        train_distribute: Any = None,
        device_fn: Callable[[Any], str] | None = None,
        protocol: str | None = None,
        eval_distribute: Any = None,
        experimental_distribute: Any = None,
        experimental_max_worker_delay_secs: int | None = None,
        session_creation_timeout_secs: float = 7200,
    ) -> None:
        if save_checkpoints_steps is _USE_DEFAULT and save_checkpoints_secs is _USE_DEFAULT:
            save_checkpoints_steps, save_checkpoints_secs = None, _DEFAULT_SAVE_SECS
        elif save_checkpoints_secs is _USE_DEFAULT:
            save_checkpoints_secs = None
        elif save_checkpoints_steps is _USE_DEFAULT:
            save_checkpoints_steps = None
        elif save_checkpoints_steps is not None and save_checkpoints_secs is not None:
            raise ValueError(
                "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."
            )
        tf_config = json.loads(os.environ.get("TF_CONFIG", "{}"))
        if tf_config:
            logging.info("TF_CONFIG environment variable: %s", tf_config)
        self._set(
            model_dir=_model_dir(tf_config, path_to_str(model_dir)),
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_steps=save_checkpoints_steps,
            save_checkpoints_secs=save_checkpoints_secs,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            train_distribute=train_distribute,
            device_fn=device_fn,
            protocol=protocol,
            eval_distribute=eval_distribute,
            experimental_distribute=experimental_distribute,
            experimental_max_worker_delay_secs=experimental_max_worker_delay_secs,
            session_creation_timeout_secs=session_creation_timeout_secs,
        )
        self._take_strategies(experimental_distribute)
        if has_own_variables(self._train_distribute):
            task = collective_task(tf_config, self._train_distribute)
        else:
            task = read_task_config(tf_config, protocol)
        for name, value in vars(task).items():
            setattr(self, f"_{name}", value)
        alone = has_own_variables(self._train_distribute)
        if session_config is None and not alone and (self._cluster_spec or not self._is_chief):
            self._session_config = _distributed_session_config(self._task_type, self._task_id)

    def _take_strategies(self, distribute: Any) -> None:
        """Takes the strategies of a DistributeConfig where none are given."""
        for name in ("train_distribute", "eval_distribute"):
            if getattr(self, f"_{name}") is None:
                setattr(self, f"_{name}", getattr(distribute, name, None))

    if TYPE_CHECKING:
        # `_set` sets the attributes.
        def __getattr__(self, name: str) -> Any: ...

    def _set(self, **properties: Any) -> None:
        """Sets properties, and checks those that are not None."""
        for name, value in properties.items():
            setattr(self, f"_{name}", value)
        for name, value in properties.items():
            if value is not None:
                _check(name, value)

    @property
    def cluster_spec(self) -> Any:
        """The cluster; empty for a local run and for an evaluator."""
        return self._cluster_spec

    @property
    def device_fn(self) -> Any:
        """The function of an Operation that returns its device, or None."""
        return self._device_fn

    @property
    def evaluation_master(self) -> Any:
        """Where graphs of evaluations run."""
        return self._evaluation_master

    @property
    def is_chief(self) -> Any:
        """Whether this task initializes and saves the model."""
        return self._is_chief

    @property
    def master(self) -> Any:
        """Where training graphs run; "" is this process."""
        return self._master

    @property
    def num_ps_replicas(self) -> Any:
        """The number of parameter servers."""
        return self._num_ps_replicas

    @property
    def num_worker_replicas(self) -> Any:
        """The number of workers, the chief included."""
        return self._num_worker_replicas

    @property
    def task_id(self) -> Any:
        """The index of this task in its job."""
        return self._task_id

    @property
    def global_id_in_cluster(self) -> Any:
        """The number of this task among all; None for an evaluator."""
        return self._global_id_in_cluster

    @property
    def experimental_max_worker_delay_secs(self) -> Any:
        """How many seconds a worker waits at its start at most."""
        return self._experimental_max_worker_delay_secs

    @property
    def task_type(self) -> Any:
        """The job of this task."""
        return self._task_type

    @property
    def tf_random_seed(self) -> Any:
        """The seed of the graphs, or None."""
        return self._tf_random_seed

    @property
    def save_summary_steps(self) -> Any:
        """The interval of summaries in steps."""
        return self._save_summary_steps

    @property
    def save_checkpoints_secs(self) -> Any:
        """The interval of checkpoints in seconds, or None."""
        return self._save_checkpoints_secs

    @property
    def session_config(self) -> Any:
        """The ConfigProto of sessions, or None."""
        return self._session_config

    @property
    def save_checkpoints_steps(self) -> Any:
        """The interval of checkpoints in steps, or None."""
        return self._save_checkpoints_steps

    @property
    def keep_checkpoint_max(self) -> Any:
        """How many checkpoints are kept."""
        return self._keep_checkpoint_max

    @property
    def session_creation_timeout_secs(self) -> Any:
        """How many seconds a worker waits for its session."""
        return self._session_creation_timeout_secs

    @property
    def keep_checkpoint_every_n_hours(self) -> Any:
        """How often a checkpoint is kept for good, in hours."""
        return self._keep_checkpoint_every_n_hours

    @property
    def log_step_count_steps(self) -> Any:
        """The interval of logged losses and steps per second, in steps."""
        return self._log_step_count_steps

    @property
    def model_dir(self) -> Any:
        """The folder of checkpoints and event files, or None."""
        return self._model_dir

    @property
    def service(self) -> Any:
        """What TF_CONFIG has under "service", or None."""
        return self._service

    @property
    def train_distribute(self) -> Any:
        """The distribution strategy for training, or None."""
        return self._train_distribute

    @property
    def eval_distribute(self) -> Any:
        """The distribution strategy for evaluation, or None."""
        return self._eval_distribute

    @property
    def protocol(self) -> Any:
        """How tasks speak with each other, or None."""
        return self._protocol

    def replace(self, **kwargs: Any) -> RunConfig:
        """Returns a copy with some properties replaced.

        Args:
            **kwargs: new values of arguments of the constructor.

        Returns:
            A RunConfig.

        Raises:
            ValueError: if a property cannot be replaced or a value is not valid.
        """
        return RunConfig._replace(
            copy.deepcopy(self), allowed_properties_list=list(REPLACEABLE), **kwargs
        )

    @staticmethod
    def _replace(
        config: RunConfig, allowed_properties_list: Sequence[str] | None = None, **kwargs: Any
    ) -> RunConfig:
        """Sets properties of a configuration; one interval of checkpoints ends the other."""
        allowed = allowed_properties_list or []
        for name in kwargs:
            if name not in allowed:
                raise ValueError(
                    f"Replacing {name} is not supported. Allowed properties are {allowed}."
                )
        if kwargs.get("save_checkpoints_steps") and kwargs.get("save_checkpoints_secs"):
            raise ValueError(
                "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."
            )
        if "save_checkpoints_steps" in kwargs:
            kwargs.setdefault("save_checkpoints_secs", None)
        elif "save_checkpoints_secs" in kwargs:
            kwargs.setdefault("save_checkpoints_steps", None)
        config._set(**kwargs)
        return config


def _distributed_session_config(task_type: str, task_id: int) -> Any:
    """A task sees itself and the parameter servers only."""
    config = default_session_config()
    if task_type == TaskType.WORKER:
        filters = ["/job:ps", f"/job:worker/task:{task_id}"]
    elif task_type in (TaskType.MASTER, TaskType.CHIEF):
        filters = ["/job:ps", f"/job:{task_type}"]
    elif task_type == TaskType.PS:
        filters = ["/job:ps", "/job:worker", "/job:chief", "/job:master"]
    else:
        return None
    config.device_filters.extend(filters)
    return config


def _model_dir(tf_config: dict[str, Any], model_dir: str | None) -> str | None:
    """The folder that the program or TF_CONFIG gives.

    Raises:
        ValueError: if they differ, or it is empty.
    """
    if model_dir == "":
        raise ValueError("model_dir should be non-empty.")
    given = tf_config.get("model_dir")
    if given is None:
        return model_dir
    if given == "":
        raise ValueError("model_dir in TF_CONFIG should be non-empty.")
    if model_dir is not None and model_dir != given:
        raise ValueError(
            "`model_dir` provided in RunConfig construct, if set, must have the same value as the "
            f'model_dir in TF_CONFIG. model_dir: {model_dir}\nTF_CONFIG["model_dir"]: {given}.\n'
        )
    logging.info("Using model_dir in TF_CONFIG: %s", given)
    return given


def _is_config_proto(value: Any) -> bool:
    return isinstance(value, config_pb2.ConfigProto)


_CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "model_dir": (bool, "model_dir should be non-empty"),
    "save_summary_steps": (lambda x: x >= 0, "save_summary_steps should be >= 0"),
    "save_checkpoints_steps": (lambda x: x >= 0, "save_checkpoints_steps should be >= 0"),
    "save_checkpoints_secs": (lambda x: x >= 0, "save_checkpoints_secs should be >= 0"),
    "session_config": (_is_config_proto, "session_config must be instance of ConfigProto"),
    "keep_checkpoint_max": (lambda x: x >= 0, "keep_checkpoint_max should be >= 0"),
    "keep_checkpoint_every_n_hours": (
        lambda x: x > 0,
        "keep_checkpoint_every_n_hours should be > 0",
    ),
    "log_step_count_steps": (lambda x: x > 0, "log_step_count_steps should be > 0"),
    "tf_random_seed": (
        lambda x: isinstance(x, (int, np.integer)),
        "tf_random_seed must be integer.",
    ),
    "experimental_max_worker_delay_secs": (
        lambda x: isinstance(x, (int, np.integer)),
        "experimental_max_worker_delay_secs must be an integer if set.",
    ),
    "session_creation_timeout_secs": (
        lambda x: x > 0,
        "session_creation_timeout_secs should be > 0",
    ),
    "device_fn": (
        lambda x: callable(x) and set(fn_args(x)) == {"op"},
        'device_fn must be callable with exactly one argument "op".',
    ),
    "protocol": (lambda x: x in ("grpc", "grpc+verbs"), "protocol should be grpc or grpc+verbs"),
}


def _check(name: str, value: Any) -> None:
    if name in _CHECKS:
        is_valid, message = _CHECKS[name]
        if not is_valid(value):
            raise ValueError(message)
