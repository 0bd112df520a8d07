"""`meta_graph_transform`: transforms the graph of a MetaGraphDef, and prunes the rest of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.protos.lazy import meta_graph_pb2, variable_pb2
from headwater.serving.graph_tools.freeze_graph import freeze_graph_with_def_protos
from headwater.serving.graph_tools.transforms.node_names import node_of
from headwater.serving.graph_tools.transforms.transform_graph import TransformGraph

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.meta_graph_pb2 import MetaGraphDef

_FREEZE = "freeze_graph"
_GATHERS = "sparsify_gather"
_TABLES = "table_initializer"
_INITIALIZERS = ("saved_model_main_op", "legacy_init_op", _TABLES)
_NAMES = re.compile(rb"[A-Za-z0-9_.\\/-]+")


@export("contrib.meta_graph_transform.meta_graph_transform.meta_graph_transform")
def meta_graph_transform(
    base_meta_graph_def: MetaGraphDef,
    input_names: Sequence[str],
    output_names: Sequence[str],
    transforms: Sequence[str],
    tags: Sequence[str],
    checkpoint_path: str | None = None,
) -> MetaGraphDef:
    """Applies transforms to the graph of a MetaGraphDef.

    Saver, signatures and collections lose what refers to nodes that the graph has no more.

    Args:
        base_meta_graph_def: a MetaGraphDef, which is not changed.
        input_names: names of the nodes that will be fed.
        output_names: names of the nodes that will be fetched.
        transforms: as for `TransformGraph`, or "freeze_graph", which makes constants of variables.
        tags: the tags of the result.
        checkpoint_path: the checkpoint that "freeze_graph" takes the values from.

    Returns:
        A MetaGraphDef.

    Raises:
        ValueError: if a checkpoint is needed and missing.
        InvalidArgumentError: if a transform is unknown or its parameters are wrong.
    """
    result: MetaGraphDef = meta_graph_pb2.MetaGraphDef()
    result.meta_info_def.CopyFrom(base_meta_graph_def.meta_info_def)
    result.meta_info_def.tags[:] = list(tags)
    result.asset_file_def.extend(base_meta_graph_def.asset_file_def)
    base = base_meta_graph_def.graph_def
    kept = [*output_names, *_initializers(base_meta_graph_def)]
    graph_def: GraphDef = base
    for transform in transforms:
        name = transform.partition("(")[0].strip()
        if name == _FREEZE:
            graph_def = _frozen(graph_def, base_meta_graph_def, kept, checkpoint_path)
        else:
            state = _saver_nodes(base_meta_graph_def, graph_def)
            state += _variable_initializers(base_meta_graph_def, graph_def)
            graph_def = TransformGraph(graph_def, input_names, [*kept, *state], [transform])
    result.graph_def.CopyFrom(graph_def)
    removed = {node.name for node in base.node} - {node.name for node in graph_def.node}
    if not removed & set(_saver_nodes(base_meta_graph_def, base)):
        result.saver_def.CopyFrom(base_meta_graph_def.saver_def)
    for key, collection in base_meta_graph_def.collection_def.items():
        result.collection_def[key].CopyFrom(_pruned(collection, removed))
    for key, signature in base_meta_graph_def.signature_def.items():
        used = [*signature.inputs.values(), *signature.outputs.values()]
        if not any(node_of(info.name) in removed for info in used):
            result.signature_def[key].CopyFrom(signature)
    if any(transform.startswith(_GATHERS) for transform in transforms):
        _initialize_gathers(result, base)
    return result


def _initializers(meta_graph: MetaGraphDef) -> list[str]:
    """The nodes that a session runs first, beside the initializers of variables."""
    names: list[str] = []
    for key in _INITIALIZERS:
        if key in meta_graph.collection_def:
            names += map(node_of, meta_graph.collection_def[key].node_list.value)
    return list(dict.fromkeys(names))


def _saver_nodes(meta_graph: MetaGraphDef, graph_def: GraphDef) -> list[str]:
    """The nodes of a graph that save and restore."""
    saver = meta_graph.saver_def
    names = [saver.filename_tensor_name, saver.save_tensor_name, saver.restore_op_name]
    present = {node.name for node in graph_def.node}
    return [name for name in map(node_of, names) if name in present]


def _variable_initializers(meta_graph: MetaGraphDef, graph_def: GraphDef) -> list[str]:
    """The nodes of a graph that initialize its variables."""
    if "variables" not in meta_graph.collection_def:
        return []
    present = {node.name for node in graph_def.node}
    messages = meta_graph.collection_def["variables"].bytes_list.value
    variables = [variable_pb2.VariableDef.FromString(message) for message in messages]
    names = [node_of(variable.initializer_name) for variable in variables]
    return [name for name in names if name in present]


def _frozen(
    graph_def: GraphDef, meta_graph: MetaGraphDef, kept: Sequence[str], checkpoint: str | None
) -> GraphDef:
    if checkpoint is None:
        raise ValueError("Can't load save_path when it is None.")
    saver_def = meta_graph.saver_def if meta_graph.HasField("saver_def") else None
    names = ",".join(kept)
    return freeze_graph_with_def_protos(
        graph_def, saver_def, checkpoint, names, "", "", "", True, ""
    )


def _pruned(collection: Any, removed: set[str]) -> Any:
    """A collection without nodes, and without messages about nodes, that are removed."""
    result = type(collection)()
    result.CopyFrom(collection)
    kind = collection.WhichOneof("kind")
    if kind == "node_list":
        result.node_list.value[:] = [
            name for name in collection.node_list.value if node_of(name) not in removed
        ]
    elif kind == "bytes_list":
        result.bytes_list.value[:] = [
            message
            for message in collection.bytes_list.value
            if not any(word.decode() in removed for word in _NAMES.findall(message))
        ]
    return result


def _initialize_gathers(meta_graph: MetaGraphDef, base: GraphDef) -> None:
    """Lets sessions fill the tables of `sparsify_gather` where they fill other tables."""
    group = "group_deps"
    before = {node.name for node in base.node}
    if group not in before and any(node.name == group for node in meta_graph.graph_def.node):
        meta_graph.collection_def[_TABLES].node_list.value.append(group)
