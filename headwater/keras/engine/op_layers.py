"""Layers of ops that a program has applied to tensors of a model outside of any layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from headwater.base import nest
from headwater.base.lazy import LazyModule
from headwater.base.typing import Array, NestedTensors
from headwater.graph import Tensor, convert_to_tensor, get_default_graph
from headwater.keras.backend.graph_state import get_session
from headwater.model.layers.layer import Layer
from headwater.model.layers.node import history_makers, record_call
from headwater.protos import node_def_pb2

_json_format: Any = LazyModule("google.protobuf.json_format")
_PREFIX = "tf_op_layer_"


class TensorFlowOpLayer(Layer):
    """An op of the graph as a layer.

    Args:
        node_def: the NodeDef of the op, or its JSON.
        name: the name of the op.
        constants: {number of an input: its value} of inputs that are not tensors of the model.
        trainable: has no effect.
        dtype: the type of the layer.
    """

    def __init__(
        self,
        node_def: Any,
        name: str,
        constants: dict[Any, Array] | None = None,
        trainable: bool = True,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=_PREFIX + name, trainable=trainable, dtype=dtype)
        if isinstance(node_def, str):
            node_def = _json_format.Parse(node_def, node_def_pb2.NodeDef())
        elif isinstance(node_def, Mapping):
            node_def = _json_format.ParseDict(node_def, node_def_pb2.NodeDef())
        self.node_def = node_def
        self.constants = {int(i): np.asarray(value) for i, value in (constants or {}).items()}
        self.built = True

    def call(self, inputs: NestedTensors) -> NestedTensors:
        """Applies the op.

        Args:
            inputs: the inputs that are tensors of the model.

        Returns:
            The output, or a list of them.
        """
        tensors = list(nest.flatten(inputs))
        attrs = self.node_def.attr
        for i in sorted(self.constants):
            tensors.insert(i, convert_to_tensor(self.constants[i]))
        op = get_default_graph().create_op(
            self.node_def.op,
            tensors,
            name=self.node_def.name,
            attrs={key: value for key, value in attrs.items() if not key.startswith("_")},
        )
        return op.outputs[0] if len(op.outputs) == 1 else list(op.outputs)

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        config = super().get_config()
        return {
            **config,
            "name": config["name"][len(_PREFIX) :],
            "node_def": _json_format.MessageToDict(self.node_def),
            "constants": {i: value.tolist() for i, value in self.constants.items()},
        }


class AddLoss(Layer):
    """Adds its input to the losses of the model, and returns it.

    Args:
        unconditional: whether the loss depends on no input.
        **kwargs: `name` and other arguments of a layer.
    """

    def __init__(self, unconditional: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.unconditional = unconditional

    def call(self, inputs: NestedTensors) -> NestedTensors:
        """Adds the loss.

        Args:
            inputs: the loss.

        Returns:
            The loss.
        """
        self.add_loss(inputs, inputs=None if self.unconditional else True)
        return inputs

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {**super().get_config(), "unconditional": self.unconditional}


class AddMetric(Layer):
    """Adds its input to the metrics of the model, and returns it.

    Args:
        aggregation: "mean", or None for the result of a Metric.
        metric_name: the name of the metric.
        **kwargs: `name` and other arguments of a layer.
    """

    def __init__(
        self, aggregation: str | None = None, metric_name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.aggregation = aggregation
        self.metric_name = metric_name

    def call(self, inputs: NestedTensors) -> NestedTensors:
        """Adds the metric.

        Args:
            inputs: the value.

        Returns:
            The value.
        """
        self.add_metric(inputs, self.aggregation, self.metric_name)
        return inputs

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        config = super().get_config()
        return {**config, "aggregation": self.aggregation, "metric_name": self.metric_name}


def is_of_model(tensor: Tensor, strangers: set[int]) -> bool:
    """Whether a tensor depends on a tensor of a model.

    Args:
        tensor: the tensor.
        strangers: ids of tensors that do not, among them afterwards what this one depends on.
    """
    seen: set[int] = set()
    stack = [tensor]
    while stack:
        x = stack.pop()
        if hasattr(x, "_keras_history"):
            return True
        if id(x) not in seen and id(x) not in strangers:
            seen.add(id(x))
            stack.extend(x.op._inputs)
    strangers.update(seen)
    return False


def make_history(tensors: NestedTensors) -> None:
    """Makes layers of the ops between tensors of a model and the given tensors.

    Args:
        tensors: tensors; those that do not depend on a model are left alone.
    """
    strangers: set[int] = set()
    wanted = [x for x in nest.flatten(tensors) if isinstance(x, Tensor)]
    stack = [x for x in wanted if is_of_model(x, strangers)]
    # The ops whose inputs have been put on the stack.
    entered: set[Any] = set()
    while stack:
        if hasattr(stack[-1], "_keras_history"):
            stack.pop()
            continue
        op = stack[-1].op
        inside = [x for x in op._inputs if is_of_model(x, strangers)]
        waiting = [x for x in inside if not hasattr(x, "_keras_history")]
        if waiting:
            if op in entered:
                raise ValueError(
                    f"The op {op.name} stands in a loop, whose ops cannot become layers. Call "
                    "tf.while_loop in the function of a tf.keras.layers.Lambda."
                )
            entered.add(op)
            stack.extend(waiting)
            continue
        stack.pop()
        outside = {i: x for i, x in enumerate(op.inputs) if not any(x is each for each in inside)}
        layer = TensorFlowOpLayer(op.node_def, op.name, _values(outside))
        inputs = inside[0] if len(inside) == 1 else inside
        record_call(layer, inputs, list(op.outputs), {})


def _values(tensors: dict[int, Tensor]) -> dict[int, Array]:
    if not tensors:
        return {}
    values: Sequence[Array] = get_session(list(tensors.values())).run(list(tensors.values()))
    return dict(zip(tensors, values))


history_makers.append(make_history)
