"""`tf.keras.Model`: a network that is compiled, trained and evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base import nest
from headwater.graph import build, convert_to_tensor, export, group, name_scope
from headwater.keras.backend.graph_state import get_session, learning_phase
from headwater.keras.backend.tensors import placeholder
from headwater.keras.engine import data, loops, saving
from headwater.keras.engine.endpoints import (
    Endpoint,
    by_output,
    flat_weights,
    metrics_by_output,
)
from headwater.keras.engine.network import Network
from headwater.keras.metrics.base import Mean
from headwater.keras.optimizers import lookup as optimizers
from headwater.model.trackable.base import no_automatic_dependency_tracking


@export("keras.Model", "keras.models.Model")
class Model(Network):
    """Layers that are trained together.

    `Model(inputs, outputs)` has the layers between tensors; a subclass makes layers in its
    constructor and overrides `call`.

    Args:
        inputs: an Input, or a structure of them.
        outputs: what layers have made of the inputs.
        name: the name.
    """

    @no_automatic_dependency_tracking
    def _init_empty(self, *args: Any, **kwargs: Any) -> None:
        super()._init_empty(*args, **kwargs)
        self.loss: Any = None
        self.stop_training = False
        self.history: Any = None
        self._compile_arguments: dict[str, Any] | None = None
        self._endpoints: list[Endpoint] = []
        self._total_loss: Any = None
        self._functions: dict[str, Any] = {}
        self._made_trainable: list[Any] = []

    # Compiling

    @no_automatic_dependency_tracking
    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        metrics: Any = None,
        loss_weights: Any = None,
        sample_weight_mode: Any = None,
        weighted_metrics: Any = None,
        target_tensors: Any = None,
        distribute: Any = None,
        **kwargs: Any,
    ) -> None:
        """Prepares the model for training.

        Args:
            optimizer: an optimizer, or its name.
            loss: a loss, its name, or a list or dict with one for each output.
            metrics: a list of metrics, or such lists by output.
            loss_weights: factors of the losses of several outputs.
            sample_weight_mode: "temporal" for weights by time step.
            weighted_metrics: metrics that use the weights of examples.
            target_tensors: tensors that give the targets instead of data.
            distribute: not supported in this way by TensorFlow 1.15 either.
            **kwargs: arguments of Session.run: `options`, `run_metadata`.

        Raises:
            ValueError: if arguments do not fit the outputs of the model.
        """
        self.optimizer = optimizers.get(optimizer)
        self.loss = loss or {}
        self.loss_weights = loss_weights
        self.sample_weight_mode = sample_weight_mode
        self._compile_metrics = metrics
        self._compile_arguments = {
            "loss": loss,
            "metrics": metrics,
            "loss_weights": loss_weights,
            "weighted_metrics": weighted_metrics,
            "target_tensors": target_tensors,
        }
        self._run_arguments = {k: v for k, v in kwargs.items() if k in ("options", "run_metadata")}
        self._endpoints = []
        self._functions = {}
        self._total_loss = None
        self._uses_weights = False
        if self.optimizer is not None and hasattr(self.optimizer, "_track_trackable"):
            self._track_trackable(self.optimizer, "optimizer", overwrite=True)
        if self.outputs:
            self._compile_outputs()

    @no_automatic_dependency_tracking
    def _compile_outputs(self) -> None:
        arguments = self._compile_arguments or {}
        names = self.output_names
        losses = by_output(arguments["loss"], names, "loss")
        weights = by_output(arguments["loss_weights"], names, "loss_weights")
        if isinstance(arguments["loss_weights"], dict) or arguments["loss_weights"] is None:
            weights = [1.0 if w is None else w for w in weights]
        given = arguments["target_tensors"]
        targets = (
            [None] * len(names) if given is None else by_output(given, names, "target_tensors")
        )
        self._endpoints = [
            Endpoint(*each) for each in zip(self.outputs, names, losses, weights, targets)
        ]
        plain = metrics_by_output(arguments["metrics"], names)
        weighted = metrics_by_output(arguments["weighted_metrics"], names)
        for endpoint, own, of_weights in zip(self._endpoints, plain, weighted):
            if endpoint.target is None:
                continue
            several = len(names) > 1
            for kept, asked in ((endpoint.metrics, own), (endpoint.weighted_metrics, of_weights)):
                for metric in asked:
                    name, made = endpoint.resolve_metric(metric, asked is of_weights)
                    kept.append((f"{endpoint.name}_{name}" if several else name, made))
            if several and endpoint.loss is not None:
                endpoint.loss_metric = Mean(name=f"{endpoint.name}_loss")
        self._make_total_loss()
        self._made_trainable = list(self.trainable_weights)

    def _make_total_loss(self) -> None:
        total: Any = None
        self._metric_tensors: list[Any] = []
        own_losses = []
        with name_scope("loss"):
            for endpoint in self._endpoints:
                if endpoint.loss is None:
                    continue
                loss = endpoint.loss_tensor()
                own_losses.append((endpoint, loss))
                weighted = endpoint.weight * loss
                total = weighted if total is None else total + weighted
            added = self.losses
            if added:
                extra = build.AddN([convert_to_tensor(loss) for loss in added])
                total = extra if total is None else total + extra
        if total is None and self._endpoints and any(e.loss for e in self._endpoints):
            raise ValueError("The model cannot be compiled because it has no loss to optimize.")
        self._total_loss = total
        for endpoint, loss in own_losses:
            if endpoint.loss_metric is not None:
                self._metric_tensors.append(endpoint.loss_metric(loss))
        for endpoint in self._endpoints:
            self._metric_tensors.extend(endpoint.metric_tensors())
        self._metric_tensors.extend(metric.result() for metric in super().metrics)

    @property
    def total_loss(self) -> Any:
        """The tensor that is minimized."""
        return self._total_loss

    @property
    def metrics(self) -> list[Any]:
        """The metric objects: those of `compile`, then those that layers have added."""
        named = [m for e in self._endpoints for _, m in e.metrics + e.weighted_metrics]
        return named + super().metrics

    def _all_metrics(self) -> list[Any]:
        return [e.loss_metric for e in self._endpoints if e.loss_metric is not None] + self.metrics

    @property
    def metrics_names(self) -> list[str]:
        """The names of what `evaluate` returns."""
        names = ["loss"]
        names += [e.loss_metric.name for e in self._endpoints if e.loss_metric is not None]
        names += [n for e in self._endpoints for n, _ in e.metrics + e.weighted_metrics]
        return names + [metric.name for metric in super().metrics]

    def reset_metrics(self) -> None:
        """Sets the states of the metrics back."""
        for metric in self._all_metrics():
            metric.reset_states()

    @property
    def sample_weights(self) -> list[Any]:
        """The placeholders of the weights of examples."""
        return [endpoint.sample_weight for endpoint in self._endpoints]

    @property
    def targets(self) -> list[Any]:
        """The targets of the outputs."""
        return [e.target for e in self._endpoints if e.target is not None]

    # Functions

    def _use_weights(self) -> None:
        """Makes placeholders for the weights of examples; the loss is made anew."""
        if self._uses_weights:
            return
        self._uses_weights = True
        temporal = by_output(self.sample_weight_mode, self.output_names, "sample_weight_mode")
        for endpoint, mode in zip(self._endpoints, temporal):
            endpoint.sample_weight = placeholder(
                ndim=2 if mode == "temporal" else 1, name=f"{endpoint.name}_sample_weights"
            )
        for endpoint in self._endpoints:
            # Metrics are called anew, with weights: their updates without weights are dropped.
            for metric in endpoint.metric_objects():
                metric._updates.clear()
        self._make_total_loss()
        self._functions = {}

    def _fetches(self, mode: str) -> Any:
        """What a step computes.

        Args:
            mode: "train", "test" or "predict".
        """
        if mode not in self._functions:
            if mode == "predict":
                self._functions[mode] = (list(self.outputs), group(*self.state_updates))
            else:
                results = [self._total_loss, *self._metric_tensors]
                updates = self.state_updates
                metric_updates = [u for m in self._all_metrics() for u in getattr(m, "updates", [])]
                if mode == "train":
                    with name_scope("training"), name_scope(type(self.optimizer).__name__):
                        updates = self.optimizer.get_updates(
                            params=self._made_trainable, loss=self._total_loss
                        )
                    updates = [*updates, *self.updates]
                self._functions[mode] = (results, group(*updates, *metric_updates))
        return self._functions[mode]

    def _run(
        self, mode: str, inputs: Sequence[Any], targets: Sequence[Any] = (), weights: Any = ()
    ) -> list[Any]:
        """Runs one step with arrays."""
        fetches = self._fetches(mode)
        feed = dict(zip(self.inputs, inputs))
        feed = {k: _dense(v) for k, v in feed.items() if k.op.type.startswith("Placeholder")}
        fed = [endpoint.target for endpoint in self._endpoints if endpoint.is_fed]
        feed.update(zip(fed, targets))
        if self._uses_weights_now() and mode != "predict":
            size = len(inputs[0])
            for i, endpoint in enumerate(self._endpoints):
                given = weights[i] if i < len(weights) else None
                shape = (size,) if endpoint.sample_weight.shape.ndims == 1 else targets[i].shape[:2]
                feed[endpoint.sample_weight] = np.ones(shape) if given is None else given
        phase = learning_phase()
        if not isinstance(phase, int) and mode == "train":
            feed[phase] = True
        session = get_session(self.inputs)
        results: list[Any] = session.run(fetches, feed, **self.__dict__.get("_run_arguments", {}))[
            0
        ]
        return results

    def _uses_weights_now(self) -> bool:
        return bool(self.__dict__.get("_uses_weights"))

    # Data

    @no_automatic_dependency_tracking
    def _set_inputs(self, inputs: Any, outputs: Any = None) -> None:
        """Makes placeholders like the data for a model of a subclass, and calls it."""
        if self.inputs:
            return
        made = nest.map_structure(_placeholder_like, inputs) if outputs is None else inputs
        if outputs is None:
            flat = nest.flatten(made)
            self.input_names = [f"input_{i + 1}" for i in range(len(flat))]
            outputs = self(made)
        else:
            self.input_names = [f"input_{i + 1}" for i in range(len(nest.flatten(made)))]
        self.inputs = nest.flatten(made)
        self.outputs = nest.flatten(outputs)
        self.output_names = [f"output_{i + 1}" for i in range(len(self.outputs))]
        self.built = True

    def _arrays(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        training: bool = True,
    ) -> tuple[list[Any], list[Any], list[Any]]:
        """Inputs, targets and weights as lists of arrays, checked."""
        if not self.inputs:
            shown = list(x) if isinstance(x, tuple) else x
            if isinstance(shown, list) and shown and not hasattr(shown[0], "shape"):
                shown = np.asarray(shown)
            self._set_inputs(shown)
        if training and self._compile_arguments is None:
            raise RuntimeError(
                "You must compile your model before training/testing. Use `model.compile(optimizer,"
                " loss)`."
            )
        if self._compile_arguments is not None and not self._endpoints:
            self._compile_outputs()
        inputs = data.as_arrays(x, self.input_names, "input")
        data.check_shapes(inputs, self.input_names, [_dims(i) for i in self.inputs], "input")
        if not training:
            return inputs, [], []
        fed = [endpoint for endpoint in self._endpoints if endpoint.is_fed]
        names = [endpoint.name for endpoint in fed]
        if y is None and fed:
            targets: list[Any] = []
        else:
            targets = data.as_arrays(y, names, "target")
        data.check_shapes(targets, names, [e.target_shape for e in fed], "target")
        weights = self._weights(targets, sample_weight, class_weight)
        data.check_lengths(inputs, targets, [w for w in weights if w is not None])
        return inputs, targets, weights

    def _weights(self, targets: list[Any], sample_weight: Any, class_weight: Any) -> list[Any]:
        if sample_weight is None and class_weight is None:
            return []
        self._use_weights()
        names = self.output_names
        if isinstance(sample_weight, dict):
            found = [sample_weight.get(name) for name in names]
        else:
            found = flat_weights(sample_weight) or [None] * len(names)
        found = [None if w is None else np.asarray(w) for w in found]
        if class_weight is not None:
            many = isinstance(class_weight, dict) and set(class_weight) <= set(names)
            for i, target in enumerate(targets):
                of_classes = class_weight.get(names[i]) if many else class_weight
                if of_classes is None:
                    continue
                factors = _class_factors(target, of_classes)
                found[i] = factors if found[i] is None else found[i] * factors
        return found

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
            max_queue_size: has no effect.
            workers: has no effect.
            use_multiprocessing: has no effect.
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
        settings = loops.FitSettings(
            epochs,
            verbose,
            callbacks,
            validation_data,
            shuffle,
            initial_epoch,
            steps_per_epoch,
            validation_steps,
            validation_freq,
            class_weight,
        )
        if data.is_dataset(x) or data.is_stream(x):
            return loops.fit_stream(self, x, settings)
        return loops.fit_arrays(
            self, x, y, sample_weight, batch_size or 32, validation_split, settings
        )

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
            max_queue_size: has no effect.
            workers: has no effect.
            use_multiprocessing: has no effect.

        Returns:
            The loss, or a list with the loss and the metrics in the order of `metrics_names`.
        """
        if data.is_dataset(x) or data.is_stream(x):
            calls = loops.evaluation_callbacks(
                self, callbacks, verbose, self.metrics_names, steps=steps
            )
            return _single(loops.test_stream(self, x, steps, calls))
        inputs, targets, weights = self._arrays(x, y, sample_weight)
        calls = loops.evaluation_callbacks(
            self,
            callbacks,
            verbose,
            self.metrics_names,
            samples=len(inputs[0]),
            batch_size=batch_size or 32,
        )
        return _single(
            loops.test_arrays(self, inputs, targets, weights, batch_size or 32, steps, calls)
        )

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
            max_queue_size: has no effect.
            workers: has no effect.
            use_multiprocessing: has no effect.

        Returns:
            An array, or a list with one for each output.
        """
        if data.is_dataset(x) or data.is_stream(x):
            calls = loops.evaluation_callbacks(self, callbacks, verbose, [], steps=steps)
            return _single(loops.predict_stream(self, x, steps, calls))
        inputs, _, _ = self._arrays(x, training=False)
        calls = loops.evaluation_callbacks(
            self, callbacks, verbose, [], samples=len(inputs[0]), batch_size=batch_size or 32
        )
        return _single(loops.predict_arrays(self, inputs, batch_size or 32, steps, calls))

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
        results = self._run("train", *self._arrays(x, y, sample_weight, class_weight))
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
        results = self._run("test", *self._arrays(x, y, sample_weight))
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
        return _single(self._run("predict", self._arrays(x, training=False)[0]))

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
            max_queue_size: has no effect.
            workers: has no effect.
            use_multiprocessing: has no effect.
            shuffle: has no effect.
            initial_epoch: see `fit`.

        Returns:
            A History.
        """
        return loops.fit_stream(
            self,
            generator,
            loops.FitSettings(
                epochs,
                verbose,
                callbacks,
                validation_data,
                shuffle,
                initial_epoch,
                steps_per_epoch,
                validation_steps,
                validation_freq,
                class_weight,
            ),
        )

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
            max_queue_size: has no effect.
            workers: has no effect.
            use_multiprocessing: has no effect.
            verbose: see `evaluate`.

        Returns:
            The loss, or a list with the loss and the metrics.
        """
        calls = loops.evaluation_callbacks(
            self, callbacks, verbose, self.metrics_names, steps=steps
        )
        return _single(loops.test_stream(self, generator, steps, calls))

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
            max_queue_size: has no effect.
            workers: has no effect.
            use_multiprocessing: has no effect.
            verbose: see `predict`.

        Returns:
            An array, or a list with one for each output.
        """
        calls = loops.evaluation_callbacks(self, callbacks, verbose, [], steps=steps)
        return _single(loops.predict_stream(self, generator, steps, calls))

    def save(
        self,
        filepath: str,
        overwrite: bool = True,
        include_optimizer: bool = True,
        save_format: str | None = None,
        signatures: Any = None,
        options: Any = None,
    ) -> None:
        """Saves configuration, values and optimizer.

        Args:
            filepath: an HDF5 file.
            overwrite: whether an existing file is replaced without asking.
            include_optimizer: whether the state of the optimizer is saved.
            save_format: "h5".
            signatures: for SavedModels.
            options: for SavedModels.
        """
        saving.save_model(self, filepath, overwrite, include_optimizer, save_format)


def _single(results: Sequence[Any]) -> Any:
    return results[0] if len(results) == 1 else list(results)


def _dims(tensor: Any) -> tuple[int | None, ...] | None:
    return None if tensor.shape.ndims is None else tuple(tensor.shape.as_list())


def _dense(value: Any) -> Any:
    return value


def _placeholder_like(x: Any) -> Any:
    if hasattr(x, "op"):
        return x
    x = np.asarray(x)
    shape = (None, *x.shape[1:]) if x.ndim > 1 else (None, 1)
    dtype = "float32" if x.dtype == np.float64 else x.dtype.name
    return placeholder(shape=shape, dtype=dtype)


def _class_factors(target: Any, of_classes: dict[int, float]) -> Any:
    if target.ndim > 2:
        raise ValueError("`class_weight` not supported for 3+ dimensional targets.")
    classes = target.argmax(axis=1) if target.shape[1] > 1 else target.reshape(-1)
    found = np.asarray([of_classes[c] for c in classes if c in of_classes])
    if len(found) != len(classes):
        missing = set(classes) - set(of_classes)
        raise ValueError(
            f"`class_weight` must contain all classes in the data. The classes {missing} exist in "
            "the data but not in `class_weight`."
        )
    return found
