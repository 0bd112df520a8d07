"""What the ConfigProto of a session says, read once."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any

from headwater.engine.devices import Device, local_devices
from headwater.session.process_config import process_config


@dataclass
class Configuration:
    """The settings of a session.

    Attributes:
        devices: the devices of the session.
        jit_mode: when segments are compiled; None leaves it to the environment.
        soft_placement: whether ops that ask for devices which are not there run all the same.
        log_placement: whether the device of each op is printed.
        place_pruned: whether only the ops that a run needs are placed, not the whole graph.
        infer_shapes: whether `Session.graph_def` has the static shapes.
        thread_pools: how many thread pools a run can choose from.
        timeout: the time limit of a run in seconds, or None.
        cost_model_steps: the number of runs from one cost graph to the next; 0 for none.
        cost_model_after: how many runs come before the first that counts.
        runs_of_plans: how often each plan has run, for the cost graphs.
        watched: for each plan, what is kept of each set of watches.
    """

    devices: list[Device] = field(default_factory=list)
    jit_mode: str | None = None
    soft_placement: bool = False
    log_placement: bool = False
    place_pruned: bool = False
    infer_shapes: bool = False
    thread_pools: int = 1
    timeout: float | None = None
    cost_model_steps: int = 0
    cost_model_after: int = 0
    runs_of_plans: weakref.WeakKeyDictionary[Any, int] = field(
        default_factory=weakref.WeakKeyDictionary
    )
    watched: weakref.WeakKeyDictionary[Any, dict[bytes, Any]] = field(
        default_factory=weakref.WeakKeyDictionary
    )


def configuration_of(config: Any) -> Configuration:
    """The settings that a ConfigProto stands for; None stands for those of `tf.config`."""
    if config is None:
        config = process_config()
    if config is None:
        return Configuration(local_devices())
    graph = config.graph_options
    # ON_1 and ON_2 compile in the first run; OFF (and opt_level L0) never compiles.
    optimizer = graph.optimizer_options
    mode = None
    if optimizer.global_jit_level > 0:
        mode = "always"
    elif optimizer.global_jit_level < 0 or optimizer.opt_level < 0:
        mode = "never"
    milliseconds = config.operation_timeout_in_ms
    return Configuration(
        devices=local_devices(config),
        jit_mode=mode,
        soft_placement=config.allow_soft_placement,
        log_placement=config.log_device_placement,
        place_pruned=graph.place_pruned_graph,
        infer_shapes=graph.infer_shapes,
        thread_pools=max(1, len(config.session_inter_op_thread_pool)),
        timeout=milliseconds / 1000 if milliseconds > 0 else None,
        cost_model_steps=max(0, graph.build_cost_model),
        cost_model_after=graph.build_cost_model_after,
    )
