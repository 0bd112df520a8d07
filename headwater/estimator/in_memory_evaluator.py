"""InMemoryEvaluatorHook: evaluates during training, without checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.base.export import export
from headwater.estimator.estimator import Estimator, InputFn
from headwater.graph import Graph, get_default_graph, group
from headwater.graph.graph_keys import GraphKeys
from headwater.ops.array.constant import placeholder
from headwater.train.hooks.session_run_hook import (
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from headwater.train.hooks.timers import SecondOrStepTimer
from headwater.train.sessions.scaffold import Scaffold

if TYPE_CHECKING:
    from headwater.session.session import Session
    from headwater.train.coordinator import Coordinator


@export("estimator.experimental.InMemoryEvaluatorHook", "contrib.estimator.InMemoryEvaluatorHook")
class InMemoryEvaluatorHook(SessionRunHook):
    """Evaluates the variables of a training session before, during and after the training.

    Args:
        estimator: the Estimator.
        input_fn: a function that returns features and labels, or a Dataset of them.
        steps: how many batches an evaluation has; None for all of the input.
        hooks: SessionRunHooks of the evaluations; or None.
        name: the name of the evaluation, if there are several; or None.
        every_n_iter: the interval of evaluations, in runs.

    Raises:
        ValueError: if the interval is not positive, or the Estimator is that of a cluster.
    """

    def __init__(
        self,
        estimator: Estimator,
        input_fn: InputFn,
        steps: int | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        name: str | None = None,
        every_n_iter: int = 100,
    ) -> None:
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        config = estimator.config
        if config.num_ps_replicas > 0 or config.num_worker_replicas > 1:
            raise ValueError("InMemoryEvaluator supports only single machine (aka Local) setting.")
        self._estimator = estimator
        self._input_fn = input_fn
        self._steps = steps
        self._name = name
        self._every_n_iter = every_n_iter
        self._eval_dir = estimator.eval_dir(name)
        self._graph: Graph | None = None
        self._hooks = estimator._convert_eval_steps_to_hooks(steps)
        self._hooks.extend(hooks or [])
        self._timer = SecondOrStepTimer(every_steps=every_n_iter)

    def begin(self) -> None:
        """Builds the graph of the evaluations.

        Raises:
            ValueError: if the model function gives a saver or an `init_fn` of its own.
        """
        self._timer.reset()
        self._iter_count = 0
        self._graph = Graph()
        with self._graph.as_default():
            self._scaffold, self._update_op, self._eval_dict, self._all_hooks = (
                self._estimator._evaluate_build_graph(
                    self._input_fn, self._hooks, checkpoint_path=None
                )
            )
            if self._scaffold.saver is not None:
                raise ValueError("InMemoryEvaluator does not support custom saver")
            if self._scaffold.init_fn is not None:
                raise ValueError("InMemoryEvaluator does not support custom init_fn")
            self._eval_variables = {
                variable.name: variable
                for variable in self._graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
            }
            self._placeholders = {
                name: placeholder(variable.dtype.base_dtype)
                for name, variable in self._eval_variables.items()
            }
            self._set_variables = group(
                *(
                    variable.assign(self._placeholders[name])
                    for name, variable in self._eval_variables.items()
                )
            )

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Evaluates the initial state.

        Raises:
            ValueError: if the model keeps something else than global variables.
        """
        graph = get_default_graph()
        if graph.get_collection(GraphKeys.SAVEABLE_OBJECTS):
            raise ValueError(
                "InMemoryEvaluator does not support saveables other than global variables."
            )
        self._train_variables = {
            variable.name: variable
            for variable in graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
            if variable.name in self._eval_variables
        }
        self._evaluate(session)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Evaluates if it is time to."""
        self._iter_count += 1
        if self._timer.should_trigger_for_step(self._iter_count):
            self._evaluate(run_context.session)

    def end(self, session: Session) -> None:
        """Evaluates the final state."""
        self._evaluate(session)

    def _evaluate(self, train_session: Session) -> None:
        values = train_session.run(self._train_variables)
        feeds = {self._placeholders[name]: value for name, value in values.items()}

        def set_variables(scaffold: Scaffold, session: Session) -> None:
            session.run(self._set_variables, feed_dict=feeds)

        assert self._graph is not None
        with self._graph.as_default():
            self._estimator._evaluate_run(
                checkpoint_path=None,
                scaffold=Scaffold(init_fn=set_variables, copy_from_scaffold=self._scaffold),
                update_op=self._update_op,
                eval_dict=self._eval_dict,
                all_hooks=self._all_hooks,
                output_dir=self._eval_dir,
            )
        self._timer.update_last_triggered_step(self._iter_count)
