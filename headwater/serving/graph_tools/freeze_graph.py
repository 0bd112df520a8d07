"""`freeze_graph`: a graph whose variables are constants with the values of a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.graph import Graph, Operation, Tensor, build, import_graph_def
from headwater.graph.graph_util import convert_variables_to_constants
from headwater.io.atomic_file import write_atomically
from headwater.model.trackable.saveable import SaveableObject, SaveSpec
from headwater.protos.lazy import graph_pb2, meta_graph_pb2
from headwater.serving.graph_tools.graph_files import (
    names_in,
    read_graph_def,
    read_meta_graph_def,
    read_saver_def,
)
from headwater.serving.saved_model.loader import SavedModelLoader
from headwater.serving.saved_model.tag_sets import get_meta_graph_def
from headwater.session.session import Session
from headwater.train.checkpoints.checkpoint_reader import CheckpointReader
from headwater.train.checkpoints.checkpoint_state import checkpoint_exists
from headwater.train.checkpoints.saver import Saver, import_meta_graph

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.meta_graph_pb2 import MetaGraphDef
    from headwater.protos.saver_pb2 import SaverDef

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")


def freeze_graph(
    input_graph: str,
    input_saver: str,
    input_binary: bool,
    input_checkpoint: str,
    output_node_names: str,
    restore_op_name: str,
    filename_tensor_name: str,
    output_graph: str,
    clear_devices: bool,
    initializer_nodes: str,
    variable_names_whitelist: str = "",
    variable_names_blacklist: str = "",
    input_meta_graph: str | None = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: str = "serve",
    checkpoint_version: int = 2,
) -> GraphDef:
    """Replaces the variables of a graph in files by constants.

    Args:
        input_graph: the file of a GraphDef, or "".
        input_saver: the file of a SaverDef, or "".
        input_binary: whether these files, and `input_meta_graph`, have the binary form.
        input_checkpoint: the path of a checkpoint, or "" with a SavedModel.
        output_node_names: nodes that stay, separated by commas.
        restore_op_name: has no effect.
        filename_tensor_name: has no effect.
        output_graph: the file to write, or "".
        clear_devices: whether devices are left out.
        initializer_nodes: nodes to run after restoring, separated by commas, or "".
        variable_names_whitelist: the only variables that are replaced, or "" for all.
        variable_names_blacklist: variables that stay, or "".
        input_meta_graph: the file of a MetaGraphDef that is used instead of `input_graph`.
        input_saved_model_dir: the folder of a SavedModel that is used instead of all of these.
        saved_model_tags: the tags of its graph, separated by commas.
        checkpoint_version: the format of the checkpoint, 1 or 2.

    Returns:
        A GraphDef.

    Raises:
        OSError: if a file does not exist.
        ValueError: if the checkpoint does not exist, no nodes are named, or the graph has no
            variables or partitioned ones.
        AssertionError: if a node is not in the graph.
    """
    graph_def: GraphDef | None = None
    meta_graph_def = saver_def = None
    if input_saved_model_dir:
        graph_def = get_meta_graph_def(input_saved_model_dir, saved_model_tags).graph_def
    elif input_graph:
        graph_def = read_graph_def(input_graph, input_binary)
    if input_meta_graph:
        meta_graph_def = read_meta_graph_def(input_meta_graph, input_binary)
    if input_saver:
        saver_def = read_saver_def(input_saver, input_binary)
    return freeze_graph_with_def_protos(
        graph_def,
        saver_def,
        input_checkpoint,
        output_node_names,
        restore_op_name,
        filename_tensor_name,
        output_graph,
        clear_devices,
        initializer_nodes,
        variable_names_whitelist,
        variable_names_blacklist,
        meta_graph_def,
        input_saved_model_dir,
        names_in(saved_model_tags),
        checkpoint_version,
    )


def freeze_graph_with_def_protos(
    input_graph_def: GraphDef | None,
    input_saver_def: SaverDef | None,
    input_checkpoint: str,
    output_node_names: str,
    restore_op_name: str,
    filename_tensor_name: str,
    output_graph: str,
    clear_devices: bool,
    initializer_nodes: str,
    variable_names_whitelist: str = "",
    variable_names_blacklist: str = "",
    input_meta_graph_def: MetaGraphDef | None = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: list[str] | None = None,
    checkpoint_version: int = 2,
) -> GraphDef:
    """Replaces the variables of a graph by constants; the arguments are as for `freeze_graph`.

    Args:
        input_graph_def: a GraphDef, or None.
        input_saver_def: a SaverDef, or None.
        input_checkpoint: the path of a checkpoint, or "" with a SavedModel.
        output_node_names: nodes that stay, separated by commas.
        restore_op_name: has no effect.
        filename_tensor_name: has no effect.
        output_graph: the file to write, or "".
        clear_devices: whether devices are left out.
        initializer_nodes: nodes to run after restoring, separated by commas, or "".
        variable_names_whitelist: the only variables that are replaced, or "" for all.
        variable_names_blacklist: variables that stay, or "".
        input_meta_graph_def: a MetaGraphDef that is used instead of the GraphDef, or None.
        input_saved_model_dir: the folder of a SavedModel that is used instead, or None.
        saved_model_tags: the tags of its graph.
        checkpoint_version: the format of the checkpoint, 1 or 2.

    Returns:
        A GraphDef.

    Raises:
        ValueError: if the checkpoint does not exist, no nodes are named, or the graph has no
            variables or partitioned ones.
        AssertionError: if a node is not in the graph.
    """
    if not input_saved_model_dir and not checkpoint_exists(input_checkpoint):
        raise ValueError(f"Input checkpoint '{input_checkpoint}' doesn't exist!")
    if not output_node_names:
        raise ValueError("You need to supply the name of a node to --output_node_names.")
    meta_graph = meta_graph_pb2.MetaGraphDef()
    if input_meta_graph_def:
        meta_graph.CopyFrom(input_meta_graph_def)
        graph_def = meta_graph.graph_def
    else:
        graph_def = graph_pb2.GraphDef()
        graph_def.CopyFrom(input_graph_def)
    if clear_devices:
        for node in graph_def.node:
            node.device = ""
    with Graph().as_default() as graph, Session() as session:
        if input_saved_model_dir:
            SavedModelLoader(input_saved_model_dir).load(session, saved_model_tags or [])
        elif input_meta_graph_def:
            saver = import_meta_graph(meta_graph, clear_devices=clear_devices)
            if saver is not None:
                saver.restore(session, input_checkpoint)
        else:
            import_graph_def(graph_def, name="")
            if input_saver_def:
                saver = Saver(saver_def=input_saver_def, write_version=checkpoint_version)
            else:
                saver = _saver_of(graph, input_checkpoint, checkpoint_version)
            saver.restore(session, input_checkpoint)
        if initializer_nodes:
            session.run(names_in(initializer_nodes))
        frozen: GraphDef = convert_variables_to_constants(
            session,
            graph_def,
            names_in(output_node_names),
            names_in(variable_names_whitelist) if variable_names_whitelist else None,
            names_in(variable_names_blacklist) if variable_names_blacklist else None,
        )
    if output_graph:
        write_atomically(output_graph, frozen.SerializeToString())
    return frozen


def _saver_of(graph: Graph, checkpoint: str, version: int) -> Saver:
    """Returns a saver of the variables that are both in a graph and in a checkpoint."""
    operations = {op.name: op for op in graph.get_operations()}
    if not any(op.type in _VARIABLES for op in operations.values()):
        raise ValueError(
            "No variables were found in this model. It is likely the model was frozen previously. "
            "You cannot freeze a graph twice."
        )
    found: dict[str, Any] = {}
    for key in CheckpointReader(checkpoint).get_variable_to_shape_map():
        op = operations.get(key)
        if op is None:
            continue
        # A partitioned variable is saved under the name of the node that joins its parts.
        if op.type not in _VARIABLES:
            raise ValueError(
                "Models containing partition variables cannot be converted from checkpoint files. "
                "Please pass in a SavedModel using the flag --input_saved_model_dir."
            )
        found[key] = _HandleSaveable(op) if op.type == "VarHandleOp" else op.outputs[0]
    return Saver(var_list=found, write_version=version)


class _HandleSaveable(SaveableObject):
    """A resource variable of which only the node is known."""

    def __init__(self, op: Operation) -> None:
        dtype = op.get_attr("dtype")
        value = build.ReadVariableOp(op.outputs[0], dtype=dtype)
        super().__init__(op, [SaveSpec(value, "", op.name, dtype, op.device)], op.name)

    def restore(
        self, restored_tensors: list[Tensor], restored_shapes: Sequence[Sequence[int]] | None
    ) -> Operation:
        """Assigns the restored tensor."""
        return build.AssignVariableOp(self.op.outputs[0], restored_tensors[0])
