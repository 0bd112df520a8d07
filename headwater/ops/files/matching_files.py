"""The names of files that match patterns."""

from __future__ import annotations

import os

import numpy as np

from headwater.base.typing import ArrayModule, Shape, TensorLike
from headwater.graph import RunsOn, Tensor, build, export, register_op, shapes
from headwater.io.matching import matching_names


def kernel_matching_files(xp: ArrayModule, pattern: np.ndarray) -> np.ndarray:
    patterns = [os.fsdecode(text) for text in np.ravel(pattern)]
    names = [os.fsencode(name) for text in patterns for name in matching_names(text)]
    result = np.empty(len(names), object)
    result[:] = sorted(names)
    return result


def shape_matching_files(c: shapes.ShapeContext) -> Shape:
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
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)


@export("matching_files", "io.matching_files")
def matching_files(pattern: TensorLike, name: str | None = None) -> Tensor:
    """The names of the files that match patterns, sorted.

    Args:
        pattern: one pattern or several, with ``*``, ``?`` and ``[...]`` as in a shell.
        name: the name of the node.

    Returns:
        A string tensor of shape [n]; a name is there once for each pattern that it matches.

    Raises:
        NotFoundError: when it runs, if the folder before the first wildcard does not exist.
    """
    return build.MatchingFiles(pattern, name=name)
