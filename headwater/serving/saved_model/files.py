"""The files of a SavedModel: where they are, and the protos in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.base.lazy import LazyModule
from headwater.io.atomic_file import write_atomically
from headwater.io.files import (
    file_exists,
    join_path,
    make_folders,
    names_in,
    path_text,
    read_bytes,
)
from headwater.protos.any_values import named_for_files, rename_for_this_process
from headwater.protos.lazy import saved_model_pb2
from headwater.serving.saved_model import constants

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import MetaGraphDef
    from headwater.protos.saved_model_pb2 import SavedModel

# These modules load protobuf, which a program without protos does not need.
_text_format: Any = LazyModule("google.protobuf.text_format")
_message: Any = LazyModule("google.protobuf.message")


def get_variables_dir(export_dir: Any) -> str:
    """Returns the folder of the variables."""
    return join_path(export_dir, constants.VARIABLES_DIRECTORY)


def get_variables_path(export_dir: Any) -> str:
    """Returns the path of the checkpoint of the variables."""
    return join_path(get_variables_dir(export_dir), constants.VARIABLES_FILENAME)


def get_assets_dir(export_dir: Any) -> str:
    """Returns the folder of the assets."""
    return join_path(export_dir, constants.ASSETS_DIRECTORY)


def make_export_folder(export_dir: Any) -> None:
    """Makes the folder of a new SavedModel.

    Raises:
        AssertionError: if something is in the folder.
        OpError: of the class that fits, if it cannot be made.
    """
    if file_exists(export_dir) and names_in(export_dir):
        raise AssertionError(
            "Export directory already exists, and isn't empty. Please choose a different export "
            "directory, or delete all the contents of the specified directory: "
            f"{path_text(export_dir)}"
        )
    make_folders(export_dir)


def get_or_create_variables_dir(export_dir: Any) -> str:
    """Returns the folder of the variables, made if there is none."""
    folder = get_variables_dir(export_dir)
    make_folders(folder)
    return folder


def get_or_create_assets_dir(export_dir: Any) -> str:
    """Returns the folder of the assets, made if there is none."""
    folder = get_assets_dir(export_dir)
    make_folders(folder)
    return folder


@export(
    "saved_model.contains_saved_model",
    "saved_model.maybe_saved_model_directory",
    "saved_model.loader.maybe_saved_model_directory",
)
def maybe_saved_model_directory(export_dir: Any) -> bool:
    """Whether a folder has a SavedModel.

    Args:
        export_dir: the folder.

    Returns:
        A bool.
    """
    names = (constants.SAVED_MODEL_FILENAME_PBTXT, constants.SAVED_MODEL_FILENAME_PB)
    return any(file_exists(join_path(export_dir, name)) for name in names)


def parse_saved_model(export_dir: Any) -> SavedModel:
    """Reads the proto of a SavedModel; the binary form comes first.

    Args:
        export_dir: the folder.

    Returns:
        A SavedModel.

    Raises:
        OSError: if there is none, or it cannot be parsed.
    """
    binary = join_path(export_dir, constants.SAVED_MODEL_FILENAME_PB)
    text = join_path(export_dir, constants.SAVED_MODEL_FILENAME_PBTXT)
    proto: SavedModel = saved_model_pb2.SavedModel()
    if file_exists(binary):
        try:
            proto.ParseFromString(read_bytes(binary))
        except _message.DecodeError as error:
            raise OSError(
                f"Cannot parse file {binary.encode()!r}: Error parsing message with type "
                "'tensorflow.SavedModel'."
            ) from error
    elif file_exists(text):
        try:
            _text_format.Merge(read_bytes(text), proto)
        except (_text_format.ParseError, UnicodeDecodeError) as error:
            reason = str(error).replace('"headwater.', '"tensorflow.')
            raise OSError(f"Cannot parse file {text.encode()!r}: {reason}.") from error
    else:
        raise OSError(
            f"SavedModel file does not exist at: {path_text(export_dir)}/"
            f"{{{constants.SAVED_MODEL_FILENAME_PBTXT}|{constants.SAVED_MODEL_FILENAME_PB}}}"
        )
    for meta_graph in proto.meta_graphs:
        rename_for_this_process(meta_graph)
    return proto


def write_saved_model(proto: SavedModel, export_dir: Any, as_text: bool) -> str:
    """Writes the proto of a SavedModel atomically.

    Args:
        proto: the SavedModel.
        export_dir: the folder, made if there is none.
        as_text: whether the file has the text form.

    Returns:
        The path of the file.

    Raises:
        OpError: of the class that fits, if it cannot be written.
    """
    name = constants.SAVED_MODEL_FILENAME_PBTXT if as_text else constants.SAVED_MODEL_FILENAME_PB
    make_folders(export_dir)
    path = join_path(export_dir, name)
    with named_for_files(proto.meta_graphs):
        data = (
            _text_format.MessageToString(proto).encode() if as_text else proto.SerializeToString()
        )
    write_atomically(path, data)
    return path


def meta_graph_with_tags(saved_model: SavedModel, tags: Iterable[str]) -> MetaGraphDef | None:
    """Returns the MetaGraphDef with exactly these tags, or None."""
    wanted = set(tags)
    for meta_graph in saved_model.meta_graphs:
        if set(meta_graph.meta_info_def.tags) == wanted:
            return meta_graph
    return None
