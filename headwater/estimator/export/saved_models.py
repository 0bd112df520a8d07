"""Exported models: their signatures and folders."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headwater.base import logging
from headwater.base.compat_strings import as_bytes
from headwater.estimator.export.outputs import ExportOutput
from headwater.estimator.export.receivers import SINGLE_RECEIVER_NAME
from headwater.io.files import copy_file, file_exists, folder_of, join_path, make_folders, name_of
from headwater.serving.saved_model import constants
from headwater.serving.saved_model.signature_defs import is_valid_signature

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import SignatureDef

_MAX_DIRECTORY_CREATION_ATTEMPTS = 10

_METHODS = {
    constants.CLASSIFY_METHOD_NAME: "Classify",
    constants.REGRESS_METHOD_NAME: "Regress",
    constants.PREDICT_METHOD_NAME: "Predict",
    constants.SUPERVISED_TRAIN_METHOD_NAME: "Train",
    constants.SUPERVISED_EVAL_METHOD_NAME: "Eval",
}


def signature_defs(
    receiver_tensors: Any,
    export_outputs: Mapping[str, ExportOutput],
    receiver_tensors_alternatives: Mapping[str, Any] | None = None,
    serving_only: bool = True,
) -> dict[str, SignatureDef]:
    """The signatures of a graph: of each output with each kind of input that fits.

    Args:
        receiver_tensors: the inputs: a tensor or tensors by name.
        export_outputs: ExportOutputs by name.
        receiver_tensors_alternatives: other inputs by name; or None.
        serving_only: whether signatures that cannot be served are left out.

    Returns:
        SignatureDefs by name.

    Raises:
        ValueError: if `export_outputs` is not a dict.
    """
    if not isinstance(receiver_tensors, dict):
        receiver_tensors = {SINGLE_RECEIVER_NAME: receiver_tensors}
    if export_outputs is None or not isinstance(export_outputs, dict):
        raise ValueError(f"export_outputs must be a dict and not{type(export_outputs)}")
    found: dict[str, SignatureDef] = {}
    excluded: dict[str, str] = {}
    inputs = [("", receiver_tensors)]
    for name, tensors in (receiver_tensors_alternatives or {}).items():
        if not isinstance(tensors, dict):
            tensors = {SINGLE_RECEIVER_NAME: tensors}
        inputs.append((f"{name or 'None'}:", tensors))
    for prefix, tensors in inputs:
        for key, output in export_outputs.items():
            signature_name = f"{prefix}{key or 'None'}"
            try:
                found[signature_name] = output.as_signature_def(tensors)
            except ValueError as error:
                excluded[signature_name] = str(error)
    _log_signatures(found, excluded)
    if serving_only:
        return {name: found[name] for name in found if is_valid_signature(found[name])}
    return found


def _log_signatures(found: Mapping[str, SignatureDef], excluded: Mapping[str, str]) -> None:
    names_by_method = defaultdict(list)
    for name, signature in found.items():
        names_by_method[signature.method_name].append(name)
    for method, friendly_name in _METHODS.items():
        names = names_by_method.get(method, "None")
        logging.info("Signatures INCLUDED in export for %s: %s", friendly_name, names)
    if excluded:
        logging.info(
            "Signatures EXCLUDED from export because they cannot be be served via TensorFlow "
            "Serving APIs:"
        )
        for name, message in excluded.items():
            logging.info("'%s' : %s", name, message)
    if not found:
        logging.warning("Export includes no signatures!")
    elif constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY not in found:
        logging.warning("Export includes no default signature!")


def timestamped_export_dir(export_dir_base: Any) -> bytes:
    """A folder for an export, named after the seconds since 1970, which does not exist yet.

    Args:
        export_dir_base: the folder of all exports.

    Returns:
        The path, bytes.

    Raises:
        RuntimeError: if others are always faster.
    """
    base = as_bytes(export_dir_base).decode()
    for attempt in range(1, _MAX_DIRECTORY_CREATION_ATTEMPTS + 1):
        folder = join_path(base, str(int(time.time())))
        if not file_exists(folder):
            return folder.encode()
        time.sleep(1)
        logging.warning(
            "Directory %s already exists; retrying (attempt %d/%d)",
            folder.encode(),
            attempt,
            _MAX_DIRECTORY_CREATION_ATTEMPTS,
        )
    raise RuntimeError(
        "Failed to obtain a unique export directory name after "
        f"{_MAX_DIRECTORY_CREATION_ATTEMPTS} attempts."
    )


def temporary_export_dir(export_dir: bytes) -> bytes:
    """The folder in which an export is made, before it is renamed.

    Args:
        export_dir: its final path.

    Returns:
        The path, bytes.
    """
    # TensorFlow formats bytes, so the name has their quotes.
    name = f"temp-{name_of(export_dir.decode()).encode()!r}"
    return join_path(folder_of(export_dir.decode()), name).encode()


def copy_assets_extra(export_dir: bytes, assets_extra: Mapping[str, str]) -> None:
    """Copies files into the folder "assets.extra" of an export.

    Args:
        export_dir: the folder of the export.
        assets_extra: paths of files by their paths in the folder.
    """
    folder = join_path(export_dir.decode(), constants.EXTRA_ASSETS_DIRECTORY)
    for name, source in assets_extra.items():
        target = join_path(folder, name)
        make_folders(folder_of(target))
        copy_file(source, target)
