"""GradientsDebugger: finds the gradient of a tensor, and with it its values in dumps."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable
from typing import Any

from headwater.graph import Graph, Operation, Tensor, build
from headwater.graph.registry import gradient_of, register_gradient

_GRADIENT_DEBUG_TAG = "gradient_debug_"

# The debuggers by their numbers, which the names of their nodes have.
_gradient_debuggers: dict[str, GradientsDebugger] = {}


def _tensor_to_grad_debug_op_name(tensor: Tensor, grad_debugger_uuid: str) -> str:
    node, _, slot = tensor.name.rpartition(":")
    return f"{node}_{slot}/{_GRADIENT_DEBUG_TAG}{grad_debugger_uuid}"


def _parse_grad_debug_op_name(op_name: str) -> tuple[str, str]:
    """The debugger and the tensor in the name of a node of a debugger."""
    parts = op_name.split("/")
    last = parts[-1]
    number = last[len(_GRADIENT_DEBUG_TAG) :].split("_")[0]
    node, _, slot = "/".join(parts[:-1]).rpartition("_")
    return number, f"{node}:{slot}"


class GradientsDebugger:
    """Finds the gradients of tensors when they are computed.

    Args:
        y_tensor: what is differentiated; needed if several functions are.

    Example:
        >>> from headwater import debug as tf_debug
        >>> x = tf.constant(3.0)
        >>> debugger = tf_debug.GradientsDebugger()
        >>> y = tf.square(debugger.identify_gradient(tf.square(x, name="s")))
        >>> _ = tf.gradients(y, x)
        >>> print(tf.Session().run(debugger.gradient_tensor("s:0")))
        18.0
    """

    def __init__(self, y_tensor: Tensor | None = None) -> None:
        self._uuid = uuid.uuid4().hex
        _gradient_debuggers[self._uuid] = self
        self._gradient_tensors: dict[str, Tensor] = {}
        self._y_tensor = y_tensor
        self._graph: Any = y_tensor.graph if y_tensor is not None else None
        self._is_active_context = False

    @property
    def y_tensor(self) -> Tensor | None:
        """What is differentiated; None if it has not been given."""
        return self._y_tensor

    @property
    def graph(self) -> Any:
        """The graph of the tensors."""
        return self._graph

    def __enter__(self) -> GradientsDebugger:
        self._is_active_context = True
        return self

    def __exit__(self, *exc: object) -> None:
        self._is_active_context = False

    def identify_gradient(self, input_tensor: Tensor) -> Tensor:
        """Adds an identity that notes the gradient of a tensor.

        Args:
            input_tensor: the tensor.

        Returns:
            The identity, which must take the place of the tensor in what follows.

        Raises:
            ValueError: if the tensor has one of this debugger, or is of another graph.
        """
        self._check_same_graph(input_tensor)
        name = _tensor_to_grad_debug_op_name(input_tensor, self._uuid)
        graph = input_tensor.graph
        if name in graph._nodes_by_name:
            raise ValueError(f"The graph already contains an op named {name}")
        make = (
            build.DebugGradientRefIdentity
            if input_tensor.dtype._is_ref_dtype
            else build.DebugGradientIdentity
        )
        with graph.as_default(), graph.name_scope(None), graph.control_dependencies(None):
            result: Tensor = make(input_tensor, name=name)
        return result

    def watch_gradients_by_tensors(self, graph: Graph, tensors: Any) -> GradientsDebugger:
        """Notes the gradients of tensors; see `watch_gradients_by_tensor_names`.

        Args:
            graph: the graph.
            tensors: a tensor or a list of tensors.
        """
        listed: Iterable[Tensor] = tensors if isinstance(tensors, list) else [tensors]
        names = "|".join(re.escape(tensor.name) for tensor in listed)
        return self.watch_gradients_by_tensor_names(graph, f"({names})$")

    def watch_gradients_by_tensor_names(
        self, graph: Graph, tensor_name_regex: str
    ) -> GradientsDebugger:
        """Puts identities behind tensors, so that their gradients are noted.

        Args:
            graph: the graph; its ops take the identities instead of the tensors.
            tensor_name_regex: matches the names of the tensors.

        Returns:
            This debugger, as a context manager around the call of `tf.gradients`.
        """
        pattern = re.compile(tensor_name_regex)
        found = [
            tensor
            for op in graph.get_operations()
            for tensor in op.outputs
            if pattern.match(tensor.name)
        ]
        for tensor in found:
            consumers: list[Operation] = list(dict.fromkeys(tensor.consumers()))
            identity = self.identify_gradient(tensor)
            for op in consumers:
                for position, source in enumerate(op._inputs):
                    if source is tensor:
                        op._update_input(position, identity)
        return self

    def _check_same_graph(self, tensor: Tensor) -> None:
        if self._graph is None:
            self._graph = tensor.graph
        elif self._graph is not tensor.graph:
            raise ValueError(
                f"The graph of the value ({tensor.graph}) is not the same as the graph "
                f"{self._graph}"
            )

    def register_gradient_tensor(self, x_tensor_name: str, gradient_tensor: Tensor) -> None:
        """Notes the gradient of a tensor.

        Args:
            x_tensor_name: the name of the tensor.
            gradient_tensor: its gradient.
        """
        if len(_gradient_debuggers) == 1 or self._is_active_context:
            self._check_same_graph(gradient_tensor)
            self._gradient_tensors[x_tensor_name] = gradient_tensor

    def gradient_tensor(self, x_tensor: Any) -> Tensor:
        """The gradient of a tensor.

        Args:
            x_tensor: the tensor, its variable or its name.

        Raises:
            TypeError: if it is something else.
            LookupError: if no gradient of it has been noted.
        """
        name = self._get_tensor_name(x_tensor)
        if name not in self._gradient_tensors:
            raise LookupError(
                f"This GradientsDebugger has not received any gradient tensor for x-tensor {name}"
            )
        return self._gradient_tensors[name]

    def gradient_tensors(self) -> dict[str, Tensor]:
        """The gradients by the names of their tensors."""
        return self._gradient_tensors

    def _get_tensor_name(self, tensor: Any) -> str:
        if isinstance(tensor, str):
            return tensor
        name = getattr(tensor, "name", None)
        if not isinstance(name, str):
            raise TypeError(
                "x_tensor must be a str or tf.Tensor or tf.Variable, but instead has type "
                f"{type(tensor)}"
            )
        return name


def clear_gradient_debuggers() -> None:
    """Forgets all debuggers."""
    _gradient_debuggers.clear()


def _identify_gradient_grad(op: Operation, dy: Tensor) -> Tensor:
    """Hands a gradient on, and notes it."""
    number, name = _parse_grad_debug_op_name(op.name)
    debugger = _gradient_debuggers.get(number)
    if debugger is not None:
        debugger.register_gradient_tensor(name, dy)
    return dy


for _type in ("DebugGradientIdentity", "DebugGradientRefIdentity"):
    if gradient_of(_type) is None:
        register_gradient(_type, _identify_gradient_grad)


def gradient_values_from_dump(grad_debugger: GradientsDebugger, x_tensor: Any, dump: Any) -> Any:
    """The values of the gradient of a tensor in a dump.

    Args:
        grad_debugger: the debugger that has noted the gradient.
        x_tensor: the tensor, its variable or its name.
        dump: a DebugDumpDir of a run that has computed the gradient.

    Returns:
        A list of arrays.

    Raises:
        LookupError: if no gradient of it has been noted.
        ValueError: if the dump is of another graph.
    """
    if dump.python_graph and grad_debugger.graph and dump.python_graph is not grad_debugger.graph:
        raise ValueError(
            f"This GradientsDebugger instance has a graph ({grad_debugger.graph}) that differs "
            f"from the graph of the DebugDumpDir object ({dump.python_graph})."
        )
    gradient = grad_debugger.gradient_tensor(x_tensor)
    node, _, slot = gradient.name.rpartition(":")
    return dump.get_tensors(node, int(slot), "DebugIdentity")
