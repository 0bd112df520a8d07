"""Traces Python functions: bodies with their arguments, results and order of effects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import nest
from headwater.graph import Graph, IndexedSlices, Operation, Tensor, build, convert_to_tensor
from headwater.graph.composite_specs import CompositeTensor
from headwater.graph.control_flow.effects import finish_effects, order_effects
from headwater.graph.default_graph import get_default_graph
from headwater.graph.functions import FunctionGraph
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.type_spec import TensorSpec
from headwater.model.defun import share_variables
from headwater.model.function.concrete_function import (
    ConcreteFunction,
    TracedFunction,
    inference_name,
)
from headwater.model.function.function_spec import Arguments, FunctionSpec, spec_of
from headwater.model.variables.variable_creation import variable_creator_scope


def trace(
    function: Callable[..., Any],
    name: str,
    spec: FunctionSpec,
    arguments: Arguments,
    creator: Callable[..., Any],
    wrapped: bool = False,
) -> ConcreteFunction:
    """Traces a Python function.

    Args:
        function: the function.
        name: its name.
        spec: its parameters.
        arguments: what it is called with; tensors and TensorSpecs become arguments of the body.
        creator: makes the variables that the function asks for.
        wrapped: whether the body is taken as a graph of 1.x: ops with an effect are not ordered,
            and the body has collections of its own.

    Returns:
        The traced function.

    Raises:
        TypeError: if the function returns something that is not a tensor.
    """
    outer = get_default_graph()
    graph = FunctionGraph(name, outer)
    if not wrapped:
        graph.waits_outside = []
        share_variables(outer, graph)
    names = _names(spec, arguments)
    specs = nest.pack_sequence_as(
        arguments, [_specified(v, n) for v, n in zip(nest.flatten(arguments), names)]
    )
    with graph.as_default(), variable_creator_scope(creator):
        args, kwargs = nest.map_structure(lambda value: _argument(graph, value), specs)
        results = _as_tensors(function, function(*args, **kwargs))
        if not wrapped:
            effects = order_effects(graph)
            results = nest.map_structure(_identity, results, expand_composites=True)
    flat = nest.flatten(results, expand_composites=True)
    graph.outputs = [value for value in flat if isinstance(value, Tensor)]
    if not wrapped:
        finish_effects(graph, effects)
    outputs = nest.pack_sequence_as(results, _result_specs(results))
    library_function = TracedFunction(inference_name(name), graph)
    paths = _paths(spec, arguments)
    signature = nest.pack_sequence_as(
        arguments, [_specified(v, path) for v, path in zip(nest.flatten(arguments), paths)]
    )
    concrete = ConcreteFunction(library_function, graph.extra_inputs, signature, outputs)
    concrete.structured_outputs = results
    concrete.captured_variables = graph.variables = _variables_of(outer, graph)
    concrete.set_keywords(
        [n for v, n in zip(nest.flatten(specs), names) if isinstance(v, TensorSpec)],
        sum(isinstance(value, TensorSpec) for value in specs[0]),
    )
    return concrete


def _names(spec: FunctionSpec, arguments: Arguments) -> list[str]:
    """A name for each leaf of the arguments: that of its parameter."""
    names = [name for name, _ in _leaves(spec, arguments)]
    given = spec.input_signature
    if given is not None:
        own = [getattr(s, "name", None) for s in nest.flatten(given)]
        names[: len(own)] = [own_name or name for own_name, name in zip(own, names)]
    return _distinct(names)


def _paths(spec: FunctionSpec, arguments: Arguments) -> list[str]:
    """The name of the parameter and the way to each leaf of the arguments, joined by slashes."""
    return ["/".join([name, *map(str, path)]) for name, path in _leaves(spec, arguments)]


def _leaves(spec: FunctionSpec, arguments: Arguments) -> list[tuple[str, tuple[Any, ...]]]:
    """For each leaf of the arguments, the name of its parameter and the way to it."""
    args, kwargs = arguments
    parameters = spec.arg_names
    named = []
    for i, value in enumerate(args):
        extra = f"{spec.vararg_name}_{i - len(parameters)}" if spec.vararg_name else f"arg_{i}"
        named.append((parameters[i] if i < len(parameters) else extra, value))
    named += [(key, kwargs[key]) for key in sorted(kwargs)]
    return [(name, path) for name, value in named for path in nest.yield_flat_paths(value)]


def _distinct(names: list[str]) -> list[str]:
    """The names, with numbers where several are equal."""
    used: set[str] = set()
    found = []
    for name in names:
        candidate, count = name, 0
        while candidate in used:
            count += 1
            candidate = f"{name}_{count}"
        used.add(candidate)
        found.append(candidate)
    return found


def _specified(value: Any, name: str) -> Any:
    if isinstance(value, CompositeTensor):
        return value._type_spec
    return spec_of(value, name)


def _argument(graph: FunctionGraph, spec: Any) -> Any:
    """What the Python function gets: a placeholder for each TensorSpec."""
    if isinstance(spec, TensorSpec):
        return graph.add_input(spec.dtype, spec.shape.to_tuple(), spec.name or "args")
    if hasattr(spec, "_component_specs") and hasattr(spec, "_from_components"):
        parts = nest.map_structure(lambda part: _argument(graph, part), spec._component_specs)
        return spec._from_components(parts)
    return spec


def _as_tensors(function: Callable[..., Any], results: Any) -> Any:
    """The results of a function as tensors; None stays."""

    def convert(value: Any) -> Any:
        if value is None or isinstance(value, (CompositeTensor, IndexedSlices)):
            return value
        if isinstance(value, Operation):
            raise _not_a_tensor(function, value)
        try:
            return convert_to_tensor(value)
        except (ValueError, TypeError):
            raise _not_a_tensor(function, value) from None

    return nest.map_structure(convert, results)


def _not_a_tensor(function: Callable[..., Any], value: Any) -> TypeError:
    return TypeError(
        "To be compatible with tf.contrib.eager.defun, Python functions must return zero or more "
        f"Tensors; in compilation of {function}, found return value of type {type(value)}, which "
        "is not a Tensor."
    )


def _identity(value: Any) -> Any:
    return build.Identity(value) if isinstance(value, Tensor) else value


def _result_specs(results: Any) -> list[Any]:
    """TypeSpecs of results; the names of TensorSpecs are the ways to them."""
    specs = []
    for path, value in nest.flatten_with_tuple_paths(results):
        if isinstance(value, CompositeTensor):
            specs.append(value._type_spec)
        elif isinstance(value, Tensor):
            name = "/".join(map(str, path)) or None
            specs.append(TensorSpec(value._shape, value.dtype, name))
        else:
            specs.append(value)
    return specs


def _variables_of(outer: Graph, graph: FunctionGraph) -> list[Any]:
    """The variables of the outer graph whose handles a body captures."""
    keys = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)
    by_handle = {
        getattr(variable, "handle", None): variable
        for key in keys
        for variable in outer.get_collection(key)
    }
    return [by_handle[tensor] for tensor in graph.extra_inputs if tensor in by_handle]
