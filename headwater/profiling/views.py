"""The trees of the views: name scopes, the graph from its ends, lines of code."""

from __future__ import annotations

from headwater.profiling import tree
from headwater.profiling.formatting import is_accounted
from headwater.profiling.measures import Measures, total
from headwater.profiling.nodes import ProfiledNode, forward_node
from headwater.profiling.options import Options
from headwater.profiling.tree import CODE, GRAPH, ROOT, SCOPE, Row

Nodes = dict[str, ProfiledNode]


def scope_view(nodes: Nodes, options: Options) -> Row:
    """Nodes in their name scopes, which add up what is inside."""
    root = Row(ROOT, SCOPE, None, Measures())
    rows = {"": root}
    scopes = {name[:i] for name in nodes for i, letter in enumerate(name) if letter == "/"}
    for name in sorted(nodes.keys() | scopes):
        node = nodes.get(name)
        own = node.measures(options["step"]) if node else Measures(definition_count=1)
        row = rows[name] = Row(name, SCOPE, node, own)
        rows[name.rpartition("/")[0]].children.append(row)
    tree.count_tree(root, options)
    return _shown(root, options)


def code_view(nodes: Nodes, options: Options) -> Row:
    """The calls that made the nodes; gradients stand with the lines of what they derive."""
    root = Row(ROOT, CODE, None, Measures())
    lines: dict[tuple[str, ...], Row] = {(): root}
    for node in nodes.values():
        # Nodes that a run has added, such as those of fetched values, have no line.
        if not node.trace or not is_accounted(node.types, options):
            continue
        forward = forward_node(node.name, nodes)
        trace = (forward or node).trace
        suffix = " (gradient)" if forward else ""
        path: tuple[str, ...] = ()
        for call in trace:
            parent = lines[path]
            name = f"{call.file.rpartition('/')[2]}:{call.line}:{call.function}{suffix}"
            path = (*path, name)
            if path not in lines:
                lines[path] = Row(name, CODE, None, Measures(), call, suffix)
                parent.children.append(lines[path])
        if path:
            row = lines[path]
            row.own = row.own + node.measures(options["step"])
            row.ends.append(node)
    tree.count_tree(root, options)
    return _shown(root, options)


def _shown(root: Row, options: Options) -> Row:
    if options["start_name_regexes"] != [".*"]:
        root.children = tree.search(root.children, options["start_name_regexes"])
    tree.shown_rows([root], options)
    return root


def graph_view(nodes: Nodes, options: Options) -> Row:
    """Nodes above their inputs; each node stands below the first that is found to use it."""
    rows = {
        name: Row(name, GRAPH, node, node.measures(options["step"])) for name, node in nodes.items()
    }
    used = set()
    for name, row in rows.items():
        row.children = [rows[before] for before in nodes[name].inputs if before in rows]
        used.update(nodes[name].inputs)
    root = Row(ROOT, GRAPH, None, Measures())
    root.children = [row for name, row in rows.items() if name not in used]
    root.children = tree.count_graph(root.children, options, set())
    root.totals = total(row.totals for row in root.children)
    return _shown(root, options)
