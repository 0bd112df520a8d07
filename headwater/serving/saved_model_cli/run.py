"""`run`: computes the outputs of a signature from inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.graph import Graph
from headwater.io.files import file_exists, join_path, make_folders, open_file
from headwater.serving.saved_model.loader import SavedModelLoader
from headwater.serving.saved_model.tag_sets import get_meta_graph_def
from headwater.serving.saved_model_cli.show import signature_of, write
from headwater.session.session import Session

# Wraps the session of `--tf_debug`; of a layer above this one, which registers it.
_debuggers: list[Callable[[Session], Any]] = []


def register_debugger(wrap: Callable[[Session], Any]) -> None:
    """Registers what `--tf_debug` runs a SavedModel with.

    Args:
        wrap: makes a session that is debugged of a session.
    """
    _debuggers[:] = [wrap]


def run_saved_model_with_feed_dict(
    saved_model_dir: Any,
    tag_set: str,
    signature_def_key: str,
    input_tensor_key_feed_dict: Mapping[str, Any],
    outdir: str | None,
    overwrite_flag: bool,
    worker: str | None = None,
    init_tpu: bool = False,
    tf_debug: bool = False,
) -> None:
    """Computes the outputs of a signature, prints them, and writes them to files.

    Args:
        saved_model_dir: the folder of the SavedModel.
        tag_set: all tags of the graph, separated by commas.
        signature_def_key: the key of the signature.
        input_tensor_key_feed_dict: the inputs by their keys in the signature.
        outdir: a folder for files `KEY.npy`, made if there is none; None for no files.
        overwrite_flag: whether files are replaced.
        worker: the target of the session, or None.
        init_tpu: whether TPUs are initialized, which fails where there are none.
        tf_debug: whether the run is debugged.

    Raises:
        OSError: if there is no SavedModel, or it cannot be parsed.
        RuntimeError: if it has no graph with these tags, or a file is there already.
        ValueError: if the signature has no such input.
        UnimplementedError: if TPUs are asked for, or the debugger has not been imported.
    """
    if init_tpu:
        raise errors.UnimplementedError(
            None, None, "--init_tpu is not supported.", hint="`run` does not use TPUs."
        )
    if tf_debug and not _debuggers:
        raise errors.UnimplementedError(
            None, None, "The debugger is not loaded.", hint="`import headwater.debug` first."
        )
    signature = signature_of(get_meta_graph_def(saved_model_dir, tag_set), signature_def_key)
    for key in input_tensor_key_feed_dict:
        if key not in signature.inputs:
            keys = '", "'.join(signature.inputs)
            raise ValueError(
                f'"{key}" is not a valid input key. Please choose from "{keys}", or use --show '
                "option."
            )
    feeds = {signature.inputs[k].name: value for k, value in input_tensor_key_feed_dict.items()}
    output_keys = sorted(signature.outputs)
    with Session(worker or "", graph=Graph()) as session:
        SavedModelLoader(saved_model_dir).load(session, tag_set.split(","))
        running = _debuggers[0](session) if tf_debug else session
        outputs = running.run([signature.outputs[key].name for key in output_keys], feeds)
    for key, output in zip(output_keys, outputs):
        write(f"Result for output key {key}:\n{output}")
        if outdir:
            _save(outdir, key, output, overwrite_flag)


def _save(outdir: str, key: str, output: Any, overwrite: bool) -> None:
    make_folders(outdir)
    path = join_path(outdir, f"{key}.npy")
    if not overwrite and file_exists(path):
        raise RuntimeError(
            f'Output file {path} already exists. Add "--overwrite" to overwrite the existing '
            "output files."
        )
    with open_file(path, "wb") as file:
        np.save(file, output)
    write(f"Output {key} is saved to {path}")
