"""`Defun`: Python functions that become functions of a graph's library."""

from __future__ import annotations

import base64
import hashlib
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import nest
from headwater.base.dtypes import as_dtype
from headwater.base.typing import NestedTensors
from headwater.graph import Graph, Operation, Tensor, convert_to_tensor, get_default_graph
from headwater.graph.function_protos import LibraryFunction, function_def
from headwater.graph.functions import FunctionGraph, add_function, call_function
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.registry import OpRecord
from headwater.model.variables.resource_variable import is_resource_variable
from headwater.model.variables.variable_scope import get_variable_scope, variable_scope
from headwater.model.variables.variable_store import STORE_KEY, variable_store

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable
    from headwater.protos.function_pb2 import FunctionDef

_CALL_ATTRS = {
    "noinline": "_noinline",
    "compiled": "_XlaCompile",
    "separate_compiled_gradients": "_XlaSeparateCompiledGradients",
}

# A body shares the variables of the graph in which it is defined, and nothing else.
_SHARED_COLLECTIONS = (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.METRIC_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
    GraphKeys.CONCATENATED_VARIABLES,
    GraphKeys.TRAINABLE_RESOURCE_VARIABLES,
    STORE_KEY,
)


class Defun:
    """A decorator that makes a function of a graph's library out of a Python function.

    Args:
        *input_types: the types of the arguments; without them, and with arguments, there is one
            function for the types of each call.
        **kwargs: `func_name`, `grad_func` (another such function), `python_grad_func` (as a
            gradient function of an op), `out_names`, `shape_func` (of the calling op), `noinline`
            and further attrs; other keywords are arguments with their types, the form of early
            releases.
    """

    def __init__(self, *input_types: Any, **kwargs: Any) -> None:
        self._options = {
            key: kwargs.pop(key, None)
            for key in ("func_name", "grad_func", "python_grad_func", "out_names")
        }
        self._attrs = {
            key: kwargs.pop(key)
            for key in list(kwargs)
            if key in ("shape_func", "capture_by_value", "capture_resource_var_by_value")
            or key in _CALL_ATTRS
            or key.startswith("experimental_")
        }
        self._input_types = list(input_types)
        self._by_name = {key: as_dtype(value) for key, value in kwargs.items()}

    def __call__(self, func: Callable[..., Any]) -> Any:
        """The function, which is added to a graph when it is called.

        Raises:
            ValueError: if the Python function has other arguments than plain ones, or not as many
                as there are types.
        """
        if not callable(func):
            raise ValueError(f"function {func} must be callable")
        names, takes_more = _argument_names(func)
        types = [as_dtype(t) for t in self._input_types]
        if self._by_name:
            types = _types_by_name(names, self._by_name)
        options = {**self._options, **self._attrs}
        if types or not (names or takes_more):
            if len(types) < len(names):
                raise ValueError(
                    "The function has more arguments than the number of specified input types."
                )
            if len(types) > len(names) and not takes_more:
                raise ValueError(
                    "The function has fewer arguments than the number of specified input types."
                )
            names += [f"arg{i}" for i in range(len(names), len(types))]
            return DefinedFunction(func, names, types, **options)
        return OverloadedFunction(func, names, **options)


def _argument_names(func: Callable[..., Any]) -> tuple[list[str], bool]:
    """The names of the arguments, and whether there may be more of them."""
    parameters = list(inspect.signature(func).parameters.values())
    defaults = tuple(p.default for p in parameters if p.default is not p.empty)
    keywords = [p.name for p in parameters if p.kind is p.VAR_KEYWORD]
    if defaults or keywords:
        raise ValueError(
            "function with argument defaults or keywords arguments are not supported. "
            f"{func} has defaults {defaults or None} and keywords "
            f"{keywords[0] if keywords else None}.\nHint: only plain arglists are supported."
        )
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in parameters if p.kind in plain]
    return names, any(p.kind is p.VAR_POSITIONAL for p in parameters)


def _types_by_name(names: list[str], by_name: dict[str, Any]) -> list[Any]:
    if len(by_name) != len(names):
        raise ValueError(
            "The function must have the same number of arguments as the number of specified input "
            "types."
        )
    for name in names:
        if name not in by_name:
            raise ValueError(f"Missing type for argument: {name}")
    return [by_name[name] for name in names]


class DefinedFunction(LibraryFunction):
    """A Python function with arguments of given types, as a function of a graph's library.

    The body is built when the name or the definition is first asked for.

    Args:
        func: builds the body; returns a tensor or a list of tensors.
        argnames: the names of the arguments.
        input_types: their types.
        func_name: the name; made of the Python name and a hash of the body by default.
        grad_func: the function that computes the gradient.
        python_grad_func: builds the gradient.
        out_names: the names of the results.
        shape_func: gives the static shapes of the results of a calling op.
        capture_by_value: whether outer tensors are computed in the body, by copies of their ops,
            instead of being handed over as arguments.
        capture_resource_var_by_value: whether variables are read outside of the function.
        **attrs: further options, kept as attrs.
    """

    def __init__(
        self,
        func: Callable[..., Any],
        argnames: Sequence[str],
        input_types: Sequence[Any],
        func_name: str | None = None,
        grad_func: DefinedFunction | None = None,
        python_grad_func: Callable[..., Any] | None = None,
        out_names: Sequence[str] | None = None,
        shape_func: Callable[..., Any] | None = None,
        capture_by_value: bool = False,
        capture_resource_var_by_value: bool = True,
        **attrs: Any,
    ) -> None:
        self._func = func
        self._argnames = list(argnames)
        self._input_types = [as_dtype(t) for t in input_types]
        self._given_name = func_name
        self._grad_func = grad_func
        self.python_grad_func = python_grad_func
        self._out_names = list(out_names or ())
        self._shape_func = shape_func
        self._capture_by_value = capture_by_value
        self._capture_variables_by_value = capture_resource_var_by_value
        self._options = attrs
        self._graph: FunctionGraph | None = None

    # The definition

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the function."""
        self._define()
        return self.definition.signature.name

    @property
    def definition(self) -> FunctionDef:
        """The FunctionDef."""
        self._define()
        return self._definition

    @property
    def record(self) -> OpRecord:
        self._define()
        return self._record

    @property
    def grad_func_name(self) -> str | None:  # type: ignore[override]
        """The name of the function that computes the gradient, or None."""
        return None if self._grad_func is None else self._grad_func.name

    @property
    def declared_input_types(self) -> tuple[Any, ...]:
        """The types of the arguments."""
        return tuple(self._input_types)

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The outer tensors that the body uses; calls hand them over after the arguments."""
        self._define()
        assert self._graph is not None
        return self._graph.extra_inputs

    _extra_inputs = captured_inputs

    @property
    def stateful_ops(self) -> list[tuple[str, str]]:
        """Names and types of the ops in the body that have a state."""
        self._define()
        assert self._graph is not None
        arguments = {t._op for t in self._graph.inputs}
        ops = [op for op in self._graph.get_operations() if op not in arguments]
        return [(op.name, op.type) for op in ops if op._record.stateful]

    @property
    def _signature(self) -> Any:
        return self.definition.signature

    def set_grad_func(self, grad_func: DefinedFunction) -> None:
        """Sets the function that computes the gradient.

        Raises:
            ValueError: if another one is set already.
        """
        if self._grad_func is not None and self._grad_func is not grad_func:
            raise ValueError(f"Gradient defined for function {self.name} already.")
        self._grad_func = grad_func

    def _define(self) -> None:
        if self._graph is not None:
            return
        graph = self._build()
        attrs = {
            key if key.startswith("experimental_") else _CALL_ATTRS[key]: value
            for key, value in self._options.items()
            if value
        }
        attrs["_disable_call_shape_inference"] = True

        def named(name: str) -> Any:
            return function_def(graph, name, graph.inputs, graph.outputs, self._out_names, attrs)

        definition = named(self._given_name or "")
        definition.signature.description = getattr(self._func, "__doc__", None) or ""
        if not self._given_name:
            digest = hashlib.sha1(definition.SerializeToString(deterministic=True)).digest()
            suffix = base64.b64encode(digest[:8], b"aZ").decode().rstrip("=")
            parts = [_name_of(self._func), suffix]
            if self._grad_func is not None:
                parts.insert(1, self._grad_func.name)
            definition.signature.name = "_".join(parts)
        graph.name = definition.signature.name
        self._graph = graph
        LibraryFunction.__init__(self, definition, graph._functions, self.grad_func_name)

    def __setattr__(self, name: str, value: Any) -> None:
        # `name` and `grad_func_name` follow from the definition.
        if name not in ("name", "grad_func_name"):
            object.__setattr__(self, name, value)

    def _build(self) -> FunctionGraph:
        outer = get_default_graph()
        graph = FunctionGraph(_name_of(self._func), outer, self._capture_by_value)
        share_variables(outer, graph)
        # Each call draws different numbers, unless the body sets a seed.
        graph._seed = None
        getter = variables_outside(outer, graph, self._capture_variables_by_value)
        with graph.as_default():
            for name, dtype in zip(self._argnames, self._input_types):
                graph.add_input(dtype, None, name)
            arguments = list(graph.inputs)
            with variable_scope("", custom_getter=getter):
                results = self._func(*arguments)
            results = [] if results is None else nest.flatten(results)
            if any(result is None for result in results):
                raise ValueError(f"Function {_name_of(self._func)} can not return None.")
            tensors = [convert_to_tensor(result) for result in results]
        graph.outputs = [graph.capture(tensor) for tensor in tensors]
        return graph

    def _source(self) -> FunctionGraph | None:
        return self._graph

    def body(self, attrs: dict[str, Any]) -> FunctionGraph:
        self._define()
        assert self._graph is not None
        return self._graph

    # Calls

    def add_to_graph(self, g: Graph) -> None:
        """Adds the function, those that it calls, and its gradient function to a graph."""
        self._define()
        assert self._graph is not None
        if g._functions.get(self.name) is self:
            return
        for function in list(self._graph._functions.values()):
            if function is not self:
                add_function(g, function)
        add_function(g, self)
        if self._grad_func is not None:
            self._grad_func.add_to_graph(g)

    def __call__(self, *args: Any, **kwargs: Any) -> NestedTensors:
        """Adds a node that calls the function to the default graph.

        Args:
            *args: the arguments.
            **kwargs: `name`, the name of the node; `noinline` and the like.

        Returns:
            A tensor, a tuple of tensors, or the Operation of a function without results.

        Raises:
            ValueError: if the arguments do not fit, or a keyword is unknown.
        """
        graph = get_default_graph()
        self.add_to_graph(graph)
        node_name = kwargs.pop("name", None)
        attrs = {
            _CALL_ATTRS[key]: value
            for key, value in kwargs.items()
            if key in _CALL_ATTRS and value is not None
        }
        unknown = {key: value for key, value in kwargs.items() if key not in _CALL_ATTRS}
        if unknown:
            raise ValueError(f"Unknown keyword arguments: {unknown.keys()}")
        if len(args) != len(self._input_types):
            raise ValueError(
                f"Expected number of arguments: {len(self._input_types)}, received: {len(args)}"
            )
        inputs = [convert_to_tensor(arg) for arg in args]
        captured = self.captured_inputs
        if isinstance(graph, FunctionGraph):
            captured = [graph.capture(tensor) for tensor in captured]
        attrs["_disable_call_shape_inference"] = True
        op = call_function(graph, self.name, [*inputs, *captured], attrs, node_name)
        # Functions with equal bodies share one library entry, but may have different gradients.
        op._called_function = self  # type: ignore[attr-defined]
        if self._shape_func is not None:
            for tensor, shape in zip(op._outputs, self._shape_func(op)):
                tensor.set_shape(shape)
        return results_of(op)


def results_of(op: Operation) -> NestedTensors:
    """What a call returns: the op, one tensor, or a tuple of tensors."""
    outputs = op._outputs
    return op if not outputs else outputs[0] if len(outputs) == 1 else tuple(outputs)


class OverloadedFunction:
    """A Python function of arguments of any types: one graph function per combination of types.

    Args:
        func: builds the body.
        argnames: the names of the arguments.
        func_name: the name, followed by a number for each combination of types.
        grad_func: an overloaded function that computes the gradient.
        python_grad_func: builds the gradient.
        out_names: the names of the results.
        **options: as for `DefinedFunction`.
    """

    def __init__(
        self,
        func: Callable[..., Any],
        argnames: Sequence[str],
        func_name: str | None = None,
        grad_func: DefinedFunction | None = None,
        python_grad_func: Callable[..., Any] | None = None,
        out_names: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        if grad_func is not None and not isinstance(grad_func, OverloadedFunction):
            raise TypeError("The grad_func of a function of any types must be one as well.")
        self._func = func
        self._argnames = list(argnames)
        self._func_name = func_name
        self._grad_func = grad_func
        self._options = {**options, "python_grad_func": python_grad_func, "out_names": out_names}
        self._overload: dict[tuple[Any, ...], DefinedFunction] = {}

    def instantiate(self, input_types: Sequence[Any]) -> DefinedFunction:
        """The function for arguments of given types."""
        key = tuple(as_dtype(t).base_dtype for t in input_types)
        if key not in self._overload:
            names = self._argnames + [f"arg{i}" for i in range(len(self._argnames), len(key))]
            name = self._func_name
            if name is not None:
                name = "_".join([name, *(t.name for t in key)])
            defined = DefinedFunction(self._func, names, key, name, **self._options)
            self._overload[key] = defined
            if self._grad_func is not None:
                results = [as_dtype(a.type) for a in defined.definition.signature.output_arg]
                defined.set_grad_func(self._grad_func.instantiate([*key, *results]))
        return self._overload[key]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function for the types of the arguments; see `DefinedFunction`."""
        tensors = [convert_to_tensor(arg) for arg in args]
        return self.instantiate([t.dtype for t in tensors])(*tensors, **kwargs)


def _name_of(func: Callable[..., Any]) -> str:
    return getattr(func, "__name__", type(func).__name__)


def share_variables(outer: Graph, graph: FunctionGraph) -> None:
    """Gives a body the collections of variables of the graph in which it is defined."""
    for key in _SHARED_COLLECTIONS:
        graph._collections[key] = outer.get_collection_ref(key)


def variables_outside(outer: Graph, graph: FunctionGraph, by_value: bool) -> Callable[..., Any]:
    """A getter that makes the variables of a body in the graph and the scope around it.

    Args:
        outer: the graph in which the body is defined.
        graph: the body.
        by_value: whether resource variables are read outside of the body.
    """
    scope = get_variable_scope()

    def outside(
        getter: Callable[..., Any], name: str, *args: Any, **kwargs: Any
    ) -> Tensor | Variable:
        with outer.as_default():
            variable = scope.get_variable(variable_store(), name, *args, **kwargs)
            graph.extra_vars.append(variable)
            # The value is an argument that the function can be differentiated by.
            return variable.value() if by_value and is_resource_variable(variable) else variable

    return outside
