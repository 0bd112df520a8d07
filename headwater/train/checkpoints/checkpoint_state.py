"""The `checkpoint` file of a folder, which names its checkpoints."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import errors, logging
from headwater.base.export import export
from headwater.base.lazy import LazyModule
from headwater.io.atomic_file import write_atomically
from headwater.io.checkpoint_shards import remove_shards, shard_files
from headwater.io.files import (
    file_exists,
    folder_of,
    is_absolute,
    is_file,
    join_path,
    modified_time,
    name_of,
    names_in,
    path_text,
    read_bytes,
    relative_to,
    remove_file,
)
from headwater.protos.lazy import checkpoint_state_pb2

if TYPE_CHECKING:
    from headwater.protos.checkpoint_state_pb2 import CheckpointState

_text_format: Any = LazyModule("google.protobuf.text_format")

DEFAULT_NAME = "checkpoint"


@export("train.generate_checkpoint_state_proto")
def generate_checkpoint_state_proto(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """Makes the proto of a `checkpoint` file.

    Args:
        save_dir: the folder.
        model_checkpoint_path: the latest checkpoint.
        all_model_checkpoint_paths: all checkpoints, the oldest first.
        all_model_checkpoint_timestamps: when they were written, in seconds.
        last_preserved_timestamp: when the last one was written that is kept for good.

    Returns:
        A CheckpointState; relative paths are relative to the folder.

    Raises:
        ValueError: if there are not as many times as paths.
    """
    paths = list(all_model_checkpoint_paths or [])
    if not paths or paths[-1] != model_checkpoint_path:
        logging.info(
            "%s is not in all_model_checkpoint_paths. Manually adding it.", model_checkpoint_path
        )
        paths.append(model_checkpoint_path)
    times = all_model_checkpoint_timestamps
    if times and len(times) != len(paths):
        raise ValueError(
            f"Checkpoint timestamps, if provided, must match checkpoint paths (got paths {paths} "
            f"and timestamps {times})"
        )

    def stored(path: str) -> str:
        return path if is_absolute(path) else relative_to(path, save_dir)

    if is_absolute(save_dir):
        latest = model_checkpoint_path
    else:
        latest, paths = stored(model_checkpoint_path), [stored(p) for p in paths]
    return checkpoint_state_pb2.CheckpointState(
        model_checkpoint_path=latest,
        all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=last_preserved_timestamp,
    )


@export("train.update_checkpoint_state")
def update_checkpoint_state(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the `checkpoint` file of a folder.

    Args:
        save_dir: the folder.
        model_checkpoint_path: the latest checkpoint.
        all_model_checkpoint_paths: all checkpoints, the oldest first.
        latest_filename: the name of the file; "checkpoint" by default.
        all_model_checkpoint_timestamps: when they were written, in seconds.
        last_preserved_timestamp: when the last one was written that is kept for good.

    Raises:
        RuntimeError: if the file would replace a checkpoint.
    """
    write_state(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        False,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )


def write_state(
    save_dir: str,
    latest: str,
    paths: Sequence[str] | None,
    latest_filename: str | None = None,
    relative: bool = False,
    times: Any = None,
    preserved: float | None = None,
) -> None:
    """`update_checkpoint_state` that can make all paths relative to the folder."""
    folder = path_text(save_dir)
    target = join_path(folder, latest_filename or DEFAULT_NAME)
    if relative:

        def local(path: str) -> str:
            return relative_to(path, folder) if is_absolute(path) else path

        latest, paths = local(latest), [local(path) for path in paths or ()]
    state = generate_checkpoint_state_proto(folder, latest, paths, times, preserved)
    if target == state.model_checkpoint_path:
        raise RuntimeError(
            f"Save path '{latest}' conflicts with path used for checkpoint state.  Please use a "
            "different save path."
        )
    write_atomically(target, _text_format.MessageToString(state).encode())


@export("train.get_checkpoint_state")
def get_checkpoint_state(
    checkpoint_dir: str, latest_filename: str | None = None
) -> CheckpointState | None:
    """Reads the `checkpoint` file of a folder.

    Args:
        checkpoint_dir: the folder.
        latest_filename: the name of the file; "checkpoint" by default.

    Returns:
        A CheckpointState with paths that can be opened, or None if there is no valid file.

    Raises:
        ValueError: if the file names no checkpoint.

    Example:
        >>> import tempfile
        >>> v = tf.Variable(1)
        >>> session.run(v.initializer)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     saved = tf.train.Saver([v]).save(session, folder + "/model")
        ...     state = tf.train.get_checkpoint_state(folder)
        >>> print(state.model_checkpoint_path == saved)
        True
    """
    file = join_path(checkpoint_dir, latest_filename or DEFAULT_NAME)
    state = checkpoint_state_pb2.CheckpointState()
    try:
        if not file_exists(file):
            return None
        _text_format.Merge(read_bytes(file), state)
    except (errors.OpError, _text_format.ParseError, UnicodeDecodeError) as error:
        logging.warning("%s: Checkpoint ignored (%s)", file, error)
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {path_text(checkpoint_dir)}")

    def found(path: str) -> str:
        # A folder "." stays part of the path.
        return path if is_absolute(path) else _joined(path_text(checkpoint_dir), path)

    state.model_checkpoint_path = found(state.model_checkpoint_path)
    state.all_model_checkpoint_paths[:] = [found(p) for p in state.all_model_checkpoint_paths]
    return state


def _joined(folder: str, name: str) -> str:
    return f"{folder.rstrip('/')}/{name}" if folder else name


@export("train.latest_checkpoint")
def latest_checkpoint(checkpoint_dir: str, latest_filename: str | None = None) -> str | None:
    """The path of the latest checkpoint of a folder.

    Args:
        checkpoint_dir: the folder.
        latest_filename: the name of its state file; "checkpoint" by default.

    Returns:
        The path, or None if there is no checkpoint.

    Example:
        >>> import tempfile
        >>> v = tf.Variable(1)
        >>> session.run(v.initializer)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     saved = tf.train.Saver([v]).save(session, folder + "/model", global_step=7)
        ...     print(tf.train.latest_checkpoint(folder) == saved)
        True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if checkpoint_exists(state.model_checkpoint_path):
        return state.model_checkpoint_path
    logging.error("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
    return None


@export("train.checkpoint_exists")
def checkpoint_exists(checkpoint_prefix: str) -> bool:
    """Whether there is a checkpoint of format V1 or V2.

    Args:
        checkpoint_prefix: its path as `Saver.save` returns it.

    Returns:
        A bool.
    """
    return _main_file(path_text(checkpoint_prefix)) is not None


def _main_file(prefix: str) -> str | None:
    index = f"{prefix}.index"
    if is_file(index):
        return index
    return min(shard_files(prefix), default=None)


@export("train.get_checkpoint_mtimes")
def get_checkpoint_mtimes(checkpoint_prefixes: Sequence[str]) -> list[float]:
    """When checkpoints were written.

    Args:
        checkpoint_prefixes: their paths as `Saver.save` returns them.

    Returns:
        Seconds since 1970 of those that exist.
    """
    times = []
    for prefix in checkpoint_prefixes:
        file = _main_file(path_text(prefix))
        # Another process may remove it meanwhile.
        with contextlib.suppress(errors.NotFoundError):
            if file is not None:
                times.append(modified_time(file))
    return times


def meta_graph_path(checkpoint_filename: str, meta_graph_suffix: str = "meta") -> str:
    """The file of the MetaGraphDef of a checkpoint, whose name has no number of shards."""
    return f"{re.sub(r'-[0-9?]+-of-[0-9?]+$', '', checkpoint_filename)}.{meta_graph_suffix}"


@export("train.remove_checkpoint")
def remove_checkpoint(
    checkpoint_prefix: str, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Removes the files of a checkpoint.

    Args:
        checkpoint_prefix: its path as `Saver.save` returns it.
        checkpoint_format_version: a SaverDef version.
        meta_graph_suffix: the end of the name of the MetaGraphDef.

    Raises:
        OpError: of the class that fits, if a file cannot be removed.
    """
    prefix = path_text(checkpoint_prefix)
    remove_file(meta_graph_path(prefix, meta_graph_suffix), missing_ok=True)
    if checkpoint_format_version != 2:
        remove_shards(prefix)
        return
    remove_file(f"{prefix}.index", missing_ok=True)
    folder = folder_of(prefix)
    # The temporary names of other processes do not match.
    shard_name = re.compile(re.escape(name_of(prefix)) + r"\.data-\d{5}-of-\d{5}")
    for file in names_in(folder):
        if shard_name.fullmatch(file):
            remove_file(join_path(folder, file), missing_ok=True)


def missing(error: errors.OpError) -> str:
    """What `Saver.restore` says before the error of a key that is not in the checkpoint."""
    return (
        "Restoring from checkpoint failed. This is most likely due to a Variable name or other "
        "graph key that is missing from the checkpoint. Please ensure that you have not altered "
        f"the graph expected based on the checkpoint. Original error:\n\n{error.message}"
    )


def mismatch(error: errors.OpError) -> str:
    """What `Saver.restore` says before the error of a value that does not fit."""
    return (
        "Restoring from checkpoint failed. This is most likely due to a mismatch between the "
        "current graph and the graph from the checkpoint. Please ensure that you have not altered "
        f"the graph expected based on the checkpoint. Original error:\n\n{error.message}"
    )


def advise_v2() -> None:
    """Warns that a checkpoint is written in the old format."""
    frame = "*" * 55
    for line in (
        frame,
        "Consider switching to the more efficient V2 format:",
        "   `tf.train.Saver(write_version=tf.train.SaverDef.V2)`",
        "now on by default.",
        frame,
    ):
        logging.warning(line)
