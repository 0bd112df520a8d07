"""The loop over epochs and batches behind `fit`, `evaluate` and `predict`."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.keras.callbacks.callback_list import (
    BaseLogger,
    CallbackList,
    History,
    ProgbarLogger,
)
from headwater.keras.engine.sources import Source
from headwater.keras.utils.progress_bar import print_line


@dataclass
class Validation:
    """How `fit` validates.

    Attributes:
        source: the data; None for no validation.
        frequency: a number of epochs, or the numbers of the epochs (from 1) that are followed by
            validation.
        with_bar: whether a progress bar is shown, as for generators.
    """

    source: Any = None
    frequency: Any = 1
    with_bar: bool = False

    def follows(self, epoch: int) -> bool:
        """Whether validation follows an epoch.

        Raises:
            ValueError: if the frequency is neither a positive integer nor a container.
        """
        if self.source is None:
            return False
        if isinstance(self.frequency, int):
            if self.frequency < 1:
                raise ValueError("`validation_freq` can not be less than 1.")
            return (epoch + 1) % self.frequency == 0
        if not isinstance(self.frequency, Container):
            raise ValueError(
                "`validation_freq` must be an Integer or `collections_abc.Container` (e.g. list, "
                "tuple, etc.)"
            )
        return epoch + 1 in self.frequency


class _Totals:
    """Losses and metrics of an epoch: the mean of the loss, the last state of each metric."""

    def __init__(self) -> None:
        self._loss = 0.0
        self._count = 0
        self._rest: list[Any] = []

    def add(self, results: Sequence[Any], count: int) -> None:
        self._loss += float(results[0]) * count
        self._count += count
        self._rest = list(results[1:])

    def results(self) -> list[Any]:
        return [self._loss / self._count, *self._rest] if self._count else []


class _Outputs:
    """The outputs of all batches."""

    def __init__(self) -> None:
        self._batches: list[Sequence[Any]] = []

    def add(self, results: Sequence[Any], count: int) -> None:
        self._batches.append(results)

    def results(self) -> list[Any]:
        return [np.concatenate(outputs) for outputs in zip(*self._batches)]


class _Hooks:
    """The hooks of callbacks for one kind of loop."""

    def __init__(self, callbacks: CallbackList, mode: str) -> None:
        self._callbacks, self._mode = callbacks, mode

    def begin(self) -> None:
        getattr(self._callbacks, f"on_{self._mode}_begin")()

    def end(self) -> None:
        getattr(self._callbacks, f"on_{self._mode}_end")()

    def batch_begin(self, index: int, logs: dict[str, Any]) -> None:
        getattr(self._callbacks, f"on_{self._mode}_batch_begin")(index, logs)

    def batch_end(self, index: int, logs: dict[str, Any]) -> None:
        getattr(self._callbacks, f"on_{self._mode}_batch_end")(index, logs)


def configured_callbacks(
    model: Any,
    given: Any,
    source: Source,
    mode: str,
    epochs: int = 1,
    verbose: int = 0,
    validates: bool = False,
) -> CallbackList:
    """The callbacks of a loop with their parameters.

    Args:
        model: the model.
        given: the program's callbacks, or None.
        source: the data.
        mode: "train", "test" or "predict".
        epochs: the number of epochs.
        verbose: 0, 1 or 2.
        validates: whether epochs are followed by validation.
    """
    names = [] if mode == "predict" else list(model.metrics_names)
    callbacks = list(given or [])
    if mode == "train":
        model.history = History()
        logger = BaseLogger(stateful_metrics=names[1:])
        callbacks = [logger, *callbacks, model.history]
        if validates:
            names += [f"val_{name}" for name in names]
    found = CallbackList(callbacks)
    found.set_model(model)
    found.set_params(
        {
            "batch_size": None if source.by_steps else source.batch_size,
            "epochs": epochs,
            "steps": source.steps,
            "samples": source.samples,
            "verbose": verbose,
            "do_validation": validates,
            "metrics": names,
        }
    )
    return found


def announce(source: Source, validation: Source | None) -> None:
    """Prints on how much data a model is trained."""
    if source.announced is None:
        return
    rest = ""
    if validation is not None and validation.announced is not None:
        unit = source.announced.split()[-1]
        rest = f", validate on {validation.announced.split()[0]} {unit}"
    print_line(f"Train on {source.announced}{rest}")


def run_epochs(
    model: Any,
    source: Source,
    mode: str,
    callbacks: CallbackList,
    verbose: int = 0,
    epochs: int = 1,
    initial_epoch: int = 0,
    validation: Validation | None = None,
) -> list[Any]:
    """Trains, evaluates or predicts.

    Args:
        model: the model.
        source: the data.
        mode: "train", "test" or "predict".
        callbacks: the callbacks.
        verbose: 0, 1 or 2; for validation it becomes a parameter of the callbacks as well.
        epochs: the number of the last epoch.
        initial_epoch: the number of the first epoch, from 0.
        validation: how epochs are validated.

    Returns:
        Loss and metrics, or the outputs, of the last epoch.
    """
    bar = _progress_bar(model, source, callbacks, verbose)
    hooks = _Hooks(callbacks, mode)
    model.stop_training = False
    if mode == "train":
        model._fetches(mode)
    hooks.begin()
    bar.on_train_begin()
    results: list[Any] = []
    for epoch in range(initial_epoch, epochs):
        if model.stop_training:
            break
        if mode != "predict":
            model.reset_metrics()
        if mode == "train":
            callbacks.on_epoch_begin(epoch, {})
        bar.on_epoch_begin(epoch)
        results = _run_batches(model, source, mode, hooks, bar)
        if mode == "train":
            model._end_training_epoch()
        logs = {} if mode == "predict" else dict(zip(model.metrics_names, results))
        if validation is not None and validation.follows(epoch) and not model.stop_training:
            logs.update(_validate(model, validation, callbacks, verbose))
        if mode == "train":
            callbacks.on_epoch_end(epoch, logs)
        bar.on_epoch_end(epoch, logs)
        source.end_epoch()
    hooks.end()
    return results


def _progress_bar(
    model: Any, source: Source, callbacks: CallbackList, verbose: int
) -> ProgbarLogger:
    stateful = model.metrics_names[1:] if callbacks.params.get("metrics") else ()
    bar = ProgbarLogger("steps" if source.by_steps else "samples", stateful_metrics=stateful)
    bar.set_model(model)
    callbacks.params["verbose"] = verbose
    bar.set_params(callbacks.params)
    return bar


def _run_batches(
    model: Any, source: Source, mode: str, hooks: _Hooks, bar: ProgbarLogger
) -> list[Any]:
    """One epoch."""
    totals: Any = _Outputs() if mode == "predict" else _Totals()
    batches = source.epoch()
    step = 0
    while source.steps is None or not source.by_steps or step < source.steps:
        batch = next(batches, None)
        if batch is None:
            if source.by_steps:
                _end_early(model, source, bar, step)
            break
        logs = {"batch": step, "size": batch.size}
        hooks.batch_begin(step, logs)
        bar.on_batch_begin(step, logs)
        try:
            results = model._run(mode, batch.inputs, batch.targets, batch.weights)
        except errors.OutOfRangeError:
            if not source.by_steps:
                raise
            _end_early(model, source, bar, step)
            break
        totals.add(results, batch.size if not source.by_steps else 1)
        logs = dict(logs)
        if mode == "predict":
            logs["outputs"] = results
        else:
            logs.update(zip(model.metrics_names, results))
        hooks.batch_end(step, logs)
        bar.on_batch_end(step, logs)
        step += 1
        if model.stop_training:
            break
    found: list[Any] = totals.results()
    return found


def _end_early(model: Any, source: Source, bar: ProgbarLogger, step: int) -> None:
    """The data has ended: an error if the number of steps was given, else it is known now."""
    if source.steps is not None:
        model.stop_training = True
        source.ran_out()
    elif step:
        source.steps = step
        bar.params["steps"] = step
        bar.progbar.target = step


def _validate(
    model: Any, validation: Validation, callbacks: CallbackList, verbose: int
) -> dict[str, Any]:
    source = validation.source
    if hasattr(source, "restart"):
        source.restart()
    shown = verbose if validation.with_bar else 0
    results = run_epochs(model, source, "test", callbacks, shown)
    return {f"val_{name}": value for name, value in zip(model.metrics_names, results)}
