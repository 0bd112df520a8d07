"""`freeze_requantization_ranges`: ranges that a run has printed become constants."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from headwater.base.dtypes import float32
from headwater.base.errors import NotFoundError
from headwater.io.files import is_file, read_bytes
from headwater.serving.graph_tools.transforms.context import Context, refuse
from headwater.serving.graph_tools.transforms.node_names import constant, graph_of, with_inputs

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.node_def_pb2 import NodeDef

_NUMBER = r"(-?[0-9.]+(?:e[+-]?[0-9]+)?)"
_LINE = re.compile(rf";([^;]+)__print__;__requant_min_max:\[{_NUMBER}\]\[{_NUMBER}\]")


def freeze_requantization_ranges(graph_def: GraphDef, context: Context) -> GraphDef:
    """Replaces RequantizationRanges by constants from a log.

    The log is what a graph prints after `insert_logging(op=RequantizationRange, show_name=true,
    message="__requant_min_max:")`.

    Parameters: `min_max_log_file`; `min_percentile` and `max_percentile` (5 by default), the share
    of the least minima and of the greatest maxima that are ignored.
    """
    path = context.text("min_max_log_file", "")
    if not path:
        raise refuse("You must pass a file name to min_max_log_file")
    low = context.real("min_percentile", 5.0)
    high = context.real("max_percentile", 5.0)
    if not is_file(path):
        raise NotFoundError(None, None, f"{path}; No such file or directory")
    ranges: dict[str, list[tuple[float, float]]] = {}
    for found in _LINE.finditer(read_bytes(path).decode("utf-8", "replace")):
        ranges.setdefault(found[1], []).append((float(found[2]), float(found[3])))
    if not ranges:
        raise refuse("No min/max range logs were found in the log file")
    if not ranges.keys() <= {node.name for node in graph_def.node}:
        raise refuse("Nodes were found in the log file that aren't present in the graph")
    limits = {name: _limits(pairs, low / 100, high / 100) for name, pairs in ranges.items()}
    return _frozen(graph_def, limits)


def _limits(pairs: list[tuple[float, float]], low: float, high: float) -> tuple[float, float]:
    """The minimum and the maximum after given shares have been ignored."""
    last = len(pairs) - 1
    minima, maxima = (sorted(values) for values in zip(*pairs))
    first = int(len(pairs) * low + 0.5)
    final = int(len(pairs) * (1.0 - high) + 0.5)
    return minima[min(first, last)], maxima[min(final, last)]


def _frozen(graph_def: GraphDef, limits: dict[str, tuple[float, float]]) -> GraphDef:
    result: list[NodeDef] = []
    replaced: dict[str, str] = {}
    for node in graph_def.node:
        if node.name not in limits:
            result.append(node)
            continue
        for port, (kind, value) in enumerate(zip(("min", "max"), limits[node.name])):
            frozen = constant(f"{node.name}/frozen_{kind}", np.float32(value), float32)
            replaced[f"{node.name}:{port}"] = f"{frozen.name}:0"
            result.append(frozen)
        replaced[node.name] = replaced[f"{node.name}:0"]
    return graph_of(
        (with_inputs(node, lambda text: replaced.get(text, text)) for node in result), graph_def
    )
