"""`tf.saved_model.load_v2`: the object of a SavedModel, with its variables and functions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.graph import Tensor, constant_node, get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.io.files import join_path
from headwater.io.tensor_proto import MakeNdarray
from headwater.model.function.concrete_function import ConcreteFunction
from headwater.model.trackable.auto import AutoTrackable, CapturableResource, TrackableAsset
from headwater.model.trackable.dict_wrapper import DictWrapper
from headwater.model.trackable.list_wrapper import ListWrapper
from headwater.model.variables.uninitialized_variable import UninitializedVariable
from headwater.serving.saved_model.files import (
    get_assets_dir,
    get_variables_path,
    parse_saved_model,
)
from headwater.serving.saved_model.function_signatures import SignatureMap
from headwater.serving.saved_model.graph_load import load_graph_as_object
from headwater.serving.saved_model.restored_functions import (
    RestoredFunction,
    add_library,
    concrete_function,
)
from headwater.train.objects.graph_view import ObjectGraphView
from headwater.train.objects.object_saver import TrackableSaver

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import MetaGraphDef
    from headwater.protos.saved_object_graph_pb2 import SavedObject


_RESOURCE_FUNCTIONS = ("_create_resource", "_initialize", "_destroy_resource")


class _UserObject(AutoTrackable):
    """An object whose class the loader does not know."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function that was saved as `__call__`."""
        function = self.__dict__.get("__call__")
        if function is None:
            raise TypeError(f"'{type(self).__name__}' object is not callable")
        return function(*args, **kwargs)


class _RestoredResource(CapturableResource):
    """A table or another resource; its functions become attributes.

    Args:
        create: makes the handle.
        device: the device of the handle.
    """

    def __init__(self, create: ConcreteFunction, device: str) -> None:
        super().__init__(device)
        self._create = create

    def _create_resource(self) -> Tensor:
        handle: Tensor = self._create.call_flat([])
        return handle

    def _list_functions_for_serialization(self, serialization_cache: Any) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in _RESOURCE_FUNCTIONS}


@export("saved_model.load_v2")
def load_v2(export_dir: Any, tags: str | Iterable[str] | None = None) -> Any:
    """Loads a SavedModel as an object, into the default graph.

    The initializers of its variables read the values from the SavedModel. Of a SavedModel that a
    builder has written, the object has `signatures`, `variables`, `graph`, `prune` (which makes a
    function of a part of the graph), `asset_paths` and `initializer`; `tf.tables_initializer` runs
    its main operation.

    Args:
        export_dir: the folder of the SavedModel.
        tags: the tags of the graph; they need not be given if there is one graph only.

    Returns:
        An object with the attributes of the saved one; `signatures` has functions by their keys.

    Raises:
        OSError: if there is no SavedModel, or it cannot be parsed.
        RuntimeError: if a SavedModel of a builder has no graph with these tags.
        ValueError: if it has other tags, or several graphs and none are given.
    """
    proto = parse_saved_model(export_dir)
    if len(proto.meta_graphs) != 1 or not proto.meta_graphs[0].HasField("object_graph_def"):
        return load_graph_as_object(export_dir, tags)
    meta_graph = proto.meta_graphs[0]
    present = list(meta_graph.meta_info_def.tags)
    wanted = [tags] if isinstance(tags, str) else tags
    if wanted is not None and set(wanted) != set(present):
        raise ValueError(
            f"The SavedModel at {export_dir} has one MetaGraph with tags {present}, but got an "
            f"incompatible argument tags={wanted} to tf.saved_model.load. You may omit it, pass "
            "'None', or pass matching tags."
        )
    root = _Loader(meta_graph, export_dir).load()
    root.tensorflow_version = meta_graph.meta_info_def.tensorflow_version
    root.tensorflow_git_version = meta_graph.meta_info_def.tensorflow_git_version
    return root


class _Loader:
    """Makes the objects of one MetaGraph.

    Args:
        meta_graph: the MetaGraphDef.
        export_dir: the folder of the SavedModel.
    """

    def __init__(self, meta_graph: MetaGraphDef, export_dir: Any) -> None:
        self._meta_graph = meta_graph
        self._export_dir = export_dir
        self._proto = meta_graph.object_graph_def
        self._nodes: list[Any] = []
        self._library: dict[str, Any] = {}
        self._concrete: dict[str, ConcreteFunction] = {}

    def load(self) -> Any:
        """Returns the root."""
        self._library = add_library(get_default_graph(), self._meta_graph.graph_def.library)
        protos = self._proto.nodes
        self._nodes = [None] * len(protos)
        # Functions capture what the other objects have.
        for late in (False, True):
            for number, proto in enumerate(protos):
                kind = proto.WhichOneof("kind")
                if (kind in ("function", "bare_concrete_function")) is late:
                    self._nodes[number] = getattr(self, f"_make_{kind}")(proto)
        for number, proto in enumerate(protos):
            for child in proto.children:
                _attach(self._nodes[number], child.local_name, self._nodes[child.node_id])
        self._restore()
        for node in self._nodes:
            if isinstance(node, _RestoredResource):
                get_default_graph().add_to_collection(
                    GraphKeys.TABLE_INITIALIZERS, node._initialize()
                )
        return self._nodes[0]

    # Objects

    def _make_user_object(self, proto: SavedObject) -> Any:
        kind = proto.user_object.identifier
        if kind == "trackable_list_wrapper":
            return ListWrapper([])
        if kind == "trackable_dict_wrapper":
            return DictWrapper({})
        if kind == "signature_map":
            return SignatureMap()
        return _UserObject()

    def _make_variable(self, proto: SavedObject) -> Any:
        spec = proto.variable
        return UninitializedVariable(spec.shape, spec.dtype, spec.trainable, name=spec.name or None)

    def _make_asset(self, proto: SavedObject) -> TrackableAsset:
        file = self._meta_graph.asset_file_def[proto.asset.asset_file_def_index]
        return TrackableAsset(join_path(get_assets_dir(self._export_dir), file.filename))

    def _make_constant(self, proto: SavedObject) -> Tensor:
        for node in self._meta_graph.graph_def.node:
            if node.name == proto.constant.operation:
                return constant_node(MakeNdarray(node.attr["value"].tensor))
        raise ValueError(f"The SavedModel has no constant '{proto.constant.operation}'.")

    def _make_resource(self, proto: SavedObject) -> Any:
        numbers = {child.local_name: child.node_id for child in proto.children}
        create = self._proto.nodes[numbers["_create_resource"]].function.concrete_functions[0]
        return _RestoredResource(self._concrete_of(create), proto.resource.device)

    # Functions

    def _make_function(self, proto: SavedObject) -> RestoredFunction:
        names = proto.function.concrete_functions
        return RestoredFunction(
            [self._concrete_of(name) for name in names], proto.function.function_spec
        )

    def _make_bare_concrete_function(self, proto: SavedObject) -> ConcreteFunction:
        bare = proto.bare_concrete_function
        found = self._concrete_of(bare.concrete_function_name)
        found.set_keywords(list(bare.argument_keywords), bare.allowed_positional_arguments)
        return found

    def _concrete_of(self, name: str) -> ConcreteFunction:
        if name not in self._concrete:
            proto = self._proto.concrete_functions[name]
            bound = [self._nodes[number] for number in proto.bound_inputs]
            captured = [_handle(obj) for obj in bound]
            found = concrete_function(self._library[name], proto, captured)
            found.captured_variables = [o for o in bound if isinstance(o, UninitializedVariable)]
            self._concrete[name] = found
        return self._concrete[name]

    # Values

    def _restore(self) -> None:
        """Makes the initializers of the variables: ops that read the checkpoint."""
        variables = [node for node in self._nodes if isinstance(node, UninitializedVariable)]
        if not variables:
            return
        path = constant_node(get_variables_path(self._export_dir))
        saver = TrackableSaver(ObjectGraphView(self._nodes[0]), path)
        status: Any = saver.restore(get_variables_path(self._export_dir)).expect_partial()
        for variable in variables:
            op = status.restore_op_of(variable)
            if op is not None:
                variable.set_initializer(op)


def _handle(obj: Any) -> Tensor:
    if isinstance(obj, CapturableResource):
        return obj.resource_handle
    if isinstance(obj, UninitializedVariable):
        return obj.handle
    if isinstance(obj, TrackableAsset):
        return obj.asset_path
    return obj


def _attach(parent: Any, name: str, child: Any) -> None:
    """Makes an object an attribute or element of another one."""
    if isinstance(parent, SignatureMap):
        parent.functions[name] = child
    elif isinstance(parent, ListWrapper):
        parent.append(child)
    elif isinstance(parent, DictWrapper):
        parent[name] = child
    elif isinstance(parent, (_UserObject, _RestoredResource)):
        setattr(parent, name, child)
