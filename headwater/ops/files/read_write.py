"""Whole files in and out of a graph."""

from __future__ import annotations

import os

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import ArrayModule, TensorLike
from headwater.graph import Operation, RunsOn, Tensor, build, export, register_op, shapes
from headwater.io.files import folder_of, make_folders, open_file, read_bytes


def _scalar(value: np.ndarray, what: str) -> bytes:
    if np.ndim(value):
        shape = ",".join(map(str, np.shape(value)))
        fail(f"{what} tensor must be scalar, but had shape: [{shape}]")
    return np.asarray(value, object).item()


def kernel_read_file(xp: ArrayModule, filename: np.ndarray) -> np.ndarray:
    return np.array(read_bytes(os.fsdecode(_scalar(filename, "Input filename"))), object)


def shape_read_file(c: shapes.ShapeContext) -> tuple[int, ...]:
    c.with_rank("filename", 0)
    return ()


def shape_write_file(c: shapes.ShapeContext) -> list[tuple[int, ...]]:
    c.with_rank("filename", 0)
    c.with_rank("contents", 0)
    return []


register_op(
    "ReadFile",
    inputs="filename: string",
    outputs="contents: string",
    shape=shape_read_file,
    kernel=kernel_read_file,
    runs_on=RunsOn.HOST,
)


def kernel_write_file(xp: ArrayModule, filename: np.ndarray, contents: np.ndarray) -> tuple[()]:
    name = os.fsdecode(_scalar(filename, "Input filename"))
    data = _scalar(contents, "Contents")
    make_folders(folder_of(name))
    with open_file(name, "wb") as file:
        file.write(data)
    return ()


register_op(
    "WriteFile",
    inputs="filename: string, contents: string",
    shape=shape_write_file,
    kernel=kernel_write_file,
    runs_on=RunsOn.HOST,
    stateful=True,
)


@export("read_file", "io.read_file")
def read_file(filename: TensorLike, name: str | None = None) -> Tensor:
    """The content of a file.

    Args:
        filename: a scalar string tensor: its path or URL.
        name: the name of the node.

    Returns:
        A scalar string tensor.

    Raises:
        NotFoundError: when it runs, if there is no such file.
    """
    return build.ReadFile(filename, name=name)


@export("write_file", "io.write_file")
def write_file(filename: TensorLike, contents: TensorLike, name: str | None = None) -> Operation:
    """Writes a file; folders above it are made, a file of that name is replaced.

    Args:
        filename: a scalar string tensor: its path or URL.
        contents: a scalar string tensor.
        name: the name of the node.

    Returns:
        The operation that writes it.
    """
    return build.WriteFile(filename, contents, name=name)
