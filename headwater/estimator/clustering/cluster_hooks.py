"""What the estimators of clusters have in common: features as points, hooks."""

from __future__ import annotations

import time
from typing import Any

from headwater.base import logging
from headwater.graph import Operation, Tensor, colocate_with
from headwater.ops.array.concat import concat
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

_WAIT_SECONDS = 1


def points_of(features: Any) -> Tensor:
    """Features as points: tensors of a dict side by side, sorted by name."""
    if not isinstance(features, dict):
        points: Tensor = features
        return points
    names = sorted(features)
    with colocate_with(features[names[0]]):
        return concat([features[name] for name in names], axis=1)


class InitializeClustersHook(SessionRunHook):
    """Initializes clusters; workers other than the chief wait for it.

    Args:
        init_op: initializes some clusters.
        is_initialized: a boolean scalar, whether all are initialized.
        is_chief: whether this worker initializes them.
    """

    def __init__(self, init_op: Operation, is_initialized: Any, is_chief: bool) -> None:
        self._init_op = init_op
        self._is_initialized = is_initialized
        self._is_chief = is_chief

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Initializes the clusters, or waits until they are."""
        assert self._init_op.graph is session.graph
        while not session.run(self._is_initialized):
            if self._is_chief:
                session.run(self._init_op)
            else:
                time.sleep(_WAIT_SECONDS)


class LossRelativeChangeHook(SessionRunHook):
    """Stops training when the loss changes by less than a fraction.

    Args:
        tolerance: the fraction.
        loss_name: the name of the tensor.
    """

    def __init__(self, tolerance: float, loss_name: str = "kmeans_loss:0") -> None:
        self._tolerance = tolerance
        self._loss_name = loss_name
        self._previous: Any = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the loss."""
        return SessionRunArgs(run_context.session.graph.get_tensor_by_name(self._loss_name))

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Compares it with the one before."""
        loss = run_values.results
        assert loss is not None
        if self._previous is not None:
            change = abs(loss - self._previous) / (1 + abs(self._previous))
            if change < self._tolerance:
                logging.info("Relative change of loss: %s. Stopping.", change)
                run_context.request_stop()
        self._previous = loss
