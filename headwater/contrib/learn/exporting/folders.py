"""The folders of exports: named after the time, counted and deleted."""

from __future__ import annotations

import re
import time
from typing import Any

import headwater.contrib.session_bundle.garbage_collection as gc
from headwater.base import errors, logging
from headwater.base.compat_strings import as_bytes
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export, export_value
from headwater.contrib.learn.notices import EXPORTER
from headwater.io.files import file_exists, folder_of, join_path, name_of, path_text, remove_tree

_MODULE = "contrib.learn.utils.saved_model_export_utils"
MAX_DIRECTORY_CREATION_ATTEMPTS = 10
export_value(f"{_MODULE}.MAX_DIRECTORY_CREATION_ATTEMPTS", MAX_DIRECTORY_CREATION_ATTEMPTS)


@export(f"{_MODULE}.get_timestamped_export_dir")
@deprecated(None, EXPORTER)
def get_timestamped_export_dir(export_dir_base: Any) -> bytes:
    """A folder for an export, named after the seconds since 1970, which does not exist yet.

    Args:
        export_dir_base: the folder of all exports.

    Returns:
        The path, bytes.

    Raises:
        RuntimeError: if there is one for each of the next seconds.
    """
    return new_export_dir(export_dir_base)


def new_export_dir(export_dir_base: Any) -> bytes:
    """The same as `get_timestamped_export_dir`, without a notice."""
    for attempt in range(1, MAX_DIRECTORY_CREATION_ATTEMPTS + 1):
        folder = join_path(path_text(export_dir_base), str(int(time.time())))
        if not file_exists(folder):
            return as_bytes(folder)
        time.sleep(1)
        logging.warning(
            f"Export directory {as_bytes(folder)!r} already exists; retrying (attempt "
            f"{attempt}/{MAX_DIRECTORY_CREATION_ATTEMPTS})"
        )
    raise RuntimeError(
        "Failed to obtain a unique export directory name after "
        f"{MAX_DIRECTORY_CREATION_ATTEMPTS} attempts."
    )


@export(f"{_MODULE}.get_temp_export_dir")
@deprecated(None, EXPORTER)
def get_temp_export_dir(timestamped_export_dir: Any) -> bytes:
    """The folder in which an export is made, before it is renamed.

    Args:
        timestamped_export_dir: its final path.

    Returns:
        The path, bytes.
    """
    return draft_export_dir(timestamped_export_dir)


def draft_export_dir(timestamped_export_dir: Any) -> bytes:
    """The same as `get_temp_export_dir`, without a notice."""
    path = path_text(timestamped_export_dir)
    return as_bytes(join_path(folder_of(path), f"temp-{name_of(path)}"))


def _with_version(path: gc.Path) -> gc.Path | None:
    """The path of an export with its time; None for other folders."""
    name = name_of(path_text(path.path))
    if not re.fullmatch(r"\d{10}", name):
        return None
    return path._replace(export_version=int(name))


@export(f"{_MODULE}.get_most_recent_export")
@deprecated(None, EXPORTER)
def get_most_recent_export(export_dir_base: Any) -> gc.Path | None:
    """The latest export of a folder.

    Args:
        export_dir_base: the folder of all exports.

    Returns:
        A Path with the version; None if there is no export.
    """
    select = gc.largest_export_versions(1)
    found = select(gc.get_paths(export_dir_base, parser=_with_version))
    return next(iter(found or []), None)


@export(f"{_MODULE}.garbage_collect_exports")
@deprecated(None, EXPORTER)
def garbage_collect_exports(export_dir_base: Any, exports_to_keep: int | None) -> None:
    """Deletes old exports.

    Args:
        export_dir_base: the folder of all exports.
        exports_to_keep: how many are kept; None for all.
    """
    delete_old_exports(export_dir_base, exports_to_keep)


def delete_old_exports(export_dir_base: Any, exports_to_keep: int | None) -> None:
    """The same as `garbage_collect_exports`, without a notice."""
    if exports_to_keep is None:
        return
    select = gc.negation(gc.largest_export_versions(exports_to_keep))
    for path in select(gc.get_paths(export_dir_base, parser=_with_version)):
        try:
            remove_tree(path.path)
        except errors.NotFoundError as error:
            logging.warning("Can not delete %s recursively: %s", path.path, error)
