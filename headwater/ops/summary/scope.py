"""Names, tags and collections of the public summary functions."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ParamSpec

from headwater.base import logging
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, convert_to_tensor, get_default_graph, name_scope, replication
from headwater.graph.graph_keys import GraphKeys

P = ParamSpec("P")
_INVALID = re.compile(r"[^-/\w.]", re.ASCII)


def clean_tag(name: str) -> str:
    """A tag that is a valid name of an op: other characters become "_", leading "/" go."""
    cleaned = _INVALID.sub("_", name).lstrip("/")
    if cleaned != name:
        logging.info("Summary name %s is illegal; using %s instead.", name, cleaned)
    return cleaned


def of_first_replica(summary: Callable[P, Tensor]) -> Callable[P, Tensor]:
    """Lets a function make its summary in the first replica only; in the others it is empty."""

    @functools.wraps(summary)
    def made_once(*args: P.args, **kwargs: P.kwargs) -> Tensor:
        if replication.is_later_replica():
            return convert_to_tensor("")
        return summary(*args, **kwargs)

    return made_once


@contextmanager
def summary_scope(
    name: str,
    family: str | None = None,
    default_name: str | None = None,
    values: Sequence[TensorLike] | None = None,
) -> Iterator[tuple[str, str]]:
    """A name scope for one summary; gives its tag and the scope.

    Args:
        name: the name that the user gave.
        family: a prefix of the tag and one more scope, or None.
        default_name: the scope if the name is empty.
        values: tensors of the graph.
    """
    name = clean_tag(name)
    base = name if family is None else f"{clean_tag(family)}/{name}"
    with name_scope(base, default_name, values) as scope:
        tag = scope.rstrip("/")
        yield (tag if family is None else f"{clean_tag(family)}/{tag}"), scope


def collect(
    summary: Tensor,
    collections: Sequence[str] | None,
    default: Sequence[str] = (GraphKeys.SUMMARIES,),
) -> Tensor:
    """Adds a summary to the collections (None means the default ones) and returns it."""
    for key in default if collections is None else collections:
        get_default_graph().add_to_collection(key, summary)
    return summary
