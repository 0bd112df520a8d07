"""The names of files that match patterns."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.graph import Tensor, build, export, register_op, shapes

_WILDCARDS = re.compile(r"[*?\[]")


def kernel_matching_files(xp: Any, pattern: np.ndarray) -> np.ndarray:
    names: set[bytes] = set()
    for text in np.ravel(pattern):
        names.update(os.fsencode(name) for name in _matches(os.fsdecode(text)))
    result = np.empty(len(names), object)
    result[:] = sorted(names)
    return result


def _matches(pattern: str) -> list[str]:
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


def shape_matching_files(c: shapes.ShapeContext) -> Any:
    pattern = c.shape("pattern")
    if pattern is not None and len(pattern) > 1:
        c.fail(f"Shape must be at most rank 1 but is rank {len(pattern)}")
    return (None,)


register_op(
    "MatchingFiles",
    inputs="pattern: string",
    outputs="filenames: string",
    shape=shape_matching_files,
    kernel=kernel_matching_files,
    host=True,
    dynamic_shape=True,
)


@export("matching_files", "io.matching_files")
def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """The names of the files that match patterns, sorted.

    Args:
        pattern: one pattern or several, with ``*``, ``?`` and ``[...]`` as in a shell.
        name: the name of the node.

    Returns:
        A string tensor of shape [n].

    Raises:
        NotFoundError: when it runs, if the folder before the first wildcard does not exist.
    """
    return build.MatchingFiles(pattern, name=name)
