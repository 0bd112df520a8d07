"""Frozen graphs with constants in the place of weights, masks and their products."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.contrib.model_pruning.masks import MASKED_WEIGHT_NAME
from headwater.graph import Graph, import_graph_def
from headwater.graph.graph_util import convert_variables_to_constants, extract_sub_graph
from headwater.io.tensor_proto import make_tensor_proto
from headwater.session.session import Session
from headwater.train.checkpoints.checkpoint_state import latest_checkpoint
from headwater.train.checkpoints.saver import import_meta_graph


@export("contrib.model_pruning.strip_pruning_vars_fn")
def strip_pruning_vars_fn(input_graph_def: Any, output_node_names: list[str]) -> Any:
    """Replaces masked weights of a frozen graph by constants.

    Args:
        input_graph_def: a GraphDef whose weights and masks are constants.
        output_node_names: the names of the nodes that must stay.

    Returns:
        A GraphDef that has only what the outputs need; no masks and thresholds are left.

    Raises:
        AssertionError: if a node is not in the graph.
    """
    names = [n.name for n in input_graph_def.node if MASKED_WEIGHT_NAME in n.name]
    graph = Graph()
    with graph.as_default():
        import_graph_def(input_graph_def, name="")
        with Session(graph=graph) as session:
            values = dict(zip(names, session.run([f"{name}:0" for name in names])))
    result = type(input_graph_def)()
    for node in input_graph_def.node:
        copy = result.node.add()
        if node.name not in values:
            copy.CopyFrom(node)
            continue
        copy.name, copy.op = node.name, "Const"
        copy.attr["dtype"].CopyFrom(node.attr["T"])
        copy.attr["value"].tensor.CopyFrom(make_tensor_proto(values[node.name]))
    result.library.CopyFrom(input_graph_def.library)
    return extract_sub_graph(result, output_node_names)


@export("contrib.model_pruning.graph_def_from_checkpoint")
def graph_def_from_checkpoint(checkpoint_dir: str, output_node_names: list[str]) -> Any:
    """Reads the last checkpoint of a folder and freezes its graph.

    Args:
        checkpoint_dir: the folder of the checkpoint and of its MetaGraphDef.
        output_node_names: the names of the nodes that must stay.

    Returns:
        A GraphDef with constants in the place of variables.

    Raises:
        ValueError: if there is no checkpoint.
    """
    path = latest_checkpoint(checkpoint_dir)
    if path is None:
        raise ValueError(f"Could not find a checkpoint at: {checkpoint_dir}.")
    graph = Graph()
    with graph.as_default(), Session(graph=graph) as session:
        saver: Any = import_meta_graph(f"{path}.meta", clear_devices=True)
        saver.restore(session, path)
        return convert_variables_to_constants(session, graph.as_graph_def(), output_node_names)
