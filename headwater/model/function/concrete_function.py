"""A Python function traced for one signature: a body, what it captures, and how it is called."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from headwater.base import nest
from headwater.graph import Graph, Operation, Tensor, convert_to_tensor, get_default_graph
from headwater.graph.function_protos import LibraryFunction, function_def
from headwater.graph.functions import FunctionGraph, add_function
from headwater.graph.type_spec import TensorSpec, TypeSpec
from headwater.model.function.function_spec import Arguments
from headwater.model.functional_ops import partitioned_call

_numbers = itertools.count()


def inference_name(name: str) -> str:
    """A name for a traced function that no other one has."""
    return f"__inference_{name}_{next(_numbers)}"


class TracedFunction(LibraryFunction):
    """A function of the library that was traced from a Python function.

    Args:
        name: its name.
        graph: the body.
    """

    def __init__(self, name: str, graph: FunctionGraph) -> None:
        shapes = [tensor._shape for tensor in graph.inputs]
        definition = function_def(
            graph, name, graph.inputs, graph.outputs, (), {"_input_shapes": shapes}
        )
        super().__init__(definition, graph._functions)
        self.graph = graph

    def body(self, attrs: dict[str, Any]) -> FunctionGraph:
        return self.graph

    def output_shapes(self, attrs: dict[str, Any], inputs: Sequence[Any]) -> list[Any]:
        if list(inputs) != [tensor._shape for tensor in self.graph.inputs]:
            return super().output_shapes(attrs, inputs)
        return [tensor._shape for tensor in self.graph.outputs]

    def _source(self) -> FunctionGraph | None:
        return self.graph

    def add_to_graph(self, g: Graph) -> None:
        for function in list(self.graph._functions.values()):
            if function is not self:
                add_function(g, function)
        add_function(g, self)


class ConcreteFunction:
    """A function for arguments of one signature, as `get_concrete_function` returns it.

    Args:
        function: the function of the library.
        captured_inputs: the outer tensors that calls hand over after the arguments.
        structured_input_signature: the arguments: a tuple and a dict of TensorSpecs and values;
            None if they are not known.
        output_specs: the structure of the results, with TensorSpecs for tensors.

    Attributes:
        structured_outputs: the results in the body, if it was traced here, or their TensorSpecs.
        captured_variables: the variables whose handles are captured.
    """

    def __init__(
        self,
        function: LibraryFunction,
        captured_inputs: Sequence[Any],
        structured_input_signature: Arguments | None,
        output_specs: Any,
    ) -> None:
        self.function = function
        self.captured_inputs = list(captured_inputs)
        self.structured_input_signature: Any = structured_input_signature
        self.output_specs = output_specs
        self.structured_outputs = output_specs
        self.captured_variables: list[Any] = []
        # How the function is called: with keywords, a number of which may be positional.
        self._arg_keywords: list[str] | None = None
        self._num_positional_args: int | None = None

    # Attributes

    @property
    def name(self) -> str:
        """The name of the function in the library."""
        return self.function.name

    @property
    def graph(self) -> FunctionGraph:
        """The body."""
        return self.function.body({})

    @property
    def inputs(self) -> list[Tensor]:
        """The placeholders of the body, captured tensors included."""
        return self.graph.inputs

    @property
    def outputs(self) -> list[Tensor]:
        """The results of the body, flat."""
        return self.graph.outputs

    @property
    def function_def(self) -> Any:
        """The FunctionDef."""
        return self.function.definition

    @property
    def variables(self) -> list[Any]:
        """The variables that the body uses."""
        return list(self.captured_variables)

    @property
    def trainable_variables(self) -> list[Any]:
        """The trainable variables that the body uses."""
        return [variable for variable in self.captured_variables if variable.trainable]

    @property
    def output_dtypes(self) -> Any:
        """The types of the results, in their structure."""
        return self._of_outputs(lambda spec: spec.dtype)

    @property
    def output_shapes(self) -> Any:
        """The static shapes of the results, in their structure."""
        return self._of_outputs(lambda spec: spec.shape)

    def _of_outputs(self, part: Callable[[Any], Any]) -> Any:
        return nest.map_structure(
            lambda spec: part(spec) if isinstance(spec, TensorSpec) else None,
            self.output_specs,
        )

    def add_to_graph(self, g: Graph | None = None) -> None:
        """Adds the function to the library of a graph, the default one if None."""
        self.function.add_to_graph(g or get_default_graph())

    # Calls

    def set_keywords(self, keywords: list[str], positional: int) -> None:
        """Names the arguments, the first of which may be positional."""
        self._arg_keywords = keywords
        self._num_positional_args = positional

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a node that calls the function.

        Args:
            *args: tensors, as many of the first arguments as may be positional.
            **kwargs: the other tensors.

        Returns:
            The results in the structure that the Python function gave.

        Raises:
            TypeError: if arguments are missing, too many or unknown.
            ValueError: if an argument is no tensor, or of another shape than in the signature.
        """
        keywords = self._arg_keywords
        if keywords is None:
            if kwargs:
                raise NotImplementedError(
                    "Keyword arguments not supported when calling a wrap_function-decorated "
                    "function."
                )
            given = nest.flatten(args, expand_composites=True)
            if self.structured_input_signature is not None:
                return self.call_flat(given)
            return self.call_flat(self._checked(given))
        if len(args) > (self._num_positional_args or 0):
            raise TypeError(
                f"Expected at most {self._num_positional_args} positional arguments (and the rest "
                f"keywords, of {keywords}), got {args}. When calling a concrete function, "
                "positional arguments may not be bound to Tensors within nested structures."
            )
        given = list(args)
        for keyword in keywords[len(args) :]:
            if keyword not in kwargs:
                specified = [*keywords[: len(args)], *kwargs]
                missing = sorted(set(keywords) - set(specified))
                raise TypeError(
                    f"Expected argument names {sorted(keywords)} but got values for "
                    f"{sorted(specified)}. Missing: {missing}."
                )
            given.append(kwargs.pop(keyword))
        if kwargs:
            repeated = set(kwargs) & set(keywords[: len(args)])
            if repeated:
                raise TypeError(f"Got two values for keyword '{sorted(repeated)[0]}'.")
            raise TypeError(f"Keyword arguments {list(kwargs)} unknown. Expected {keywords}.")
        return self.call_flat(self._checked(given))

    def _checked(self, values: list[Any]) -> list[Any]:
        """The arguments of a call, which must be tensors of the shapes of the body."""
        for i, (value, own) in enumerate(zip(values, self.inputs)):
            if not isinstance(value, Tensor):
                raise ValueError(
                    "All inputs to `ConcreteFunction`s must be Tensors; on invocation of "
                    f"{self.graph.name}, the {i}-th input ({value}) was not a Tensor."
                )
            if not own.shape.is_compatible_with(value.shape):
                keywords = self._arg_keywords
                name = f"'{keywords[i]}'" if keywords else f"with index {i}"
                raise ValueError(
                    f"The argument {name} (value {value}) is not compatible with the shape this "
                    f"function was traced with. Expected shape {own.shape}, but got shape "
                    f"{value.shape}.\n\nIf you called get_concrete_function, you may need to pass "
                    "a tf.TensorSpec(..., shape=...) with a less specific shape, having None on "
                    "axes which can vary."
                )
        return values

    def call_flat(self, args: Iterable[Any]) -> Any:
        """Adds a node that calls the function.

        Args:
            args: the tensors, flat, without the captured ones.

        Returns:
            The results in their structure.
        """
        specs = self.function.definition.signature.input_arg
        wanted = len(specs) - len(self.captured_inputs)
        values = list(args)
        if len(values) != wanted:
            raise TypeError(
                f"Expected {wanted} arguments for concrete function {self.name}, got {len(values)}."
            )
        graph = get_default_graph()
        inputs = [convert_to_tensor(v, dtype=arg.type) for v, arg in zip(values, specs)]
        captured = [_outer(value) for value in self.captured_inputs]
        if isinstance(graph, FunctionGraph):
            captured = [graph.capture(tensor) for tensor in captured]
        with graph.control_dependencies(self.graph.waits_outside or []):
            results = partitioned_call(
                [*inputs, *captured],
                self.function,  # type: ignore[arg-type]
            )
        return self._structured(results)

    def _structured(self, results: Any) -> Any:
        if self.output_specs is None:
            # Nothing but an effect: the op.
            return results if isinstance(results, Operation) else None
        tensors = iter([] if isinstance(results, Operation) else _listed(results))
        values = [_value_of(spec, tensors) for spec in nest.flatten(self.output_specs)]
        return nest.pack_sequence_as(self.output_specs, values)


def _value_of(spec: Any, tensors: Iterator[Tensor]) -> Any:
    """The value that a TypeSpec describes, made of the next tensors; other values stay."""
    if isinstance(spec, TensorSpec):
        tensor = next(tensors)
        tensor.set_shape(spec.shape)
        return tensor
    if isinstance(spec, TypeSpec):
        parts = [_value_of(part, tensors) for part in nest.flatten(spec._component_specs)]
        return spec._from_components(nest.pack_sequence_as(spec._component_specs, parts))
    return spec


def _listed(results: Any) -> Any:
    return [results] if isinstance(results, Tensor) else results


def _outer(value: Any) -> Tensor:
    tensor = getattr(value, "handle", value)
    return tensor if isinstance(tensor, Tensor) else convert_to_tensor(tensor)
