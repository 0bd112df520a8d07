"""Optimizers of `tf.train` in models of tf.keras."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.typing import TensorLike
from headwater.graph import gradients, name_scope, replication
from headwater.keras.backend.graph_state import track_variable
from headwater.keras.backend.variables import variable
from headwater.model.trackable.base import Trackable
from headwater.train.optimizers import replicated_updates
from headwater.train.optimizers.optimizer import Optimizer


class TFOptimizer(Trackable):
    """An optimizer of `tf.train` with the interface that models use.

    Args:
        optimizer: the optimizer.
        iterations: the variable that counts the steps; a new one if None.
    """

    def __init__(self, optimizer: Optimizer, iterations: Any = None) -> None:
        self.optimizer = optimizer
        self._track_trackable(optimizer, name="optimizer")
        if iterations is None:
            with name_scope("TFOptimizer"):
                iterations = variable(0, dtype="int64", name="iterations")
        self.iterations = iterations
        self._track_trackable(iterations, name="global_step")

    def get_grads(self, loss: TensorLike, params: Sequence[Any]) -> list[Any]:
        """The gradients of a loss.

        Args:
            loss: a scalar.
            params: variables.
        """
        return list(gradients(loss, params))

    def apply_gradients(self, grads: Any) -> Any:
        """Makes a training step of pairs of a gradient and a variable."""
        mode = replication.replicating()
        if mode is not None and mode.replica_context is None:
            present = [(grad, variable) for grad, variable in grads if grad is not None]
            update = replicated_updates.of_sums(
                self.optimizer, mode.strategy, present, self.iterations, None
            )
        else:
            update = self.optimizer.apply_gradients(grads, global_step=self.iterations)
        for made in self.optimizer.variables():
            track_variable(made)
        return update

    def get_updates(self, loss: TensorLike, params: Sequence[Any]) -> list[Any]:
        """The nodes of a training step.

        Args:
            loss: a scalar.
            params: variables.
        """
        if not params:
            return [self.iterations.assign_add(1)]
        mode = replication.replicating()
        if mode is not None and mode.replica_context is None:
            grads = replicated_updates.gradients_of_copies(loss, params)
            grads = replicated_updates.sums_over_processes(grads)
            return [self.apply_gradients(list(zip(grads, params, strict=True)))]
        return [self.apply_gradients(self.optimizer.compute_gradients(loss, params))]

    @property
    def weights(self) -> list[Any]:
        """Not available.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Not available.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError
