"""`Network`: layers that are used as one layer, connected by their calls or by a subclass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import NestedTensors, ShapeLike, TensorLike
from headwater.graph import Tensor, build
from headwater.keras.engine import node_config
from headwater.keras.engine.op_layers import AddLoss, AddMetric, make_history
from headwater.keras.engine.summary import print_summary
from headwater.keras.engine.topology import Topology
from headwater.keras.engine.weights_files import load_weights, save_weights
from headwater.model.layers.layer import Layer
from headwater.model.layers.names import snake_case, unique_object_name
from headwater.model.layers.node import Node, call_context, has_history
from headwater.model.layers.reachable import reachable
from headwater.model.layers.variables import unique
from headwater.model.trackable.base import TrackableReference, no_automatic_dependency_tracking
from headwater.model.trackable.layer_weights import (
    gather_non_trainable_weights,
    gather_trainable_weights,
)


class Network(Layer):
    """Layers that are used as one layer.

    `Network(inputs, outputs)` has the layers between them; a subclass makes its layers itself and
    overrides `call`.

    Args:
        inputs: an Input, or a structure of them.
        outputs: a tensor that layers have made of the inputs, or a structure of them.
        name: the name.
        trainable: whether optimizers change the variables.
    """

    # Missing as long as the outputs are unknown: libraries ask with `hasattr`.
    output_names: list[str]

    @no_automatic_dependency_tracking
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        functional = len(args) == 2 or (len(args) == 1 and "outputs" in kwargs)
        functional = functional or ("inputs" in kwargs and "outputs" in kwargs)
        if functional:
            named = dict(zip(("inputs", "outputs", "name"), args))
            self._init_graph(**named, **kwargs)
        else:
            self._init_empty(*args, **kwargs)

    def _init_empty(self, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self._is_graph_network = False
        self._topology: Topology | None = None
        self._inserted: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.input_names: list[str] = []
        self.optimizer: Any = None

    def _init_name(self, name: str | None) -> None:
        self._name = name or unique_object_name(snake_case(type(self).__name__), zero_based=True)

    def _init_graph(
        self, inputs: Any, outputs: Any, name: str | None = None, trainable: bool = True
    ) -> None:
        if isinstance(outputs, list) and len(outputs) == 1:
            outputs = outputs[0]
        if isinstance(inputs, list) and len(inputs) == 1:
            inputs = inputs[0]
        self._init_empty(name=name, trainable=trainable)
        self._set_graph(inputs, outputs)

    @no_automatic_dependency_tracking
    def _set_graph(self, inputs: Any, outputs: Any) -> None:
        self._check_inputs(nest.flatten(inputs), nest.flatten(outputs))
        self._nested_inputs, self._nested_outputs = inputs, outputs
        self.inputs, self.outputs = nest.flatten(inputs), nest.flatten(outputs)
        self._is_graph_network = True
        self._topology = Topology(self.inputs, self.outputs)
        self._layers = self._topology.layers
        self.input_names = [x._keras_history.layer.name for x in self.inputs]
        self.output_names = _output_names(self.outputs)
        self._input_layers = [x._keras_history.layer for x in self.inputs]
        # The model is a layer that has been called on its own inputs.
        if self._inbound_nodes and not self._inbound_nodes[0].inbound_layers:
            del self._inbound_nodes[0]
        Node(self, [], [], [], inputs, outputs)
        self._inbound_nodes.insert(0, self._inbound_nodes.pop())
        self.built = True

    @staticmethod
    def _check_inputs(inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        if len(set(map(id, inputs))) != len(inputs):
            raise ValueError(
                "The list of inputs passed to the model is redundant. All inputs should only "
                f"appear once. Found: {inputs}"
            )
        for tensor in inputs:
            if not hasattr(tensor, "_keras_history"):
                raise ValueError(
                    "Input tensors to a Model must come from `tf.keras.Input`. Received: "
                    f"{tensor} (missing previous layer metadata)."
                )
        if not has_history(outputs):
            from_ops = [x for x in outputs if not hasattr(x, "_keras_history")]
            make_history(from_ops)
        for tensor in outputs:
            if not hasattr(tensor, "_keras_history"):
                raise ValueError(
                    "Output tensors to a Model must be the output of a TensorFlow `Layer` (thus "
                    f"holding past layer metadata). Found: {tensor}"
                )

    # Layers and their variables

    @property
    def layers(self) -> list[Any]:
        """The layers."""
        return self._inner_layers()

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """Finds a layer.

        Args:
            name: its name.
            index: its index, which is used if both are given.

        Raises:
            ValueError: if there is no such layer.
        """
        if index is not None:
            if len(self.layers) <= index:
                raise ValueError(
                    f"Was asked to retrieve layer at index {index} but model only has "
                    f"{len(self.layers)} layers."
                )
            return self.layers[index]
        if not name:
            raise ValueError("Provide either a layer name or layer index.")
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(f"No such layer: {name}")

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that optimizers change, layer by layer, then those of the model itself."""
        found = gather_trainable_weights(self.trainable, self._layers, self._own_variables())
        return unique(found)

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables, layer by layer, then those of the model itself."""
        found = gather_non_trainable_weights(self.trainable, self._layers, self._own_variables())
        return unique(found)

    @property
    def weights(self) -> list[Any]:
        """The variables of all layers, layer by layer, then those of the model itself."""
        found = [w for layer in self._layers for w in layer.weights]
        return unique(found + self._own_variables())

    def _own_variables(self) -> list[Any]:
        return self._trainable_weights + self._non_trainable_weights

    @property
    def state_updates(self) -> list[Any]:
        """The updates of stateful layers."""
        return [
            op for layer in self.layers if getattr(layer, "stateful", False) for op in layer.updates
        ]

    @property
    def stateful(self) -> bool:
        """Whether a layer keeps state between batches."""
        return any(getattr(layer, "stateful", False) for layer in self.layers)

    @stateful.setter
    def stateful(self, value: bool) -> None:
        # The base class sets False.
        pass

    def reset_states(self) -> None:
        """Sets the states of stateful layers back."""
        for layer in self.layers:
            if hasattr(layer, "reset_states") and getattr(layer, "stateful", False):
                layer.reset_states()

    def _relevant(self, items: list[Any], op_of: Any) -> list[Any]:
        """Those that depend on the inputs of the model, or on no input."""
        tensors = list(self.inputs)
        for node in self._inbound_nodes:
            tensors.extend(nest.flatten(node.input_tensors))
        if not tensors:
            return items
        reached = reachable(tensors)
        free = self._all_unconditional()
        return [item for item in items if id(item) in free or op_of(item) in reached]

    @property
    def losses(self) -> list[Any]:
        """The losses that layers have added."""
        return self._relevant(super().losses, lambda loss: loss.op)

    @property
    def updates(self) -> list[Any]:
        """The updates that layers have added."""
        return self._relevant(super().updates, lambda op: op)

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        # Layers are found by index, and by index among those that have weights.
        found = list(super()._checkpoint_dependencies)
        names = {reference.name for reference in found}
        with_weights = 0
        for i, layer in enumerate(self.layers if self._is_graph_network else []):
            if layer.weights:
                found.append(TrackableReference(f"layer_with_weights-{with_weights}", layer))
                with_weights += 1
            found.append(TrackableReference(f"layer-{i}", layer))
        return [reference for reference in found if reference.name not in names or reference.name]

    def _lookup_dependency(self, name: str) -> Any:
        if self._is_graph_network:
            for reference in self._checkpoint_dependencies:
                if reference.name == name:
                    return reference.ref
        return super()._lookup_dependency(name)

    # Losses and metrics of tensors inside

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds losses; tensors inside the model become inputs of a layer that adds them.

        Args:
            losses: a tensor, a function without arguments that makes one, or a list of them.
            inputs: what the losses depend on; None if on no input.
        """
        for loss in nest.flatten(losses):
            if self._is_inside(loss):
                self._insert([AddLoss(unconditional=False)(loss)])
            else:
                super().add_loss(loss, inputs)

    def add_metric(
        self, value: TensorLike, aggregation: str | None = None, name: Any = None
    ) -> None:
        """Adds a metric; a tensor inside the model becomes the input of a layer that adds it.

        Args:
            value: a tensor, or the result of a Metric.
            aggregation: "mean" for the mean over batches; None if `value` is a metric's result.
            name: the name of the metric.
        """
        if name is not None and aggregation == "mean" and self._is_inside(value):
            self._insert([AddMetric(aggregation, name)(value)])
        else:
            super().add_metric(value, aggregation, name)

    def _is_inside(self, tensor: Any) -> bool:
        """Whether a tensor is made from the inputs of this model of connected layers."""
        if not self._is_graph_network or call_context.layers or not isinstance(tensor, Tensor):
            return False
        make_history(tensor)
        return hasattr(tensor, "_keras_history")

    @no_automatic_dependency_tracking
    def _insert(self, outputs: list[Any]) -> None:
        """Adds the layers before some tensors, which are not outputs of the model."""
        self._inserted = [*self._inserted, *outputs]
        self._topology = Topology(self.inputs, [*self.outputs, *self._inserted])
        known = set(map(id, self._layers))
        new = [layer for layer in self._topology.layers if id(layer) not in known]
        self._layers = [*self._layers, *new]

    # Calling

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the variables for inputs of given shapes.

        Args:
            input_shape: a shape with the number of examples, or a list of them.

        Raises:
            ValueError: if the shape is missing.
        """
        if self._is_graph_network or self.built:
            self.built = True
            return
        if input_shape is None:
            raise ValueError(
                "Input shape must be defined when calling build on a model subclass network."
            )
        if not call_context.layers:
            self._build_by_calling(input_shape)
        self.built = True

    def _build_by_calling(self, input_shape: Any) -> None:
        # The nodes of this call serve only to make the variables.
        many = isinstance(input_shape, list) and isinstance(input_shape[0], (list, tuple))
        shapes = input_shape if many else [input_shape]
        made = [
            build.Placeholder(dtype=self.dtype or "float32", shape=TensorShape(shape))
            for shape in shapes
        ]
        call_context.layers.append(self)
        call_context.inputs.append(made)
        try:
            self.call(made if many else made[0])
        finally:
            call_context.layers.pop()
            call_context.inputs.pop()

    def call(self, inputs: NestedTensors, training: Any = None, mask: Any = None) -> NestedTensors:
        """Applies the layers to new inputs.

        Args:
            inputs: tensors for the inputs of the model.
            training: whether layers behave as in training.
            mask: the masks of the inputs.

        Returns:
            The outputs.

        Raises:
            NotImplementedError: if a subclass has not overridden it.
        """
        if not self._is_graph_network:
            raise NotImplementedError(
                "When subclassing the `Model` class, you should implement a `call` method."
            )
        assert self._topology is not None
        given = nest.flatten(inputs)
        for x, m in zip(given, nest.flatten(mask) if mask is not None else []):
            x._keras_mask = m
        values: dict[int, Any] = {id(x): y for x, y in zip(self.inputs, given)}
        for node in self._topology.ordered_nodes():
            flat = nest.flatten(node.input_tensors)
            if not node.inbound_layers or not all(id(x) in values for x in flat):
                continue
            layer = node.outbound_layer
            arguments = nest.map_structure(
                lambda x: values.get(id(x), x) if hasattr(x, "op") else x, node.arguments
            )
            if layer._call_takes("training") and arguments.get("training") is None:
                arguments = {k: v for k, v in arguments.items() if k != "training"}
                if training is not None:
                    arguments["training"] = training
            outputs = layer(
                nest.map_structure(lambda x: values[id(x)], node.input_tensors), **arguments
            )
            for x, y in zip(nest.flatten(node.output_tensors), nest.flatten(outputs)):
                values[id(x)] = y
        return nest.map_structure(lambda x: values[id(x)], self._nested_outputs)

    def compute_mask(self, inputs: NestedTensors, mask: Any = None) -> Any:
        """The masks of the outputs.

        Args:
            inputs: the inputs.
            mask: their masks.

        Returns:
            A mask or None for each output.
        """
        if not self._is_graph_network:
            return None
        return nest.map_structure(
            lambda x: getattr(x, "_keras_mask", None), self.call(inputs, mask=mask)
        )

    def _set_masks(self, inputs: NestedTensors, outputs: NestedTensors, masks: Any) -> None:
        # The layers inside have set them.
        for x in nest.flatten(outputs):
            if isinstance(x, Tensor) and not hasattr(x, "_keras_mask"):
                x._keras_mask = None  # type: ignore[attr-defined]

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shapes of the outputs for shapes of the inputs.

        Args:
            input_shape: a shape, or a structure of them.
        """
        if not self._is_graph_network:
            return super().compute_output_shape(input_shape)
        assert self._topology is not None
        single = len(self.inputs) == 1 and not isinstance(input_shape, list)
        shapes = [input_shape] if single else list(input_shape)
        known: dict[int, Any] = {id(x): TensorShape(s) for x, s in zip(self.inputs, shapes)}
        for node in self._topology.ordered_nodes():
            if not node.inbound_layers:
                continue
            given = nest.map_structure(lambda x: known[id(x)], node.input_tensors)
            found = node.outbound_layer.compute_output_shape(given)
            many = len(nest.flatten(node.output_tensors)) > 1
            for x, shape in zip(nest.flatten(node.output_tensors), found if many else [found]):
                known[id(x)] = TensorShape(shape)
        return nest.map_structure(lambda x: known[id(x)], self._nested_outputs)

    # Saving

    def get_config(self) -> dict[str, Any]:
        """The layers and their connections.

        Raises:
            NotImplementedError: if the model is a subclass with a `call` of its own.
        """
        if not self._is_graph_network:
            raise NotImplementedError
        return node_config.network_config(self)

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Any:
        """Makes a model from what `get_config` of another one has returned.

        Args:
            config: layers and connections.
            custom_objects: {name: class or function} that the configuration names.

        Returns:
            A model without the values of the variables.
        """
        inputs, outputs, inserted = node_config.tensors_of_config(config, custom_objects)
        model = cls(inputs=inputs, outputs=outputs, name=config.get("name"))
        if inserted:
            model._insert(inserted)
        return model

    def to_json(self, **kwargs: Any) -> str:
        """The configuration as JSON.

        Args:
            **kwargs: arguments of json.dumps.
        """
        return node_config.to_json(self, **kwargs)

    def to_yaml(self, **kwargs: Any) -> str:
        """The configuration as YAML.

        Args:
            **kwargs: arguments of yaml.dump.
        """
        return node_config.to_yaml(self, **kwargs)

    def save_weights(
        self, filepath: str, overwrite: bool = True, save_format: str | None = None
    ) -> None:
        """Saves the values of the variables.

        Args:
            filepath: the prefix of a checkpoint, or a file whose name ends with .h5 or .keras.
            overwrite: whether existing files are replaced without asking.
            save_format: "tf" or "h5"; by default the name decides.
        """
        save_weights(self, filepath, overwrite, save_format)

    def load_weights(self, filepath: str, by_name: bool = False) -> Any:
        """Loads the values of the variables.

        Args:
            filepath: what `save_weights` got.
            by_name: whether the layers of an HDF5 file are found by their names.

        Returns:
            The status of a checkpoint; None for HDF5.
        """
        return load_weights(self, filepath, by_name)

    def summary(
        self,
        line_length: int | None = None,
        positions: Sequence[float] | None = None,
        print_fn: Any = None,
    ) -> None:
        """Prints a table of the layers.

        Args:
            line_length: the width.
            positions: where the columns end: as parts of the width, or numbers of characters.
            print_fn: a function that prints a line.

        Raises:
            ValueError: before the variables exist.
        """
        if not self.built:
            raise ValueError(
                "This model has not yet been built. Build the model first by calling `build()` or "
                "calling `fit()` with some data, or specify an `input_shape` argument in the first "
                "layer(s) for automatic build."
            )
        print_summary(self, line_length, positions, print_fn)


def _output_names(outputs: Sequence[Any]) -> list[str]:
    names: list[str] = []
    counts: dict[str, int] = {}
    for x in outputs:
        name = x._keras_history.layer.name
        counts[name] = counts.get(name, 0) + 1
        names.append(name if counts[name] == 1 else f"{name}_{counts[name] - 1}")
    return names
