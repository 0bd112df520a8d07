"""Names of fetches and feeds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

GRPC_URL_PREFIX = "grpc://"


class RunKey(NamedTuple):
    """What tells runs with different feeds or fetches apart."""

    feed_names: list[str]
    fetch_names: list[str]


def get_graph_element_name(elem: Any) -> str:
    """The name of a tensor or op, or the text of anything else."""
    return elem.name if hasattr(elem, "name") else str(elem)


def get_flattened_names(feeds_or_fetches: Any) -> list[str]:
    """The names in a nested structure of fetches or feeds, in order.

    Args:
        feeds_or_fetches: a tensor, op or name, or a list, tuple or dict of them.
    """
    if isinstance(feeds_or_fetches, (list, tuple)):
        items = list(feeds_or_fetches)
    elif isinstance(feeds_or_fetches, Mapping):
        items = list(feeds_or_fetches.values())
    else:
        return [get_graph_element_name(feeds_or_fetches)]
    return [name for item in items for name in get_flattened_names(item)]


def get_run_key(feed_dict: Any, fetches: Any) -> str:
    """The RunKey of a run as JSON; the order of feeds and of fetches makes no difference.

    Args:
        feed_dict: the feeds, or None.
        fetches: the fetches.
    """
    feeds = get_flattened_names(feed_dict)
    return json.dumps(RunKey(sorted(feeds), sorted(get_flattened_names(fetches))))
