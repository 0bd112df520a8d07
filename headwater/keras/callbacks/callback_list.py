"""The base of callbacks, lists of callbacks, and those that every training has."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from headwater.base.export import export
from headwater.keras.utils.progress_bar import Progbar, print_line

Logs = dict[str, Any]


@export("keras.callbacks.Callback")
class Callback:
    """The base of callbacks; subclasses override hooks. Hooks may add to `logs`."""

    def __init__(self) -> None:
        self.validation_data: Any = None
        self.model: Any = None
        self.params: Logs = {}

    def set_params(self, params: Logs) -> None:
        """Sets `params`: epochs, steps, samples, verbose, metrics and others."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """Sets the model."""
        self.model = model

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Is called before a batch of training."""

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Is called after a batch of training."""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Is called before an epoch."""

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Is called after an epoch; `logs` has its losses and metrics."""

    def on_train_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Is called before a batch of training; calls `on_batch_begin`."""
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Is called after a batch of training; calls `on_batch_end`."""
        self.on_batch_end(batch, logs=logs)

    def on_test_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Is called before a batch of evaluation or validation."""

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Is called after a batch of evaluation or validation."""

    def on_predict_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Is called before a batch of prediction."""

    def on_predict_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Is called after a batch of prediction."""

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Is called before training."""

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Is called after training."""

    def on_test_begin(self, logs: Logs | None = None) -> None:
        """Is called before evaluation or validation."""

    def on_test_end(self, logs: Logs | None = None) -> None:
        """Is called after evaluation or validation."""

    def on_predict_begin(self, logs: Logs | None = None) -> None:
        """Is called before prediction."""

    def on_predict_end(self, logs: Logs | None = None) -> None:
        """Is called after prediction."""


class CallbackList:
    """Calls each hook of several callbacks, in order.

    Args:
        callbacks: the callbacks.
    """

    def __init__(self, callbacks: Iterable[Callback] | None = None) -> None:
        self.callbacks = list(callbacks or ())
        self.params: Logs = {}
        self.model: Any = None

    def append(self, callback: Callback) -> None:
        """Adds a callback."""
        self.callbacks.append(callback)

    def set_params(self, params: Logs) -> None:
        """Sets the `params` of each callback."""
        self.params = params
        for callback in self.callbacks:
            callback.set_params(params)

    def set_model(self, model: Any) -> None:
        """Sets the model of each callback."""
        self.model = model
        for callback in self.callbacks:
            callback.set_model(model)

    def _call(self, hook: str, *args: Any) -> None:
        for callback in self.callbacks:
            getattr(callback, hook)(*args)

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Calls `on_train_batch_begin`."""
        self.on_train_batch_begin(batch, logs)

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Calls `on_train_batch_end`."""
        self.on_train_batch_end(batch, logs)

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Calls the hook of each callback."""
        self._call("on_epoch_begin", epoch, {} if logs is None else logs)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Calls the hook of each callback."""
        self._call("on_epoch_end", epoch, {} if logs is None else logs)

    def on_train_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Calls the hook of each callback."""
        self._call("on_train_batch_begin", batch, {} if logs is None else logs)

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Calls the hook of each callback."""
        self._call("on_train_batch_end", batch, {} if logs is None else logs)

    def on_test_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Calls the hook of each callback."""
        self._call("on_test_batch_begin", batch, {} if logs is None else logs)

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Calls the hook of each callback."""
        self._call("on_test_batch_end", batch, {} if logs is None else logs)

    def on_predict_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Calls the hook of each callback."""
        self._call("on_predict_batch_begin", batch, {} if logs is None else logs)

    def on_predict_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Calls the hook of each callback."""
        self._call("on_predict_batch_end", batch, {} if logs is None else logs)

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Calls the hook of each callback."""
        self._call("on_train_begin", logs)

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Calls the hook of each callback."""
        self._call("on_train_end", logs)

    def on_test_begin(self, logs: Logs | None = None) -> None:
        """Calls the hook of each callback."""
        self._call("on_test_begin", logs)

    def on_test_end(self, logs: Logs | None = None) -> None:
        """Calls the hook of each callback."""
        self._call("on_test_end", logs)

    def on_predict_begin(self, logs: Logs | None = None) -> None:
        """Calls the hook of each callback."""
        self._call("on_predict_begin", logs)

    def on_predict_end(self, logs: Logs | None = None) -> None:
        """Calls the hook of each callback."""
        self._call("on_predict_end", logs)

    def __iter__(self) -> Any:
        return iter(self.callbacks)


@export("keras.callbacks.BaseLogger")
class BaseLogger(Callback):
    """Puts the means of an epoch's losses and metrics into its logs.

    Args:
        stateful_metrics: names of metrics whose last value is taken instead of the mean.
    """

    def __init__(self, stateful_metrics: Iterable[str] | None = None) -> None:
        super().__init__()
        self.stateful_metrics = set(stateful_metrics or ())
        self.seen = 0
        self.totals: Logs = {}

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Starts anew."""
        self.seen = 0
        self.totals = {}

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Adds a batch."""
        logs = logs or {}
        count = logs.get("size", 0) * logs.get("num_steps", 1)
        self.seen += count
        for name, value in logs.items():
            if name in self.stateful_metrics:
                self.totals[name] = value
            else:
                self.totals[name] = self.totals.get(name, 0.0) + float(value) * count

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Writes the means to `logs`."""
        if logs is None:
            return
        for name in self.params["metrics"]:
            if name in self.totals:
                stateful = name in self.stateful_metrics
                logs[name] = self.totals[name] if stateful else self.totals[name] / self.seen


@export("keras.callbacks.History")
class History(Callback):
    """Records the logs of each epoch in `history` and `epoch`."""

    def __init__(self) -> None:
        super().__init__()
        self.epoch: list[int] = []
        self.history: dict[str, list[Any]] = {}

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Starts the list of epochs anew."""
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Appends the logs."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


@export("keras.callbacks.ProgbarLogger")
class ProgbarLogger(Callback):
    """Prints the progress of training.

    Args:
        count_mode: "samples" or "steps": what the bar counts.
        stateful_metrics: names of metrics that are shown as they are, not averaged.

    Raises:
        ValueError: if `count_mode` is neither.
    """

    def __init__(
        self, count_mode: str = "samples", stateful_metrics: Iterable[str] | None = None
    ) -> None:
        super().__init__()
        if count_mode not in ("samples", "steps"):
            raise ValueError("Unknown `count_mode`: " + str(count_mode))
        self.use_steps = count_mode == "steps"
        self.stateful_metrics = set(stateful_metrics or ())
        self.log_values: list[tuple[str, Any]] = []
        self.verbose = 0
        self.epochs = 1
        self.seen = 0
        self.target: int | None = None
        self.progbar: Any = None

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Reads the parameters."""
        self.verbose = self.params["verbose"]
        self.epochs = self.params["epochs"]

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Starts a bar."""
        self.seen = 0
        self.target = self.params["steps" if self.use_steps else "samples"]
        if self.verbose and self.epochs > 1:
            print_line(f"Epoch {epoch + 1}/{self.epochs}")
        self.progbar = Progbar(
            self.target,
            verbose=self.verbose,
            stateful_metrics=self.stateful_metrics,
            unit_name="step" if self.use_steps else "sample",
        )

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Forgets the values of the last batch."""
        self.log_values = []

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Moves the bar. The end of the epoch prints the last batch."""
        logs = logs or {}
        steps = logs.get("num_steps", 1)
        self.seen += steps if self.use_steps else steps * logs.get("size", 0)
        self._collect(logs)
        if self.verbose and (self.target is None or self.seen < self.target):
            self.progbar.update(self.seen, self.log_values)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Prints the bar with the values of the epoch."""
        self._collect(logs or {})
        if self.verbose:
            self.progbar.update(self.seen, self.log_values)

    def _collect(self, logs: Logs) -> None:
        names = self.params["metrics"]
        self.log_values += [(name, logs[name]) for name in names if name in logs]


@export("keras.callbacks.LambdaCallback")
class LambdaCallback(Callback):
    """A callback made of functions.

    Args:
        on_epoch_begin: is called with (epoch, logs).
        on_epoch_end: likewise.
        on_batch_begin: is called with (batch, logs).
        on_batch_end: likewise.
        on_train_begin: is called with (logs).
        on_train_end: likewise.
        **kwargs: attributes of the callback, among them its other hooks.
    """

    def __init__(
        self,
        on_epoch_begin: Callable[..., Any] | None = None,
        on_epoch_end: Callable[..., Any] | None = None,
        on_batch_begin: Callable[..., Any] | None = None,
        on_batch_end: Callable[..., Any] | None = None,
        on_train_begin: Callable[..., Any] | None = None,
        on_train_end: Callable[..., Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self.__dict__.update(kwargs)
        hooks = {
            "on_epoch_begin": on_epoch_begin,
            "on_epoch_end": on_epoch_end,
            "on_batch_begin": on_batch_begin,
            "on_batch_end": on_batch_end,
            "on_train_begin": on_train_begin,
            "on_train_end": on_train_end,
        }
        for name, function in hooks.items():
            if function is not None:
                setattr(self, name, _positional(function))


def _positional(function: Callable[..., Any]) -> Callable[..., None]:
    # Hooks may be called with `logs=`; the function may name that argument otherwise.
    def hook(*args: Any, **kwargs: Any) -> None:
        function(*args, *kwargs.values())

    return hook
