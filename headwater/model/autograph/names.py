"""Which names statements bind and read, and which are read later."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Lambda,
    ast.ClassDef,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def bound(statements: Iterable[ast.AST]) -> dict[str, None]:
    """The names that statements assign, in order; dotted ones for attributes of names."""
    found: dict[str, None] = {}
    for statement in statements:
        _collect_bound(statement, found)
    return found


def _collect_bound(node: ast.AST, found: dict[str, None]) -> None:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        found[node.name] = None
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        found[node.id] = None
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        name = dotted(node)
        if name is not None:
            found[name] = None
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            found[(alias.asname or alias.name).partition(".")[0]] = None
    elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
        found[node.name] = None
    elif isinstance(node, ast.MatchMapping) and node.rest:
        found[node.rest] = None
    for child in ast.iter_child_nodes(node):
        # A name that `:=` binds in a comprehension belongs to the function.
        if not isinstance(child, _SCOPES) or isinstance(
            child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        ):
            _collect_bound(child, found)
        else:
            for inner in ast.walk(child):
                if isinstance(inner, ast.NamedExpr):
                    found[inner.target.id] = None


def dotted(node: ast.AST) -> str | None:
    """The text of an attribute of a name, such as `self.x`; None for other expressions."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return None if base is None else f"{base}.{node.attr}"
    return None


def read(node: ast.AST | None) -> set[str]:
    """The names that something reads, those of nested functions included."""
    if node is None:
        return set()
    found = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, (ast.Load, ast.Del)):
            found.add(each.id)
        elif isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Load):
            name = dotted(each)
            if name is not None:
                found.add(name)
        elif isinstance(each, ast.AugAssign):
            name = dotted(each.target)
            if name is not None:
                found.add(name)
        elif isinstance(each, (ast.Nonlocal, ast.Global)):
            found.update(each.names)
    return found


def live_before(statements: Sequence[ast.stmt], live: set[str]) -> set[str]:
    """The names that statements, or what follows them, read before they assign them.

    Args:
        statements: a block.
        live: the names that are read after it.
    """
    for statement in reversed(statements):
        live = _live_before_one(statement, live)
    return live


def _live_before_one(statement: ast.stmt, live: set[str]) -> set[str]:
    if isinstance(statement, ast.If):
        branches = live_before(statement.body, live) | live_before(statement.orelse, live)
        return branches | read(statement.test)
    if isinstance(statement, (ast.While, ast.For)):
        head = statement.test if isinstance(statement, ast.While) else statement.iter
        around = live | live_before(statement.orelse, live) | read(head)
        for _ in range(2):  # what an iteration reads may come from the one before
            inside = live_before(statement.body, around)
            if isinstance(statement, ast.For):
                inside -= set(bound([statement.target]))
            around |= inside
        return around
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        live = live_before(statement.body, live)
        for item in statement.items:
            live = live | read(item.context_expr)
        return live
    if isinstance(statement, (ast.Return, ast.Raise)):
        return read(statement)
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return (live - set(bound(targets))) | read(statement)
    # Of other statements with blocks, no part is sure to run.
    return live | read(statement)
