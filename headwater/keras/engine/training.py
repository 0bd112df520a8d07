"""`tf.keras.Model`: a network that is compiled, trained and evaluated."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from headwater.graph import Tensor, export
from headwater.keras.engine import data, loops, node_config, saving
from headwater.keras.engine.hdf5 import to_text
from headwater.keras.engine.sources import (
    ArraySource,
    DatasetSource,
    GeneratorSource,
    RepeatedSource,
    Source,
)
from headwater.keras.engine.step_functions import SteppedModel
from headwater.keras.optimizers.wrapped import TFOptimizer
from headwater.keras.settings import KERAS_VERSION

_Arrays = tuple[list[Any], list[Any], list[Any]]


@dataclass
class _Settings:
    """Arguments of `fit` that do not describe the data."""

    epochs: int = 1
    verbose: int = 0
    callbacks: Any = None
    initial_epoch: int = 0
    class_weight: Any = None
    workers: int = 1
    max_queue_size: int = 10
    processes: bool = False


@export("keras.Model", "keras.models.Model")
class Model(SteppedModel):
    """Layers that are trained together.

    `Model(inputs, outputs)` has the layers between tensors; a subclass makes layers in its
    constructor and overrides `call`.

    Args:
        inputs: an Input, or a structure of them.
        outputs: what layers have made of the inputs.
        name: the name.
    """

    # Training

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: int = 1,
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: Any = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_freq: Any = 1,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Trains the model.

        Args:
            x: inputs: an array, a list or dict of arrays, a Dataset, a generator or a Sequence.
            y: targets, likewise.
            batch_size: the number of examples in a step; 32 if None.
            epochs: how often the data is used.
            verbose: 0 prints nothing, 1 a progress bar, 2 one line per epoch.
            callbacks: a list of Callbacks.
            validation_split: the part of the examples, from the end, that is kept for validation.
            validation_data: (x, y) or (x, y, weights) for validation.
            shuffle: whether examples are shuffled before each epoch; "batch" shuffles batches.
            class_weight: {class: weight}.
            sample_weight: the weights of the examples.
            initial_epoch: the number of the first epoch.
            steps_per_epoch: the number of steps of an epoch of a Dataset or generator.
            validation_steps: the same for validation.
            validation_freq: validation takes place after so many epochs, or after those listed.
            max_queue_size: how many batches of a generator are made ahead.
            workers: the number of threads that make batches of a Sequence; 0 for none.
            use_multiprocessing: whether processes make the batches of a Sequence, not threads.
            **kwargs: `nb_epoch`: the older name of `epochs`.

        Returns:
            A History, whose `history` has the losses and metrics of each epoch.

        Raises:
            RuntimeError: if the model has not been compiled.
            ValueError: if the data does not fit the model.
        """
        epochs = kwargs.pop("nb_epoch", epochs)
        if kwargs:
            raise TypeError("Unrecognized keyword arguments: " + str(kwargs))
        settings = _Settings(
            epochs,
            verbose,
            callbacks,
            initial_epoch,
            class_weight,
            workers,
            max_queue_size,
            use_multiprocessing,
        )
        if data.is_dataset(x) or data.is_stream(x):
            _check_no_arrays(x, y, sample_weight, batch_size, validation_split)
            source = self._stream(x, steps_per_epoch, "train", settings, shuffle=shuffle)
            with_bar = data.is_stream(x)
            held_out = None
        else:
            arrays = self._arrays(x, y, sample_weight, class_weight)
            held_out = None
            if validation_data is None and 0.0 < validation_split < 1.0:
                arrays, held_out = _split(arrays, validation_split)
            source = self._array_source(
                arrays, batch_size, steps_per_epoch, "steps_per_epoch", shuffle
            )
            with_bar = False
        validation = loops.Validation(None, validation_freq, with_bar)
        if held_out is not None:
            validation.source = self._array_source(
                held_out, batch_size, validation_steps, "validation_steps", shuffle=True
            )
        elif validation_data is not None:
            validation.source = self._validation_source(
                validation_data, batch_size, validation_steps, settings
            )
        self.validation_data = None
        if held_out is not None:
            self.validation_data = [*held_out[0], *held_out[1]]
        return self._fit(source, validation, settings)

    def _fit(self, source: Source, validation: loops.Validation, settings: _Settings) -> Any:
        with _closing(source, validation.source):
            if settings.verbose:
                loops.announce(source, validation.source)
            callbacks = loops.configured_callbacks(
                self,
                settings.callbacks,
                source,
                "train",
                settings.epochs,
                settings.verbose,
                validation.source is not None,
            )
            loops.run_epochs(
                self,
                source,
                "train",
                callbacks,
                settings.verbose,
                settings.epochs,
                settings.initial_epoch,
                validation,
            )
        return self.history

    def _stream(
        self,
        x: Any,
        steps: int | None,
        mode: str,
        settings: _Settings,
        argument: str | None = None,
        shuffle: Any = False,
    ) -> Source:
        """The batches of a dataset, an iterator, a generator or a Sequence."""
        if argument is None:
            argument = "steps_per_epoch" if mode == "train" else "steps"
        weight = settings.class_weight if mode == "train" else None
        if data.is_dataset(x):
            return DatasetSource(self, x, steps, mode, weight, argument, settings.epochs)
        return GeneratorSource(
            self,
            x,
            steps,
            mode,
            weight,
            argument,
            settings.epochs,
            settings.workers,
            settings.max_queue_size,
            bool(shuffle),
            settings.processes,
        )

    def _array_source(
        self,
        arrays: Sequence[list[Any]],
        batch_size: int | None,
        steps: int | None,
        argument: str,
        shuffle: Any = False,
    ) -> Source:
        """The batches of arrays, or the same arrays or tensors at each step.

        Raises:
            ValueError: if tensors are given without a number of steps.
        """
        if steps is not None:
            return RepeatedSource(arrays, steps)
        if not arrays[0] or any(isinstance(x, Tensor) for each in arrays[:2] for x in each):
            raise ValueError(
                "When using data tensors as input to a model, you should specify the "
                f"`{argument}` argument."
            )
        static = self._static_batch_size()
        size = batch_size or static
        if self.stateful and size and arrays[0][0].shape[0] % size:
            raise ValueError(
                "In a stateful network, you should only pass inputs with a number of samples that "
                f"can be divided by the batch size. Found: {arrays[0][0].shape[0]} samples"
            )
        if static is not None and batch_size not in (None, static):
            raise ValueError(
                f"The `batch_size` argument value {batch_size} is incompatible with the specified "
                f"batch size of your Input Layer: {static}"
            )
        return ArraySource(arrays, batch_size or static or 32, shuffle, self._workers)

    def _static_batch_size(self) -> int | None:
        """The number of examples that the first input has in its shape."""
        shape = self.inputs[0].shape if self.inputs else None
        return None if shape is None or not shape.ndims else shape.as_list()[0]

    def _validation_source(
        self, validation: Any, batch_size: int | None, steps: int | None, settings: _Settings
    ) -> Source:
        if data.is_dataset(validation) or data.is_stream(validation):
            return self._stream(validation, steps, "test", settings, "validation_steps")
        if len(validation) not in (2, 3):
            raise ValueError(
                "When passing a `validation_data` argument, it must contain either 2 items (x_val, "
                "y_val), or 3 items (x_val, y_val, val_sample_weights), or alternatively it could "
                "be a dataset or a dataset or a dataset iterator. However we received "
                f"`validation_data={validation}`"
            )
        arrays = self._arrays(*validation)
        self.validation_data = [*arrays[0], *arrays[1]]
        # TensorFlow shuffles here, which changes only the numbers that follow from NumPy's seed.
        return self._array_source(arrays, batch_size, steps, "validation_steps", shuffle=True)

    def _evaluate(self, source: Source, callbacks: Any, verbose: int, mode: str) -> Any:
        with _closing(source):
            called = loops.configured_callbacks(self, callbacks, source, mode, verbose=verbose)
            return _single(loops.run_epochs(self, source, mode, called, verbose))

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: int = 1,
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> Any:
        """Computes loss and metrics of data.

        Args:
            x: inputs; see `fit`.
            y: targets.
            batch_size: the number of examples at a time; 32 if None.
            verbose: 0 prints nothing, 1 a progress bar.
            sample_weight: the weights of the examples.
            steps: the number of batches of a Dataset or generator.
            callbacks: a list of Callbacks.
            max_queue_size: how many batches of a generator are made ahead.
            workers: the number of threads that make batches of a Sequence; 0 for none.
            use_multiprocessing: whether processes make the batches of a Sequence, not threads.

        Returns:
            The loss, or a list with the loss and the metrics in the order of `metrics_names`.
        """
        if data.is_dataset(x) or data.is_stream(x):
            _check_no_arrays(x, y, sample_weight, batch_size)
            settings = _Settings(
                workers=workers, max_queue_size=max_queue_size, processes=use_multiprocessing
            )
            source = self._stream(x, steps, "test", settings)
        else:
            arrays = self._arrays(x, y, sample_weight)
            source = self._array_source(arrays, batch_size, steps, "steps")
        return self._evaluate(source, callbacks, verbose, "test")

    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: int = 0,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> Any:
        """Computes the outputs for data.

        Args:
            x: inputs; see `fit`.
            batch_size: the number of examples at a time; 32 if None.
            verbose: 0 prints nothing, 1 a progress bar.
            steps: the number of batches of a Dataset or generator.
            callbacks: a list of Callbacks.
            max_queue_size: how many batches of a generator are made ahead.
            workers: the number of threads that make batches of a Sequence; 0 for none.
            use_multiprocessing: whether processes make the batches of a Sequence, not threads.

        Returns:
            An array, or a list with one for each output.
        """
        if data.is_dataset(x) or data.is_stream(x):
            settings = _Settings(
                workers=workers, max_queue_size=max_queue_size, processes=use_multiprocessing
            )
            source = self._stream(x, steps, "predict", settings)
        else:
            arrays = self._arrays(x, training=False)
            source = self._array_source(arrays, batch_size, steps, "steps")
        return self._evaluate(source, callbacks, verbose, "predict")

    def train_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        reset_metrics: bool = True,
    ) -> Any:
        """Takes one step of training.

        Args:
            x: inputs.
            y: targets.
            sample_weight: the weights of the examples.
            class_weight: {class: weight}.
            reset_metrics: whether metrics are those of this batch alone.

        Returns:
            The loss, or a list with the loss and the metrics.
        """
        batch = self._one_batch(x, y, sample_weight)
        results = self._run("train", *self._arrays(*batch, class_weight))
        if reset_metrics:
            self.reset_metrics()
        return _single(results)

    def test_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, reset_metrics: bool = True
    ) -> Any:
        """Computes loss and metrics of one batch; see `train_on_batch`.

        Args:
            x: inputs.
            y: targets.
            sample_weight: the weights of the examples.
            reset_metrics: whether metrics are those of this batch alone.

        Returns:
            The loss, or a list with the loss and the metrics.
        """
        batch = self._one_batch(x, y, sample_weight)
        results = self._run("test", *self._arrays(*batch))
        if reset_metrics:
            self.reset_metrics()
        return _single(results)

    def predict_on_batch(self, x: Any) -> Any:
        """Computes the outputs of one batch.

        Args:
            x: inputs.

        Returns:
            An array, or a list with one for each output.
        """
        x, _, _ = self._one_batch(x)
        return _single(self._run("predict", self._arrays(x, training=False)[0]))

    @staticmethod
    def _one_batch(x: Any, y: Any = None, weight: Any = None) -> tuple[Any, Any, Any]:
        """One batch of a dataset as tensors, or the arrays that are given."""
        return data.next_tensors(x) if data.is_dataset(x) else (x, y, weight)

    def fit_generator(
        self,
        generator: Any,
        steps_per_epoch: int | None = None,
        epochs: int = 1,
        verbose: int = 1,
        callbacks: Any = None,
        validation_data: Any = None,
        validation_steps: int | None = None,
        validation_freq: Any = 1,
        class_weight: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        shuffle: bool = True,
        initial_epoch: int = 0,
    ) -> Any:
        """`fit` with a generator of (x, y) or (x, y, weights).

        Args:
            generator: the generator, or a Sequence.
            steps_per_epoch: the number of batches of an epoch.
            epochs: the number of epochs.
            verbose: see `fit`.
            callbacks: see `fit`.
            validation_data: see `fit`; a generator too.
            validation_steps: see `fit`.
            validation_freq: see `fit`.
            class_weight: see `fit`.
            max_queue_size: how many batches of a generator are made ahead.
            workers: the number of threads that make batches of a Sequence; 0 for none.
            use_multiprocessing: whether processes make the batches of a Sequence, not threads.
            shuffle: whether the batches of a Sequence come in a new order in each epoch.
            initial_epoch: see `fit`.

        Returns:
            A History.
        """
        settings = _Settings(
            epochs,
            verbose,
            callbacks,
            initial_epoch,
            class_weight,
            workers,
            max_queue_size,
            use_multiprocessing,
        )
        source = self._stream(generator, steps_per_epoch, "train", settings, shuffle=shuffle)
        validation = loops.Validation(
            None, validation_freq, with_bar=not data.is_dataset(generator)
        )
        if validation_data is not None:
            validation.source = self._validation_source(
                validation_data, None, validation_steps, settings
            )
        return self._fit(source, validation, settings)

    def evaluate_generator(
        self,
        generator: Any,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        verbose: int = 0,
    ) -> Any:
        """`evaluate` with a generator.

        Args:
            generator: the generator, or a Sequence.
            steps: the number of batches.
            callbacks: see `fit`.
            max_queue_size: how many batches of a generator are made ahead.
            workers: the number of threads that make batches of a Sequence; 0 for none.
            use_multiprocessing: whether processes make the batches of a Sequence, not threads.
            verbose: see `evaluate`.

        Returns:
            The loss, or a list with the loss and the metrics.
        """
        settings = _Settings(
            workers=workers, max_queue_size=max_queue_size, processes=use_multiprocessing
        )
        source = self._stream(generator, steps, "test", settings)
        return self._evaluate(source, callbacks, verbose, "test")

    def predict_generator(
        self,
        generator: Any,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        verbose: int = 0,
    ) -> Any:
        """`predict` with a generator.

        Args:
            generator: the generator, or a Sequence.
            steps: the number of batches.
            callbacks: see `fit`.
            max_queue_size: how many batches of a generator are made ahead.
            workers: the number of threads that make batches of a Sequence; 0 for none.
            use_multiprocessing: whether processes make the batches of a Sequence, not threads.
            verbose: see `predict`.

        Returns:
            An array, or a list with one for each output.
        """
        settings = _Settings(
            workers=workers, max_queue_size=max_queue_size, processes=use_multiprocessing
        )
        source = self._stream(generator, steps, "predict", settings)
        return self._evaluate(source, callbacks, verbose, "predict")

    def save(
        self,
        filepath: str,
        overwrite: bool = True,
        include_optimizer: bool = True,
        save_format: str | None = None,
        signatures: Any = None,
    ) -> None:
        """Saves configuration, values and optimizer.

        Args:
            filepath: an HDF5 file, or the folder of a SavedModel.
            overwrite: whether what exists is replaced without asking.
            include_optimizer: whether the state of the optimizer is saved.
            save_format: "h5" or "tf"; "h5" if None.
            signatures: those of `tf.saved_model.save`, for SavedModels.
        """
        saving.save_model(self, filepath, overwrite, include_optimizer, save_format, signatures)

    @property
    def run_eagerly(self) -> bool:
        """Whether layers run as Python code, which graphs cannot do: False."""
        return False

    @run_eagerly.setter
    def run_eagerly(self, value: bool) -> None:
        if value:
            raise ValueError(
                "You can only set `run_eagerly` to True if eager execution is enabled."
            )

    @property
    def _object_identifier(self) -> str:
        return "_tf_keras_model"

    @property
    def _tracking_metadata(self) -> str:
        """What SavedModels tell about a model: its configuration, and how it was compiled."""
        has_config = self._is_graph_network or hasattr(self, "add")
        shown = node_config.model_config(self) if has_config else {}
        metadata: dict[str, Any] = {
            "class_name": type(self).__name__,
            "name": self.name,
            "trainable": self.trainable,
            "expects_training_arg": self._call_takes("training"),
            "dtype": self.dtype,
            "batch_input_shape": None,
            **({"config": shown["config"]} if shown else {}),
            "input_spec": None,
            "activity_regularizer": None,
            "keras_version": KERAS_VERSION,
            "backend": "tensorflow",
            "model_config": {
                "class_name": type(self).__name__,
                **({"config": shown["config"]} if shown else {}),
            },
        }
        if self.optimizer is not None and not isinstance(self.optimizer, TFOptimizer):
            metadata["training_config"] = saving.training_config(self)
        return to_text(metadata).decode()


def _single(results: Sequence[Any]) -> Any:
    return results[0] if len(results) == 1 else list(results)


@contextlib.contextmanager
def _closing(*sources: Source | None) -> Iterator[None]:
    try:
        yield
    finally:
        for source in sources:
            if source is not None:
                source.close()


def _split(arrays: _Arrays, part: float) -> tuple[_Arrays, _Arrays]:
    """The examples to train on, and those at the end for validation.

    Raises:
        ValueError: if there are tensors.
    """
    if any(isinstance(x, Tensor) for each in arrays for x in each):
        raise ValueError(
            "`validation_split` argument is not supported when data tensors are used as input."
        )
    cut = int(len(arrays[0][0]) * (1.0 - part))
    first, rest = (
        tuple([w if w is None else w[at] for w in each] for each in arrays)
        for at in (slice(None, cut), slice(cut, None))
    )
    return cast(_Arrays, first), cast(_Arrays, rest)


def _check_no_arrays(
    x: Any,
    y: Any = None,
    sample_weight: Any = None,
    batch_size: int | None = None,
    validation_split: float = 0.0,
) -> None:
    """Refuses arguments that do not go with a dataset or a generator."""
    dataset = data.is_dataset(x)
    if batch_size is not None and dataset:
        raise ValueError(
            "The `batch_size` argument must not be specified for the given input type. Received "
            f"input: {x}, batch_size: {batch_size}"
        )
    if y is not None:
        raise ValueError(
            f"You passed a dataset or dataset iterator ({x}) as input `x` to your model. In that "
            "case, you should not specify a target (`y`) argument, since the dataset or dataset "
            f"iterator generates both input data and target data. Received: {y}"
            if dataset
            else "`y` argument is not supported when data isa generator or Sequence instance. "
            "Instead pass targets as the second element of the generator."
        )
    if sample_weight is not None:
        raise ValueError(
            "`sample_weight` argument is not supported when input `x` is a dataset or a dataset "
            "iterator. Instead, youcan provide sample_weight as the third element  of yourdataset, "
            f"i.e. (inputs, targets, sample_weight). Received: x={x}, sample_weight={sample_weight}"
            if dataset
            else "`sample_weight` argument is not supported when data isa generator or Sequence "
            "instance. Instead pass sample weights as the third element of the generator."
        )
    if validation_split and dataset:
        raise ValueError(
            "`validation_split` argument is not supported when input `x` is a dataset or a dataset "
            f"iterator. Received: x={x}, validation_split={validation_split:f}"
        )
