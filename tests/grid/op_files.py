"""Where op types are registered: the file in which a call names them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "headwater"
REGISTERING = ("register_op", "register_apply_ops")


def registered_names(tree: ast.Module) -> Iterator[str]:
    """Yields the op types that a file registers at module level.

    They stand as text among the first arguments of `register_op`, or of a function whose name
    begins with ``_register``: `_register_table("HashTable", "HashTableV2", ...)`.
    """
    for statement in tree.body:
        call = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        if call.func.id in REGISTERING or call.func.id.startswith("_register"):
            for argument in call.args:
                if not isinstance(argument, ast.Constant) or not isinstance(argument.value, str):
                    break
                yield argument.value


def op_files(op_types: set[str], package: Path = PACKAGE) -> dict[str, list[str]]:
    """Finds where op types are registered.

    Args:
        op_types: the registered op types; other texts are not looked at.
        package: the folder of the package.

    Returns:
        For each op type the files, relative to the folder of the package, once for each call.
    """
    found: dict[str, list[str]] = {op_type: [] for op_type in op_types}
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "register" not in text or path.name.endswith("_pb2.py"):
            continue
        for name in registered_names(ast.parse(text)):
            if name in found:
                found[name].append(path.relative_to(package).as_posix())
    return found
