"""The ops that a Supervisor runs: those given, those of collections, or new ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import dtypes, logging
from headwater.base.typing import FeedDict
from headwater.graph import Graph, Tensor, group
from headwater.graph.graph_keys import GraphKeys
from headwater.model.lookup.interface import tables_initializer
from headwater.model.variables.variable_lists import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from headwater.ops.summary.merge import merge_all
from headwater.train.checkpoints.saver import Saver

# Stands for an op that is found in its collection or made.
USE_DEFAULT = 0


class SupervisedModel:
    """The graph of a Supervisor with the ops that initialize, check, save and summarize it.

    Args:
        graph: the graph.
        ready_op: as for Supervisor, and so are all others.
        ready_for_local_init_op: as for Supervisor.
        init_op: as for Supervisor.
        init_feed_dict: as for Supervisor.
        local_init_op: as for Supervisor.
        summary_op: as for Supervisor.
        saver: as for Supervisor.
        global_step: as for Supervisor.
    """

    def __init__(
        self,
        graph: Graph,
        ready_op: Any,
        ready_for_local_init_op: Any,
        init_op: Any,
        init_feed_dict: FeedDict | None,
        local_init_op: Any,
        summary_op: Any,
        saver: Any,
        global_step: Any,
    ) -> None:
        self._graph = graph
        self._init_feed_dict = init_feed_dict
        with graph.as_default():
            self._ready_op = self._given_or(
                ready_op, GraphKeys.READY_OP, report_uninitialized_variables
            )
            self._ready_for_local_init_op = self._given_or(
                ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP, lambda: None
            )
            self._init_op = self._given_or(init_op, GraphKeys.INIT_OP, global_variables_initializer)
            self._local_init_op = self._given_or(
                local_init_op, GraphKeys.LOCAL_INIT_OP, _default_local_init_op
            )
            self._saver = self._given_or(saver, GraphKeys.SAVERS, _default_saver)
            self._summary_op = self._given_or(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            self._global_step = self._given_or(
                global_step, GraphKeys.GLOBAL_STEP, self._default_global_step_tensor
            )

    def _given_or(self, given: Any, key: str, make: Callable[[], Any]) -> Any:
        """What was given, or else the first item of a collection, or else a new one for it."""
        if given is not USE_DEFAULT:
            return given
        found = self._graph.get_collection(key)
        if len(found) > 1:
            logging.info("Found %d %s operations. Returning the first one.", len(found), key)
        if found:
            return found[0]
        item = make()
        if item is not None:
            self._graph.add_to_collection(key, item)
        return item

    def _default_global_step_tensor(self) -> Tensor | None:
        try:
            step = self._graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
        if step.dtype.base_dtype in (dtypes.int32, dtypes.int64):
            return step
        logging.warning("Found 'global_step' is not an int type: %s", step.dtype)
        return None

    @property
    def init_op(self) -> Any:
        """The op that initializes the model, or None."""
        return self._init_op

    @property
    def init_feed_dict(self) -> FeedDict | None:
        """What is fed to `init_op`."""
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        """The tensor that is empty when the model is ready, or None."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """The tensor that is empty when the local ops can run, or None."""
        return self._ready_for_local_init_op

    @property
    def summary_op(self) -> Any:
        """The tensor of the summary thread, or None."""
        return self._summary_op

    @property
    def global_step(self) -> Any:
        """The tensor that counts steps, or None."""
        return self._global_step

    @property
    def saver(self) -> Any:
        """The Saver, or None."""
        return self._saver


def _default_local_init_op() -> Any:
    return group(local_variables_initializer(), tables_initializer())


def _default_saver() -> Saver | None:
    return Saver() if global_variables() else None
