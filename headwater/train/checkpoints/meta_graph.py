"""MetaGraphDefs: graphs together with their collections and savers."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import errors, logging
from headwater.base.lazy import LazyModule
from headwater.graph import Graph, Operation, Tensor, get_default_graph, import_graph_def, lookup
from headwater.graph import graph_def as _graph_def
from headwater.graph.collection_protos import ProtoFunctions, proto_functions_of
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.registry import is_registered
from headwater.graph.scope_names import prepend_name_scope
from headwater.graph.used_ops import ops_used_by_graph_def
from headwater.io.atomic_file import write_atomically
from headwater.io.files import folder_of, make_folders, path_text, read_bytes
from headwater.model.variables.partitioned_variable import PartitionedVariable
from headwater.model.variables.variable import Variable
from headwater.protos.any_values import (
    from_file,
    is_any,
    named_for_files,
    rename_for_this_process,
)
from headwater.protos.lazy import LazyMessage, meta_graph_pb2, variable_pb2
from headwater.train.checkpoints.scoped_graph import (
    UNBOUND_KEY,
    UNBOUND_PREFIX,
    inside,
    scoped_graph_def,
    stripped,
)

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.meta_graph_pb2 import CollectionDef, MetaGraphDef
    from headwater.protos.saver_pb2 import SaverDef

# These modules load protobuf, which a program without protos does not need.
_text_format: Any = LazyModule("google.protobuf.text_format")
_message: Any = LazyModule("google.protobuf.message")

_VERSION = "1.15.0"
# The collections of variables that TensorFlow writes as VariableDefs.
_REGISTERED_KEYS = frozenset(
    (
        GraphKeys.GLOBAL_VARIABLES,
        GraphKeys.LOCAL_VARIABLES,
        GraphKeys.METRIC_VARIABLES,
        GraphKeys.MODEL_VARIABLES,
        GraphKeys.TRAINABLE_VARIABLES,
        GraphKeys.MOVING_AVERAGE_VARIABLES,
        GraphKeys.GLOBAL_STEP,
    )
)
_VARIABLE_KEYS = _REGISTERED_KEYS | {
    GraphKeys.CONCATENATED_VARIABLES,
    GraphKeys.TRAINABLE_RESOURCE_VARIABLES,
}


def variable_to_proto(variable: Any, export_scope: str | None = None) -> Any:
    """The VariableDef of a variable of any class."""
    return variable.to_proto(export_scope=export_scope)


_VARIABLE_FUNCTIONS = ProtoFunctions(
    LazyMessage(variable_pb2, "VariableDef"), variable_to_proto, Variable.from_proto
)


def make_meta_graph(
    graph_def: GraphDef,
    graph: Graph | None = None,
    saver_def: SaverDef | None = None,
    collection_list: Iterable[Any] | None = None,
    meta_info_def: Any = None,
    strip_default_attrs: bool = False,
    export_scope: str | None = None,
    unbound_key: str | None = UNBOUND_KEY,
) -> MetaGraphDef:
    """Makes a MetaGraphDef.

    Args:
        graph_def: the nodes.
        graph: the Graph whose collections are written; None for none.
        saver_def: a SaverDef, or None.
        collection_list: the keys of the collections; None for all.
        meta_info_def: a MetaInfoDef to begin with, or None.
        strip_default_attrs: whether attrs that have their default values are left out.
        export_scope: the only name scope that is written, or None.
        unbound_key: the collection that names the inputs from outside the scope, or None.

    Returns:
        The proto. Items of collections that have no proto form are left out with a warning.
    """
    proto = meta_graph_pb2.MetaGraphDef()
    if meta_info_def is not None:
        proto.meta_info_def.CopyFrom(meta_info_def)
    proto.meta_info_def.tensorflow_version = _VERSION
    proto.meta_info_def.tensorflow_git_version = f"v{_VERSION}"
    if export_scope:
        graph_def, unbound = scoped_graph_def(graph_def, export_scope)
        if unbound and unbound_key:
            if graph is not None:
                graph.get_collection_ref(unbound_key)[:] = unbound
            is_listed = collection_list is None or unbound_key in collection_list
            if graph is None or not is_listed:
                names = [name.encode() for name in unbound]
                proto.collection_def[unbound_key].bytes_list.value.extend(names)
    proto.graph_def.MergeFrom(graph_def)
    ops = proto.meta_info_def.stripped_op_list
    if not ops.op:
        ops.SetInParent()
        for name in filter(is_registered, ops_used_by_graph_def(graph_def)):
            ops.op.add().CopyFrom(_graph_def.op_def(lookup(name)))
    if strip_default_attrs:
        strip_defaults(proto)
    if graph is not None:
        keys = graph.get_all_collection_keys() if collection_list is None else collection_list
        for key in keys:
            items = graph.get_collection(key)
            if items and isinstance(key, str):
                add_collection(proto, key, items, export_scope)
    if saver_def is not None:
        proto.saver_def.MergeFrom(saver_def)
    return proto


def functions_of(key: str) -> ProtoFunctions | None:
    """How the items of a collection become protos and come back: registered, or of variables.

    Args:
        key: the key of the collection.

    Returns:
        ProtoFunctions, or None for a collection whose items have no protos.
    """
    if key in _REGISTERED_KEYS:
        return _VARIABLE_FUNCTIONS
    return proto_functions_of(key)


def strip_defaults(proto: MetaGraphDef) -> None:
    """Removes the attrs with default values from the nodes of a MetaGraphDef and its functions."""
    defaults = {
        op.name: {a.name: a.default_value for a in op.attr if a.HasField("default_value")}
        for op in proto.meta_info_def.stripped_op_list.op
    }
    bodies = [function.node_def for function in proto.graph_def.library.function]
    for node in (node for body in (proto.graph_def.node, *bodies) for node in body):
        for name, default in defaults.get(node.op, {}).items():
            if name in node.attr and node.attr[name] == default:
                del node.attr[name]
    proto.meta_info_def.stripped_default_attrs = True


def add_collection(proto: MetaGraphDef, key: str, items: list[Any], scope: str | None) -> None:
    """Adds a collection to a MetaGraphDef; warns if it has items of a kind that cannot be written.

    Args:
        proto: the MetaGraphDef.
        key: the key of the collection.
        items: what it has.
        scope: only what is in this scope is added, without its name; None for all.
    """
    collection = meta_graph_pb2.CollectionDef()
    # Of variables and other graph elements in a custom collection, only the name is kept.
    functions = proto_functions_of(key)
    to_proto = None if functions is None else functions.to_proto
    has_proto = key in _VARIABLE_KEYS or functions is not None
    try:
        for item in items:
            if to_proto is not None:
                form = to_proto(item, export_scope=scope)
                if form is not None:
                    collection.bytes_list.value.append(form.SerializeToString())
            elif isinstance(item, (Tensor, Operation)):
                if not scope or inside(item.name, scope):
                    collection.node_list.value.append(stripped(item.name, scope or ""))
            elif isinstance(item, (str, bytes)):
                data = item.encode() if isinstance(item, str) else item
                if not scope or data.startswith((scope.encode(), UNBOUND_PREFIX.encode())):
                    collection.bytes_list.value.append(data)
            elif isinstance(item, int):
                collection.int64_list.value.append(item)
            elif isinstance(item, float):
                collection.float_list.value.append(item)
            elif is_any(item):
                collection.any_list.value.append(from_file(item))
            elif isinstance(item, PartitionedVariable):
                continue
            elif not has_proto:
                if not scope or inside(item.name, scope):
                    collection.node_list.value.append(stripped(item.name, scope or ""))
            else:
                form = item.to_proto(export_scope=scope) if scope else item.to_proto()
                if form is not None:
                    collection.bytes_list.value.append(form.SerializeToString())
    except (AttributeError, TypeError, ValueError, NotImplementedError) as error:
        logging.warning(
            "Issue encountered when serializing %s.\nType is unsupported, or the types of the "
            "items don't match field type in CollectionDef. Note this is a warning and probably "
            "safe to ignore.\n%s",
            key,
            error,
        )
        return
    if not scope or collection.WhichOneof("kind"):
        proto.collection_def[key].MergeFrom(collection)


def read_meta_graph(path: str) -> MetaGraphDef:
    """Reads a MetaGraphDef from a file in binary or text form.

    Raises:
        OSError: if there is no such file, or it has neither form.
    """
    name = path_text(path)
    try:
        data = read_bytes(name)
    except errors.NotFoundError:
        raise OSError(f"File {name} does not exist.") from None
    proto = meta_graph_pb2.MetaGraphDef()
    try:
        proto.ParseFromString(data)
    except _message.DecodeError:
        try:
            _text_format.Merge(data, proto)
        except (_text_format.ParseError, UnicodeDecodeError) as error:
            raise OSError(f"Cannot parse file {name}: {error}.") from error
    rename_for_this_process(proto)
    return proto


def write_proto(proto: MetaGraphDef, path: str, as_text: bool = False) -> None:
    """Writes a proto to a file atomically; the folder is made if there is none."""
    name = path_text(path)
    with named_for_files([proto]):
        data = (
            _text_format.MessageToString(proto).encode() if as_text else proto.SerializeToString()
        )
    make_folders(folder_of(name))
    write_atomically(name, data)


def add_meta_graph(
    meta_graph: MetaGraphDef,
    clear_devices: bool,
    import_scope: str | None,
    input_map: dict[str, Any] | None = None,
    unbound_key: str | None = UNBOUND_KEY,
    takes_collection: Callable[[str], bool] = lambda key: True,
    return_elements: Sequence[str] | None = None,
) -> tuple[str, list[Any] | None]:
    """Adds the nodes and collections of a MetaGraphDef to the default graph.

    Args:
        meta_graph: the MetaGraphDef.
        clear_devices: whether devices are left out.
        import_scope: a name scope for the nodes, made unique.
        input_map: tensors for inputs, by name.
        unbound_key: the collection that names inputs without which the graph is not whole, or None.
        takes_collection: tells of a key whether the collection is read.
        return_elements: names of nodes and tensors.

    Returns:
        The name scope of the nodes, "" without one, and what `return_elements` names.

    Raises:
        ValueError: if inputs from outside an exported scope are not in `input_map`.
    """
    graph = get_default_graph()
    graph_def = meta_graph.graph_def
    unbound = []
    if unbound_key and unbound_key in meta_graph.collection_def:
        unbound = [v.decode() for v in meta_graph.collection_def[unbound_key].bytes_list.value]
    if not set(unbound) <= set(input_map or ()):
        raise ValueError(
            f"Graph contains unbound inputs: {','.join(unbound)}. Must provide these inputs "
            "through input_map."
        )
    if clear_devices:
        graph_def = copy.deepcopy(graph_def)
        for node in graph_def.node:
            node.device = ""
    prefix = graph.unique_name(import_scope or "", mark_as_used=False)
    scope = prefix.rstrip("/")
    made = import_graph_def(
        graph_def,
        name=import_scope or prefix,
        input_map=input_map,
        return_elements=return_elements,
        producer_op_list=(
            meta_graph.meta_info_def.stripped_op_list
            if meta_graph.meta_info_def.HasField("stripped_op_list")
            else None
        ),
    )
    variables: dict[bytes, Any] = {}
    keys = set(meta_graph.collection_def) - {UNBOUND_KEY, unbound_key}
    for key in sorted(keys, key=lambda key: (key not in _VARIABLE_KEYS, key)):
        if takes_collection(key):
            _add_items(graph, key, meta_graph.collection_def[key], scope, variables)
    return scope, made


def _add_items(
    graph: Graph, key: str, collection: CollectionDef, scope: str, variables: dict[bytes, Any]
) -> None:
    """Adds the items of a CollectionDef to a collection; a variable is made once."""
    kind = collection.WhichOneof("kind")
    for value in getattr(collection, kind).value if kind else ():
        if kind == "node_list":
            item = graph.as_graph_element(f"{scope}/{value}" if scope else value)
        elif kind == "bytes_list" and key in _VARIABLE_KEYS:
            if value not in variables:
                variable_def = variable_pb2.VariableDef.FromString(value)
                variables[value] = Variable.from_proto(variable_def, import_scope=scope or None)
            item = variables[value]
        elif kind == "bytes_list" and (functions := _read_functions(key)) is not None:
            proto = functions.proto_type.FromString(value)
            item = functions.from_proto(proto, import_scope=scope or None)
        elif kind == "any_list":
            item = from_file(value)
        elif kind == "bytes_list" and scope:
            item = prepend_name_scope(value.decode(), scope)
        else:
            item = value
        graph.add_to_collection(key, item)


def _read_functions(key: str) -> Any:
    functions = proto_functions_of(key)
    return None if functions is None or functions.from_proto is None else functions
