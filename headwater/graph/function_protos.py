"""FunctionDefs of function bodies, and function bodies from FunctionDefs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from headwater.base import errors
from headwater.base.dtypes import as_dtype
from headwater.base.tensor_shape import TensorShape
from headwater.graph.basic_nodes import zeros_like
from headwater.graph.control_flow.protos import from_control_flow_context_def
from headwater.graph.functions import (
    Function,
    FunctionGraph,
    add_function,
    call_function,
    call_record,
    type_name,
)
from headwater.graph.gradients import gradients
from headwater.graph.graph import Graph
from headwater.graph.graph_base import proto_makers
from headwater.graph.graph_def import attr_proto, node_def, python_attr, untyped_attr_proto
from headwater.graph.importer import import_graph_def
from headwater.graph.operation import Operation, Tensor
from headwater.graph.registry import OpRecord
from headwater.protos.lazy import attr_value_pb2, control_flow_pb2, function_pb2, graph_pb2


class _Names:
    """Makes names unique."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def new(self, name: str) -> str:
        if name not in self._counts:
            self._counts[name] = 0
            return name
        while True:
            unique = f"{name}_{self._counts[name]}"
            self._counts[name] += 1
            if unique not in self._counts:
                self._counts[unique] = 0
                return unique


def _argument_name(name: str) -> str:
    """The name of an op as an argument name: lower case letters, digits and underscores."""
    return re.sub(r"[^a-z0-9_]", "_", name.lower())


def function_def(
    body: Graph,
    name: str,
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    out_names: Sequence[str] = (),
    attrs: dict[str, Any] | None = None,
    operations: Iterable[Operation] | None = None,
) -> Any:
    """The FunctionDef of a body.

    Args:
        body: the graph.
        name: the name of the function.
        inputs: tensors of the graph that stand for the arguments.
        outputs: the results.
        out_names: names of the results; of the ops that make them by default.
        attrs: attrs of the function.
        operations: the ops of the body; all of the graph by default.

    Returns:
        A FunctionDef.

    Raises:
        InvalidArgumentError: if there are more or fewer names than results.
    """
    if out_names and len(out_names) != len(outputs):
        raise errors.InvalidArgumentError(
            None,
            None,
            "output names must be either empty or equal in size to outputs. output names size = "
            f"{len(out_names)} outputs size = {len(outputs)}",
        )
    proto = function_pb2.FunctionDef()
    proto.signature.name = name
    names = _Names()
    results = [
        names.new(out_names[i] if out_names else _argument_name(t._op._name))
        for i, t in enumerate(outputs)
    ]
    texts: dict[Tensor, str] = {}
    for i, tensor in enumerate(inputs):
        texts[tensor] = names.new(_argument_name(tensor._op._name))
        enum: Any = tensor._dtype.base_dtype.as_datatype_enum
        proto.signature.input_arg.add(name=texts[tensor], type=enum)
        proto.arg_attr[i].SetInParent()
    arguments = {tensor._op for tensor in inputs}
    ops = body.get_operations() if operations is None else operations
    members = [op for op in ops if op not in arguments]
    node_names = {op: names.new(op._name) for op in members}
    for op in members:
        texts.update(_output_texts(op, node_names[op]))
    for op in members:
        node = node_def(op)
        node.name = node_names[op]
        del node.input[:]
        node.input.extend(texts[t] for t in op._inputs)
        node.input.extend(f"^{node_names[c]}" for c in op._control_inputs if c in node_names)
        _rename_groups(node, {other._name: n for other, n in node_names.items()})
        proto.node_def.add().CopyFrom(node)
    for tensor, result in zip(outputs, results):
        enum = tensor._dtype.base_dtype.as_datatype_enum
        proto.signature.output_arg.add(name=result, type=enum)
        proto.ret[result] = texts[tensor]
    proto.signature.is_stateful = any(_has_state(op) for op in members)
    for key, value in (attrs or {}).items():
        proto.attr[key].CopyFrom(untyped_attr_proto(value))
    return proto


def _has_state(op: Operation) -> bool:
    """Whether an op has a state; a call has one if an op of the function does."""
    function = op._graph._functions.get(op.type)
    return op._record.stateful if function is None else function.definition.signature.is_stateful


def _output_texts(op: Operation, name: str) -> dict[Tensor, str]:
    """How the outputs of a node are written in a FunctionDef: ``node:output:index``."""
    outputs = iter(op._outputs)
    return {
        next(outputs): f"{name}:{arg.name}:{i}"
        for arg in op._record.schema.outputs
        for i in range(arg.length_in(op._attrs))
    }


def _rename_groups(node: Any, names: dict[str, str]) -> None:
    """Colocation groups go by the names in the function; ops outside cannot be named."""
    if "_class" not in node.attr:
        return
    groups = [g.decode() for g in node.attr["_class"].list.s]
    kept = [f"loc:@{names[g[5:]]}" for g in groups if g[5:] in names]
    del node.attr["_class"].list.s[:]
    if kept:
        node.attr["_class"].list.s.extend(g.encode() for g in kept)
    else:
        del node.attr["_class"]


def record_of_signature(signature: Any, function: Function) -> OpRecord:
    """The op type of the calls of a function with this signature."""

    def text(args: Any) -> str:
        return ", ".join(f"{arg.name}: {_arg_text(arg)}" for arg in args)

    attrs = ", ".join(f"{attr.name}: {attr.type}" for attr in signature.attr)
    return call_record(
        signature.name, text(signature.input_arg), text(signature.output_arg), attrs, function
    )


def _arg_text(arg: Any) -> str:
    kind = arg.type_list_attr or arg.type_attr or type_name(as_dtype(arg.type))
    if arg.number_attr:
        kind = f"{arg.number_attr} * {kind}"
    return f"Ref({kind})" if arg.is_ref else kind


def graph_of_function_def(
    definition: Any,
    functions: dict[str, Any],
    attrs: dict[str, Any] | None = None,
    input_shapes: Sequence[Any] | None = None,
) -> FunctionGraph:
    """The body that a FunctionDef describes.

    Args:
        definition: a FunctionDef.
        functions: the library, which the body shares.
        attrs: values of the attrs in the signature, in their internal form.
        input_shapes: the static shapes of the arguments, tuples or None.

    Returns:
        A FunctionGraph.
    """
    signature = definition.signature
    graph = FunctionGraph(signature.name)
    graph._functions = functions
    values = {
        spec.name: attr_proto(spec.type, (attrs or {})[spec.name])
        for spec in signature.attr
        if spec.name in (attrs or {})
    }
    texts: dict[str, str] = {}
    for i, arg in enumerate(signature.input_arg):
        dtype = values[arg.type_attr].type if arg.type_attr else arg.type
        shape = None if input_shapes is None else input_shapes[i]
        graph.add_input(as_dtype(dtype), shape, arg.name)
        texts[arg.name] = arg.name
    nodes = graph_pb2.GraphDef()
    nodes.versions.producer = graph._producer
    for source in definition.node_def:
        node = nodes.node.add()
        node.CopyFrom(source)
        for attr in node.attr.values():
            if attr.WhichOneof("value") == "placeholder":
                attr.CopyFrom(values[attr.placeholder])
        record = graph._record_of(node.op)
        plain = {key: python_attr(attr) for key, attr in node.attr.items()}
        position = 0
        for spec in record.schema.outputs:
            for i in range(spec.length_in(plain)):
                texts[f"{node.name}:{spec.name}:{i}"] = f"{node.name}:{position}"
                position += 1
    groups = {node.name: node.name for node in nodes.node}
    for node in nodes.node:
        _rename_groups(node, groups)
        inputs = [t if t.startswith("^") else _text_of(texts, t, node.name) for t in node.input]
        del node.input[:]
        node.input.extend(inputs)
    arguments: dict[str, Any] = {f"{t._op._name}:0": t for t in graph.inputs}
    arguments.update({f"^{t._op._name}": t._op for t in graph.inputs})
    used = {t if ":" in t or t[0] == "^" else f"{t}:0" for n in nodes.node for t in n.input}
    mapped = {key: value for key, value in arguments.items() if key in used}
    with graph.as_default():
        import_graph_def(nodes, mapped, name="")
    for arg in signature.output_arg:
        text = _text_of(texts, definition.ret[arg.name], signature.name)
        graph.outputs.append(graph.get_tensor_by_name(text if ":" in text else f"{text}:0"))
    return graph


def _text_of(texts: dict[str, str], text: str, where: str) -> str:
    """How a GraphDef writes what a FunctionDef writes ``node:output:index``."""
    for candidate in (text, f"{text}:0"):
        if candidate in texts:
            return texts[candidate]
    raise errors.InvalidArgumentError(
        None, None, f"Node '{where}' of a function has an input '{text}' that nothing makes."
    )


class LibraryFunction(Function):
    """A function that is known by its FunctionDef.

    Args:
        definition: the FunctionDef.
        functions: the library that it is part of, by name.
        grad_func_name: the name of its gradient function.
    """

    def __init__(
        self, definition: Any, functions: dict[str, Any], grad_func_name: str | None = None
    ) -> None:
        self.name = definition.signature.name
        self.grad_func_name = grad_func_name
        self._definition = function_pb2.FunctionDef()
        self._definition.ParseFromString(definition.SerializeToString())
        self._functions = functions
        self._record = record_of_signature(self._definition.signature, self)
        self._bodies: dict[str, FunctionGraph] = {}

    @property
    def record(self) -> OpRecord:
        return self._record

    @property
    def definition(self) -> Any:
        return self._definition

    @property
    def declared_input_types(self) -> tuple[Any, ...]:
        """The types of the arguments."""
        return tuple(as_dtype(arg.type) for arg in self.definition.signature.input_arg)

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The outer tensors that calls hand over: a FunctionDef has them among its arguments."""
        return []

    def add_to_graph(self, g: Graph) -> None:
        """Adds the function to a graph."""
        add_function(g, self)

    def body(self, attrs: dict[str, Any]) -> FunctionGraph:
        key = self._key(attrs)
        if key not in self._bodies:
            self._bodies[key] = graph_of_function_def(
                self._definition, self._functions, attrs, _input_shapes(self._definition)
            )
        return self._bodies[key]

    def gradient(self, attrs: dict[str, Any], functions: dict[str, Any]) -> FunctionGraph:
        # A copy of the body: gradients of loops add nodes to them.
        body = graph_of_function_def(self.definition, functions, attrs)
        source = self._source()
        if source is not None and self.grad_func_name is None:
            _copy_contexts(source, self.definition, body)
        return _with_gradients(body, self.grad_func_name)

    def _source(self) -> FunctionGraph | None:
        """The graph from which the FunctionDef was made, if there was one."""
        return None

    def output_shapes(self, attrs: dict[str, Any], inputs: Sequence[Any]) -> list[Any]:
        graph = graph_of_function_def(self.definition, self._functions, attrs, inputs)
        return [tensor._shape for tensor in graph.outputs]

    def _key(self, attrs: dict[str, Any]) -> str:
        return repr([(spec.name, attrs.get(spec.name)) for spec in self._definition.signature.attr])


def _input_shapes(definition: Any) -> list[Any] | None:
    """The static shapes of the arguments, if a FunctionDef has them."""
    if "_input_shapes" not in definition.attr:
        return None
    shapes = [
        TensorShape(shape).to_tuple() for shape in definition.attr["_input_shapes"].list.shape
    ]
    return shapes if len(shapes) == len(definition.signature.input_arg) else None


def _copy_contexts(source: FunctionGraph, definition: Any, body: FunctionGraph) -> None:
    """Gives the nodes of a body the branches and loops of the graph that it was made from."""
    contexts: dict[Any, None] = {}
    for op in source.get_operations():
        context = op._control_flow_context
        while context is not None and context.outer_context is not None:
            context = context.outer_context
        if context is not None:
            contexts[context] = None
    if not contexts:
        return
    # A FunctionDef has one node for each op that is no argument, in the order of the ops.
    names = {
        tensor._op._name: arg.name
        for tensor, arg in zip(source.inputs, definition.signature.input_arg)
    }
    members = (op for op in source.get_operations() if op._name not in names)
    names.update((op._name, node.name) for op, node in zip(members, definition.node_def))
    with body.as_default():
        for context in contexts:
            proto = control_flow_pb2.ControlFlowContextDef()
            context.to_control_flow_context_def(proto)
            from_control_flow_context_def(_renamed(proto, names))


def _renamed(proto: Any, names: dict[str, str]) -> Any:
    """A context's proto in which the nodes have other names."""

    def new(text: str) -> str:
        name, colon, index = text.partition(":")
        return names.get(name, name) + colon + index

    for field, value in proto.ListFields():
        if field.name in ("context_name", "frame_name"):
            continue
        if field.name == "external_values":
            items = [(new(key), new(text)) for key, text in value.items()]
            value.clear()
            value.update(items)
        elif field.type == field.TYPE_STRING and isinstance(value, str):
            setattr(proto, field.name, new(value))
        elif field.type == field.TYPE_STRING:
            value[:] = [new(text) for text in value]
        elif field.type == field.TYPE_MESSAGE:
            for inner in [value] if hasattr(value, "ListFields") else value:
                _renamed(inner, names)
    return proto


def _with_gradients(body: FunctionGraph, gradient_name: str | None) -> FunctionGraph:
    """Makes the results of a body the gradients of its arguments."""
    arguments, results = list(body.inputs), list(body.outputs)
    with body.as_default():
        for i, tensor in enumerate(results):
            body.add_input(tensor._dtype.base_dtype, tensor._shape, f"gradient_of_result_{i}")
        given = body.inputs[len(arguments) :]
        if gradient_name is not None:
            body.outputs = call_function(body, gradient_name, body.inputs)._outputs
            if len(body.outputs) != len(arguments):
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"SymGrad expects to return {len(arguments)} tensor(s), but get "
                    f"{len(body.outputs)} tensor(s) instead.",
                )
            return body
        pairs = [
            (y, g) for y, g in zip(results, given) if y._dtype.is_floating or y._dtype.is_complex
        ]
        ys, grad_ys = [y for y, _ in pairs], [g for _, g in pairs]
        found = gradients(ys, arguments, grad_ys) if ys else [None] * len(arguments)
        body.outputs = [zeros_like(x) if g is None else _dense(g) for x, g in zip(arguments, found)]
    return body


def _dense(gradient: Any) -> Tensor:
    return gradient if isinstance(gradient, Tensor) else gradient._as_tensor()


def add_library(graph: Graph, library: Any) -> None:
    """Adds the functions of a FunctionDefLibrary to a graph."""
    names = {g.function_name: g.gradient_func for g in library.gradient}
    for definition in library.function:
        name = definition.signature.name
        add_function(graph, LibraryFunction(definition, graph._functions, names.get(name)))


def library(graph: Graph) -> Any:
    """The functions of a graph as a FunctionDefLibrary."""
    proto = function_pb2.FunctionDefLibrary()
    for name in sorted(graph._functions):
        function = graph._functions[name]
        proto.function.add().CopyFrom(function.definition)
        if function.grad_func_name:
            proto.gradient.add(function_name=name, gradient_func=function.grad_func_name)
    return proto


proto_makers.update(add_library=add_library, library=library)


def _name_attr_list(name: str, attrs: dict[str, Any]) -> Any:
    """The value of an attr that names a function."""
    proto = attr_value_pb2.NameAttrList(name=name)
    for key, value in attrs.items():
        proto.attr[key].CopyFrom(untyped_attr_proto(value))
    return proto


def _add_definition(graph: Graph, function: Any) -> None:
    if not isinstance(function, Function):
        function = LibraryFunction(function, graph._functions)
    add_function(graph, function)


def _gradient_function(graph: Graph, called: Any) -> Any:
    """The attr for a function that computes the gradients of the function that an attr names."""
    name = f"{called.name}_gradient"
    if name not in graph._functions:
        attrs = {key: python_attr(value) for key, value in called.attr.items()}
        body = graph._functions[called.name].gradient(attrs, graph._functions)
        definition = function_def(body, name, body.inputs, body.outputs)
        add_function(graph, LibraryFunction(definition, graph._functions))
    return _name_attr_list(name, {})


proto_makers.update(gradient_function=_gradient_function)
proto_makers.update(name_attr_list=_name_attr_list, add_function=_add_definition)
