"""Functions of SavedModels that were written with objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import nest
from headwater.graph import Graph, Tensor, convert_to_tensor
from headwater.graph.composite_specs import CompositeTensor
from headwater.graph.function_protos import LibraryFunction
from headwater.graph.functions import add_function
from headwater.graph.type_spec import TensorSpec
from headwater.model.function.concrete_function import ConcreteFunction, inference_name
from headwater.model.function.function_spec import Arguments, FunctionSpec
from headwater.model.function.polymorphic import Function
from headwater.protos.lazy import function_pb2
from headwater.serving.saved_model.structured_values import decoded

if TYPE_CHECKING:
    from headwater.protos.function_pb2 import FunctionDefLibrary
    from headwater.protos.saved_object_graph_pb2 import FunctionSpec as FunctionSpecProto
    from headwater.protos.saved_object_graph_pb2 import SavedConcreteFunction

_PREFIX = "__inference_"


def add_library(graph: Graph, library: FunctionDefLibrary) -> dict[str, LibraryFunction]:
    """Adds the functions of a library to a graph under new names, as several may be loaded.

    Args:
        graph: the graph.
        library: the functions.

    Returns:
        The functions by the names that they have in the library.
    """
    names = {f.signature.name: inference_name(_clean(f.signature.name)) for f in library.function}
    gradients = {g.function_name: names.get(g.gradient_func) for g in library.gradient}
    found = {}
    for definition in library.function:
        old = definition.signature.name
        renamed = function_pb2.FunctionDef()
        renamed.CopyFrom(definition)
        renamed.signature.name = names[old]
        for node in renamed.node_def:
            node.op = names.get(node.op, node.op)
            for attr in node.attr.values():
                for func in (attr.func, *attr.list.func) if _has_functions(attr) else ():
                    func.name = names.get(func.name, func.name)
            # Names a gradient function that was registered in the program that saved it.
            node.attr.pop("_gradient_op_type", None)
        found[old] = LibraryFunction(renamed, graph._functions, gradients.get(old))
        add_function(graph, found[old])
    return found


def _has_functions(attr: Any) -> bool:
    return attr.WhichOneof("value") == "func" or bool(attr.list.func)


def _clean(name: str) -> str:
    """The name that the Python function had."""
    if name.startswith(_PREFIX):
        return name[len(_PREFIX) :].rpartition("_")[0]
    return name


def concrete_function(
    function: LibraryFunction, proto: SavedConcreteFunction, captured: Sequence[Tensor]
) -> ConcreteFunction:
    """Returns the function that a SavedConcreteFunction describes."""
    args, kwargs = decoded(proto.canonicalized_input_signature)
    outputs = decoded(proto.output_signature)
    return ConcreteFunction(function, captured, (args, kwargs), outputs)


class RestoredFunction(Function):
    """A function of a SavedModel: a choice of traced functions.

    Args:
        concrete: the functions.
        spec: the parameters.
    """

    def __init__(self, concrete: Sequence[ConcreteFunction], spec: FunctionSpecProto) -> None:
        fields = decoded(spec.fullargspec)
        signature = decoded(spec.input_signature)
        known = FunctionSpec(fields, spec.is_method, signature)
        super().__init__(self._unavailable, "restored_function_body", spec=known)
        self._restored = list(concrete)

    @staticmethod
    def _unavailable(*args: Any, **kwargs: Any) -> Any:
        raise ValueError("The Python function is not part of a SavedModel.")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the traced function that fits the arguments.

        Args:
            *args: tensors, and the Python values that the function was traced with.
            **kwargs: further arguments by name.

        Returns:
            What the function returns.

        Raises:
            ValueError: if none fits.
        """
        bound = self._function_spec.bind(args, kwargs)
        for allow_conversion in (False, True):
            for concrete in self._restored:
                flat = _fitting(concrete, bound, allow_conversion)
                if flat is not None:
                    return concrete.call_flat(flat)
        raise ValueError(
            "Could not find matching function to call loaded from the SavedModel. Got:\n  "
            f"{_described(bound)}\n\nExpected these arguments to match one of the following "
            f"{len(self._restored)} option(s):\n\n"
            + "\n\n".join(
                f"Option {i}:\n  {_described(concrete.structured_input_signature)}"
                for i, concrete in enumerate(self._restored, 1)
            )
        )

    def _list_all_concrete_functions_for_serialization(self) -> list[ConcreteFunction]:
        return self._restored


def _fitting(
    concrete: ConcreteFunction, arguments: Arguments, allow_conversion: bool
) -> list[Tensor] | None:
    """The tensors of a call, if they fit a signature; otherwise None."""
    wanted = concrete.structured_input_signature
    try:
        nest.assert_same_structure(arguments, wanted, expand_composites=True)
    except (TypeError, ValueError):
        return None
    tensors = []
    specs = nest.flatten(wanted, expand_composites=True)
    for value, spec in zip(nest.flatten(arguments, expand_composites=True), specs):
        if not isinstance(spec, TensorSpec):
            if type(value) is not type(spec) or value != spec:
                return None
            continue
        if not isinstance(value, Tensor):
            if not allow_conversion or isinstance(value, CompositeTensor):
                return None
            try:
                value = convert_to_tensor(value, spec.dtype)
            except (TypeError, ValueError):
                return None
        if not spec.is_compatible_with(value):
            return None
        tensors.append(value)
    return tensors


def _described(arguments: Arguments) -> str:
    args, kwargs = arguments
    lines = "\n".join(f"    * {value}" for value in args)
    return f"Positional arguments ({len(args)} total):\n{lines}\n  Keyword arguments: {kwargs}"
