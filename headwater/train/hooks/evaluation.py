"""Hooks of evaluations: they count runs, end them, and write summaries at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base import dtypes, logging
from headwater.base.export import export
from headwater.base.typing import FeedDict
from headwater.graph import Tensor, get_default_graph, name_scope
from headwater.graph.graph_keys import GraphKeys
from headwater.model.global_step import get_or_create_global_step, global_step
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable_scope import get_variable
from headwater.ops.summary.merge import merge_all
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from headwater.train.hooks.stop_at_step import get_or_create_steps_per_run_variable
from headwater.train.summaries.file_writer import FileWriterCache

if TYPE_CHECKING:
    from headwater.session.session import Session
    from headwater.train.coordinator import Coordinator

# About so many lines are logged of a long evaluation.
_LINES = 10


@export("contrib.training.get_or_create_eval_step")
def get_or_create_eval_step() -> Any:
    """Returns the counter of the runs of an evaluation; makes it if there is none.

    Returns:
        A local Variable of type int64.

    Raises:
        ValueError: if the graph has several.
    """
    graph = get_default_graph()
    steps = graph.get_collection(GraphKeys.EVAL_STEP)
    if len(steps) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if steps:
        return steps[0]
    with graph.as_default(), name_scope(None):
        return get_variable(
            "eval_step",
            shape=[],
            dtype=dtypes.int64,
            initializer=Zeros(),
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
        )


@export("contrib.training.StopAfterNEvalsHook")
class StopAfterNEvalsHook(SessionRunHook):
    """Requests a stop after a number of runs of an evaluation.

    Args:
        num_evals: how many runs; None for no limit.
        log_progress: whether lines such as "Evaluation [1/3]" are logged.
    """

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._num_evals = num_evals
        self._evals_completed: Any = None
        self._log_progress = log_progress
        many = num_evals is not None and num_evals >= 2 * _LINES
        self._log_frequency = num_evals // _LINES if many else 1  # type: ignore[operator]

    def _set_evals_completed_tensor(self, updated_eval_step: Tensor) -> None:
        self._evals_completed = updated_eval_step

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetches the counter."""
        return SessionRunArgs({"evals_completed": self._evals_completed})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs the progress, and requests a stop after the last run."""
        self._after(run_context, run_values.results["evals_completed"], 1)

    def _after(self, run_context: SessionRunContext, completed: int, batches: int) -> None:
        if self._log_progress:
            self._log(completed, batches)
        if self._num_evals is not None and completed >= self._num_evals:
            run_context.request_stop()

    def _log(self, completed: int, batches: int) -> None:
        if self._num_evals is None:
            logging.info("Evaluation [%d]", completed)
        elif completed % self._log_frequency < batches or completed == self._num_evals:
            logging.info("Evaluation [%d/%d]", completed, self._num_evals)


class MultiStepStopAfterNEvalsHook(StopAfterNEvalsHook):
    """Requests a stop after a number of batches when a run evaluates several of them.

    Args:
        num_evals: how many batches; None for all of the input.
        steps_per_run: how many batches a run evaluates at most.
        log_progress: whether the number of batches is logged.
    """

    def __init__(
        self, num_evals: int | None, steps_per_run: int = 1, log_progress: bool = True
    ) -> None:
        super().__init__(num_evals, log_progress)
        self._steps_per_run_initial_value = steps_per_run

    def begin(self) -> None:
        """Finds the variable of batches per run."""
        self._steps_per_run_variable = get_or_create_steps_per_run_variable()

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Sets the number of batches of the first run."""
        self._load(self._num_evals, session)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs, and sets the number of batches of the next run or requests a stop."""
        completed = int(run_values.results["evals_completed"])
        if self._num_evals is not None:
            self._load(self._num_evals - completed, run_context.session)
        self._after(run_context, completed, self._steps_per_run_initial_value)

    def _load(self, left: int | None, session: Session) -> None:
        steps = self._steps_per_run_initial_value
        if left is not None:
            steps = min(left, steps)
        self._steps_per_run_variable.load(steps, session=session)


@export("contrib.training.SummaryAtEndHook")
class SummaryAtEndHook(SessionRunHook):
    """Writes summaries once, at the end of a session.

    Args:
        log_dir: the folder of the event file, or None.
        summary_writer: a FileWriter, or None.
        summary_op: a string tensor of summaries; None for all of the graph.
        feed_dict: what is fed to `summary_op`.

    Raises:
        ValueError: if neither `log_dir` nor `summary_writer` is given.
    """

    def __init__(
        self,
        log_dir: str | None = None,
        summary_writer: Any = None,
        summary_op: Tensor | None = None,
        feed_dict: FeedDict | None = None,
    ) -> None:
        if log_dir is None and summary_writer is None:
            raise ValueError("One of log_dir or summary_writer should be used.")
        self._summary_op = summary_op
        # A hook may serve several graphs, one after the other.
        self._takes_all_of_graph = summary_op is None
        self._feed_dict = feed_dict
        self._summary_writer = summary_writer
        self._log_dir = log_dir
        self._global_step: Any = None

    def begin(self) -> None:
        """Finds the summaries and the global step."""
        if self._takes_all_of_graph:
            self._summary_op = merge_all()
        self._global_step = get_or_create_global_step()

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Opens the event file."""
        if self._summary_writer is None and self._log_dir:
            self._summary_writer = FileWriterCache.get(self._log_dir)

    def end(self, session: Session) -> None:
        """Writes the summaries."""
        step = global_step(session, self._global_step)
        if self._summary_op is not None:
            written = session.run(self._summary_op, self._feed_dict)
            if self._summary_writer:
                self._summary_writer.add_summary(written, step)
        if self._summary_writer:
            self._summary_writer.flush()
