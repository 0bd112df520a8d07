"""Scaffold: the ops that initialize, check and save a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import logging
from headwater.base.export import export
from headwater.base.typing import FeedDict
from headwater.graph import Operation, Tensor, get_default_graph, group
from headwater.graph.graph_keys import GraphKeys
from headwater.model.lookup.interface import tables_initializer
from headwater.model.resources import (
    initialize_resources,
    local_resources,
    report_uninitialized_resources,
    shared_resources,
)
from headwater.model.variables.variable_lists import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from headwater.ops.array.concat import concat
from headwater.ops.summary.merge import merge_all
from headwater.train.checkpoints.saver import Saver, default_saver

if TYPE_CHECKING:
    from headwater.session.session import Session

# The ops that a SavedModel needs to be initialized.
_SAVED_MODEL_INITIALIZERS = "saved_model_initializers"


@export("train.Scaffold")
class Scaffold:
    """The ops that a monitored session needs; `finalize` makes those that are not given.

    Args:
        init_op: initializes the model; by default all global variables and shared resources.
        init_feed_dict: what is fed to `init_op`.
        init_fn: a function of this object and the session, called after `init_op`.
        ready_op: a string vector that is empty when the model is ready; by default the names of
            the variables and resources without a value.
        ready_for_local_init_op: the same before `local_init_op` runs; by default the names of
            global variables and shared resources.
        local_init_op: initializes what each process has of its own; by default local variables,
            tables and local resources.
        summary_op: a string tensor with the serialized summaries; by default all of the graph.
        saver: the Saver; by default the one of the collection SAVERS, or a new one.
        copy_from_scaffold: another Scaffold that gives everything that is not given here.

    Raises:
        TypeError: if `copy_from_scaffold` is not a Scaffold.
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: FeedDict | None = None,
        init_fn: Callable[[Scaffold, Session], None] | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Saver | None = None,
        copy_from_scaffold: Scaffold | None = None,
    ) -> None:
        if copy_from_scaffold is not None:
            if not isinstance(copy_from_scaffold, Scaffold):
                raise TypeError("copy_from_scaffold is not a Scaffold instance.")
            other = copy_from_scaffold
            init_op = other.init_op if init_op is None else init_op
            init_feed_dict = other.init_feed_dict if init_feed_dict is None else init_feed_dict
            init_fn = other._user_init_fn if init_fn is None else init_fn
            ready_op = other.ready_op if ready_op is None else ready_op
            if ready_for_local_init_op is None:
                ready_for_local_init_op = other.ready_for_local_init_op
            local_init_op = other.local_init_op if local_init_op is None else local_init_op
            summary_op = other.summary_op if summary_op is None else summary_op
            saver = other.saver if saver is None else saver
        self._user_init_fn: Callable[[Scaffold, Session], None] | None = init_fn
        self._init_fn: Callable[[Session], None] | None = None
        if init_fn:
            self._init_fn = lambda session: init_fn(self, session)
        self._init_op = init_op
        self._init_feed_dict = init_feed_dict
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._local_init_op = local_init_op
        self._summary_op = summary_op
        self._saver = saver

    def finalize(self) -> Scaffold:
        """Makes the ops that are missing, and finalizes the graph.

        Returns:
            This object.

        Raises:
            RuntimeError: if a collection has several items of which one is needed.
        """
        get = Scaffold.get_or_default
        if self._init_op is None:
            self._init_op = get("init_op", GraphKeys.INIT_OP, _default_init_op)
        if self._ready_op is None:
            self._ready_op = get("ready_op", GraphKeys.READY_OP, _default_ready_op)
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = get(
                "ready_for_local_init_op",
                GraphKeys.READY_FOR_LOCAL_INIT_OP,
                _default_ready_for_local_init_op,
            )
        if self._local_init_op is None:
            self._local_init_op = get(
                "local_init_op", GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op
            )
        if self._summary_op is None:
            self._summary_op = get("summary_op", GraphKeys.SUMMARY_OP, merge_all)
        if self._saver is None:
            self._saver = default_saver()
        self._saver.build()
        get_default_graph().finalize()
        logging.info("Graph was finalized.")
        return self

    @property
    def init_fn(self) -> Callable[[Session], None] | None:
        """The function of the session that is called after `init_op`, or None."""
        return self._init_fn

    @property
    def init_op(self) -> Any:
        """The op that initializes the model."""
        return self._init_op

    @property
    def ready_op(self) -> Any:
        """The tensor that is empty when the model is ready."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """The tensor that is empty when `local_init_op` can run."""
        return self._ready_for_local_init_op

    @property
    def local_init_op(self) -> Any:
        """The op that initializes what each process has of its own."""
        return self._local_init_op

    @property
    def summary_op(self) -> Any:
        """The tensor of the serialized summaries, or None."""
        return self._summary_op

    @property
    def saver(self) -> Any:
        """The Saver."""
        return self._saver

    @property
    def init_feed_dict(self) -> FeedDict | None:
        """What is fed to `init_op`."""
        return self._init_feed_dict

    @staticmethod
    def get_or_default(
        arg_name: str, collection_key: str, default_constructor: Callable[[], Any]
    ) -> Any:
        """The only item of a collection of the default graph, made if there is none.

        Args:
            arg_name: the argument of Scaffold, for the text of the error.
            collection_key: the key of the collection.
            default_constructor: makes the item.

        Returns:
            The item; None if the constructor makes none.

        Raises:
            RuntimeError: if there are several.
        """
        elements: Sequence[Any] = get_default_graph().get_collection(collection_key)
        if len(elements) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which '
                "one to use by passing it to the tf.Scaffold constructor as:  "
                f"tf.Scaffold({arg_name}=item to use)"
            )
        if elements:
            return elements[0]
        item = default_constructor()
        if item is not None:
            get_default_graph().add_to_collection(collection_key, item)
        return item

    @staticmethod
    def default_local_init_op() -> Operation:
        """Makes an op that initializes local variables, tables and local resources.

        Returns:
            An Operation.
        """
        return group(
            local_variables_initializer(),
            tables_initializer(),
            initialize_resources(local_resources()),
        )


def _default_init_op() -> Operation:
    return group(
        global_variables_initializer(),
        initialize_resources(shared_resources()),
        *get_default_graph().get_collection(_SAVED_MODEL_INITIALIZERS),
    )


def _default_ready_op() -> Tensor:
    return concat([report_uninitialized_variables(), report_uninitialized_resources()], 0)


def _default_ready_for_local_init_op() -> Tensor:
    variables = report_uninitialized_variables(global_variables())
    return concat([variables, report_uninitialized_resources(shared_resources())], 0)
