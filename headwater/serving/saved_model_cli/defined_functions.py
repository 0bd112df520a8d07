"""The functions of a SavedModel that was written with objects, as text for `show --all`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from headwater.graph.type_spec import TensorSpec
from headwater.serving.saved_model.structured_values import decoded

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import MetaGraphDef
    from headwater.protos.saved_object_graph_pb2 import SavedObject

# The original erases the last comma on the terminal.
_ERASED: Final = "\b\b"


def defined_functions(meta_graph: MetaGraphDef) -> list[str]:
    """Describes the functions of the root object, and what they can be called with.

    Args:
        meta_graph: the graph; without objects for a SavedModel of the builder.

    Returns:
        The lines, none for a graph without objects.
    """
    if not meta_graph.HasField("object_graph_def"):
        return []
    objects = meta_graph.object_graph_def
    # The original names the functions anew from the end of the library, and sorts those names.
    order = [f.signature.name for f in reversed(meta_graph.graph_def.library.function)]
    lines: list[str] = []
    for child in sorted(objects.nodes[0].children, key=lambda child: child.local_name):
        node = objects.nodes[child.node_id]
        if node.WhichOneof("kind") != "function":
            continue
        lines += ["" if lines else "Defined Functions:"]
        lines.append(f"  Function Name: '{child.local_name}'")
        for number, name in enumerate(sorted(_concrete(node), key=order.index), 1):
            signature = objects.concrete_functions[name].canonicalized_input_signature
            lines += [f"    Option #{number}", "      Callable with:"]
            lines += _arguments(*decoded(signature))
    return ["", *(lines or ["Defined Functions:"])]


def _concrete(node: SavedObject) -> Iterable[str]:
    return node.function.concrete_functions


def _arguments(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[str]:
    lines = []
    # Of named arguments the original prints the names, as values.
    for title, values in (("Argument", args), ("Named Argument", sorted(kwargs))):
        for number, value in enumerate(values, 1):
            lines.append(f"        {title} #{number}")
            lines += [f"          {line}" for line in _value(value)]
    return lines


def _value(value: Any) -> list[str]:
    if isinstance(value, TensorSpec):
        return [f"{value.name}: {value!r}"]
    return [f"DType: {type(value).__name__}", f"Value: {_contents(value)}"]


def _contents(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + "".join(f"{key!r}: {value[key]!r}, " for key in value) + f"{_ERASED}}}"
    if isinstance(value, Iterable):
        # A text too is a list of its characters.
        return "[" + "".join(f"{item!r}, " for item in value) + f"{_ERASED}]"
    return str(value)
