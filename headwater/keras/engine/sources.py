"""Where the batches of a loop come from: arrays, tensors, datasets, generators, sequences."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from headwater.base import errors, logging
from headwater.base.typing import Array
from headwater.data.datasets.cardinality import INFINITE, cardinality
from headwater.data.datasets.conversion import make_initializable_iterator
from headwater.keras.backend.graph_state import get_session
from headwater.keras.engine import data
from headwater.keras.engine.workers import Workers
from headwater.keras.utils.enqueuers import GeneratorEnqueuer, OrderedEnqueuer


@dataclass
class Batch:
    """What one step takes.

    Attributes:
        size: the weight of the step in the means of an epoch; the number of examples or 1.
        inputs: an array for each input that is fed.
        targets: the same for the targets.
        weights: the weights of examples of each output, or nothing.
    """

    size: int
    inputs: list[Any]
    targets: list[Any]
    weights: list[Any]


class Source(Protocol):
    """Batches, epoch by epoch.

    Attributes:
        by_steps: whether progress is counted in steps, else in examples.
        steps: the number of steps of an epoch; None if unknown.
        samples: what callbacks are told as the number of examples.
        batch_size: the number of examples of a batch; None if unknown.
        announced: what "Train on" says; None for nothing.
    """

    by_steps: bool
    steps: int | None
    samples: int | None
    batch_size: int | None
    announced: str | None

    def epoch(self) -> Iterator[Batch]:
        """The batches of one epoch; ends early if the data does."""
        ...

    def ran_out(self) -> None:
        """Warns that an epoch has had too few batches."""
        ...

    def end_epoch(self) -> None:
        """Is called after each epoch."""
        ...

    def close(self) -> None:
        """Ends what the source has started."""
        ...


class _Source:
    by_steps = True
    steps: int | None = None
    samples: int | None = None
    batch_size: int | None = None
    announced: str | None = None

    def ran_out(self) -> None:
        """Warns that an epoch has had too few batches."""

    def end_epoch(self) -> None:
        """Is called after each epoch."""

    def close(self) -> None:
        """Ends what the source has started."""


class ArraySource(_Source):
    """Batches of examples of arrays.

    Args:
        arrays: inputs, targets and weights, checked.
        batch_size: the number of examples of a batch.
        shuffle: True, False, or "batch" to shuffle batches as a whole.
        workers: those that train together, or None.
    """

    by_steps = False

    def __init__(
        self,
        arrays: Sequence[list[Any]],
        batch_size: int,
        shuffle: Any = False,
        workers: Workers | None = None,
    ) -> None:
        self._arrays = arrays
        self.batch_size = batch_size
        self.samples = int(arrays[0][0].shape[0])
        self.announced = f"{self.samples} samples"
        self._shuffle = shuffle
        self._size = batch_size
        self._workers = workers

    def epoch(self) -> Iterator[Batch]:
        """The batches of one epoch."""
        assert self.samples is not None
        order = data.shuffled(np.arange(self.samples), self._shuffle, self._size)
        if self._shuffle and self._workers is not None:
            order = self._workers.agreed(order)
        for start, end in data.batches(self.samples, self._size):
            at: Any = order[start:end] if self._shuffle else slice(start, end)
            yield Batch(end - start, *(_rows(arrays, at) for arrays in self._arrays))


def _rows(arrays: list[Any], at: Any) -> list[Any]:
    try:
        return [x if x is None else x[at] for x in arrays]
    except TypeError:
        raise TypeError(
            'TypeError while preparing batch. If using HDF5 input data, pass shuffle="batch".'
        ) from None


class RepeatedSource(_Source):
    """The same arrays or tensors at every step.

    Args:
        arrays: inputs, targets and weights, checked.
        steps: the number of steps of an epoch.
    """

    def __init__(self, arrays: Sequence[list[Any]], steps: int) -> None:
        self._batch = Batch(1, *arrays)
        self.steps = self.samples = steps
        self.announced = f"{steps} samples"

    def epoch(self) -> Iterator[Batch]:
        """The batches of one epoch."""
        while True:
            try:
                yield self._batch
            except errors.OutOfRangeError:
                return

    def ran_out(self) -> None:
        """Warns that the iterator behind the tensors has ended."""
        _warn_of_end("dataset iterator", "iterator", "`steps_per_epoch * epochs` batches")


class DatasetSource(_Source):
    """The batches of a dataset, or of an iterator of one.

    Args:
        model: the model.
        dataset: the dataset.
        steps: the number of steps of an epoch; until the end of the dataset if None.
        mode: "train", "test" or "predict".
        class_weight: {class: weight}.
        argument: the name of the argument for the number of steps.
        epochs: the number of epochs.

    Raises:
        ValueError: if the dataset has no end and there is no number of steps.
    """

    def __init__(
        self,
        model: Any,
        dataset: Any,
        steps: int | None,
        mode: str,
        class_weight: Any = None,
        argument: str = "steps",
        epochs: int = 1,
    ) -> None:
        self._model, self._mode, self._class_weight = model, mode, class_weight
        self._argument, self._epochs = argument, epochs
        self._is_iterator = hasattr(dataset, "get_next")
        self._restarts = steps is None and not self._is_iterator
        self.steps = self.samples = self._known_steps(dataset) if steps is None else steps
        self.announced = f"{self.steps} steps"
        self._iterator = dataset if self._is_iterator else make_initializable_iterator(dataset)
        self._next = self._iterator.get_next()
        self._started = self._is_iterator
        model._prepare(_parts(self._next)[0], mode != "predict")

    def _known_steps(self, dataset: Any) -> int | None:
        if self._is_iterator:
            raise ValueError(
                "When using iterators as input to a model, you should specify the "
                f"`{self._argument}` argument."
            )
        size = int(get_session().run(cardinality(dataset)))
        if size == INFINITE:
            raise ValueError(
                "When passing an infinitely repeating dataset, you must specify the "
                f"`{self._argument}` argument."
            )
        return size if size >= 0 else None

    def restart(self) -> None:
        """Starts the next epoch with the first element, as validation does."""
        self._started = self._is_iterator

    def epoch(self) -> Iterator[Batch]:
        """The batches of one epoch."""
        session = get_session()
        if self._restarts or not self._started:
            session.run(self._iterator.initializer)
            self._started = True
        while True:
            try:
                x, y, weight = _parts(session.run(self._next))
            except errors.OutOfRangeError:
                return
            if self._mode == "predict":
                yield Batch(1, *self._model._arrays(x, training=False))
            else:
                yield Batch(1, *self._model._arrays(x, y, weight, self._class_weight))

    def ran_out(self) -> None:
        """Warns that the dataset has fewer elements than there are steps."""
        what = "dataset iterator" if self._is_iterator else "dataset"
        count = (self.steps or 0) * self._epochs
        _warn_of_end(
            what,
            "iterator" if self._is_iterator else "dataset",
            f"`{self._argument} * epochs` batches (in this case, {count} batches)",
        )


def _warn_of_end(what: str, short: str, needed: str) -> None:
    logging.warning(
        "Your %s ran out of data; interrupting training. Make sure that your %s can generate at "
        "least %s. You may need to use the repeat() function when building your dataset.",
        what,
        short,
        needed,
    )


def _parts(batch: Any) -> tuple[Any, Any, Any]:
    if isinstance(batch, (tuple, list)) and len(batch) in (2, 3):
        return batch[0], batch[1], batch[2] if len(batch) == 3 else None
    return batch, None, None


class GeneratorSource(_Source):
    """The batches of a generator or a Sequence.

    Args:
        model: the model.
        generator: the generator or Sequence.
        steps: the number of steps of an epoch; the length of a Sequence if None.
        mode: "train", "test" or "predict".
        class_weight: {class: weight}.
        argument: the name of the argument for the number of steps.
        epochs: the number of epochs.
        workers: the number of threads that make batches ahead; 0 for none.
        max_queue_size: how many batches are made ahead.
        shuffle: whether the batches of a Sequence come in a new order in each epoch.
        processes: whether processes make the batches of a Sequence.

    Raises:
        ValueError: if the number of steps is unknown.
    """

    def __init__(
        self,
        model: Any,
        generator: Any,
        steps: int | None,
        mode: str,
        class_weight: Any = None,
        argument: str = "steps",
        epochs: int = 1,
        workers: int = 1,
        max_queue_size: int = 10,
        shuffle: bool = False,
        processes: bool = False,
    ) -> None:
        self._model, self._mode, self._class_weight = model, mode, class_weight
        self._epochs, self._processes = epochs, processes
        if steps is None and not hasattr(generator, "__len__"):
            raise ValueError(f"Please specify the number of steps via the `{argument}` argument.")
        self.steps = self.samples = len(generator) if steps is None else steps
        self._enqueuer: Any = None
        self._stream = self._started(generator, workers, max_queue_size, shuffle)
        if not model.inputs:
            # The first batch makes inputs and outputs of a subclass.
            first = next(self._stream, None)
            if first is not None:
                model._prepare(self._split(first)[0], mode != "predict")
                self._stream = itertools.chain([first], self._stream)

    def _started(
        self, generator: Any, workers: int, max_queue_size: int, shuffle: bool
    ) -> Iterator[Any]:
        indexed = hasattr(generator, "__getitem__")
        if workers <= 0:
            return _endless(generator) if indexed else iter(generator)
        self._enqueuer = (
            OrderedEnqueuer(generator, self._processes, shuffle=shuffle)
            if indexed
            else GeneratorEnqueuer(iter(generator))
        )
        self._enqueuer.start(workers=workers, max_queue_size=max_queue_size)
        stream: Iterator[Any] = self._enqueuer.get()
        return stream

    def _split(self, batch: Any) -> tuple[Any, Any, Any]:
        if self._mode == "predict":
            if isinstance(batch, tuple) and len(batch) in (2, 3):
                return batch[0], None, None
            return batch, None, None
        if not isinstance(batch, tuple) or len(batch) not in (1, 2, 3):
            raise ValueError(
                "Output of generator should be a tuple `(x, y, sample_weight)` or `(x, y)`. Found: "
                + str(batch)
            )
        x, y, weight = (*batch, None, None)[:3]
        return x, y, weight

    def epoch(self) -> Iterator[Batch]:
        """The batches of one epoch."""
        for batch in self._stream:
            x, y, weight = self._split(batch)
            if self._mode == "predict":
                arrays = self._model._arrays(x, training=False)
            else:
                arrays = self._model._arrays(x, y, weight, self._class_weight)
            yield Batch(_examples(arrays[0]), *arrays)

    def ran_out(self) -> None:
        """Warns that the generator has ended."""
        logging.warning(
            "Your dataset ran out of data; interrupting training. Make sure that your dataset can "
            "generate at least `steps_per_epoch * epochs` batches (in this case, %d batches). You "
            "may need to use the repeat() function when building your dataset.",
            (self.steps or 0) * self._epochs,
        )

    def close(self) -> None:
        """Ends the threads that make batches."""
        if self._enqueuer is not None:
            self._enqueuer.stop()


def _examples(inputs: Sequence[Array]) -> int:
    return int(inputs[0].shape[0]) if inputs else 1


def _endless(sequence: Any) -> Iterator[Any]:
    while True:
        for i in range(len(sequence)):
            yield sequence[i]
