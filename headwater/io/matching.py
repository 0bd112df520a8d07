"""The names of files that match patterns."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path

from headwater.base import errors

_WILDCARDS = re.compile(r"[*?\[]")


def matching_names(pattern: str) -> list[str]:
    """The files and folders whose names match a pattern, in any order.

    Args:
        pattern: a path, in whose parts ``*``, ``?`` and ``[...]`` stand for characters.

    Returns:
        The names; none if nothing matches.

    Raises:
        NotFoundError: if the folder before the first wildcard does not exist.
    """
    if not _WILDCARDS.search(pattern):
        return [pattern] if Path(pattern).exists() else []
    parts = pattern.split("/")
    first = next(i for i, part in enumerate(parts) if _WILDCARDS.search(part))
    folder = "/".join(parts[:first]) + "/" if first else ""
    if not Path(folder or ".").is_dir():
        raise errors.NotFoundError(None, None, f"{folder.rstrip('/')}; No such file or directory")
    found = [folder]
    for i, part in enumerate(parts[first:]):
        prefixes = found if i == 0 else [f"{name}/" for name in found if Path(name).is_dir()]
        found = [
            prefix + name
            for prefix in prefixes
            for name in _names_in(prefix or ".")
            if fnmatchcase(name, part)
        ]
    return found


def _names_in(folder: str) -> list[str]:
    return [entry.name for entry in Path(folder).iterdir()]
