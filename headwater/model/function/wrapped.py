"""`tf.compat.v1.wrap_function`: functions whose bodies are graphs of 1.x, and parts of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from headwater.base import errors, nest
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.graph import Operation, Tensor, graph_def, import_graph_def
from headwater.graph.composite_specs import CompositeTensor
from headwater.graph.execution_mode import init_scope
from headwater.graph.functions import FunctionGraph
from headwater.graph.type_spec import TensorSpec
from headwater.model.function.concrete_function import (
    ConcreteFunction,
    TracedFunction,
    inference_name,
)
from headwater.model.function.function_spec import Arguments, FunctionSpec
from headwater.model.function.tracing import trace
from headwater.protos.lazy import graph_pb2, node_def_pb2


class UnliftableError(Exception):
    """Raised if a part of a graph needs a placeholder that is not fed."""


class WrappedFunction(ConcreteFunction):
    """A function whose body is a graph of 1.x, from which parts can be taken.

    Args:
        traced: the function.
    """

    def __init__(self, traced: ConcreteFunction) -> None:
        super().__init__(
            traced.function,
            traced.captured_inputs,
            traced.structured_input_signature,
            traced.output_specs,
        )
        self.structured_outputs = traced.structured_outputs
        self.captured_variables = traced.captured_variables

    def prune(
        self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None
    ) -> WrappedFunction:
        """Takes a function out of the body.

        Args:
            feeds: the tensors of the body, or their names, that become arguments; may be nested.
            fetches: the tensors and operations of the body, or their names, that become results;
                may be nested. The result for an operation is None.
            name: the name of the function.
            input_signature: TensorSpecs of the arguments: a tuple and a dict.

        Returns:
            The function.

        Raises:
            UnliftableError: if the results need a placeholder that is not fed.
            ValueError: if something that is fed is not a tensor.
        """
        graph = self.graph
        fed = [graph.as_graph_element(x) for x in nest.flatten(feeds, expand_composites=True)]
        if not all(isinstance(tensor, Tensor) for tensor in fed):
            raise ValueError("Feeds must be tensors.")
        # `inputs` may be fed as it is, captured tensors included.
        captured = {own: outer for outer, own in graph.captured.items()}
        fed = [tensor for tensor in fed if tensor not in captured]
        if len(set(fed)) < len(fed):
            repeated = next(t for t in fed if fed.count(t) > 1)
            raise errors.InvalidArgumentError(
                None, None, f"TF_Output {repeated.name} appears more than once in the input list"
            )
        fetches = nest.map_structure(graph.as_graph_element, fetches, expand_composites=True)
        pruned = _Part(graph, [*fed, *captured]).made(nest.flatten(fetches, expand_composites=True))
        pruned.outer_graph, pruned.variables = graph.outer_graph, graph.variables
        pruned.captured = dict(zip(captured.values(), pruned.inputs[len(fed) :]))
        function = TracedFunction(inference_name(name or "pruned"), pruned)
        made = ConcreteFunction(
            function, list(pruned.captured), input_signature, _specs_of(fetches)
        )
        tensors = iter(pruned.outputs)
        made.structured_outputs = nest.map_structure(
            lambda fetch: _taken(fetch, tensors), fetches, expand_composites=True
        )
        made.captured_variables = list(graph.variables)
        return WrappedFunction(made)


def _taken(fetch: Any, tensors: Any) -> Any:
    return None if isinstance(fetch, Operation) else next(tensors)


def _specs_of(fetches: Any) -> Any:
    def spec(fetch: Any) -> Any:
        if isinstance(fetch, CompositeTensor):
            return fetch._type_spec
        return TensorSpec(fetch._shape, fetch.dtype) if isinstance(fetch, Tensor) else None

    return nest.map_structure(spec, fetches)


class _Part:
    """A copy of the part of a graph that some fetches need.

    Args:
        graph: the graph.
        inputs: the tensors that become arguments.
    """

    def __init__(self, graph: FunctionGraph, inputs: Sequence[Tensor]) -> None:
        self._graph = graph
        self._inputs = list(inputs)

    def made(self, fetches: Sequence[Tensor | Operation]) -> FunctionGraph:
        """Returns the copy, whose outputs are the tensors among the fetches."""
        needed = self._needed_ops(fetches)
        pruned = FunctionGraph("pruned")
        pruned._functions = self._graph._functions
        pruned._seed = self._graph._seed
        names = {op._name for op in needed}
        # How consumers write the arguments -> the names of their placeholders.
        arguments = {_text(t): _unused(t._op._name, names) for t in self._inputs}
        nodes = graph_pb2.GraphDef()
        nodes.versions.producer = self._graph._producer
        for tensor, name in zip(self._inputs, arguments.values()):
            nodes.node.add().CopyFrom(_placeholder(tensor, name))
        waited = {f"^{t._op._name}": f"^{arguments[_text(t)]}" for t in self._inputs}
        for op in needed:
            node = _node(op, names)
            node.input[:] = [arguments.get(text) or waited.get(text, text) for text in node.input]
            nodes.node.add().CopyFrom(node)
        with pruned.as_default():
            import_graph_def(nodes, name="")
        pruned.inputs = [pruned.get_tensor_by_name(f"{name}:0") for name in arguments.values()]
        for op in needed:
            # Of handles, a placeholder does not tell the shape.
            for copy, tensor in zip(pruned.get_operation_by_name(op._name)._outputs, op._outputs):
                copy.set_shape(tensor._shape)
        copies = dict(zip(self._inputs, pruned.inputs))
        pruned.outputs = [
            copies[t] if t in copies else pruned.get_tensor_by_name(t.name)
            for t in fetches
            if isinstance(t, Tensor)
        ]
        return pruned

    def _needed_ops(self, fetches: Sequence[Tensor | Operation]) -> list[Operation]:
        """The ops that the fetches need, in the order of the graph.

        Raises:
            UnliftableError: if a placeholder is among them.
        """
        stops, arguments = set(self._inputs), {tensor._op for tensor in self._inputs}
        # Each op with the one that needs it.
        users: dict[Operation, Operation | None] = {}
        for fetch in fetches:
            if fetch in stops:
                continue
            start = fetch._op if isinstance(fetch, Tensor) else fetch
            stack: list[tuple[Operation, Operation | None]] = [(start, None)]
            while stack:
                op, user = stack.pop()
                if op in users:
                    continue
                users[op] = user
                if op.type == "Placeholder":
                    raise UnliftableError(_unfed(fetch, op, users))
                stack += [(t._op, op) for t in op._inputs if t not in stops]
                stack += [(c, op) for c in op._control_inputs if c not in arguments]
        return [op for op in self._graph.get_operations() if op in users]


def _unfed(fetch: Any, op: Operation, users: dict[Operation, Operation | None]) -> str:
    path = []
    user: Operation | None = op
    while user is not None:
        path.append(f"{user.name} ({user.type})")
        user = users[user]
    return (
        f"Unable to lift tensor {fetch!r} because it depends transitively on placeholder {op!r} "
        f"via at least one path, e.g.: {' <- '.join(reversed(path))}"
    )


def _text(tensor: Tensor) -> str:
    """How a NodeDef writes a tensor."""
    return tensor.name.removesuffix(":0")


def _unused(name: str, names: set[str]) -> str:
    """The name, or one like it, which it adds to the names."""
    while name in names:
        name = f"{name}_fed"
    names.add(name)
    return name


def _placeholder(tensor: Tensor, name: str) -> Any:
    node = node_def_pb2.NodeDef(name=name, op="Placeholder")
    node.attr["dtype"].type = tensor._dtype.base_dtype.as_datatype_enum
    node.attr["shape"].shape.CopyFrom(TensorShape(tensor._shape).as_proto())
    return node


def _node(op: Operation, names: Iterable[str]) -> Any:
    """The NodeDef of an op; colocation with ops outside of the names is left out."""
    node = graph_def.node_def(op)
    if "_class" in node.attr:
        groups = node.attr["_class"].list.s
        kept = [g for g in groups if g.decode().partition("@")[2] in names]
        del groups[:]
        groups.extend(kept)
        if not kept:
            del node.attr["_class"]
    return node


@export("wrap_function")
def wrap_function(
    fn: Callable[..., Any], signature: Iterable[Any], name: str | None = None
) -> WrappedFunction:
    """Wraps a function that builds a graph of 1.x into a function of the graph's library.

    The body is built once. Its variables are resource variables of the graph around it, whose
    initial values must not be tensors of the body; its collections are its own.

    Args:
        fn: takes tensors and returns tensors.
        signature: TensorSpecs of the arguments.
        name: a name of the function.

    Returns:
        A WrappedFunction: calling it with tensors adds a node, `prune` takes a part out of it.

    Example:
        >>> wrapped = tf.wrap_function(lambda x: 2 * x + 1, [tf.TensorSpec([], tf.float32)])
        >>> print(wrapped(tf.constant(3.0)).eval())
        7.0
    """

    def create(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        if kwargs.get("variable_def") is not None:
            # Its nodes are part of the body.
            return next_creator(**kwargs)
        with init_scope():
            return next_creator(**{**kwargs, "use_resource": True})

    arguments: Arguments = (tuple(signature), {})
    spec = FunctionSpec.of(fn, None)
    return WrappedFunction(
        trace(fn, name or "wrapped_function", spec, arguments, create, wrapped=True)
    )
