"""Callbacks that write files."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from headwater.base import logging
from headwater.base.export import export
from headwater.keras.callbacks.callback_list import Callback, Logs
from headwater.keras.callbacks.stopping import comparison
from headwater.keras.utils.progress_bar import print_line


@export("keras.callbacks.ModelCheckpoint")
class ModelCheckpoint(Callback):
    """Saves the model during training.

    Args:
        filepath: the file's name; may hold `{epoch}` (from 1) and names of the logs.
        monitor: the name of the metric in the logs.
        verbose: 1 prints a line for each file.
        save_best_only: whether only an improvement of the metric is saved.
        save_weights_only: whether weights are saved instead of the model.
        mode: "min", "max" or "auto" (from the name of the metric).
        save_freq: "epoch", or a number of examples after which the model is saved.
        **kwargs: `period`: the number of epochs between files; `load_weights_on_restart`:
            whether training starts with the weights in the file, if it is there.

    Raises:
        ValueError: if `save_freq` is something else.
    """

    def __init__(
        self,
        filepath: str,
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: str = "auto",
        save_freq: Any = "epoch",
        **kwargs: Any,
    ) -> None:
        super().__init__()
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(f"Unrecognized save_freq: {save_freq}")
        self.filepath = filepath
        self.monitor = monitor
        self.verbose = verbose
        self.save_best_only = save_best_only
        self.save_weights_only = save_weights_only
        self.save_freq = save_freq
        self.period = kwargs.get("period", 1)
        self.load_weights_on_restart = kwargs.get("load_weights_on_restart", False)
        for name in ("period", "load_weights_on_restart"):
            if name in kwargs:
                logging.warning("`%s` argument is deprecated.", name)
        self.epochs_since_last_save = 0
        self._samples_seen = 0
        self._current_epoch = 0
        self.monitor_op = comparison(monitor, mode, "ModelCheckpoint", ("acc", "fmeasure"))
        self.best = np.inf if self.monitor_op is np.less else -np.inf

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Loads the weights if `load_weights_on_restart`."""
        if self.load_weights_on_restart and Path(self.filepath).exists():
            self.model.load_weights(self.filepath)

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Saves the model after so many examples."""
        logs = logs or {}
        if isinstance(self.save_freq, int):
            self._samples_seen += logs.get("size", 1)
            if self._samples_seen >= self.save_freq:
                self._save(self._current_epoch, logs)
                self._samples_seen = 0

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Notes the epoch."""
        self._current_epoch = epoch

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Saves the model after so many epochs."""
        self.epochs_since_last_save += 1
        if self.save_freq == "epoch" and self.epochs_since_last_save >= self.period:
            self.epochs_since_last_save = 0
            self._save(epoch, logs or {})

    def _save(self, epoch: int, logs: Logs) -> None:
        path = self.filepath.format(epoch=epoch + 1, **logs)
        start = f"\nEpoch {epoch + 1:05d}: "
        if self.save_best_only:
            current = logs.get(self.monitor)
            if current is None:
                logging.warning(
                    "Can save best model only with %s available, skipping.", self.monitor
                )
                return
            if not self.monitor_op(current, self.best):
                self._print(f"{start}{self.monitor} did not improve from {self.best:0.5f}")
                return
            start += f"{self.monitor} improved from {self.best:0.5f} to {current:0.5f}, "
            self.best = current
        strategy = getattr(self.model, "_distribution_strategy", None)
        if strategy is not None and not strategy.extended.should_checkpoint:
            # Another worker saves the same model.
            return
        self._print(f"{start}saving model to {path}")
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True)
        else:
            self.model.save(path, overwrite=True)

    def _print(self, line: str) -> None:
        if self.verbose > 0:
            print_line(line)


def _cell(value: Any) -> Any:
    if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) > 0:
        return '"[' + ", ".join(map(str, value)) + ']"'
    return value


@export("keras.callbacks.CSVLogger")
class CSVLogger(Callback):
    """Writes the logs of each epoch to a CSV file.

    Args:
        filename: the file's name.
        separator: what separates values.
        append: whether the file is continued instead of replaced.
    """

    def __init__(self, filename: str, separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.filename = filename
        self.sep = separator
        self.append = append
        self.keys: list[str] | None = None
        self.csv_file: Any = None
        self.writer: Any = None

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Opens the file."""
        path = Path(self.filename)
        self._with_header = not (self.append and path.exists() and path.stat().st_size)
        self.csv_file = path.open("a" if self.append else "w", newline="")

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Writes a line."""
        logs = logs or {}
        if self.keys is None:
            self.keys = sorted(logs)
        if self.writer is None:
            names = ["epoch", *self.keys]
            self.writer = csv.DictWriter(
                self.csv_file, names, delimiter=self.sep, lineterminator="\n"
            )
            if self._with_header:
                self.writer.writeheader()
        # Training that was stopped has no validation in its last epoch.
        values = {name: _cell(logs.get(name, "NA")) for name in self.keys}
        self.writer.writerow({"epoch": epoch, **values})
        self.csv_file.flush()

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Closes the file."""
        self.csv_file.close()
        self.writer = None
