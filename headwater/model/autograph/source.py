"""The syntax tree of a function, found in the file that defines it."""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterator
from types import CodeType, FunctionType

FunctionNode = ast.FunctionDef | ast.Lambda


def tree_of(function: FunctionType) -> FunctionNode | None:
    """The syntax tree of a function with its positions, a new one for each call.

    Args:
        function: a function of Python.

    Returns:
        A FunctionDef or a Lambda; None if the source is not available, or several functions
        begin in its line and cannot be told apart.
    """
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        return None
    try:
        module = ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        return None
    found = [node for node in _functions(module) if _begins_like(node, code)]
    if len(found) > 1:
        found = [node for node in found if _code_of(node, code.co_filename) == code.co_code]
    return found[0] if len(found) == 1 else None


def _functions(module: ast.Module) -> Iterator[FunctionNode]:
    for node in ast.walk(module):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            yield node


def _begins_like(node: FunctionNode, code: CodeType) -> bool:
    name = node.name if isinstance(node, ast.FunctionDef) else "<lambda>"
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    line = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return (
        name == code.co_name
        and line == code.co_firstlineno
        and _parameters(node) == (code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    )


def _parameters(node: FunctionNode) -> tuple[str, ...]:
    args = node.args
    return tuple(arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs))


def _code_of(node: FunctionNode, filename: str) -> bytes | None:
    """The bytecode of a function of a syntax tree, if it does not depend on what is around it."""
    if isinstance(node, ast.Lambda):
        module: ast.Module = ast.Module([ast.Expr(node)], [])
    else:
        module = ast.Module([node], [])
    code = compile(ast.fix_missing_locations(module), filename, "exec")
    inner = next((const for const in code.co_consts if isinstance(const, CodeType)), None)
    return None if inner is None else inner.co_code


@functools.cache
def class_name(qualname: str) -> str | None:
    """The class in which names that begin with two underscores are private, or None."""
    *outer, _ = qualname.split(".")
    return outer[-1] if outer and outer[-1] != "<locals>" else None
