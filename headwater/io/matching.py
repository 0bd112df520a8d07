"""The names of files that match patterns."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from headwater.io.files import file_exists, folder_of, is_folder, names_in

_WILDCARDS = re.compile(r"[*?\[\\]")
_ESCAPED = re.compile(r"\\(.)")
_SCHEME = re.compile(r"[a-zA-Z][0-9a-zA-Z.+-]*://")


def matching_names(pattern: str) -> list[str]:
    """The files and folders whose names match a pattern, in any order.

    Args:
        pattern: a path, in whose parts ``*``, ``?`` and ``[...]`` stand for characters.

    Returns:
        The names; none if nothing matches.

    Raises:
        NotFoundError: if the folder before the first wildcard does not exist.
        FailedPreconditionError: if it is a file.
    """
    scheme = _SCHEME.match(pattern)
    root = scheme[0] if scheme else ""
    parts = pattern[len(root) :].split("/")
    first = next((i for i, part in enumerate(parts) if _WILDCARDS.search(part)), None)
    if first is None:
        return _named(pattern, parts[-1])
    folder = "/".join(parts[:first]) + "/" if first else ("" if root else "./")
    found = [root + folder]
    for i, part in enumerate(parts[first:]):
        prefixes = found if i == 0 else [f"{name}/" for name in found if is_folder(name)]
        shell_pattern = _ESCAPED.sub(r"[\1]", part).replace("[^", "[!")
        found = [
            prefix + name
            for prefix in prefixes
            for name in names_in(prefix.rstrip("/") or prefix if prefix != root else prefix)
            if fnmatchcase(name, shell_pattern)
        ]
    return found


def _named(path: str, name: str) -> list[str]:
    """A path without wildcards, if it exists; a missing folder is an error."""
    # A path that ends with a slash names no entry of its folder.
    if name and file_exists(path):
        return [path if len(path) > len(name) else f"./{path}"]
    names_in(folder_of(path) or ".")
    return []
