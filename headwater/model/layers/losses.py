"""What a layer adds to training: losses, updates and metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import nest
from headwater.base.typing import NestedTensors, Regularizer, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, name_scope, shape_tensor
from headwater.model.layers.node import call_context
from headwater.model.layers.reachable import reachable
from headwater.model.layers.resolvers import resolver


class LayerLosses:
    """The losses, updates and metrics of a layer and of the layers inside of it."""

    trainable: bool
    stateful: bool
    _activity_regularizer: Any
    _losses: list[Any]
    _callable_losses: list[Callable[[], Any]]
    _unconditional: set[int]
    _updates: list[Any]
    _inbound_nodes: list[Any]
    # The inputs of calls inside of other layers, if they are tensors of a model.
    _inner_inputs: list[Any]
    _metrics: list[Any]
    _inner_layers: Callable[[], list[Any]]
    _gathered: Callable[[str], list[Any]]

    @property
    def activity_regularizer(self) -> Regularizer | None:
        """A function from the output to a loss, or None."""
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer: Regularizer) -> None:
        self._activity_regularizer = regularizer

    @property
    def losses(self) -> list[Any]:
        """The losses that were added, and those of variables."""
        made = [loss() for loss in self._callable_losses]
        made = [loss for loss in made if loss is not None]
        self._unconditional.update(map(id, made))
        return self._losses + made + self._gathered("losses")

    @property
    def updates(self) -> list[Any]:
        """The updates that were added; none if the layer is not trainable."""
        if not self.trainable and not self.stateful:
            return []
        return self._updates + self._gathered("updates")

    @property
    def metrics(self) -> list[Any]:
        """The metrics that were added."""
        return self._added_metrics

    @property
    def _added_metrics(self) -> list[Any]:
        """The metrics that were added here and inside, without those that models inside compute."""
        return self._metrics + self._gathered("_added_metrics")

    def add_loss(self, losses: Any, inputs: TensorLike | bool | None = None) -> None:
        """Adds losses.

        Args:
            losses: a tensor, a function without arguments that makes one, or a list of them.
            inputs: what the losses depend on; None if on no input.
        """
        for loss in nest.flatten(losses):
            if callable(loss):
                self._callable_losses.append(loss)
                continue
            if loss is None:
                continue
            loss = convert_to_tensor(loss)
            self._losses.append(loss)
            if inputs is None:
                self._unconditional.add(id(loss))

    def add_update(self, updates: Any, inputs: TensorLike | bool | None = None) -> None:
        """Adds ops that are to run with every training step.

        Args:
            updates: an op, a function without arguments that makes one, or a list of them.
            inputs: not used; the graph shows whether they depend on the inputs of the call.
        """
        updates = updates if isinstance(updates, (list, tuple)) else [updates]
        for update in updates:
            made = update() if callable(update) else update
            op = getattr(made, "op", made)
            if op is not None:
                self._updates.append(op)
                if op not in reachable(self._inputs_of_updates()):
                    self._unconditional.add(id(op))

    def _inputs_of_updates(self) -> list[Any]:
        """The inputs of the call that is under way, or else of all calls on tensors of models."""
        if call_context.layers:
            return nest.flatten(call_context.inputs[-1])
        of_models = [node.input_tensors for node in self._inbound_nodes]
        return nest.flatten([of_models, self._inner_inputs])

    def add_metric(
        self, value: TensorLike, aggregation: str | None = None, name: Any = None
    ) -> None:
        """Adds a metric of the outputs.

        Args:
            value: a tensor, or the result of a Metric.
            aggregation: "mean" for the mean over batches; None if `value` is a metric's result.
            name: the name of the metric.

        Raises:
            ValueError: if the aggregation is unknown or the name is missing.
        """
        if aggregation is not None and aggregation != "mean":
            raise ValueError(
                "We currently support only `mean` sample-wise metric aggregation. You provided "
                f"aggregation=`{aggregation}`"
            )
        metric = getattr(value, "_metric_obj", None)
        if aggregation is None and metric is None:
            raise ValueError(
                "Using the result of calling a `Metric` object when calling `add_metric` requires "
                "the `aggregation` argument to be `None`."
                if hasattr(value, "_metric_obj")
                else "When passing a tensor to `add_metric`, specify the aggregation type as "
                "`mean`."
            )
        if metric is None:
            if name is None:
                raise ValueError(
                    "Please provide a name for your metric like "
                    "`self.add_metric(tf.reduce_sum(inputs), name='mean_activation', "
                    "aggregation='mean')`"
                )
            metric = next((m for m in self._metrics if m.name == name), None)
            if metric is None:
                metric = resolver("mean_metric")(name)
            metric(value)
        if not any(m is metric for m in self._metrics):
            self._metrics.append(metric)

    def _related(self, items: list[Any], inputs: TensorLike | None, op_of: Any) -> list[Any]:
        if inputs is None:
            return [item for item in items if id(item) in self._all_unconditional()]
        reached = reachable(nest.flatten(inputs))
        rest = [item for item in items if id(item) not in self._all_unconditional()]
        return [item for item in rest if op_of(item) in reached]

    def _all_unconditional(self) -> set[int]:
        return self._unconditional.union(*(x._all_unconditional() for x in self._inner_layers()))

    def get_losses_for(self, inputs: TensorLike | None) -> list[Any]:
        """The losses that depend on given inputs.

        Args:
            inputs: a tensor or a list of tensors; None asks for losses that depend on no input.

        Returns:
            A list of tensors.
        """
        return self._related(self.losses, inputs, lambda loss: loss.op)

    def get_updates_for(self, inputs: TensorLike | None) -> list[Any]:
        """The updates that depend on given inputs.

        Args:
            inputs: a tensor or a list of tensors; None asks for updates that depend on no input.

        Returns:
            A list of ops.
        """
        return self._related(self.updates, inputs, lambda op: op)

    def _regularize_activity(self, outputs: NestedTensors, inputs: NestedTensors) -> None:
        regularizer: Any = self._activity_regularizer
        with name_scope("ActivityRegularizer"):
            for output in nest.flatten(outputs):
                loss: Tensor = regularizer(output)
                shape: Tensor = shape_tensor(output)
                batch_size = build.Cast(shape[0], DstT=loss.dtype.base_dtype)
                self.add_loss(loss / batch_size, inputs=inputs)
