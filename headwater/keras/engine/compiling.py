"""Compiled models: optimizer, losses and metrics of the outputs, and what a step computes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from headwater.graph import build, convert_to_tensor, group, name_scope, replication
from headwater.keras.backend.graph_state import get_session
from headwater.keras.backend.settings import floatx
from headwater.keras.engine.endpoints import Endpoint, by_output, metrics_by_output
from headwater.keras.engine.network import Network
from headwater.keras.engine.towers import Towers
from headwater.keras.engine.workers import Workers, workers_of
from headwater.keras.metrics.base import Mean
from headwater.keras.optimizers import lookup as optimizers
from headwater.model.trackable.base import no_automatic_dependency_tracking
from headwater.ops.array.constant import placeholder_with_default
from headwater.ops.math.cast import cast


class CompiledModel(Network):
    """A network with an optimizer, losses and metrics."""

    @no_automatic_dependency_tracking
    def _init_empty(self, *args: Any, **kwargs: Any) -> None:
        super()._init_empty(*args, **kwargs)
        self.loss: Any = None
        self.stop_training = False
        self.history: Any = None
        self._compile_arguments: dict[str, Any] | None = None
        self._endpoints: list[Endpoint] = []
        self._distribution_strategy: Any = None
        self._towers: Towers | None = None
        self._workers: Workers | None = None
        self._total_loss: Any = None
        # What a step reports: the loss of the batches of all workers.
        self._reported_loss: Any = None
        # The results of the metrics without weights, for each output.
        self._plain_results: list[list[Any]] = []
        self._functions: dict[str, Any] = {}
        # {mode: (tensor, function)}: what callbacks want to see of each step.
        self._extra_fetches: dict[str, tuple[Any, Any]] = {}
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
        mode = replication.replicating()
        crossing = mode is not None and mode.replica_context is None
        self._distribution_strategy = mode.strategy if mode is not None and crossing else None
        self._workers = workers_of(self._distribution_strategy)
        several = isinstance(optimizer, (list, tuple))
        self.optimizer = (
            [optimizers.get(each) for each in optimizer] if several else optimizers.get(optimizer)
        )
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
            try:
                self._compile_outputs()
            except Exception:
                self._compile_arguments = None
                raise

    @no_automatic_dependency_tracking
    def _compile_outputs(self) -> None:
        with self._in_strategy():
            self._make_endpoints()

    def _in_strategy(self) -> Any:
        """The scope of the strategy that the model was compiled in."""
        strategy = self._distribution_strategy
        return nullcontext() if strategy is None else strategy.scope()

    def _make_endpoints(self) -> None:
        arguments = self._compile_arguments or {}
        names = self.output_names
        losses = by_output(arguments["loss"], names, "loss")
        weights = self._loss_weights(arguments["loss_weights"], names)
        given = arguments["target_tensors"]
        targets = (
            [None] * len(names) if given is None else by_output(given, names, "target_tensors")
        )
        outputs = list(self.outputs)
        strategy = self._distribution_strategy
        self._towers = None
        if strategy is not None and strategy.num_replicas_in_sync > 1:
            self._towers = Towers(self, strategy)
            outputs = self._towers.outputs
        self._endpoints = [
            Endpoint(*each) for each in zip(outputs, names, losses, weights, targets)
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
        with name_scope("metrics"):
            self._plain_results = [endpoint.metric_tensors() for endpoint in self._endpoints]
        self._make_total_loss()
        self._made_trainable = list(self.trainable_weights)

    @staticmethod
    def _loss_weights(given: Any, names: Sequence[str]) -> list[float]:
        if given is not None and not isinstance(given, (dict, list, tuple)):
            raise TypeError(
                f"Could not interpret loss_weights argument: {given} - expected a list of dicts."
            )
        found = by_output(given, names, "loss_weights", "output")
        return [1.0 if weight is None else weight for weight in found]

    def _make_total_loss(self) -> None:
        total: Any = None
        with name_scope("metrics"):
            weighted_results = [e.weighted_metric_tensors() for e in self._endpoints]
        pairs = zip(self._plain_results, weighted_results)
        metric_tensors = [x for plain, weighted in pairs for x in (*plain, *weighted)]
        loss_tensors = []
        with name_scope("loss"):
            share = None
            if self._workers is not None:
                share = self._workers.share_of_batch(self._endpoints[0].output)
            for endpoint in self._endpoints:
                if endpoint.loss is None:
                    continue
                loss = endpoint.loss_tensor()
                if endpoint.loss_metric is not None:
                    loss_tensors.append(endpoint.loss_metric(loss, sample_weight=share))
                weighted = endpoint.weight * loss
                if share is not None and not endpoint.adds_losses:
                    weighted = weighted * cast(share, weighted.dtype)
                total = weighted if total is None else total + weighted
            losses = self.losses if self._towers is None else self._towers.losses()
            if losses:
                extra = build.AddN([convert_to_tensor(loss) for loss in losses])
                extra = extra if share is None else extra * cast(share, extra.dtype)
                total = extra if total is None else total + extra
            if total is None:
                raise ValueError("The model cannot be compiled because it has no loss to optimize.")
            self._total_loss = self._reported_loss = total
            if self._workers is not None:
                (self._reported_loss,) = self._workers.sums([total])
        of_layers = [_value(metric) for metric in self._added_metrics]
        self._metric_tensors = [*loss_tensors, *metric_tensors, *of_layers]

    @property
    def total_loss(self) -> Any:
        """The tensor that is minimized: with several workers, the share of this one in the loss."""
        return self._total_loss

    @property
    def metrics(self) -> list[Any]:
        """The metric objects: those of `compile`, then those that layers have added."""
        named = [m for e in self._endpoints for _, m in e.metrics + e.weighted_metrics]
        return named + self._added_metrics

    def _all_metrics(self) -> list[Any]:
        return [e.loss_metric for e in self._endpoints if e.loss_metric is not None] + self.metrics

    @property
    def metrics_names(self) -> list[str]:
        """The names of what `evaluate` returns."""
        names = ["loss"]
        names += [e.loss_metric.name for e in self._endpoints if e.loss_metric is not None]
        names += [n for e in self._endpoints for n, _ in e.metrics + e.weighted_metrics]
        return names + [metric.name for metric in self._added_metrics]

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

    def _use_weights(self, given: Sequence[Any] | None = None) -> None:
        """Makes placeholders for the weights of examples; the loss is made anew.

        Args:
            given: tensors of weights instead of the placeholders, one for each output.
        """
        if self._uses_weights:
            return
        self._uses_weights = True
        temporal = by_output(self.sample_weight_mode, self.output_names, "sample_weight_mode")
        for i, (endpoint, mode) in enumerate(zip(self._endpoints, temporal)):
            if given is not None:
                endpoint.sample_weight = given[i]
                continue
            ndim = 2 if mode == "temporal" else 1
            endpoint.sample_weight = placeholder_with_default(
                np.ones([1] * ndim, floatx()),
                [None] * ndim,
                name=f"{endpoint.name}_sample_weights",
            )
        for endpoint in self._endpoints:
            # Metrics are called anew, with weights: their updates without weights are dropped.
            for metric in endpoint.weighted_metric_objects():
                metric._updates.clear()
        with self._in_strategy():
            self._make_total_loss()
        self._functions = {}

    def _fetches(self, mode: str) -> Any:
        """What a step computes.

        Args:
            mode: "train", "test" or "predict".
        """
        if mode not in self._functions:
            with self._in_strategy():
                self._make_function(mode)
        return self._functions[mode]

    def _make_function(self, mode: str) -> None:
        """Makes what a step of a mode computes."""
        if mode == "predict":
            with name_scope("predict"):
                outputs = self.outputs
                if self._workers is not None and self._towers is not None:
                    # They read what is of this worker alone.
                    outputs = self._towers.outputs
                self._functions[mode] = (list(outputs), group(*self.state_updates))
        else:
            results = [self._reported_loss, *self._metric_tensors]
            updates: list[Any] = self.state_updates
            metric_updates = [u for m in self._all_metrics() for u in getattr(m, "updates", [])]
            if mode == "train":
                with name_scope("training"):
                    updates = self._optimizer_updates()
                own = self.updates if self._towers is None else self._towers.updates()
                updates = [*updates, *own]
            with name_scope("training" if mode == "train" else "evaluation"):
                self._functions[mode] = (results, group(*updates, *metric_updates))

    def _end_training_epoch(self) -> None:
        """Makes the averages of batches those of all workers, for validation and checkpoints."""
        if self._workers is None:
            return
        if "averages" not in self._functions:
            with self._in_strategy(), name_scope("averages"):
                self._functions["averages"] = self._workers.shared_averages(self.weights)
        get_session().run(self._functions["averages"])

    def _optimizer_updates(self) -> list[Any]:
        """The step of the optimizer."""
        updates: list[Any] = self.optimizer.get_updates(
            params=self._made_trainable, loss=self._total_loss
        )
        return updates


def _value(metric: Any) -> Any:
    """The value of a metric after the update that a layer has made."""
    called = getattr(metric, "_call_result", None)
    return metric.result() if called is None else called
