"""TPUConfig and RunConfig: how a TPUEstimator runs."""

from __future__ import annotations

import copy
import re
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from headwater.base.export import export
from headwater.estimator import run_config

_CORES_PER_REPLICA = (1, 2, 4, 8, 16, 32, 64, 128)
_SERVICE_KEY = "tpu_worker"


@export("estimator.tpu.InputPipelineConfig", "contrib.tpu.InputPipelineConfig")
class InputPipelineConfig:
    """Where input functions run: once per core, per host or for all."""

    PER_SHARD_V1 = 1
    PER_HOST_V1 = 2
    PER_HOST_V2 = 3
    BROADCAST = 4
    SLICED = 5


@export("estimator.tpu.TPUConfig", "contrib.tpu.TPUConfig")
class TPUConfig(
    namedtuple(
        "TPUConfig",
        "iterations_per_loop num_shards num_cores_per_replica per_host_input_for_training "
        "tpu_job_name initial_infeed_sleep_secs input_partition_dims "
        "eval_training_input_configuration experimental_host_call_every_n_steps",
    )
):
    """What of a RunConfig is for TPUs only. On other devices most of it has no effect.

    Args:
        iterations_per_loop: how many training steps make one run on a TPU; or a duration such as
            "60m". The interval of logged rates is counted in runs, here too.
        num_shards: the number of replicas; None for all cores.
        num_cores_per_replica: how many cores a replica has; or None.
        per_host_input_for_training: a value of InputPipelineConfig; True for PER_HOST_V1, False for
            PER_SHARD_V1.
        tpu_job_name: the name of the job of the TPUs; or None.
        initial_infeed_sleep_secs: how many seconds the input waits for the compilation; or None.
        input_partition_dims: how tensors are split over the cores of a replica; or None.
        eval_training_input_configuration: PER_HOST_V1, or SLICED to split a batch.
        experimental_host_call_every_n_steps: how often a host call is made.

    Raises:
        ValueError: if a value is not valid.
    """

    __slots__ = ()

    def __new__(
        cls,
        iterations_per_loop: int | str = 2,
        num_shards: int | None = None,
        num_cores_per_replica: int | None = None,
        per_host_input_for_training: bool | int = True,
        tpu_job_name: str | None = None,
        initial_infeed_sleep_secs: float | None = None,
        input_partition_dims: Sequence[Any] | None = None,
        eval_training_input_configuration: int = InputPipelineConfig.PER_HOST_V1,
        experimental_host_call_every_n_steps: int = 1,
    ) -> TPUConfig:
        _check_iterations(iterations_per_loop)
        if num_shards is not None:
            check_positive_integer(num_shards, "TPUConfig num_shards")
        if input_partition_dims is not None:
            _check_partitions(input_partition_dims, per_host_input_for_training)
        if num_cores_per_replica is not None and num_cores_per_replica not in _CORES_PER_REPLICA:
            raise ValueError(
                "num_cores_per_replica must be 1, 2, 4, 8, 16, 32, 64, 128; got "
                f"{num_cores_per_replica}"
            )
        if initial_infeed_sleep_secs:
            check_positive_integer(initial_infeed_sleep_secs, "TPUConfig initial_infeed_sleep_secs")
        kinds = (InputPipelineConfig.PER_HOST_V1, InputPipelineConfig.SLICED)
        if eval_training_input_configuration not in kinds:
            raise ValueError(
                "eval_training_input_configuration must be PER_HOST_V1 or SLICED; got "
                f"{eval_training_input_configuration}"
            )
        if per_host_input_for_training is True:
            per_host_input_for_training = InputPipelineConfig.PER_HOST_V1
        elif per_host_input_for_training is False:
            per_host_input_for_training = InputPipelineConfig.PER_SHARD_V1
        return super().__new__(
            cls,
            iterations_per_loop,
            num_shards,
            num_cores_per_replica,
            per_host_input_for_training,
            tpu_job_name,
            initial_infeed_sleep_secs,
            input_partition_dims,
            eval_training_input_configuration,
            experimental_host_call_every_n_steps,
        )


def check_positive_integer(value: Any, name: str) -> None:
    """Checks a number.

    Raises:
        TypeError: if it is no integer.
        ValueError: if it is not positive.
    """
    if not isinstance(value, int):
        raise TypeError(f"{name} must be int, got {type(value)}")
    if value < 1:
        raise ValueError(f"{name} must be positive, got {value}")


def _check_iterations(iterations: Any) -> None:
    """A positive integer, or one with a unit of time."""
    if isinstance(iterations, int) and iterations > 0:
        return
    if isinstance(iterations, str) and re.fullmatch(r"0*[1-9]\d*[smh]", iterations):
        return
    raise ValueError(
        "Invalid TPUConfig `iterations_per_loop` value. Value must be positive integer value or "
        "time-based value `<N><s|m|h>` where <N> is anypositive integer and `s`, `m`, `h` are unit "
        "of time in seconds, minutes, hours respectively. Examples of valid values: `3600s`, "
        "`60m`, `1h`."
    )


def _check_partitions(dims: Sequence[Any], input_for_training: Any) -> None:
    if len(dims) not in (1, 2):
        raise ValueError("input_partition_dims must be a list/tuple with one or two elements.")
    if input_for_training != InputPipelineConfig.PER_HOST_V2:
        raise ValueError("input_partition_dims is only supported in PER_HOST_V2 mode.")


@export("estimator.tpu.RunConfig", "contrib.tpu.RunConfig")
class RunConfig(run_config.RunConfig):
    """How a TPUEstimator runs, saves and logs.

    Args:
        tpu_config: a TPUConfig; None for the defaults.
        evaluation_master: where graphs of evaluations run; `master` by default.
        master: where training graphs run; "" is this process.
        cluster: a cluster resolver, which says what `master` is; or None.
        **kwargs: arguments of `tf.estimator.RunConfig`.

    Raises:
        ValueError: if both `master` and `cluster` are given, or for the reasons of
            `tf.estimator.RunConfig`.
    """

    def __init__(
        self,
        tpu_config: TPUConfig | None = None,
        evaluation_master: str | None = None,
        master: str | None = None,
        cluster: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._tpu_config = tpu_config or TPUConfig()
        self._cluster = cluster
        if master is not None:
            if cluster is not None:
                raise ValueError("Both master and cluster are set.")
            self._master = master
        elif cluster:
            self._master = cluster.master()
        if evaluation_master is not None:
            self._evaluation_master = evaluation_master
        elif not self._evaluation_master and self.task_type != "evaluator":
            # A job without an evaluator of its own evaluates where it trains.
            self._evaluation_master = self._master
        if cluster:
            self._cluster_spec = cluster.cluster_spec()

    @property
    def evaluation_master(self) -> Any:
        """Where graphs of evaluations run."""
        return self._evaluation_master

    @property
    def master(self) -> Any:
        """Where training graphs run; "" is this process."""
        return self._master

    @property
    def tpu_config(self) -> TPUConfig:
        """The TPUConfig."""
        return self._tpu_config

    @property
    def cluster(self) -> Any:
        """The cluster resolver, or None."""
        return self._cluster

    def replace(self, **kwargs: Any) -> RunConfig:
        """Returns a copy with some properties replaced.

        Args:
            **kwargs: new values of `tpu_config` or of arguments of `tf.estimator.RunConfig`.

        Returns:
            A RunConfig.

        Raises:
            ValueError: if a property cannot be replaced or a value is not valid.
        """
        config = copy.deepcopy(self)
        if "tpu_config" in kwargs:
            config._tpu_config = kwargs.pop("tpu_config")
        run_config.RunConfig._replace(config, list(run_config.REPLACEABLE), **kwargs)
        return config
