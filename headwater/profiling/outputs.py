"""Where reports go: printed, to a file, as a timeline or for pprof."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from headwater.base import errors
from headwater.io.file_io import FileIO
from headwater.profiling import pprof, tree
from headwater.profiling.formatting import explanations
from headwater.profiling.options import Options, options_text
from headwater.profiling.tree import Row

_OPTIONS = f"{'=' * 25}Options{'=' * 29}"
_BEGIN = f"{'=' * 18}Model Analysis Report{'=' * 22}"
_END = f"{'=' * 22}End of Report{'=' * 26}"
ABOUT = {
    "scope": "scope: The nodes of the graph in their name scopes, like files in folders.\n",
    "graph": "graph: The nodes of the graph above their inputs.\n",
    "code": "code: The lines of the program that made the nodes, in the order of the calls.\n",
    "op": "op: The types of operations, such as MatMul; the nodes of a type are one row.\n",
}


def put_out(
    view: str,
    options: Options,
    columns: tuple[str, ...],
    rows_text: Callable[[], str],
    root: Row | None,
) -> None:
    """Prints or writes a report.

    Args:
        view: the view.
        options: its options.
        columns: the order of the columns.
        rows_text: makes the text of the rows, if it is wanted.
        root: the uppermost row of a tree.

    Raises:
        InvalidArgumentError: if there is no such output.
        OpError: of the class that fits, if a file cannot be written.
    """
    kind, _, arguments = options["output"].partition(":")
    path = dict(part.split("=", 1) for part in arguments.split(",") if "=" in part).get("outfile")
    if kind == "none":
        return
    if kind == "timeline" and path and root is not None:
        path = f"{path}_{options['step'] if options['step'] >= 0 else 0}"
        with FileIO(path, "w") as file:
            file.write(json.dumps({"traceEvents": _timeline(root)}))
        print(f"\nTimeline file is written to {path}; chrome://tracing shows it.")  # noqa: T201
        return
    if kind == "pprof" and path and root is not None:
        pprof.write(path, root, options)
        print(f"\nRun pprof -png --nodecount=100 --sample_index=1 <{path}>")  # noqa: T201
        return
    about = f"\nDoc:\n{ABOUT[view]}{explanations(options)}"
    report = f"{about}\nProfile:\n{tree.titles(options, columns)}{rows_text()}"
    if kind == "stdout":
        print(f"\n{_OPTIONS}\n{options_text(options)}\n{_BEGIN}\n{report}\n{_END}")  # noqa: T201
    elif kind == "file" and path:
        with FileIO(path, "w") as file:
            file.write(report)
    else:
        raise errors.InvalidArgumentError(
            None, None, f"Unknown output option: {options['output']} for view: {view}"
        )


def _timeline(root: Row) -> list[dict[str, Any]]:
    """Events of the shown rows: one process for each depth, times laid end to end."""
    events: list[dict[str, Any]] = []
    level, depth = [(root, 0)], 0
    while level:
        title = {"name": f"Scope:{depth}"}
        events.append({"args": title, "name": "process_name", "ph": "M", "pid": depth})
        below = []
        for row, start in level:
            event = {"args": {"name": row.name, "op": row.name}, "cat": "Op", "ph": "X", "tid": 0}
            event |= {"dur": row.totals.exec_micros, "name": row.name, "pid": depth, "ts": start}
            events.append(event)
            for child in row.shown:
                below.append((child, start))
                start += child.totals.exec_micros
        level, depth = below, depth + 1
    return events
