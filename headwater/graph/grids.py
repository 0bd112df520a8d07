"""Grids of coordinates, as tf.meshgrid makes them."""

from __future__ import annotations

from typing import Any

from headwater.graph import repeated_values
from headwater.graph.basic_nodes import size_tensor
from headwater.graph.builders import build
from headwater.graph.convert import to_tensor
from headwater.graph.default_graph import name_scope
from headwater.graph.operation import Tensor


def meshgrid(*args: Any, indexing: str = "xy", name: str = "meshgrid") -> list[Tensor]:
    """The coordinates of the points of a grid; see `tf.meshgrid`."""
    if indexing not in ("xy", "ij"):
        raise ValueError("indexing parameter must be either 'xy' or 'ij'")
    with name_scope(name, "meshgrid", list(args)):
        rank = len(args)
        if not rank:
            return []
        grids = [
            build.Reshape(to_tensor(x, name="stack"), (1,) * i + (-1,) + (1,) * (rank - i - 1))
            for i, x in enumerate(args)
        ]
        sizes = [size_tensor(x) for x in args]
        dtype = to_tensor(args[0]).dtype.base_dtype
        if indexing == "xy" and rank > 1:
            rest = (1,) * (rank - 2)
            grids[0] = build.Reshape(grids[0], (1, -1, *rest))
            grids[1] = build.Reshape(grids[1], (-1, 1, *rest))
            sizes[0], sizes[1] = sizes[1], sizes[0]
        factor = repeated_values.ones(sizes, dtype)
        return [grid * factor for grid in grids]
