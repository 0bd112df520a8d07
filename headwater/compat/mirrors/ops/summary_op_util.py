"""tensorflow.python.ops.summary_op_util: names, tags and collections of summaries."""

from __future__ import annotations

from typing import Any

from headwater.graph import Tensor
from headwater.ops.summary import scope
from headwater.ops.summary.scope import clean_tag, summary_scope

__all__ = [
    "clean_tag",
    "skip_summary",
    "summary_scope",
]


def collect(val: Tensor, collections: Any, default_collections: Any) -> None:
    """Adds a summary to collections.

    Args:
      val: the summary.
      collections: the keys; None for the default ones.
      default_collections: the default keys.
    """
    scope.collect(val, collections, default_collections)


def skip_summary() -> bool:
    """Tells whether a replica leaves summaries to another one; in a graph none does."""
    return False
