"""The loops over epochs and batches behind `fit`, `evaluate` and `predict`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from headwater.keras.engine import data
from headwater.keras.utils.progress_bar import print_line


@dataclass
class FitSettings:
    """The arguments of `fit` that do not describe the data."""

    epochs: int
    verbose: int
    callbacks: Any
    validation_data: Any
    shuffle: Any
    initial_epoch: int
    steps_per_epoch: int | None
    validation_steps: int | None
    validation_freq: Any
    class_weight: Any

    def validates(self, epoch: int) -> bool:
        """Whether validation follows an epoch."""
        number = epoch + 1
        if isinstance(self.validation_freq, int):
            return number % self.validation_freq == 0
        return number in self.validation_freq


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


def _callbacks(model: Any, settings: FitSettings, validates: bool, **params: Any) -> Any:
    names = list(model.metrics_names)
    if validates:
        names += [f"val_{name}" for name in names]
    model.history = History()
    bar = []
    if settings.verbose:
        mode = "samples" if params.get("samples") else "steps"
        bar = [ProgbarLogger(mode, stateful_metrics=model.metrics_names[1:])]
    given = list(settings.callbacks or [])
    every = [BaseLogger(stateful_metrics=model.metrics_names[1:])]
    found = CallbackList([*every, *given, model.history, *bar])
    found.set_model(model)
    found.set_params(
        {
            "batch_size": params.get("batch_size"),
            "epochs": settings.epochs,
            "steps": settings.steps_per_epoch,
            "samples": params.get("samples"),
            "verbose": settings.verbose,
            "do_validation": validates,
            "metrics": names,
        }
    )
    return found


class _EvaluationBar(ProgbarLogger):
    """The progress of evaluation or prediction."""

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        self.on_train_begin()
        self.on_epoch_begin(0)

    def on_test_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        self.on_batch_begin(batch, logs)

    def on_test_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        self.on_batch_end(batch, logs)

    def on_test_end(self, logs: dict[str, Any] | None = None) -> None:
        self.on_epoch_end(0)

    on_predict_begin = on_test_begin
    on_predict_batch_begin = on_test_batch_begin
    on_predict_batch_end = on_test_batch_end
    on_predict_end = on_test_end


def evaluation_callbacks(
    model: Any, given: Any, verbose: int, metrics: Sequence[str], **params: Any
) -> CallbackList:
    """The callbacks of `evaluate` or `predict`, with a bar if `verbose`.

    Args:
        model: the model.
        given: a list of Callbacks, or None.
        verbose: 1 prints a bar.
        metrics: the names of what is shown.
        **params: `samples`, or `steps`; `batch_size`.
    """
    mode = "samples" if params.get("samples") else "steps"
    bar = [_EvaluationBar(mode, stateful_metrics=metrics[1:])] if verbose else []
    found = CallbackList([*(given or []), *bar])
    found.set_model(model)
    defaults = {"batch_size": None, "epochs": 1, "steps": None, "samples": None}
    rest = {"verbose": verbose, "do_validation": False, "metrics": list(metrics)}
    found.set_params({**defaults, **params, **rest})
    return found


def _announce(verbose: int, unit: str, count: int, validation: int | None) -> None:
    if verbose:
        rest = "" if validation is None else f", validate on {validation} {unit}"
        print_line(f"Train on {count} {unit}{rest}")


def _batch_logs(model: Any, index: int, size: int, results: Sequence[Any]) -> dict[str, Any]:
    return {"batch": index, "size": size, **dict(zip(model.metrics_names, results))}


def fit_arrays(
    model: Any,
    x: Any,
    y: Any,
    sample_weight: Any,
    batch_size: int,
    validation_split: float,
    settings: FitSettings,
) -> Any:
    """Trains a model with arrays; see `Model.fit`."""
    inputs, targets, weights = model._arrays(x, y, sample_weight, settings.class_weight)
    validation: Any = None
    if settings.validation_data is not None and not _is_stream(settings.validation_data):
        validation = model._arrays(*settings.validation_data)
    elif validation_split and 0.0 < validation_split < 1.0:
        cut = int(len(inputs[0]) * (1.0 - validation_split))
        parts = [inputs, targets, weights]
        validation = [[w if w is None else w[cut:] for w in arrays] for arrays in parts]
        inputs, targets, weights = (
            [w if w is None else w[:cut] for w in arrays] for arrays in parts
        )
    count = len(inputs[0]) if hasattr(inputs[0], "__len__") else None
    if count is None:
        return _fit_tensors(model, inputs, targets, validation, settings)
    validates = validation is not None or settings.validation_data is not None
    callbacks = _callbacks(model, settings, validates, batch_size=batch_size, samples=count)
    held_out = len(validation[0][0]) if validation else None
    _announce(settings.verbose, "samples", count, held_out)
    index = np.arange(count)
    model.stop_training = False
    model.validation_data = validation and [*validation[0], *validation[1]]
    callbacks.on_train_begin()
    for epoch in range(settings.initial_epoch, settings.epochs):
        model.reset_metrics()
        callbacks.on_epoch_begin(epoch)
        order = data.shuffled(index, settings.shuffle, batch_size)
        totals = _Totals()
        for i, (start, end) in enumerate(data.batches(count, batch_size)):
            if settings.steps_per_epoch is not None and i >= settings.steps_per_epoch:
                break
            at: Any = order[start:end] if settings.shuffle else slice(start, end)
            callbacks.on_batch_begin(i, {"batch": i, "size": end - start})
            results = model._run(
                "train",
                data.rows(inputs, at),
                data.rows(targets, at),
                [w if w is None else w[at] for w in weights],
            )
            totals.add(results, end - start)
            callbacks.on_batch_end(i, _batch_logs(model, i, end - start, results))
            if model.stop_training:
                break
        logs = dict(zip(model.metrics_names, totals.results()))
        if validates and settings.validates(epoch):
            logs.update(_validate(model, validation, batch_size, settings, callbacks))
        callbacks.on_epoch_end(epoch, logs)
        if model.stop_training:
            break
    callbacks.on_train_end()
    return model.history


def _is_stream(validation_data: Any) -> bool:
    return data.is_dataset(validation_data) or data.is_stream(validation_data)


def _validate(
    model: Any, validation: Any, batch_size: int, settings: FitSettings, callbacks: CallbackList
) -> dict[str, Any]:
    steps = settings.validation_steps
    if validation is None:
        results = test_stream(model, settings.validation_data, steps, callbacks)
    else:
        inputs, targets, weights = validation
        results = test_arrays(model, inputs, targets, weights, batch_size, steps, callbacks)
    return {f"val_{name}": value for name, value in zip(model.metrics_names, results)}


def _fit_tensors(
    model: Any, inputs: Any, targets: Any, validation: Any, settings: FitSettings
) -> Any:
    raise ValueError(
        "If your data is in the form of symbolic tensors, you should specify the "
        "`steps_per_epoch` argument (instead of the `batch_size` argument, because symbolic "
        "tensors are expected to produce batches of input data)."
    )


def test_arrays(
    model: Any,
    inputs: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    batch_size: int,
    steps: int | None = None,
    callbacks: CallbackList | None = None,
) -> list[Any]:
    """Loss and metrics of arrays; see `Model.evaluate`."""
    callbacks = callbacks or CallbackList()
    model.reset_metrics()
    callbacks.on_test_begin()
    totals = _Totals()
    for i, (start, end) in enumerate(data.batches(len(inputs[0]), batch_size)):
        if steps is not None and i >= steps:
            break
        at = slice(start, end)
        callbacks.on_test_batch_begin(i, {"batch": i, "size": end - start})
        results = model._run(
            "test",
            data.rows(inputs, at),
            data.rows(targets, at),
            [w if w is None else w[at] for w in weights],
        )
        totals.add(results, end - start)
        callbacks.on_test_batch_end(i, _batch_logs(model, i, end - start, results))
    callbacks.on_test_end()
    return totals.results()


def predict_arrays(
    model: Any,
    inputs: Sequence[Any],
    batch_size: int,
    steps: int | None = None,
    callbacks: CallbackList | None = None,
) -> list[Any]:
    """The outputs for arrays; see `Model.predict`."""
    callbacks = callbacks or CallbackList()
    callbacks.on_predict_begin()
    parts: list[list[Any]] = []
    for i, (start, end) in enumerate(data.batches(len(inputs[0]), batch_size)):
        if steps is not None and i >= steps:
            break
        logs = {"batch": i, "size": end - start}
        callbacks.on_predict_batch_begin(i, logs)
        parts.append(model._run("predict", data.rows(inputs, slice(start, end))))
        callbacks.on_predict_batch_end(i, {**logs, "outputs": parts[-1]})
    callbacks.on_predict_end()
    return [np.concatenate(outputs) for outputs in zip(*parts)]


# Datasets, generators and sequences


def _steps(stream: Any, steps: int | None) -> int | None:
    return len(stream) if steps is None and hasattr(stream, "__len__") else steps


def _batches(stream: Any) -> Iterator[Any]:
    """The batches of one pass."""
    if hasattr(stream, "__getitem__"):
        return (stream[i] for i in range(len(stream)))
    return iter(stream)


def _parts(batch: Any) -> tuple[Any, Any, Any]:
    if isinstance(batch, (tuple, list)) and len(batch) in (2, 3):
        return batch[0], batch[1], batch[2] if len(batch) == 3 else None
    return batch, None, None


def _source(x: Any) -> Any:
    return data.DatasetBatches(x) if data.is_dataset(x) else x


def fit_stream(model: Any, x: Any, settings: FitSettings) -> Any:
    """Trains a model with a dataset, a generator or a sequence; see `Model.fit`."""
    stream = _source(x)
    steps = settings.steps_per_epoch = _steps(stream, settings.steps_per_epoch)
    if steps is None and hasattr(x, "__next__"):
        raise ValueError(
            "When passing an infinitely repeating generator, you must specify the number of steps "
            "per epoch with `steps_per_epoch`."
        )
    validation: Any = None
    validates = settings.validation_data is not None
    if data.is_dataset(x) and steps is not None:
        _announce(settings.verbose, "steps", steps, settings.validation_steps)
    model.stop_training = False
    callbacks: Any = None
    batches = _batches(stream)
    for epoch in range(settings.initial_epoch, settings.epochs):
        totals = _Totals()
        i = 0
        if steps is None or hasattr(stream, "__getitem__"):
            batches = _batches(stream)
        while steps is None or i < steps:
            try:
                batch = next(batches)
            except (StopIteration, errors.OutOfRangeError):
                break
            inputs, targets, weights = model._arrays(*_parts(batch), settings.class_weight)
            if callbacks is None:
                callbacks = _callbacks(model, settings, validates)
                callbacks.on_train_begin()
                if validates and not _is_stream(settings.validation_data):
                    validation = model._arrays(*settings.validation_data)
            if i == 0:
                model.reset_metrics()
                callbacks.on_epoch_begin(epoch)
            # The epoch's loss is the mean of the steps' for datasets, of the examples' else.
            size = 1 if data.is_dataset(x) else len(inputs[0])
            callbacks.on_batch_begin(i, {"batch": i, "size": size})
            results = model._run("train", inputs, targets, weights)
            totals.add(results, size)
            callbacks.on_batch_end(i, _batch_logs(model, i, size, results))
            i += 1
            if model.stop_training:
                break
        if callbacks is None or i == 0:
            break
        logs = dict(zip(model.metrics_names, totals.results()))
        if validates and settings.validates(epoch):
            logs.update(_validate(model, validation, 32, settings, callbacks))
        callbacks.on_epoch_end(epoch, logs)
        if hasattr(x, "on_epoch_end"):
            x.on_epoch_end()
        if model.stop_training:
            break
    if callbacks is not None:
        callbacks.on_train_end()
    return model.history


def _each(model: Any, x: Any, steps: int | None) -> Iterator[Any]:
    stream = _source(x)
    steps = _steps(stream, steps)
    batches = _batches(stream)
    i = 0
    while steps is None or i < steps:
        try:
            yield next(batches)
        except (StopIteration, errors.OutOfRangeError):
            return
        i += 1


def test_stream(
    model: Any, x: Any, steps: int | None, callbacks: CallbackList | None = None
) -> list[Any]:
    """Loss and metrics of a dataset, generator or sequence; see `Model.evaluate`."""
    callbacks = callbacks or CallbackList()
    totals = _Totals()
    callbacks.on_test_begin()
    for i, batch in enumerate(_each(model, x, steps)):
        arrays = model._arrays(*_parts(batch))
        if i == 0:
            model.reset_metrics()
        count = 1 if data.is_dataset(x) else len(arrays[0][0])
        callbacks.on_test_batch_begin(i, {"batch": i, "size": count})
        results = model._run("test", *arrays)
        totals.add(results, count)
        callbacks.on_test_batch_end(i, _batch_logs(model, i, count, results))
    callbacks.on_test_end()
    return totals.results()


def predict_stream(
    model: Any, x: Any, steps: int | None, callbacks: CallbackList | None = None
) -> list[Any]:
    """The outputs for a dataset, generator or sequence; see `Model.predict`."""
    callbacks = callbacks or CallbackList()
    parts = []
    callbacks.on_predict_begin()
    for i, batch in enumerate(_each(model, x, steps)):
        inputs = model._arrays(batch[0] if isinstance(batch, tuple) else batch, training=False)[0]
        logs = {"batch": i, "size": 1 if data.is_dataset(x) else len(inputs[0])}
        callbacks.on_predict_batch_begin(i, logs)
        parts.append(model._run("predict", inputs))
        callbacks.on_predict_batch_end(i, {**logs, "outputs": parts[-1]})
    callbacks.on_predict_end()
    return [np.concatenate(outputs) for outputs in zip(*parts)]
