"""replica_device_setter: variables on parameter servers, other ops on workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import logging
from headwater.base.export import export
from headwater.distributed.cluster_spec import ClusterSpec
from headwater.graph.device import DeviceSpec

# The op types of variables, tables and what else keeps state on parameter servers.
STANDARD_PS_OPS = (
    "Variable",
    "VariableV2",
    "AutoReloadVariable",
    "MutableHashTable",
    "MutableHashTableV2",
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    "MutableDenseHashTable",
    "MutableDenseHashTableV2",
    "VarHandleOp",
    "BoostedTreesEnsembleResourceHandleOp",
    "BoostedTreesQuantileStreamResourceHandleOp",
    "ResourceConditionalAccumulator",
)


class RoundRobinStrategy:
    """A strategy that takes the parameter servers one after the other.

    Args:
        num_tasks: the number of parameter servers.
    """

    def __init__(self, num_tasks: int) -> None:
        self._num_tasks = num_tasks
        self._next_task = 0

    def __call__(self, unused_op: Any) -> int:
        """Returns the number of the parameter server for the next op."""
        task = self._next_task
        self._next_task = (task + 1) % self._num_tasks
        return task


def device_setter_of(config: Any, ps_ops: Sequence[str]) -> Callable[[Any], str] | None:
    """The device function of an estimator in a cluster; None without parameter servers.

    Args:
        config: its RunConfig.
        ps_ops: the op types that go to parameter servers.
    """
    if config.num_ps_replicas <= 0:
        return None
    worker = f"/job:{config.task_type}/task:{config.task_id}" if config.task_type else "/job:worker"
    return replica_device_setter(
        ps_tasks=config.num_ps_replicas,
        worker_device=worker,
        ps_ops=ps_ops,
        cluster=config.cluster_spec,
    )


@export("train.replica_device_setter")
def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str | None = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Sequence[str] | None = None,
    ps_strategy: Callable[[Any], int] | None = None,
) -> Callable[[Any], str] | None:
    """Returns a device function that puts variables on parameter servers.

    Args:
        ps_tasks: the number of parameter servers; `cluster` says it if it is given.
        ps_device: the device of the parameter servers.
        worker_device: the device of all other ops.
        merge_devices: whether the device of an op only completes these; otherwise an op that has
            one keeps it as it is.
        cluster: a ClusterSpec, ClusterDef or dict; or None.
        ps_ops: the op types that go to parameter servers; None for those of variables and tables.
        ps_strategy: a function from an op to the index of its parameter server; None to take them
            in turn.

    Returns:
        A function for `tf.device`, or None if there are no parameter servers.

    Raises:
        TypeError: if `cluster` is something else, or `ps_strategy` cannot be called.

    Example:
        >>> with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
        ...     first, second = tf.Variable(1.0), tf.Variable(2.0)
        >>> print(first.device, second.device)
        /job:ps/task:0 /job:ps/task:1
    """
    if cluster is not None:
        spec = cluster if isinstance(cluster, ClusterSpec) else ClusterSpec(cluster)
        job = DeviceSpec.from_string(ps_device).job
        ps_tasks = spec.num_tasks(job) if job in spec.jobs else 0
    if ps_tasks == 0:
        return None
    if not merge_devices:
        logging.warning(
            "DEPRECATION: It is recommended to set merge_devices=true in replica_device_setter"
        )
    strategy = RoundRobinStrategy(ps_tasks) if ps_strategy is None else ps_strategy
    if not callable(strategy):
        raise TypeError("ps_strategy must be callable")
    types = frozenset(STANDARD_PS_OPS if ps_ops is None else ps_ops)

    def device_of(op: Any) -> str:
        if not merge_devices and op.device:
            return str(op.device)
        wanted = DeviceSpec.from_string(op.device or "")
        op_type = op.op if hasattr(op, "op") else op.type
        if not ps_device or op_type not in types:
            place = DeviceSpec.from_string(worker_device or "")
            return place.make_merged_spec(wanted).to_string()
        place = DeviceSpec.from_string(ps_device)
        if place.job and wanted.job in (None, place.job):
            place = place.replace(task=strategy(op))
        return place.make_merged_spec(wanted).to_string()

    return device_of
