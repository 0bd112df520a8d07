"""Functions of a graph: bodies that are graphs of their own, and the op types that call them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from headwater.base import errors
from headwater.base.typing import DTypeLike, Shape
from headwater.graph import shapes
from headwater.graph.builders import build, node_of_parts
from headwater.graph.graph import Graph
from headwater.graph.operation import Operation, Tensor
from headwater.graph.registry import OpRecord


class FunctionGraph(Graph):
    """The graph of a function's body.

    Tensors of the graph in which the function is defined may be used: they become inputs.

    Args:
        name: the name of the function.
        outer_graph: the graph in which the function is defined; None if nothing can be captured.
        by_value: captured tensors are computed in the body, by copies of their ops, instead of
            being handed over.

    Attributes:
        inputs: placeholders for the arguments, those for captured tensors last.
        outputs: the results.
        captured: the placeholder of each captured tensor.
        captured_copies: the copy of each tensor that is captured by value.
        extra_vars: the variables that were taken from the outer graph.
        variables: the variables whose handles are captured.
        waits_outside: the outer ops that calls wait for, because ops of the body should; None if
            the body cannot have such ops.
    """

    def __init__(
        self, name: str = "", outer_graph: Graph | None = None, by_value: bool = False
    ) -> None:
        super().__init__()
        self._by_value = by_value
        self.name = name
        self.outer_graph = outer_graph
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []
        self.captured: dict[Tensor, Tensor] = {}
        self.captured_copies: dict[Tensor, Tensor] = {}
        self.extra_vars: list[Any] = []
        self.variables: list[Any] = []
        self.waits_outside: list[Operation] | None = None
        self._building_function = True
        if outer_graph is not None:
            self._seed = outer_graph._seed
            self._functions = dict(outer_graph._functions)

    def add_input(self, dtype: DTypeLike, shape: Shape, name: str) -> Tensor:
        """Adds a placeholder for an argument."""
        with self.as_default():
            tensor: Tensor = build.Placeholder(dtype=dtype, shape=shape, name=name)
        self.inputs.append(tensor)
        return tensor

    def capture(self, tensor: Tensor, scope: str = "") -> Tensor:
        """The tensor of this graph that stands for a tensor of the outer graph.

        Args:
            tensor: a tensor of this graph or of one around it.
            scope: the full name of the node that needs it.

        Returns:
            The tensor itself, or a placeholder.

        Raises:
            ValueError: if the tensor is of another graph, and would not be copied.
        """
        if tensor._op._graph is self:
            return tensor
        outer = self.outer_graph
        if isinstance(outer, FunctionGraph):
            tensor = outer.capture(tensor)
        if tensor._op._graph is not outer and not self._by_value:
            raise ValueError(f"{tensor} must be from the same graph as {self.name}.")
        found = self.captured.get(tensor)
        if found is None and self._by_value:
            found = self.captured_copies.get(tensor)
            return self._copied(tensor) if found is None else found
        if found is None:
            # A placeholder does not belong to the branch, loop or scope in which it is first used.
            scopes = self._scopes
            old = scopes.name, scopes.context, scopes.controllers, scopes.devices
            scopes.name, scopes.context, scopes.controllers, scopes.devices = scope, None, [], []
            try:
                found = self.add_input(tensor._dtype.base_dtype, tensor._shape, "Placeholder")
                self.captured[tensor] = found
                if _is_guaranteed(tensor._op):
                    with self.as_default():
                        result: Tensor = build.GuaranteeConst(found)
                        return result
            finally:
                scopes.name, scopes.context, scopes.controllers, scopes.devices = old
            handle = getattr(tensor, "_handle_data", None)
            if handle is not None:
                found._handle_data = handle  # type: ignore[attr-defined]
        return found

    def capture_as(self, tensor: Tensor, placeholder: Tensor) -> None:
        """Makes a placeholder of this graph stand for a tensor of the outer graph."""
        self.inputs.append(placeholder)
        self.captured[tensor] = placeholder

    def captured_from(self, placeholder: Tensor) -> Tensor | None:
        """The outer tensor for which a placeholder stands; None if it is an argument."""
        return next((outer for outer, own in self.captured.items() if own is placeholder), None)

    def _copied(self, tensor: Tensor) -> Tensor:
        """The tensor of a copy of an outer op, and of the ops that it needs."""
        op = tensor._op
        keeps_nothing = op.type == "CheckNumerics" or op._outputs[0]._dtype.name == "variant"
        if op._record.stateful and not keeps_nothing:
            # An op that makes a dataset keeps nothing, whatever its OpDef says, nor does a check.
            raise ValueError(
                f"Cannot capture a stateful node (name:{op.name}, type:{op.type}) by value."
            )
        if op.type in ("Placeholder", "PlaceholderV2"):
            raise ValueError(
                f"Cannot capture a placeholder (name:{op.name}, type:{op.type}) by value."
            )
        inputs = [self.capture(source) for source in op._inputs]
        copy = node_of_parts(self, op._record, inputs, dict(op._attrs), self.new_name(op._name))
        self.captured_copies.update(zip(op._outputs, copy._outputs))
        return copy._outputs[tensor._value_index]

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """As `Graph.as_graph_element`; a tensor of the outer graph is captured."""
        if isinstance(obj, Tensor) and obj._op._graph is not self:
            obj = self.capture(obj)
        return super().as_graph_element(obj, allow_tensor, allow_operation)

    @contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """As `Graph.control_dependencies`; for outer ops, the calls of the function wait."""
        if self.waits_outside is not None and control_inputs is not None:
            inside = []
            for item in control_inputs:
                op = item if isinstance(item, Operation) else getattr(item, "op", None)
                if not isinstance(op, Operation) or op._graph is self:
                    inside.append(item)
                elif op not in self.waits_outside:
                    self.waits_outside.append(op)
            control_inputs = inside
        with super().control_dependencies(control_inputs):
            yield

    def _brought(self, inputs: Sequence[Tensor], full_name: str) -> list[Tensor]:
        return [self.capture(tensor, full_name) for tensor in inputs]

    @property
    def extra_inputs(self) -> list[Tensor]:
        """The captured tensors of the outer graph."""
        return list(self.captured)

    @property
    def extra_args(self) -> list[Tensor]:
        """The placeholders of the captured tensors."""
        return list(self.captured.values())


def _is_guaranteed(op: Operation) -> bool:
    """Whether an op is marked as constant: a GuaranteeConst, or an op whose inputs all are."""
    known: dict[Operation, bool] = {}
    stack = [op]
    while stack:
        top = stack[-1]
        sources = {tensor._op for tensor in top._inputs}
        if top.type == "GuaranteeConst":
            known[top] = True
        elif not sources:
            known[top] = False
        elif top not in known:
            # Until its inputs are known, so that a loop ends.
            known[top] = False
            stack.extend(source for source in sources if source not in known)
            continue
        else:
            known[top] = all(known[source] for source in sources)
        stack.pop()
    return known[op]


class Function:
    """A function of a graph's library; `record` is the op type of its calls.

    Attributes:
        name: the name, which is the type of the nodes that call it.
        record: the OpRecord of these nodes.
        grad_func_name: the name of the function that computes its gradient, or None.
        python_grad_func: builds its gradient, as the gradient function of an op; or None.
    """

    name: str
    grad_func_name: str | None = None
    python_grad_func: Callable[..., Any] | None = None

    @property
    def record(self) -> OpRecord:
        """The op type of the function's calls."""
        raise NotImplementedError

    @property
    def definition(self) -> Any:
        """The FunctionDef."""
        raise NotImplementedError

    def body(self, attrs: dict[str, Any]) -> FunctionGraph:
        """The body for a call with these attrs; it must not be changed."""
        raise NotImplementedError

    def output_shapes(self, attrs: dict[str, Any], inputs: Sequence[Shape]) -> list[Shape]:
        """The static shapes of the results for arguments of some static shapes."""
        raise NotImplementedError

    def gradient(self, attrs: dict[str, Any], functions: dict[str, Any]) -> FunctionGraph:
        """A body that takes arguments and gradients of the results, and gives those of the first.

        It calls the function's gradient function, which is one of `functions`, if there is one.
        """
        raise NotImplementedError


def add_function(graph: Graph, function: Function) -> None:
    """Adds a function to the library of a graph.

    Raises:
        InvalidArgumentError: if another function or an op has the name.
    """
    known = graph._functions.get(function.name)
    if known is not None and known is not function:
        if known.definition != function.definition:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Cannot add function '{function.name}' because a different function with the "
                "same name already exists.",
            )
        if function.grad_func_name is None or known.grad_func_name == function.grad_func_name:
            return
    graph._functions[function.name] = function
    graph._changed()


def call_record(name: str, inputs: str, outputs: str, attrs: str, function: Function) -> OpRecord:
    """The record of a function's calls; the texts are as those of `register_op`."""
    return OpRecord(
        (name, inputs, outputs, attrs),
        shape=shapes.unknown,
        stateful=True,
        body=lambda op: function.body(op._attrs),
    )


def call_function(
    graph: Graph,
    name: str,
    inputs: Sequence[Tensor],
    attrs: dict[str, Any] | None = None,
    node_name: str | None = None,
) -> Operation:
    """Adds a node that calls a function of the graph's library.

    Args:
        graph: the graph.
        name: the name of the function.
        inputs: the arguments.
        attrs: further attrs of the node.
        node_name: the name of the node; that of the function by default.

    Returns:
        The Operation.

    Raises:
        ValueError: if the number or the types of the arguments are wrong.
    """
    record = graph._record_of(name)
    full_name = graph.new_name(node_name or name)
    wanted = [arg.dtype for arg in record.schema.inputs]
    for arg, dtype, tensor in zip(record.schema.inputs, wanted, inputs):
        if dtype is not None and tensor._dtype.base_dtype is not dtype:
            raise ValueError(
                f"Input '{arg.name}' passed {type_name(tensor._dtype.base_dtype)} expected "
                f"{type_name(dtype)} while building NodeDef '{full_name}' using "
                f"Op<name={name}; signature={_signature(record)}>"
            )
    if len(wanted) != len(inputs):
        raise ValueError(f"Expected number of arguments: {len(wanted)}, received: {len(inputs)}")
    return node_of_parts(graph, record, list(inputs), dict(attrs or {}), full_name)


def _signature(record: OpRecord) -> str:
    def side(args: Any) -> str:
        return ", ".join(f"{a.name}:{a.dtype and type_name(a.dtype)}" for a in args)

    return f"{side(record.schema.inputs)} -> {side(record.schema.outputs)}"


def type_name(dtype: Any) -> str:
    """The name of a type in the op language."""
    names = {"float32": "float", "float64": "double", "float16": "half"}
    text: str = names.get(dtype.name, dtype.name)
    return text
