"""Summaries that are written while a branch or a loop body is built."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from headwater.graph.default_graph import get_default_graph

# The collection of TensorFlow's newer summaries, whose ops write to the event file themselves.
_SUMMARY_COLLECTION = "_SUMMARY_V2"


@contextmanager
def new_summaries() -> Iterator[list[Any]]:
    """A with block; afterwards the list has the summary ops that were made in it.

    They are taken out of their collection: their values exist only inside the branch or loop.
    """
    graph = get_default_graph()
    count = len(graph.get_collection(_SUMMARY_COLLECTION))
    found: list[Any] = []
    yield found
    found.extend(graph.get_collection(_SUMMARY_COLLECTION)[count:])
    if found:
        del graph.get_collection_ref(_SUMMARY_COLLECTION)[count:]
