"""Tables of the ops and variables of a graph with their sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.graph import Graph

_RULE = "---------"


def _print(*values: Any) -> None:
    print(*values)  # noqa: T201


def _print_heading(heading: str) -> None:
    for line in (_RULE, heading, _RULE):
        _print(line)


@export("contrib.slim.model_analyzer.tensor_description")
def tensor_description(var: Any) -> str:
    """Returns the dtype and shape of a tensor as text.

    Args:
        var: a Tensor or Variable of known rank.

    Returns:
        Text such as "(float32 ?x3)".

    Raises:
        ValueError: if the rank is not known.
    """
    shape = var.get_shape()
    if shape.ndims is None:
        raise ValueError("Cannot iterate over a shape with unknown rank.")
    sizes = "x".join("?" if size is None else str(size) for size in shape.as_list())
    return f"({var.dtype.name} {sizes})"


@export("contrib.slim.model_analyzer.analyze_ops")
def analyze_ops(graph: Graph, print_info: bool = False) -> int:
    """Counts the elements of the outputs of all ops; those of unknown shape count as 0.

    Args:
        graph: the graph.
        print_info: whether a table is printed.

    Returns:
        The number of elements.
    """
    if print_info:
        _print_heading("Operations: name -> (type shapes) [size]")
    total = 0
    for op in graph.get_operations():
        size = 0
        descriptions = []
        for output in op.outputs:
            size += output.get_shape().num_elements() or 0
            if output.get_shape().ndims is not None:
                descriptions.append(tensor_description(output))
        if print_info:
            _print(op.name, "\t->", ", ".join(descriptions), "[" + str(size) + "]")
        total += size
    return total


@export("contrib.slim.model_analyzer.analyze_vars")
def analyze_vars(variables: Sequence[Any], print_info: bool = False) -> tuple[int, int]:
    """Counts the elements and bytes of variables.

    Args:
        variables: a list of variables.
        print_info: whether a table is printed.

    Returns:
        The number of elements and the number of bytes.
    """
    if print_info:
        _print_heading("Variables: name (type shape) [size]")
    total_size = total_bytes = 0
    for var in variables:
        size = int(var.get_shape().num_elements() or 0)
        bytes_ = size * np.dtype(var.dtype.base_dtype.as_numpy_dtype).itemsize
        total_size += size
        total_bytes += bytes_
        if print_info:
            _print(var.name, tensor_description(var), f"[{size}, bytes: {bytes_}]")
    if print_info:
        _print("Total size of variables:", total_size)
        _print("Total bytes of variables:", total_bytes)
    return total_size, total_bytes
