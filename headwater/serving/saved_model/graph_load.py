"""SavedModels without objects as an object: signatures become functions of the default graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from headwater.base.dtypes import as_dtype, resource
from headwater.base.tensor_shape import TensorShape
from headwater.graph import Operation, Tensor, build, constant_node, lookup
from headwater.graph.default_graph import get_default_graph
from headwater.graph.execution_mode import init_scope
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.registry import is_registered
from headwater.model.function.concrete_function import inference_name
from headwater.model.function.wrapped import UnliftableError, WrappedFunction, wrap_function
from headwater.model.trackable.auto import AutoTrackable, CapturableResource, TrackableAsset
from headwater.model.variables.uninitialized_variable import UninitializedVariable
from headwater.protos.lazy import meta_graph_pb2, node_def_pb2, variable_pb2
from headwater.serving.saved_model import constants
from headwater.serving.saved_model.assets import get_asset_tensors
from headwater.serving.saved_model.function_signatures import SignatureMap
from headwater.serving.saved_model.loader import SavedModelLoader, get_init_op
from headwater.serving.saved_model.tensor_infos import get_tensor_from_tensor_info
from headwater.train.checkpoints.saver import import_meta_graph

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import MetaGraphDef
    from headwater.protos.node_def_pb2 import NodeDef
    from headwater.train.checkpoints.saver import Saver

_OWN_SIGNATURES = (constants.INIT_OP_SIGNATURE_KEY, constants.TRAIN_OP_SIGNATURE_KEY)


def load_graph_as_object(export_dir: Any, tags: str | Iterable[str] | None) -> Any:
    """Loads a graph of a SavedModel into a function of the default graph.

    Its resource variables become variables of the default graph, whose initializers read the
    values. `tf.tables_initializer` reads them too, and runs the main operation.

    Args:
        export_dir: the folder of the SavedModel.
        tags: the tags of the graph; they need not be given if there is one graph only.

    Returns:
        An object with `signatures` (functions by their keys), `variables`, `graph`, `prune`,
        `asset_paths` and `initializer`.

    Raises:
        RuntimeError: if there is no graph with these tags.
        UnliftableError: if a signature needs a placeholder that is none of its inputs.
        ValueError: if there are several graphs, and no tags.
    """
    loader = SavedModelLoader(export_dir)
    graphs = loader.saved_model.meta_graphs
    if tags is None:
        if len(graphs) != 1:
            present = [list(m.meta_info_def.tags) for m in graphs]
            raise ValueError(
                "Importing a SavedModel with tf.saved_model.load requires a 'tags=' argument if "
                f"there is more than one MetaGraph. Got 'tags=None', but there are {len(graphs)} "
                f"MetaGraphs in the SavedModel with tag sets {present}. Pass a 'tags=' argument "
                "to load this SavedModel."
            )
        tags = list(graphs[0].meta_info_def.tags)
    wanted = [tags] if isinstance(tags, str) else list(tags)
    meta_graph = loader.get_meta_graph_def_from_tags(wanted)
    imported: list[tuple[Saver | None, dict[Any, str]]] = []
    wrapped = wrap_function(lambda: imported.append(_import(meta_graph)), signature=[])
    saver, local = imported[0]
    for variable, initializer in local.items():
        variable.set_initializer(wrapped.prune([], initializer)())
    if saver is not None:
        _restore_by_initializers(wrapped, saver, loader.variables_path)
    root: Any = AutoTrackable()
    root.initializer, root.asset_paths = _initializer(wrapped, meta_graph, export_dir)
    root.signatures = SignatureMap(_signatures(wrapped, meta_graph))
    root.variables = list(wrapped.variables)
    root.graph, root.prune = wrapped.graph, wrapped.prune
    root.tensorflow_version = meta_graph.meta_info_def.tensorflow_version
    root.tensorflow_git_version = meta_graph.meta_info_def.tensorflow_git_version
    return root


def _import(
    meta_graph: MetaGraphDef,
) -> tuple[Saver | None, dict[UninitializedVariable, str]]:
    """Adds a graph to the body of a function, in which handles of variables are captured.

    Returns:
        The Saver, and the initializers of local variables, which are not saved.
    """
    body: Any = get_default_graph()
    local: dict[UninitializedVariable, str] = {}
    with init_scope():
        variables = _variables(meta_graph, local)
    own = meta_graph_pb2.MetaGraphDef()
    own.CopyFrom(meta_graph)
    # State without a name that is shared on purpose belongs to this copy of the graph.
    prefix = inference_name("saved_model")
    for node in own.graph_def.node:
        if node.name in variables:
            node.CopyFrom(_handle_placeholder(node.name))
        elif _is_unshared(node):
            node.attr["shared_name"].s = f"{prefix}/{node.name}".encode()
    saver = import_meta_graph(own)
    for name, variable in variables.items():
        body.capture_as(variable.handle, body.get_tensor_by_name(f"{name}:0"))
    return saver, local


def _variables(
    meta_graph: MetaGraphDef, local: dict[UninitializedVariable, str]
) -> dict[str, UninitializedVariable]:
    """Makes the resource variables of a graph, by the names of their handles."""
    nodes = {node.name: node for node in meta_graph.graph_def.node}
    made: dict[str, UninitializedVariable] = {}
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        if key not in meta_graph.collection_def:
            continue
        for item in meta_graph.collection_def[key].bytes_list.value:
            proto = variable_pb2.VariableDef.FromString(item)
            name = proto.variable_name.removesuffix(":0")
            node = nodes.get(name)
            if not proto.is_resource or node is None or node.op != "VarHandleOp" or name in made:
                continue
            shape, dtype = TensorShape(node.attr["shape"].shape), as_dtype(node.attr["dtype"].type)
            made[name] = UninitializedVariable(
                shape, dtype, proto.trainable, name=name, collections=[key]
            )
            if key == GraphKeys.LOCAL_VARIABLES:
                local[made[name]] = proto.initializer_name
    return made


def _handle_placeholder(name: str) -> NodeDef:
    node = node_def_pb2.NodeDef(name=name, op="Placeholder")
    node.attr["dtype"].type = resource.as_datatype_enum
    node.attr["shape"].shape.SetInParent()
    return node


def _is_unshared(node: NodeDef) -> bool:
    """Whether a node makes state that goes by the name of the node."""
    # Reading an entry that is missing would add it.
    if not is_registered(node.op) or ("shared_name" in node.attr and node.attr["shared_name"].s):
        return False
    return any(attr.name == "shared_name" for attr in lookup(node.op).schema.attrs)


def _restore_by_initializers(wrapped: WrappedFunction, saver: Saver, path: str) -> None:
    """Makes an op that reads all variables their initializer."""
    proto = saver.saver_def
    restore = wrapped.prune(proto.filename_tensor_name, proto.restore_op_name)(constant_node(path))
    get_default_graph().add_to_collection(GraphKeys.TABLE_INITIALIZERS, restore)
    for variable in wrapped.variables:
        if variable.initializer is None:
            variable.set_initializer(restore)


class _Initializer(CapturableResource):
    """The main operation of a SavedModel.

    Args:
        function: runs it; takes the paths of the assets.
        asset_paths: the assets.
    """

    def __init__(self, function: WrappedFunction, asset_paths: list[TrackableAsset]) -> None:
        super().__init__()
        self._function = function
        self._asset_paths = asset_paths

    def _create_resource(self) -> Tensor:
        return constant_node(0.0)

    def _initialize(self) -> Operation:
        op: Operation = self._function(*[asset.asset_path for asset in self._asset_paths])
        return op


def _initializer(
    wrapped: WrappedFunction, meta_graph: MetaGraphDef, export_dir: Any
) -> tuple[_Initializer, list[TrackableAsset]]:
    """The main operation, which `tf.tables_initializer` runs from now on, and the assets."""
    paths = get_asset_tensors(export_dir, meta_graph)
    with wrapped.graph.as_default():
        op = get_init_op(meta_graph)
        if op is None:
            op = build.NoOp(name="init")
    assets = [TrackableAsset(path) for path in paths.values()]
    initializer = _Initializer(wrapped.prune(list(paths), op), assets)
    get_default_graph().add_to_collection(GraphKeys.TABLE_INITIALIZERS, initializer._initialize())
    return initializer, assets


def _signatures(wrapped: WrappedFunction, meta_graph: MetaGraphDef) -> dict[str, WrappedFunction]:
    functions = {}
    for key in sorted(meta_graph.signature_def):
        if key in _OWN_SIGNATURES:
            continue
        signature = meta_graph.signature_def[key]
        keywords = sorted(signature.inputs)
        feeds = [signature.inputs[keyword].name for keyword in keywords]
        fetches = {
            name: get_tensor_from_tensor_info(info, wrapped.graph)
            for name, info in signature.outputs.items()
        }
        try:
            function = wrapped.prune(feeds, fetches)
        except UnliftableError as error:
            raise UnliftableError(
                "A SavedModel signature needs an input for each placeholder the signature's "
                f"outputs use. An output for signature '{key}' depends on a placeholder which is "
                f"not an input (i.e. the placeholder is not fed a value).\n\n{error}"
            ) from None
        function.set_keywords(keywords, int(len(keywords) == 1))
        functions[key] = function
    return functions
