"""Functions of a graph's library, under the paths of `framework.function` and related modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base import errors
from headwater.base.dtypes import as_dtype
from headwater.base.tensor_shape import as_tuple
from headwater.compat.internals import internal
from headwater.graph import (
    Graph,
    Operation,
    OpRecord,
    Tensor,
    convert_to_tensor,
    get_default_graph,
    shapes,
)
from headwater.graph.builders import node_of_parts
from headwater.graph.function_protos import LibraryFunction, function_def, graph_of_function_def
from headwater.graph.functions import FunctionGraph, type_name
from headwater.model import defun, functional_ops
from headwater.model.function import polymorphic

internal("framework.function.Defun")(defun.Defun)
internal("framework.function._DefinedFunction")(defun.DefinedFunction)
internal("framework.function._OverloadedFunction")(defun.OverloadedFunction)
internal("framework.function._FuncGraph", "framework.func_graph.FuncGraph")(FunctionGraph)
internal("eager.function.defun")(polymorphic.function)
for _name in ("If", "While", "For", "Gradient", "remote_call", "partitioned_call"):
    internal(f"ops.functional_ops.{_name}")(getattr(functional_ops, _name))
internal(
    "ops.functional_ops.symbolic_gradient",
    "ops.functional_ops._symbolic_gradient",
    "ops.gen_functional_ops.symbolic_gradient",
    "ops.gen_functional_ops._symbolic_gradient",
)(functional_ops.symbolic_gradient)


@internal("framework.function.get_extra_vars")
def get_extra_vars() -> list[Any]:
    """The variables that the body of the function has taken from outside."""
    graph = get_default_graph()
    return graph.extra_vars if isinstance(graph, FunctionGraph) else []


@internal("framework.function.get_extra_inputs")
def get_extra_inputs() -> list[Tensor]:
    """The tensors that the body of the function has taken from outside."""
    graph = get_default_graph()
    return graph.extra_inputs if isinstance(graph, FunctionGraph) else []


@internal("framework.function.get_extra_args")
def get_extra_args() -> list[Tensor]:
    """The placeholders that stand for the tensors from outside."""
    graph = get_default_graph()
    return graph.extra_args if isinstance(graph, FunctionGraph) else []


@internal("framework.function.Declare")
class Declare:
    """Calls a function of the library that may be added to the graph later.

    Args:
        func_name: the name of the function.
        inputs: pairs of name and type of the arguments.
        outputs: pairs of name and type of the results.
    """

    def __init__(
        self, func_name: str, inputs: Sequence[tuple[str, Any]], outputs: Sequence[tuple[str, Any]]
    ) -> None:
        def text(args: Sequence[tuple[str, Any]]) -> str:
            return ", ".join(f"{name}: {type_name(as_dtype(dtype))}" for name, dtype in args)

        self._name = func_name
        self._record = OpRecord(
            (func_name, text(inputs), text(outputs), ""),
            shape=shapes.unknown,
            stateful=True,
            body=self._body,
        )

    def _body(self, op: Operation) -> FunctionGraph:
        function = op._graph._get_function(self._name)
        if function is None:
            text = f"Op type not registered '{self._name}': no function of this name was added."
            raise errors.NotFoundError(None, None, text)
        return function.body(op._attrs)

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """Adds a node that calls the function.

        Args:
            *inputs: the arguments.
            **kwargs: `name`, the name of the node.

        Returns:
            A tensor, a tuple of tensors, or the Operation of a function without results.

        Raises:
            ValueError: if the number of arguments is wrong.
        """
        graph = get_default_graph()
        wanted = self._record.schema.inputs
        if len(inputs) != len(wanted):
            raise ValueError(
                f"Expected number of arguments: {len(wanted)}, received: {len(inputs)}"
            )
        tensors = [convert_to_tensor(value) for value in inputs]
        name = graph.new_name(kwargs.pop("name", None) or self._name)
        return defun.results_of(node_of_parts(graph, self._record, tensors, {}, name))


@internal("framework.function._from_definition")
def from_definition(fdef: Any, grad_func: Any = None) -> LibraryFunction:
    """The function that a FunctionDef describes.

    Args:
        fdef: a FunctionDef.
        grad_func: the function that computes the gradient.

    Returns:
        The function, to be added to a graph.
    """
    name = None if grad_func is None else grad_func.name
    return LibraryFunction(fdef, get_default_graph()._functions, name)


@internal("framework.function.from_library", "framework.function._from_library")
def from_library(lib: Any) -> list[LibraryFunction]:
    """The functions that a FunctionDefLibrary describes, gradient functions before their users.

    Args:
        lib: a FunctionDefLibrary.

    Returns:
        A list of functions, to be added to a graph.

    Raises:
        ValueError: if a function is named that the library does not have, or gradient functions
            are gradients of each other.
    """
    definitions = {definition.signature.name: definition for definition in lib.function}
    gradient_of = {entry.function_name: entry.gradient_func for entry in lib.gradient}
    for name in [name for pair in gradient_of.items() for name in pair]:
        if name not in definitions:
            raise ValueError(f"FunctionDefLibrary missing '{name}' FunctionDef\n{lib}")
    functions: dict[str, LibraryFunction] = {}
    waiting = list(definitions)
    while waiting:
        ready = [n for n in waiting if gradient_of.get(n) is None or gradient_of[n] in functions]
        if not ready:
            raise ValueError(f"FunctionDefLibrary contains cyclic gradient functions!\n{lib}")
        for name in ready:
            gradient = functions.get(gradient_of.get(name, ""))
            functions[name] = from_definition(definitions[name], gradient)
        waiting = [name for name in waiting if name not in functions]
    return list(functions.values())


@internal(
    "framework.graph_to_function_def.graph_to_function_def",
    "framework.function.graph_to_function_def",
)
def graph_to_function_def(
    graph: Graph,
    operations: Sequence[Any],
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    out_names: Sequence[str] | None = None,
) -> Any:
    """The FunctionDef of a graph, without a name.

    Args:
        graph: the graph.
        operations: the ops of the body.
        inputs: the tensors that stand for the arguments.
        outputs: the results.
        out_names: names of the results.

    Returns:
        A FunctionDef.
    """
    proto = function_def(graph, "", inputs, outputs, out_names or (), operations=operations)
    proto.arg_attr.clear()
    return proto


@internal("framework.function_def_to_graph.function_def_to_graph")
def function_def_to_graph(fdef: Any, input_shapes: Any = None) -> FunctionGraph:
    """The graph that a FunctionDef describes.

    Args:
        fdef: a FunctionDef; the functions that it calls are those of the default graph.
        input_shapes: the static shapes of the arguments.

    Returns:
        A graph with the fields `inputs` and `outputs`.

    Raises:
        ValueError: if there are not as many shapes as arguments.
    """
    shapes = None
    if input_shapes is not None:
        if len(input_shapes) != len(fdef.signature.input_arg):
            raise ValueError(
                "Length of input_shapes must match the number of input_args. len(input_shapes): "
                f"{len(input_shapes)} len(input_arg): {len(fdef.signature.input_arg)}"
            )
        shapes = [as_tuple(shape) for shape in input_shapes]
    return graph_of_function_def(fdef, dict(get_default_graph()._functions), None, shapes)
