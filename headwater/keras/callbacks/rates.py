"""Callbacks that change the learning rate."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base import logging
from headwater.base.export import export
from headwater.keras.backend.values import get_value, set_value
from headwater.keras.callbacks.callback_list import Callback, Logs
from headwater.keras.callbacks.stopping import comparison
from headwater.keras.utils.progress_bar import print_line


def _takes_rate(schedule: Callable[..., Any]) -> bool:
    try:
        inspect.signature(schedule).bind(0, 0.0)
    except TypeError:
        return False
    except ValueError:  # Some builtins have no signature.
        return True
    return True


@export("keras.callbacks.LearningRateScheduler")
class LearningRateScheduler(Callback):
    """Sets the learning rate of each epoch.

    Args:
        schedule: a function from the epoch (from 0), or epoch and rate, to the new rate.
        verbose: 1 prints a line for each epoch.
    """

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        super().__init__()
        self.schedule = schedule
        self.verbose = verbose

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Sets the rate.

        Raises:
            ValueError: if the optimizer has no rate or the schedule gives no float.
        """
        if not hasattr(self.model.optimizer, "lr"):
            raise ValueError('Optimizer must have a "lr" attribute.')
        if _takes_rate(self.schedule):
            rate = self.schedule(epoch, float(get_value(self.model.optimizer.lr)))
        else:
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, np.float32, np.float64)):
            raise ValueError('The output of the "schedule" function should be float.')
        set_value(self.model.optimizer.lr, rate)
        if self.verbose > 0:
            print_line(
                f"\nEpoch {epoch + 1:05d}: LearningRateScheduler reducing learning rate to {rate}."
            )

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Writes the rate to `logs`."""
        if logs is not None:
            logs["lr"] = get_value(self.model.optimizer.lr)


@export("keras.callbacks.ReduceLROnPlateau")
class ReduceLROnPlateau(Callback):
    """Lowers the learning rate when a metric no longer improves.

    Args:
        monitor: the name of the metric in the logs.
        factor: what the rate is multiplied with; below 1.
        patience: the number of epochs without improvement that lower the rate.
        verbose: 1 prints a line for each change.
        mode: "min", "max" or "auto" (from the name of the metric).
        min_delta: the least change that is an improvement.
        cooldown: the number of epochs after a change that do not count.
        min_lr: the least rate.
        **kwargs: `epsilon`: the older name of `min_delta`.

    Raises:
        ValueError: if `factor` is not below 1.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        if factor >= 1.0:
            raise ValueError("ReduceLROnPlateau does not support a factor >= 1.0.")
        if "epsilon" in kwargs:
            min_delta = kwargs.pop("epsilon")
            logging.warning(
                "`epsilon` argument is deprecated and will be removed, use `min_delta` instead."
            )
        self.monitor = monitor
        self.factor = factor
        self.patience = patience
        self.verbose = verbose
        self.mode = mode
        self.min_delta = min_delta
        self.cooldown = cooldown
        self.min_lr = min_lr
        self._reset()

    def _reset(self) -> None:
        compare = comparison(self.monitor, self.mode, "Learning Rate Plateau Reducing")
        sign = -1 if compare is np.less else 1
        self.monitor_op = lambda a, b: compare(a, b + sign * self.min_delta)
        self.best = -sign * np.inf
        self.cooldown_counter = 0
        self.wait = 0

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Starts anew."""
        self._reset()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Compares the metric with its best value; writes the rate to `logs`."""
        logs = {} if logs is None else logs
        logs["lr"] = get_value(self.model.optimizer.lr)
        current = logs.get(self.monitor)
        if current is None:
            logging.warning(
                "Reduce LR on plateau conditioned on metric `%s` which is not available. "
                "Available metrics are: %s",
                self.monitor,
                ",".join(logs),
            )
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self.monitor_op(current, self.best):
            self.best = current
            self.wait = 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(epoch)

    def _reduce(self, epoch: int) -> None:
        old = float(get_value(self.model.optimizer.lr))
        if old <= self.min_lr:
            return
        rate = max(old * self.factor, self.min_lr)
        set_value(self.model.optimizer.lr, rate)
        if self.verbose > 0:
            print_line(
                f"\nEpoch {epoch + 1:05d}: ReduceLROnPlateau reducing learning rate to {rate}."
            )
        self.cooldown_counter = self.cooldown
        self.wait = 0

    def in_cooldown(self) -> bool:
        """Whether epochs do not count yet after a change."""
        return self.cooldown_counter > 0
