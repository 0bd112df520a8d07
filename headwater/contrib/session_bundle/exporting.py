"""`tf.contrib.session_bundle.exporter`: writes graph, variables, signatures and assets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import headwater.contrib.session_bundle.garbage_collection as gc
from headwater.base import dtypes, errors, logging
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export, export_lazy, export_value
from headwater.base.typing import TensorLike
from headwater.contrib.session_bundle.names import (
    ASSETS_DIRECTORY,
    ASSETS_KEY,
    EXPORT_BASE_NAME,
    EXPORT_SUFFIX_NAME,
    GRAPH_KEY,
    INIT_OP_KEY,
    SIGNATURES_KEY,
    VERSION_FORMAT_SPECIFIER,
)
from headwater.graph import Operation, Tensor, get_default_graph
from headwater.graph.constant_value import constant_value
from headwater.io.files import (
    copy_file,
    file_exists,
    join_path,
    make_folders,
    name_of,
    path_text,
    remove_tree,
    rename_file,
)
from headwater.model.global_step import global_step as value_of_step
from headwater.protos.any_values import packed
from headwater.protos.lazy import graph_pb2, manifest_pb2
from headwater.session.session import BaseSession, get_default_session
from headwater.train.checkpoints.saver import Saver

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.manifest_pb2 import Signature

_MODULE = "contrib.session_bundle.exporter"
# Names of other modules that this one shows.
export_lazy(f"{_MODULE}.Any", "google.protobuf.any_pb2", "Any")
export_value(f"{_MODULE}.deprecated", deprecated)


@export(f"{_MODULE}.gfile_copy_callback")
def gfile_copy_callback(files_to_copy: Mapping[str, str], export_dir_path: Any) -> None:
    """Copies assets into an export.

    Args:
        files_to_copy: names in the export by paths.
        export_dir_path: the folder of the assets, made if there is none.

    Raises:
        OpError: of the class that fits, if a file cannot be read or written.
    """
    logging.info("Write assets into: %s using gfile_copy.", export_dir_path)
    make_folders(export_dir_path)
    for path, name in files_to_copy.items():
        target = join_path(export_dir_path, path_text(name))
        logging.info("Copying asset %s to path %s.", path, target)
        if file_exists(target):
            raise errors.AlreadyExistsError(None, None, "file already exists")
        copy_file(path, target)


def _binding(tensor: TensorLike) -> Any:
    return manifest_pb2.TensorBinding(tensor_name=tensor.name)


@export(f"{_MODULE}.regression_signature")
def regression_signature(input_tensor: TensorLike, output_tensor: TensorLike) -> Signature:
    """Makes the signature of a regression.

    Args:
        input_tensor: the Tensor of the serialized tf.Examples.
        output_tensor: the Tensor of the results.

    Returns:
        A Signature.
    """
    signature = manifest_pb2.Signature()
    signature.regression_signature.input.CopyFrom(_binding(input_tensor))
    signature.regression_signature.output.CopyFrom(_binding(output_tensor))
    return signature


@export(f"{_MODULE}.classification_signature")
def classification_signature(
    input_tensor: TensorLike,
    classes_tensor: TensorLike | None = None,
    scores_tensor: TensorLike | None = None,
) -> Signature:
    """Makes the signature of a classification.

    Args:
        input_tensor: the Tensor of the serialized tf.Examples.
        classes_tensor: the Tensor of the classes, or None.
        scores_tensor: the Tensor of the scores, or None.

    Returns:
        A Signature.
    """
    signature = manifest_pb2.Signature()
    signature.classification_signature.input.CopyFrom(_binding(input_tensor))
    if classes_tensor is not None:
        signature.classification_signature.classes.CopyFrom(_binding(classes_tensor))
    if scores_tensor is not None:
        signature.classification_signature.scores.CopyFrom(_binding(scores_tensor))
    return signature


@export(f"{_MODULE}.generic_signature")
def generic_signature(name_tensor_map: Mapping[str, TensorLike]) -> Signature:
    """Makes a signature of any tensors.

    Args:
        name_tensor_map: Tensors by their keys.

    Returns:
        A Signature.
    """
    signature = manifest_pb2.Signature()
    for key, tensor in name_tensor_map.items():
        signature.generic_signature.map[key].CopyFrom(_binding(tensor))
    return signature


@export(f"{_MODULE}.Exporter")
class Exporter:
    """Writes numbered exports of the default graph into a folder.

    Args:
        saver: the Saver of the variables.
    """

    def __init__(self, saver: Saver) -> None:
        # A saver of its own: exports are neither counted nor deleted with the checkpoints.
        self._saver = Saver(
            saver_def=_saver_def_without_limit(saver), sharded=saver.as_saver_def().sharded
        )
        self._has_init = False
        self._assets_to_copy: dict[str, str] = {}
        self._assets_callback: Callable[..., Any] | None = None

    def init(
        self,
        graph_def: GraphDef | None = None,
        init_op: Operation | None = None,
        clear_devices: bool = False,
        default_graph_signature: Signature | None = None,
        named_graph_signatures: Mapping[str, Signature] | None = None,
        assets_collection: Iterable[Tensor] | None = None,
        assets_callback: Callable[..., Any] = gfile_copy_callback,
    ) -> None:
        """Says what is exported; it goes into collections of the default graph.

        Args:
            graph_def: the graph for serving, if it is not the default graph.
            init_op: an operation to run when the export is loaded.
            clear_devices: whether devices are left out.
            default_graph_signature: a Signature.
            named_graph_signatures: Signatures by their names.
            assets_collection: string constants with the paths of files.
            assets_callback: function that copies the files, of names by paths and a folder.

        Raises:
            RuntimeError: if it was called before.
            TypeError: if an argument is of another type.
        """
        if self._has_init:
            raise RuntimeError("init should be called only once")
        self._has_init = True
        graph = get_default_graph()
        if graph_def or clear_devices:
            copy = graph_pb2.GraphDef()
            copy.CopyFrom(graph_def if graph_def else graph.as_graph_def())
            if clear_devices:
                for node in copy.node:
                    node.device = ""
            graph.add_to_collection(GRAPH_KEY, packed(copy))
        if init_op is not None:
            if not isinstance(init_op, Operation):
                raise TypeError(f"init_op needs to be an Operation: {init_op}")
            graph.add_to_collection(INIT_OP_KEY, init_op)
        signatures = manifest_pb2.Signatures()
        if default_graph_signature is not None:
            signatures.default_signature.CopyFrom(default_graph_signature)
        for name, signature in (named_graph_signatures or {}).items():
            signatures.named_signatures[name].CopyFrom(signature)
        graph.add_to_collection(SIGNATURES_KEY, packed(signatures))
        for tensor in assets_collection or ():
            asset = _asset_of(tensor)
            self._assets_to_copy[_path_in(tensor)] = asset.filename
            graph.add_to_collection(ASSETS_KEY, packed(asset))
        self._assets_callback = assets_callback

    def export(
        self,
        export_dir_base: Any,
        global_step_tensor: TensorLike,
        sess: BaseSession | None = None,
        exports_to_keep: Callable[..., Any] | None = None,
    ) -> bytes:
        """Writes an export under a temporary name, and then renames it.

        Args:
            export_dir_base: the folder of the exports.
            global_step_tensor: the tensor of the step, the number of the export.
            sess: the session that holds the values; the default session by default.
            exports_to_keep: a filter of `tf.contrib.session_bundle.gc`; others are deleted.

        Returns:
            The path of the export, bytes.

        Raises:
            RuntimeError: if `init` was not called, or the export exists.
        """
        if not self._has_init:
            raise RuntimeError("init must be called first")
        session: Any = get_default_session() if sess is None else sess
        step = value_of_step(session, global_step_tensor)
        folder = join_path(export_dir_base, VERSION_FORMAT_SPECIFIER % step)
        if file_exists(folder):
            raise RuntimeError(
                "Overwriting exports can cause corruption and are not allowed. Duplicate export "
                f"dir: {folder.encode()!r}"
            )
        draft = f"{folder}-tmp"
        make_folders(draft)
        self._saver.save(
            session,
            join_path(draft, EXPORT_BASE_NAME),
            meta_graph_suffix=EXPORT_SUFFIX_NAME,
        )
        if self._assets_callback and self._assets_to_copy:
            self._assets_callback(self._assets_to_copy, join_path(draft, ASSETS_DIRECTORY))
        rename_file(draft, folder)
        if exports_to_keep is not None:
            for path, _ in gc.negation(exports_to_keep)(gc.get_paths(export_dir_base, _parsed)):
                remove_tree(path)
        return folder.encode()


def _saver_def_without_limit(saver: Saver) -> Any:
    definition = type(saver.as_saver_def())()
    definition.CopyFrom(saver.as_saver_def())
    definition.ClearField("max_to_keep")
    return definition


def _parsed(path: gc.Path) -> gc.Path | None:
    match = re.fullmatch(r"\d{8}", name_of(path.path))
    return path._replace(export_version=int(match[0])) if match else None


def _path_in(tensor: Tensor) -> str:
    value = constant_value(tensor)
    if value is None:
        raise TypeError("File paths should be constants")
    path = value.item()
    return path.decode() if isinstance(path, bytes) else str(path)


def _asset_of(tensor: Any) -> Any:
    if not isinstance(tensor, Tensor):
        raise TypeError("tensor is not a Tensor")
    if tensor.dtype != dtypes.string:
        raise TypeError("File paths should be string")
    asset = manifest_pb2.AssetFile(filename=name_of(_path_in(tensor)))
    asset.tensor_binding.tensor_name = tensor.name
    return asset
