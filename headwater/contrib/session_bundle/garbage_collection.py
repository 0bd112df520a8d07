"""`tf.contrib.session_bundle.gc`: which of the exports in a folder are kept."""

from __future__ import annotations

import heapq
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export, export_value
from headwater.io.files import is_folder, join_path, names_in, path_text

export_value("contrib.session_bundle.gc.deprecated", deprecated)


@export("contrib.session_bundle.gc.Path")
class Path(namedtuple("Path", "path export_version")):
    """The folder of an export.

    Args:
        path: the folder.
        export_version: the version, an int, or None before it is known.
    """

    __slots__ = ()


Paths = list[Path]


@export("contrib.session_bundle.gc.largest_export_versions")
def largest_export_versions(n: int) -> Callable[[Paths], Paths]:
    """Makes a filter that keeps the newest exports.

    Args:
        n: how many.

    Returns:
        A function of a list of Paths to a sorted list.
    """

    def keep(paths: Paths) -> Paths:
        indexed = [(path.export_version, i) for i, path in enumerate(paths)]
        return sorted(paths[i] for _, i in heapq.nlargest(n, indexed))

    return keep


@export("contrib.session_bundle.gc.one_of_every_n_export_versions")
def one_of_every_n_export_versions(n: int) -> Callable[[Paths], Paths]:
    """Makes a filter that keeps the newest export of each interval of versions.

    Args:
        n: the length of the intervals, which end with a multiple of it.

    Returns:
        A function of a list of Paths to a sorted list.
    """

    def keep(paths: Paths) -> Paths:
        newest: dict[int, Path] = {}
        for path in paths:
            interval = 0 if path.export_version == 0 else (path.export_version - 1) // n
            if interval not in newest or newest[interval].export_version < path.export_version:
                newest[interval] = path
        return sorted(newest.values())

    return keep


@export("contrib.session_bundle.gc.mod_export_version")
def mod_export_version(n: int) -> Callable[[Paths], Paths]:
    """Makes a filter that keeps exports whose version is a multiple of a number.

    Args:
        n: the number.

    Returns:
        A function of a list of Paths to a sorted list.
    """
    return lambda paths: sorted(path for path in paths if path.export_version % n == 0)


@export("contrib.session_bundle.gc.union")
def union(lf: Callable[[Paths], Paths], rf: Callable[[Paths], Paths]) -> Callable[[Paths], Paths]:
    """Makes a filter that keeps what one of two filters keeps.

    Args:
        lf: a filter.
        rf: another one.

    Returns:
        A function of a list of Paths to a sorted list.
    """
    return lambda paths: sorted(set(lf(paths)) | set(rf(paths)))


@export("contrib.session_bundle.gc.negation")
def negation(f: Callable[[Paths], Paths]) -> Callable[[Paths], Paths]:
    """Makes a filter that keeps what a filter does not keep.

    Args:
        f: the filter.

    Returns:
        A function of a list of Paths to a sorted list.
    """
    return lambda paths: sorted(set(paths) - set(f(paths)))


@export("contrib.session_bundle.gc.get_paths")
def get_paths(base_dir: Any, parser: Callable[[Path], Path | None]) -> Paths:
    """Finds the folders in a folder.

    Args:
        base_dir: the folder.
        parser: sets the version of a Path, or returns None for what is not an export.

    Returns:
        A sorted list of Paths.
    """
    folders = (join_path(path_text(base_dir), name.rstrip("/")) for name in names_in(base_dir))
    parsed = (parser(Path(folder, None)) for folder in folders if is_folder(folder))
    return sorted(path for path in parsed if path)
