"""The hook that gives a model the weights of each step."""

from __future__ import annotations

from headwater.estimator.sdca.model import SdcaModel
from headwater.graph import Operation
from headwater.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
)


class SdcaUpdateWeightsHook(SessionRunHook):
    """Runs `SdcaModel.update_weights` with each step.

    Args:
        sdca_model: the model.
        train_op: the op that trains it.
    """

    def __init__(self, sdca_model: SdcaModel, train_op: Operation) -> None:
        self._sdca_model = sdca_model
        self._train_op = train_op

    def begin(self) -> None:
        """Builds the op."""
        self._update_op = self._sdca_model.update_weights(self._train_op)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the op.

        Args:
            run_context: the context of the run.
        """
        return SessionRunArgs(self._update_op)
