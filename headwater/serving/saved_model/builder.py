"""`tf.saved_model.Builder`: writes SavedModels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from headwater.base import logging
from headwater.base.export import export
from headwater.graph import Operation, Tensor, get_default_graph
from headwater.io.files import path_text
from headwater.protos.any_values import packed
from headwater.protos.lazy import meta_graph_pb2, saved_model_pb2
from headwater.serving.saved_model import constants
from headwater.serving.saved_model.assets import AssetFiles
from headwater.serving.saved_model.files import (
    get_or_create_variables_dir,
    get_variables_path,
    make_export_folder,
    write_saved_model,
)
from headwater.serving.saved_model.signature_defs import op_signature_def
from headwater.session.session import BaseSession
from headwater.train.checkpoints.saver import Saver

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import MetaGraphDef, SignatureDef, TensorInfo

_RESERVED_KEYS = (constants.INIT_OP_SIGNATURE_KEY, constants.TRAIN_OP_SIGNATURE_KEY)


class SignatureSavedModelBuilder:
    """Writes SavedModels that name their init_op, train_op and assets in fields of their own.

    It is TensorFlow's internal `_SavedModelBuilder`.

    Args:
        export_dir: the folder of the SavedModel, which must be new or empty.

    Raises:
        AssertionError: if something is in the folder.
    """

    def __init__(self, export_dir: Any) -> None:
        self._saved_model = saved_model_pb2.SavedModel()
        self._saved_model.saved_model_schema_version = constants.SAVED_MODEL_SCHEMA_VERSION
        self._export_dir = path_text(export_dir)
        make_export_folder(self._export_dir)
        self._has_saved_variables = False

    def add_meta_graph(
        self,
        tags: Iterable[str],
        signature_def_map: Mapping[str, SignatureDef] | None = None,
        assets_list: Iterable[Tensor] | None = None,
        clear_devices: bool = False,
        init_op: Operation | None = None,
        train_op: Operation | Tensor | None = None,
        saver: Saver | None = None,
    ) -> None:
        """Adds the default graph; the variables of the first graph serve it too.

        Args:
            tags: names by which the loader finds the graph.
            signature_def_map: SignatureDefs by their keys.
            assets_list: string constants with the paths of files.
            clear_devices: whether devices are left out.
            init_op: an operation that the loader runs.
            train_op: an operation or tensor.
            saver: the Saver of the variables; a new one by default.

        Raises:
            AssertionError: before `add_meta_graph_and_variables`, or if a signature is not whole.
            KeyError: if a key is reserved.
        """
        self._check_variables_saved()
        signatures = dict(signature_def_map or {})
        _check_signatures(signatures)
        _add_op_signatures(signatures, init_op, train_op)
        assets = self._saved_assets(assets_list)
        meta_graph = _exported(saver or _new_saver(), clear_devices, strip_default_attrs=True)
        meta_graph.asset_file_def.extend(assets.protos())
        self._add(meta_graph, tags, signatures)

    def add_meta_graph_and_variables(
        self,
        sess: BaseSession,
        tags: Iterable[str],
        signature_def_map: Mapping[str, SignatureDef] | None = None,
        assets_list: Iterable[Tensor] | None = None,
        clear_devices: bool = False,
        init_op: Operation | None = None,
        train_op: Operation | Tensor | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Adds the default graph, and writes the variables.

        Args:
            sess: the session that holds the values.
            tags: names by which the loader finds the graph.
            signature_def_map: SignatureDefs by their keys.
            assets_list: string constants with the paths of files.
            clear_devices: whether devices are left out.
            init_op: an operation that the loader runs.
            train_op: an operation or tensor.
            strip_default_attrs: whether attrs with default values are left out.
            saver: the Saver of the variables; a new one by default.

        Raises:
            AssertionError: if it was called before, or a signature is not whole.
            KeyError: if a key is reserved.
        """
        self._check_variables_not_saved()
        signatures = dict(signature_def_map or {})
        _check_signatures(signatures)
        _add_op_signatures(signatures, init_op, train_op)
        assets = self._saved_assets(assets_list)
        meta_graph = self._save_variables(sess, saver, clear_devices, strip_default_attrs)
        meta_graph.asset_file_def.extend(assets.protos())
        self._add(meta_graph, tags, signatures)
        self._has_saved_variables = True

    def save(self, as_text: bool = False) -> bytes:
        """Writes the SavedModel, after which it can be loaded.

        Args:
            as_text: whether the file has the text form.

        Returns:
            The path of the file, bytes.

        Raises:
            OpError: of the class that fits, if it cannot be written.
        """
        path = write_saved_model(self._saved_model, self._export_dir, as_text)
        logging.info("SavedModel written to: %s", path)
        return path.encode()

    def _check_variables_saved(self) -> None:
        if not self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )

    def _check_variables_not_saved(self) -> None:
        if self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke "
                "`add_meta_graph()` instead."
            )

    def _saved_assets(self, tensors: Iterable[Tensor] | None) -> AssetFiles:
        assets = AssetFiles()
        assets.add(tensors)
        assets.copy_to(self._export_dir)
        return assets

    def _save_variables(
        self,
        sess: BaseSession,
        saver: Saver | None,
        clear_devices: bool,
        strip_default_attrs: bool,
    ) -> MetaGraphDef:
        """Writes the variables; returns the default graph with its collections and saver."""
        get_or_create_variables_dir(self._export_dir)
        path = get_variables_path(self._export_dir)
        saver = saver or _new_saver()
        saver.save(sess, path, write_meta_graph=False, write_state=False)
        return _exported(saver, clear_devices, strip_default_attrs)

    def _add(
        self,
        meta_graph: MetaGraphDef,
        tags: Iterable[str],
        signatures: Mapping[str, SignatureDef],
    ) -> None:
        meta_graph.meta_info_def.tags.extend(tags)
        for key, signature in signatures.items():
            meta_graph.signature_def[key].CopyFrom(signature)
        self._saved_model.meta_graphs.add().CopyFrom(meta_graph)


@export("saved_model.Builder", "saved_model.builder.SavedModelBuilder")
class SavedModelBuilder(SignatureSavedModelBuilder):
    """Writes a SavedModel: graphs with their variables, signatures and assets in a folder.

    The variables are written by `add_meta_graph_and_variables`, once; other graphs that share them
    follow by `add_meta_graph`. Only `save` writes the file by which a SavedModel is known.

    Args:
        export_dir: the folder of the SavedModel, which must be new or empty.

    Raises:
        AssertionError: if something is in the folder.
    """

    # The arguments after the tags are those of TensorFlow's public class.
    def add_meta_graph(  # type: ignore[override]
        self,
        tags: Iterable[str],
        signature_def_map: Mapping[str, SignatureDef] | None = None,
        assets_collection: Iterable[Tensor] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Adds the default graph; the variables of the first graph serve it too.

        Args:
            tags: names by which the loader finds the graph.
            signature_def_map: SignatureDefs by their keys.
            assets_collection: string constants with the paths of files.
            legacy_init_op: the older name of `main_op`.
            clear_devices: whether devices are left out.
            main_op: an operation that the loader runs.
            strip_default_attrs: whether attrs with default values are left out.
            saver: the Saver of the variables; a new one by default.

        Raises:
            AssertionError: before `add_meta_graph_and_variables`, or if a signature is not whole.
            KeyError: if a key is reserved.
            TypeError: if `main_op` is not an operation, or an asset is not a string constant.
            ValueError: if the graph has a main operation already.
        """
        self._check_variables_saved()
        _check_signatures(signature_def_map or {})
        self._add_collections(assets_collection, main_op or legacy_init_op)
        meta_graph = _exported(saver or _new_saver(), clear_devices, strip_default_attrs)
        self._add(meta_graph, tags, signature_def_map or {})

    def add_meta_graph_and_variables(  # type: ignore[override]
        self,
        sess: BaseSession,
        tags: Iterable[str],
        signature_def_map: Mapping[str, SignatureDef] | None = None,
        assets_collection: Iterable[Tensor] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Adds the default graph, and writes the variables.

        Args:
            sess: the session that holds the values.
            tags: names by which the loader finds the graph.
            signature_def_map: SignatureDefs by their keys.
            assets_collection: string constants with the paths of files.
            legacy_init_op: the older name of `main_op`.
            clear_devices: whether devices are left out.
            main_op: an operation that the loader runs.
            strip_default_attrs: whether attrs with default values are left out.
            saver: the Saver of the variables; a new one by default.

        Raises:
            AssertionError: if it was called before, or a signature is not whole.
            KeyError: if a key is reserved.
            TypeError: if `main_op` is not an operation, or an asset is not a string constant.
            ValueError: if the graph has a main operation already.
        """
        self._check_variables_not_saved()
        _check_signatures(signature_def_map or {})
        self._add_collections(assets_collection, main_op or legacy_init_op)
        meta_graph = self._save_variables(sess, saver, clear_devices, strip_default_attrs)
        self._add(meta_graph, tags, signature_def_map or {})
        self._has_saved_variables = True

    def _add_collections(
        self, assets_collection: Iterable[Tensor] | None, main_op: Operation | None
    ) -> None:
        graph = get_default_graph()
        for asset in self._saved_assets(assets_collection).protos():
            graph.add_to_collection(constants.ASSETS_KEY, packed(asset))
        if main_op is not None:
            if not isinstance(main_op, Operation):
                raise TypeError(f"main_op needs to be an Operation: {main_op!r}")
            for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
                if graph.get_collection(key):
                    raise ValueError(
                        f"Graph already contains one or more main ops under the collection {key}."
                    )
            graph.add_to_collection(constants.MAIN_OP_KEY, main_op)

    def _add_train_op(self, train_op: Operation | Tensor | None) -> None:
        if train_op is not None:
            if not isinstance(train_op, (Operation, Tensor)):
                raise TypeError(f"train_op needs to be a Tensor or Op: {train_op!r}")
            get_default_graph().add_to_collection(constants.TRAIN_OP_KEY, train_op)


def _new_saver() -> Saver:
    return Saver(sharded=True, write_version=2, allow_empty=True)


def _exported(saver: Saver, clear_devices: bool, strip_default_attrs: bool) -> MetaGraphDef:
    return saver.export_meta_graph(
        clear_devices=clear_devices, strip_default_attrs=strip_default_attrs
    )


def _add_op_signatures(
    signatures: dict[str, SignatureDef],
    init_op: Operation | None,
    train_op: Operation | Tensor | None,
) -> None:
    for key, op in zip(_RESERVED_KEYS, (init_op, train_op)):
        if op is not None:
            signatures[key] = op_signature_def(op, key)  # type: ignore[arg-type]


def _check_signatures(signatures: Mapping[str, SignatureDef]) -> None:
    for signature in dict(signatures).values():
        for info in (*signature.inputs.values(), *signature.outputs.values()):
            _check_tensor_info(info)
    for key, use in zip(_RESERVED_KEYS, ("initialization", "the train op")):
        if key in signatures:
            raise KeyError(
                f'SignatureDef map key "{key}" is reserved for {use}. Please use a different key.'
            )


def _check_tensor_info(info: TensorInfo) -> None:
    if not isinstance(info, meta_graph_pb2.TensorInfo) or info.WhichOneof("encoding") is None:
        raise AssertionError(
            "All TensorInfo protos used in the SignatureDefs must have one of the 'encoding' "
            f"fields (e.g., name or coo_sparse) set: {info}"
        )
    if info.WhichOneof("encoding") == "name" and not info.dtype:
        raise AssertionError(
            f"All TensorInfo protos used in the SignatureDefs must have the dtype field set: {info}"
        )
    if info.WhichOneof("encoding") == "composite_tensor":
        for component in info.composite_tensor.components:
            _check_tensor_info(component)
