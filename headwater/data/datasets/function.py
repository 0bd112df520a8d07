"""Functions of elements: Python functions that become functions of the graph's library."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

from headwater.data.datasets import nest, structure
from headwater.graph import (
    Graph,
    SparseTensor,
    SparseTensorValue,
    Tensor,
    build,
    convert_to_tensor,
    get_default_graph,
)
from headwater.graph.function_protos import LibraryFunction, function_def
from headwater.graph.functions import FunctionGraph, add_function
from headwater.model.autograph.calls import convert
from headwater.model.defun import share_variables, variables_outside
from headwater.model.variables.variable_scope import variable_scope

_numbers = itertools.count()

# From `_warn` to the program that called a method of a dataset.
_CALLER = 5


class ElementFunction:
    """A Python function of elements, traced into a function of the default graph's library.

    Args:
        func: the Python function; a tuple of components is passed as separate arguments.
        transformation: what uses it, for its name and for errors ("Dataset.map()").
        input_spec: the nested TypeSpec of its argument.
        legacy: whether it has the name of a function of earlier releases.

    Attributes:
        output_spec: the nested TypeSpec of its result.
        captured: the tensors of the default graph that it uses; the last inputs of the op.
        attr: the value of the op's attr that names the function.

    Raises:
        ValueError: if `func` is not callable.
        TypeError: if the function returns something that is not made of tensors.
    """

    def __init__(
        self,
        func: Callable[..., Any],
        transformation: str,
        input_spec: Any,
        legacy: bool = False,
    ) -> None:
        if not callable(func):
            raise ValueError("Argument must be callable")
        converted = convert(func)
        outer = get_default_graph()
        readable = transformation.replace(".", "_").replace("(", "").replace(")", "")
        name = f"{readable}_{_name_of(func)}_{next(_numbers)}"
        body = FunctionGraph(name if legacy else f"__inference_{name}", outer)
        share_variables(outer, body)
        getter = variables_outside(outer, body, by_value=legacy)
        with body.as_default():
            for i, spec in enumerate(structure.flat_specs(input_spec)):
                body.add_input(spec.dtype, spec.shape.to_tuple(), f"args_{i}")
            argument = structure.from_tensor_list(input_spec, list(body.inputs))
            with variable_scope("", custom_getter=getter):
                result = converted(*argument) if is_unpacked(argument) else converted(argument)
            result = _converted(result, transformation)
            self.output_spec = structure.spec_of(result)
            body.outputs = [
                build.Identity(body.capture(tensor))
                for tensor in structure.to_tensor_list(self.output_spec, result)
            ]
        _warn(body, outer, transformation, f"{readable}_{_name_of(func)}")
        function = _TracedFunction(body)
        for inner in body._functions.values():
            add_function(outer, inner)
        add_function(outer, function)
        self.name = body.name
        self.body = body
        self.captured: list[Tensor] = body.extra_inputs
        self.attr = Graph._proto_maker("name_attr_list")(body.name, {})

    def check_output(self, spec: Any, text: str) -> None:
        """Raises a TypeError if the function does not return elements of a structure."""
        try:
            nest.assert_same_structure(self.output_spec, spec)
            fits = all(
                mine.is_compatible_with(wanted)
                for mine, wanted in zip(nest.flatten(self.output_spec), nest.flatten(spec))
            )
        except (TypeError, ValueError):
            fits = False
        if not fits:
            raise TypeError(text)


class _TracedFunction(LibraryFunction):
    """A library function whose body is the graph that was traced."""

    def __init__(self, body: FunctionGraph) -> None:
        definition = function_def(body, body.name, body.inputs, body.outputs)
        super().__init__(definition, body._functions)
        self._body = body

    def body(self, attrs: dict[str, Any]) -> FunctionGraph:
        return self._body

    def _source(self) -> FunctionGraph | None:
        return self._body


# Ops that make a table.
_TABLES = {
    "HashTableV2",
    "MutableDenseHashTableV2",
    "MutableHashTableOfTensorsV2",
    "MutableHashTableV2",
}


def _warn(body: FunctionGraph, outer: Graph, transformation: str, name: str) -> None:
    """Warns of tables made in a function, and of seeds that it takes from around it."""
    if any(op.type in _TABLES for op in body.get_operations()):
        warnings.warn(
            f"Creating resources inside a function passed to {transformation} is not supported. "
            "Create each resource outside the function, and capture it inside the function to use "
            "it.",
            stacklevel=_CALLER,
        )
    if outer.seed and body.seed == outer.seed and body._seed_used:
        warnings.warn(
            f"Seed {outer.seed} from outer graph might be getting used by function {name}, if the "
            "random op has not been provided any seed. Explicitly set the seed in the function if "
            "this is not the intended behavior.",
            stacklevel=_CALLER,
        )


def is_unpacked(argument: Any) -> bool:
    """Whether the components of an element are handed over as so many arguments."""
    return type(argument) is tuple


def _name_of(func: Any) -> str:
    while hasattr(func, "func"):
        func = func.func
    return str(getattr(func, "__name__", type(func).__name__))


def _converted(result: Any, transformation: str) -> Any:
    """What a function has returned, as a nested structure of tensors."""
    if isinstance(result, list):
        result = tuple(result)
    leaves = []
    for leaf in nest.flatten(result):
        if isinstance(leaf, SparseTensorValue):
            leaf = SparseTensor.from_value(leaf)
        if structure.is_composite(leaf):
            leaves.append(leaf)
            continue
        try:
            leaves.append(convert_to_tensor(leaf))
        except (TypeError, ValueError):
            raise TypeError(
                f"Unsupported return value from function passed to {transformation}: {result}."
            ) from None
    return nest.pack_sequence_as(result, leaves)
