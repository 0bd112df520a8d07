"""`OptimizeGraph`: a graph that computes the same with fewer nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from headwater.base.dtypes import as_dtype
from headwater.base.errors import InvalidArgumentError
from headwater.protos.lazy import config_pb2
from headwater.serving.graph_tools.transforms.constant_folding import computed, constant_names
from headwater.serving.graph_tools.transforms.node_names import (
    constant,
    graph_of,
    needed_by,
    node_of,
    renamed_input,
    with_inputs,
)
from headwater.serving.graph_tools.transforms.op_records import (
    functions_of,
    output_types,
    record_of,
)
from headwater.serving.graph_tools.transforms.ordering import execution_order

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.meta_graph_pb2 import MetaGraphDef

_PRUNING, _FOLDING = "pruning", "constfold"
_OFF = 2  # RewriterConfig.Toggle
# Collections of nodes that have to stay: what is trained, and what makes variables and tables.
_FETCHED = "train_op"
_KEPT = ("table_initializer", "saved_model_main_op", "legacy_init_op", "init_op", "local_init_op")


def OptimizeGraph(
    config_proto: Any,
    metagraph: MetaGraphDef,
    verbose: bool = True,
    graph_id: bytes = b"graph_to_optimize",
    cluster: Any = None,
) -> GraphDef:
    """Leaves out what the outputs do not need, computes constants, and removes identities.

    The outputs are the nodes in the collection `train_op` and those of the signatures. What
    initializes, saves and restores variables stays, too.

    Args:
        config_proto: a ConfigProto, whose `graph_options.rewrite_options` may turn steps off, or
            name the only ones ("pruning", "constfold").
        metagraph: the MetaGraphDef of the graph.
        verbose: has no effect.
        graph_id: has no effect.
        cluster: has no effect.

    Returns:
        A GraphDef.

    Raises:
        TypeError: if `config_proto` is not a ConfigProto.
        InvalidArgumentError: if there are no outputs.
    """
    if not isinstance(config_proto, config_pb2.ConfigProto):
        raise TypeError(f"Expected config_proto to be a ConfigProto, saw type {type(config_proto)}")
    fetched = fetched_nodes(metagraph)
    if not fetched:
        raise InvalidArgumentError(
            None, None, "Failed to import metagraph, check error log for more info."
        )
    graph_def = metagraph.graph_def
    kept = [*fetched, *_initializing_nodes(metagraph)]
    kept += [node.name for node in graph_def.node if node.op == "Placeholder"]
    options = config_proto.graph_options.rewrite_options
    chosen = list(options.optimizers) or [_PRUNING, _FOLDING]
    folds = _FOLDING in chosen and options.constant_folding != _OFF
    if _PRUNING in chosen and not options.disable_model_pruning:
        graph_def = _without_identities(_pruned(graph_def, kept), kept)
    if folds:
        graph_def = _folded(graph_def, kept)
    if folds or _PRUNING in chosen:
        graph_def = _pruned(graph_def, kept)
    graph_def.versions.CopyFrom(metagraph.graph_def.versions)
    return graph_def


def fetched_nodes(metagraph: MetaGraphDef) -> list[str]:
    """Returns the nodes in the collection `train_op`, and the outputs of signatures."""
    names: list[str] = []
    if _FETCHED in metagraph.collection_def:
        names += metagraph.collection_def[_FETCHED].node_list.value
    for signature in metagraph.signature_def.values():
        names += [info.name for info in signature.outputs.values()]
    return list(dict.fromkeys(node_of(name) for name in names))


def _initializing_nodes(metagraph: MetaGraphDef) -> list[str]:
    """The nodes that prepare a session, save and restore."""
    present = {node.name for node in metagraph.graph_def.node}
    saver = metagraph.saver_def
    names = [saver.filename_tensor_name, saver.save_tensor_name, saver.restore_op_name]
    for key in _KEPT:
        if key in metagraph.collection_def:
            names += metagraph.collection_def[key].node_list.value
    stateful = [
        node.name
        for node in metagraph.graph_def.node
        if node.op in ("Assign", "AssignVariableOp") and node.name.endswith("/Assign")
    ]
    return [name for name in map(node_of, [*names, *stateful]) if name in present]


def _pruned(graph_def: GraphDef, kept: Iterable[str]) -> GraphDef:
    needed = needed_by(graph_def, kept)
    alone = graph_of((node for node in graph_def.node if node.name in needed), graph_def)
    return graph_of(execution_order(alone), alone)


def _without_identities(graph_def: GraphDef, kept: Iterable[str]) -> GraphDef:
    """Removes Identities that only pass on a value: no reads of variables, no control flow."""
    nodes = {node.name: node for node in graph_def.node}
    functions = functions_of(graph_def)
    waited_for = {
        node_of(text) for node in graph_def.node for text in node.input if text.startswith("^")
    }
    staying = {*kept, *waited_for}
    replaced: dict[str, str] = {}
    for node in execution_order(graph_def):
        if node.op != "Identity" or node.name in staying or len(node.input) != 1:
            continue
        source = nodes[node_of(node.input[0])]
        if source.op in functions or source.op in ("Switch", "Merge", "RefSwitch", "Enter"):
            continue
        if not record_of(source.op).stateful:
            replaced[node.name] = renamed_input(node.input[0], replaced)
    return graph_of(
        (
            with_inputs(node, lambda text: renamed_input(text, replaced))
            for node in graph_def.node
            if node.name not in replaced
        ),
        graph_def,
    )


def _folded(graph_def: GraphDef, kept: Iterable[str]) -> GraphDef:
    """Makes constants, with their names, of nodes with one output that never change."""
    order = execution_order(graph_def)
    placeholders = {"Placeholder", "PlaceholderWithDefault"}
    constants = constant_names(order, {*functions_of(graph_def), *placeholders})
    free = {
        node.name
        for node in order
        if not any(text.startswith("^") for text in node.input) and node.name in constants
    }
    used = {node_of(text) for node in order if node.name not in constants for text in node.input}
    wanted = (used | set(kept)) & free
    edges = [
        (node.name, 0)
        for node in order
        if node.name in wanted and node.op != "Const" and len(output_types(node)) == 1
    ]
    values = computed([node for node in order if node.name in constants], edges)
    made = {
        node.name: constant(node.name, values[node.name, 0], as_dtype(output_types(node)[0]))
        for node in order
        if (node.name, 0) in values
    }
    return graph_of((made.get(node.name, node) for node in graph_def.node), graph_def)
