"""tensorflow.python.framework.c_api_util: ops of a graph without a C library behind them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headwater.graph import Graph, Operation


class ScopedTFStatus:
    """Stands for a status that calls write to; here they raise errors."""

    status = None


def tf_operations(graph: Graph) -> Iterator[tuple[Operation, int]]:
    """Yields the ops of a graph with their positions."""
    for position, op in enumerate(graph.get_operations()):
        yield op, position


def new_tf_operations(graph: Graph) -> Iterator[Any]:
    """Yields the ops that `ops._create_c_op` has described and that do not exist yet."""
    yield from list(graph._described_ops)
