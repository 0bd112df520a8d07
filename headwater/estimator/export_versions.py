"""Exports in a folder, sorted by their names, which are times; which of them to remove."""

from __future__ import annotations

import re
from typing import Any

from headwater.base import errors, logging
from headwater.io.files import is_folder, join_path, names_in, remove_tree

_VERSION = re.compile(r"\d+")


def export_versions(folder: str) -> list[str]:
    """The paths of the exports in a folder, oldest first.

    Args:
        folder: the folder.

    Returns:
        Paths of folders whose names are numbers.
    """
    if not is_folder(folder):
        return []
    names = [name for name in names_in(folder) if _VERSION.fullmatch(name.rstrip("/"))]
    return [join_path(folder, name) for name in sorted(names, key=lambda n: int(n.rstrip("/")))]


def remove_old_exports(folder: Any, exports_to_keep: int | None) -> None:
    """Removes all but the newest exports.

    Args:
        folder: the folder.
        exports_to_keep: how many to keep; None for all.
    """
    if exports_to_keep is None:
        return
    for path in export_versions(folder)[: -exports_to_keep or None]:
        try:
            remove_tree(path)
        except errors.OpError as error:
            logging.warning("Can not delete %s recursively: %s", path, error)
