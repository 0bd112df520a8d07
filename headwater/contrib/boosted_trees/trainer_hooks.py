"""Hooks of the training of gradient boosted trees."""

from __future__ import annotations

from typing import Any

from headwater.base import logging
from headwater.base.export import export
from headwater.model.global_step import get_global_step
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

_MODULE = "contrib.boosted_trees.estimator_batch.trainer_hooks"


@export(f"{_MODULE}.FeedFnHook")
class FeedFnHook(SessionRunHook):
    """Feeds what a function returns.

    Args:
        feed_fn: what is fed, or a function that returns it.
    """

    def __init__(self, feed_fn: Any) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Feeds the run.

        Args:
            run_context: the context of the run.

        Returns:
            What is fed.
        """
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn)


@export(f"{_MODULE}.StopAfterNTrees")
class StopAfterNTrees(SessionRunHook):
    """Stops training after some trees, or after twice as many attempts.

    Args:
        n: the number of trees.
        num_attempted_trees_tensor: the number of trees that were begun.
        num_finalized_trees_tensor: the number of trees that are done.
        override_global_step_value: what the global step becomes when training stops; or None.
    """

    def __init__(
        self,
        n: int,
        num_attempted_trees_tensor: Any,
        num_finalized_trees_tensor: Any,
        override_global_step_value: int | None = None,
    ) -> None:
        self._num_trees = n
        self._num_attempted_trees_tensor = num_attempted_trees_tensor
        self._num_finalized_trees_tensor = num_finalized_trees_tensor
        self._override_global_step_value = override_global_step_value

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the numbers of trees.

        Args:
            run_context: the context of the run.

        Returns:
            What is fetched.
        """
        return SessionRunArgs(
            {
                "num_attempted_trees": self._num_attempted_trees_tensor,
                "num_finalized_trees": self._num_finalized_trees_tensor,
            }
        )

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Stops if there are enough trees.

        Args:
            run_context: the context of the run.
            run_values: what was fetched.
        """
        attempted = run_values.results["num_attempted_trees"]
        finalized = run_values.results["num_finalized_trees"]
        assert attempted is not None
        assert finalized is not None
        if finalized < self._num_trees and attempted < 2 * self._num_trees:
            return
        logging.info("Requesting stop since we have reached %d trees.", finalized)
        if self._override_global_step_value is not None:
            get_global_step().load(self._override_global_step_value, run_context.session)
        run_context.request_stop()


@export(f"{_MODULE}.SwitchTrainOp")
class SwitchTrainOp(SessionRunHook):
    """Runs one op for some steps, and another one after that.

    Args:
        first_train_op: the first op.
        train_steps: for how many steps it is run.
        second_train_op: the other op.
    """

    def __init__(self, first_train_op: Any, train_steps: int, second_train_op: Any) -> None:
        self._first_train_op = first_train_op
        self._second_train_op = second_train_op
        self._train_steps = train_steps

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Chooses the op.

        Args:
            run_context: the context of the run.

        Returns:
            What is fetched.
        """
        step = run_context.session.run(get_global_step())
        is_first = step < self._train_steps
        return SessionRunArgs({"op": self._first_train_op if is_first else self._second_train_op})
