"""`tf.saved_model.save`: an object with its variables and functions as a SavedModel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.graph import (
    Graph,
    Tensor,
    build,
    constant_node,
    control_dependencies,
    graph_def,
)
from headwater.graph.constant_value import constant_value
from headwater.io.files import path_text
from headwater.model.function.concrete_function import ConcreteFunction
from headwater.model.function.polymorphic import Function
from headwater.model.trackable.auto import CapturableResource, TrackableAsset
from headwater.model.trackable.base import Trackable, TrackableReference
from headwater.model.variables.uninitialized_variable import UninitializedVariable
from headwater.model.variables.variable import Variable
from headwater.protos.lazy import saved_model_pb2, saved_object_graph_pb2
from headwater.serving.saved_model import constants
from headwater.serving.saved_model.assets import AssetFiles
from headwater.serving.saved_model.files import (
    get_or_create_assets_dir,
    get_or_create_variables_dir,
    get_variables_path,
    write_saved_model,
)
from headwater.serving.saved_model.function_signatures import (
    SignatureMap,
    canonical_signatures,
    function_to_export,
)
from headwater.serving.saved_model.signature_defs import (
    build_signature_def,
    op_signature_def,
    tensor_infos,
)
from headwater.serving.saved_model.structured_values import encoded
from headwater.train.checkpoints.meta_graph import make_meta_graph
from headwater.train.checkpoints.saver import Saver
from headwater.train.objects.graph_view import ObjectGraphView
from headwater.train.objects.object_saver import TrackableSaver

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import MetaGraphDef
    from headwater.protos.saved_object_graph_pb2 import (
        SavedConcreteFunction,
        SavedObject,
        SavedObjectGraph,
    )


class _FunctionNode(Trackable):
    """A function among the objects of a SavedModel; it has no values of its own."""

    def __init__(self, function: Function | ConcreteFunction) -> None:
        self.function = function


class _ConstantNode(Trackable):
    """A constant that a function captures."""

    def __init__(self, tensor: Tensor, value: Any) -> None:
        self.tensor = tensor
        self.value = value


class _ExportView(ObjectGraphView):
    """The objects of a SavedModel: those below the root, with signatures and functions.

    Args:
        root: the object.
    """

    def __init__(self, root: Trackable) -> None:
        super().__init__(root)
        self.signatures: SignatureMap | None = None
        self._functions: dict[int, dict[str, Any]] = {}
        self._nodes: dict[int, _FunctionNode] = {}

    def functions_of(self, obj: Any) -> dict[str, Any]:
        """The functions of an object by their names."""
        if id(obj) not in self._functions:
            self._functions[id(obj)] = obj._list_functions_for_serialization({})
        return self._functions[id(obj)]

    def list_dependencies(self, obj: Any) -> list[TrackableReference]:
        found = {item.name: item.ref for item in super().list_dependencies(obj)}
        if obj is self.root and self.signatures is not None:
            found["signatures"] = self.signatures
        for name, function in self.functions_of(obj).items():
            found.setdefault(name, self._node(function))
        return [TrackableReference(name, ref) for name, ref in found.items()]

    def _node(self, function: Any) -> _FunctionNode:
        return self._nodes.setdefault(id(function), _FunctionNode(function))


@export("saved_model.save", "saved_model.experimental.save")
def save(obj: Trackable, export_dir: Any, signatures: Any = None) -> None:
    """Writes an object, its variables and its functions as a SavedModel.

    The values of the variables are those of the default session. The functions of `tf.function`
    are written as they were traced in the default graph.

    Args:
        obj: a Trackable object such as a `tf.Module`.
        export_dir: the folder of the SavedModel.
        signatures: a `tf.function` with an input signature, a concrete function, or a dict of such
            functions by keys; by default the only function of `obj` with an input signature.

    Raises:
        AssertionError: inside of a function.
        AssertionError: if a function captures something that is not a dependency of `obj`.
        ValueError: if `obj` is not Trackable, a signature is not a function, or a variable is not
            a resource variable.
    """
    if not isinstance(obj, Trackable):
        raise ValueError(f"Expected a Trackable object for export, got {obj}.")
    view = _ExportView(obj)
    if signatures is None:
        signatures = function_to_export(obj)
    view.signatures = SignatureMap(canonical_signatures(signatures))
    folder = path_text(export_dir)
    exported = _Export(view)
    meta_graph = exported.meta_graph()
    get_or_create_variables_dir(folder)
    TrackableSaver(view).save(get_variables_path(folder))
    get_or_create_assets_dir(folder)
    exported.assets.copy_to(folder)
    proto = saved_model_pb2.SavedModel(
        saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION
    )
    proto.meta_graphs.add().CopyFrom(meta_graph)
    write_saved_model(proto, folder, as_text=False)


class _Export:
    """The graph of a SavedModel: copies of the variables, and calls of the functions.

    Args:
        view: the objects.
    """

    def __init__(self, view: _ExportView) -> None:
        self._view = view
        self.assets = AssetFiles()
        self._graph = Graph()
        self._objects: list[Any] = view.list_objects()
        self._slots = view.objects_ids_and_slot_variables()[2]
        # Tensors of the program -> the tensor of the new graph, and the number of the object.
        self._copies: dict[Tensor, tuple[Tensor, int]] = {}
        self._variables: dict[str, Any] = {}
        self._constants: list[_ConstantNode] = []

    def meta_graph(self) -> MetaGraphDef:
        """Returns the MetaGraphDef with the objects and signatures."""
        concrete = self._concrete_functions()
        initializers = self._resource_initializers()
        self._copy_objects()
        for function in concrete.values():
            self._copy_constants(function)
        with self._graph.as_default():
            for function in concrete.values():
                function.add_to_graph(self._graph)
            signatures = self._signature_defs()
            saver = None
            if self._variables:
                saver = Saver(self._variables, sharded=True).saver_def
            calls = [self._copied_call(function).call_flat([]) for function in initializers]
            with control_dependencies(calls):
                init = build.NoOp(name="NoOp")
        signatures[constants.INIT_OP_SIGNATURE_KEY] = op_signature_def(
            init, constants.INIT_OP_SIGNATURE_KEY
        )
        self._graph.get_collection_ref(constants.MAIN_OP_KEY)[:] = [init]
        proto = make_meta_graph(
            graph_def.graph_def(self._graph, add_shapes=True),
            self._graph,
            saver,
            collection_list=[constants.MAIN_OP_KEY],
            strip_default_attrs=True,
        )
        proto.meta_info_def.tags.append(constants.SERVING)
        for key, signature in signatures.items():
            proto.signature_def[key].CopyFrom(signature)
        proto.asset_file_def.extend(self.assets.protos())
        proto.object_graph_def.CopyFrom(self._object_graph(concrete))
        return proto

    # The new graph

    def _resource_initializers(self) -> list[ConcreteFunction]:
        """The functions that initialize the resources."""
        found: list[ConcreteFunction] = []
        for obj in self._objects:
            if isinstance(obj, CapturableResource):
                found += _concrete_functions(self._view.functions_of(obj)["_initialize"])
        return found

    def _copied_call(self, function: ConcreteFunction) -> ConcreteFunction:
        """The function, with what it captures in the new graph."""
        captured = [self._copies[tensor][0] for tensor in function.captured_inputs]
        return ConcreteFunction(
            function.function, captured, function.structured_input_signature, function.output_specs
        )

    def _concrete_functions(self) -> dict[str, ConcreteFunction]:
        found: dict[str, ConcreteFunction] = {}
        for obj in self._objects:
            if isinstance(obj, _FunctionNode):
                for concrete in _concrete_functions(obj.function):
                    found[concrete.name] = concrete
        return found

    def _copy_objects(self) -> None:
        keys = keys_of_variables(self._view)
        with self._graph.as_default():
            for number, obj in enumerate(self._objects):
                if isinstance(obj, Variable):
                    self._copy_variable(number, obj, keys.get(id(obj)))
                elif isinstance(obj, TrackableAsset):
                    self.assets.add([obj.asset_path])
                    (name, _), path = self.assets.tensors.pop(), constant_node("", name="Const")
                    self.assets.tensors.append((name, path))
                    self._copies[obj.asset_path] = path, number
                elif isinstance(obj, CapturableResource):
                    self._copies[obj.resource_handle] = obj._create_resource(), number

    def _copy_variable(self, number: int, variable: Any, key: str | None) -> None:
        if not hasattr(variable, "handle"):
            raise ValueError(
                f"{variable} is not a resource variable, so it cannot be saved with functions."
                "\nHint: call tf.enable_resource_variables() or pass use_resource=True."
            )
        copy = UninitializedVariable(
            variable.shape,
            variable.dtype,
            variable.trainable,
            name=variable.name.split(":")[0],
            collections=[],
        )
        self._copies[variable.handle] = copy.handle, number
        if key is not None:
            self._variables[key] = copy

    def _copy_constants(self, function: ConcreteFunction) -> None:
        for tensor in function.captured_inputs:
            if tensor in self._copies:
                continue
            value = None if tensor.dtype.name == "resource" else constant_value(tensor)
            if value is None:
                raise AssertionError(
                    "Tried to export a function which references untracked object "
                    f"{tensor}. TensorFlow objects (e.g. tf.Variable) captured by functions must "
                    "be tracked by assigning them to an attribute of a tracked object or assigned "
                    "to an attribute of the main object directly."
                )
            with self._graph.as_default():
                copy = constant_node(value, dtype=tensor.dtype)
            self._copies[tensor] = copy, len(self._objects)
            self._objects.append(_ConstantNode(copy, value))

    def _signature_defs(self) -> dict[str, Any]:
        found = {}
        assert self._view.signatures is not None
        for key, function in self._view.signatures.items():
            inputs = {}
            for keyword in function._arg_keywords or ():
                spec = function.structured_input_signature[1][keyword]
                inputs[keyword] = build.Placeholder(
                    dtype=spec.dtype, shape=spec.shape.to_tuple(), name=f"{key}_{keyword}"
                )
            given = [inputs[name] for name in sorted(inputs)]
            outputs = self._copied_call(function).call_flat(given)
            # Unlike that of `simple_save`, the signature of a function may have none of either.
            found[key] = build_signature_def(
                tensor_infos(inputs), tensor_infos(outputs), constants.PREDICT_METHOD_NAME
            )
        return found

    # The objects

    def _object_graph(self, concrete: Mapping[str, ConcreteFunction]) -> SavedObjectGraph:
        numbers = {id(obj): number for number, obj in enumerate(self._objects)}
        proto = saved_object_graph_pb2.SavedObjectGraph()
        for obj in self._objects:
            node = proto.nodes.add()
            if not isinstance(obj, _ConstantNode):
                node.slot_variables.extend(self._slots.get(id(obj), ()))
                for item in self._view.list_dependencies(obj):
                    node.children.add(node_id=numbers[id(item.ref)], local_name=item.name)
            self._describe(obj, node)
        for name, function in concrete.items():
            self._describe_concrete(function, proto.concrete_functions[name])
        return proto

    def _describe(self, obj: Any, node: SavedObject) -> None:
        if isinstance(obj, Variable):
            node.variable.name = obj.name.split(":")[0]
            node.variable.trainable = bool(obj.trainable)
            node.variable.dtype = obj.dtype.base_dtype.as_datatype_enum
            node.variable.shape.CopyFrom(obj.shape.as_proto())
        elif isinstance(obj, _FunctionNode):
            _describe_function(obj.function, node)
        elif isinstance(obj, _ConstantNode):
            node.constant.operation = obj.tensor.op.name
        elif isinstance(obj, TrackableAsset):
            tensors = [tensor for _, tensor in self.assets.tensors]
            node.asset.asset_file_def_index = tensors.index(self._copies[obj.asset_path][0])
        elif isinstance(obj, CapturableResource):
            node.resource.SetInParent()
        else:
            node.user_object.identifier = obj._object_identifier
            node.user_object.metadata = obj._tracking_metadata
            node.user_object.version.producer = 1
            node.user_object.version.min_consumer = 1

    def _describe_concrete(self, function: ConcreteFunction, proto: SavedConcreteFunction) -> None:
        proto.bound_inputs.extend(self._copies[tensor][1] for tensor in function.captured_inputs)
        args, kwargs = function.structured_input_signature
        proto.canonicalized_input_signature.CopyFrom(encoded((tuple(args), dict(kwargs))))
        proto.output_signature.CopyFrom(encoded(function.output_specs))


def _concrete_functions(function: Function | ConcreteFunction) -> Iterable[ConcreteFunction]:
    if isinstance(function, ConcreteFunction):
        return [function]
    if isinstance(function, Function) and not function.function_spec.arg_names:
        # Functions of resources have not been called yet.
        function.get_concrete_function()
    return function._list_all_concrete_functions_for_serialization()


def _describe_function(function: Any, node: SavedObject) -> None:
    if isinstance(function, ConcreteFunction):
        bare = node.bare_concrete_function
        bare.concrete_function_name = function.name
        bare.argument_keywords.extend(function._arg_keywords or ())
        bare.allowed_positional_arguments = function._num_positional_args or 0
        return
    names = [concrete.name for concrete in _concrete_functions(function)]
    node.function.concrete_functions.extend(names)
    spec = function.function_spec
    proto = node.function.function_spec
    # Annotations may be anything; callers do not need them.
    proto.fullargspec.CopyFrom(encoded(spec.fullargspec._replace(annotations={})))
    proto.is_method = spec.is_method
    proto.input_signature.CopyFrom(encoded(spec.input_signature))


def keys_of_variables(view: ObjectGraphView) -> dict[int, str]:
    """The name of each variable in the checkpoint, by the id of the variable."""
    _, proto, _ = view.serialize_object_graph()
    found = {}
    for obj, node in zip(view.list_objects(), proto.nodes):
        for attribute in node.attributes:
            if attribute.name == "VARIABLE_VALUE":
                found[id(obj)] = attribute.checkpoint_key
    return found
