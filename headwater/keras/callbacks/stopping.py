"""Callbacks that end training."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import logging
from headwater.base.export import export
from headwater.keras.callbacks.callback_list import Callback, Logs
from headwater.keras.utils.progress_bar import print_line


def comparison(monitor: str, mode: str, owner: str, maximized: tuple[str, ...] = ("acc",)) -> Any:
    """How values of a metric compare.

    Args:
        monitor: the name of the metric.
        mode: "min", "max" or "auto".
        owner: what warns of another mode.
        maximized: parts of the names of metrics that "auto" maximizes.

    Returns:
        `np.less` or `np.greater`.
    """
    if mode not in ("auto", "min", "max"):
        logging.warning("%s mode %s is unknown, fallback to auto mode.", owner, mode)
        mode = "auto"
    if mode == "auto":
        mode = "max" if any(part in monitor for part in maximized) else "min"
    return np.less if mode == "min" else np.greater


@export("keras.callbacks.EarlyStopping")
class EarlyStopping(Callback):
    """Ends training when a metric no longer improves.

    Args:
        monitor: the name of the metric in the logs.
        min_delta: the least change that is an improvement.
        patience: the number of epochs without improvement that end training.
        verbose: 1 prints a line when training ends.
        mode: "min", "max" or "auto" (from the name of the metric).
        baseline: the value that the first epochs have to improve on.
        restore_best_weights: whether the model gets the weights of its best epoch back.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        super().__init__()
        self.monitor = monitor
        self.patience = patience
        self.verbose = verbose
        self.baseline = baseline
        self.restore_best_weights = restore_best_weights
        self.monitor_op = comparison(monitor, mode, "EarlyStopping")
        self.min_delta = abs(min_delta) * (1 if self.monitor_op is np.greater else -1)
        self.best: Any = None
        self.best_weights: Any = None
        self.wait = 0
        self.stopped_epoch = 0

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Starts anew."""
        self.wait = self.stopped_epoch = 0
        self.best = self.baseline
        if self.best is None:
            self.best = np.inf if self.monitor_op is np.less else -np.inf

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Compares the metric with its best value."""
        current = self.get_monitor_value(logs)
        if current is None:
            return
        if self.monitor_op(current - self.min_delta, self.best):
            self.best = current
            self.wait = 0
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            return
        self.wait += 1
        if self.wait < self.patience:
            return
        self.stopped_epoch = epoch
        self.model.stop_training = True
        # With a baseline no epoch may have been good enough.
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose > 0:
                print_line("Restoring model weights from the end of the best epoch.")
            self.model.set_weights(self.best_weights)

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Prints which epoch was the last."""
        if self.stopped_epoch > 0 and self.verbose > 0:
            print_line(f"Epoch {self.stopped_epoch + 1:05d}: early stopping")

    def get_monitor_value(self, logs: Logs | None) -> Any:
        """Returns the metric's value in `logs`; None, with a warning, if it is not there."""
        logs = logs or {}
        value = logs.get(self.monitor)
        if value is None:
            logging.warning(
                "Early stopping conditioned on metric `%s` which is not available. "
                "Available metrics are: %s",
                self.monitor,
                ",".join(logs),
            )
        return value


@export("keras.callbacks.TerminateOnNaN")
class TerminateOnNaN(Callback):
    """Ends training when the loss is infinite or NaN."""

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Looks at the loss of the batch."""
        loss = (logs or {}).get("loss")
        if loss is not None and not np.isfinite(loss):
            print_line(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True
