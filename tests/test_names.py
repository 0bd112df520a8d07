"""Names that programs use stand as text where they are made, so that a search finds them."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import sys
from functools import cache
from pathlib import Path

import pytest

from headwater.base import namespace
from headwater.base.export import EXPORTS, LazyExport

ROOT = Path(__file__).resolve().parents[1]


def _load_op_files():
    path = Path(__file__).parent / "grid" / "op_files.py"
    spec = importlib.util.spec_from_file_location("grid_op_files", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


op_files = _load_op_files()


@cache
def tree_of(path: str) -> ast.Module:
    return ast.parse(Path(path).read_text(encoding="utf-8"))


def definitions(tree: ast.Module) -> set[str]:
    """The functions and classes that a file defines at module level."""
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def texts(tree: ast.Module) -> set[str]:
    """The string literals of a file."""
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def is_own_definition(value) -> bool:
    """Whether a public object is a function or class of a file of ours that is written by hand."""
    if isinstance(value, LazyExport) or not (inspect.isroutine(value) or inspect.isclass(value)):
        return False
    module = inspect.unwrap(value).__module__
    return module.startswith("headwater.") and not module.endswith("_pb2")


def name_problem(dotted: str, value) -> str | None:
    """What keeps a reader from finding a public function or class by its name."""
    target = inspect.unwrap(value)
    name, path = target.__name__, sys.modules[target.__module__].__file__
    where = f"tf.{dotted} ({path})"
    if name not in definitions(tree_of(path)):
        return f"{where}: no `def {name}` or `class {name}` stands there"
    if inspect.isfunction(target) and target.__code__.co_name != name:
        return f"{where}: made by a function named {target.__code__.co_name}"
    last = dotted.rpartition(".")[2]
    if last != name and not any(
        t == dotted or t.endswith(f".{last}") for t in texts(tree_of(path))
    ):
        return f"{where}: exported under a name that does not stand there as text"
    return None


@pytest.fixture(scope="module")
def public():
    namespace.import_everything()
    return {name: value for name, value in EXPORTS.items() if is_own_definition(value)}


def test_each_op_type_is_named_by_the_call_that_registers_it(op_types):
    assert len(op_types) > 1000
    files = op_files.op_files(op_types)
    problems = [f"{name}: {paths}" for name, paths in sorted(files.items()) if len(paths) != 1]
    assert not problems, "\n".join(problems)


def test_each_public_function_and_class_is_written_out(public):
    assert len(public) > 1500
    problems = [name_problem(name, value) for name, value in public.items()]
    assert not any(problems), "\n".join(filter(None, problems))


def test_the_page_of_ops_names_the_file_of_each(op_types):
    rows = {}
    for line in (ROOT / "docs" / "ops.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) > 2 and cells[1].startswith("`"):
            rows[cells[0]] = cells[1].strip("`")
    # Names of internal ops begin with an underscore.
    files = op_files.op_files({name for name in op_types if not name.startswith("_")})
    assert rows == {name: paths[0] for name, paths in files.items()}


def test_op_types_that_are_put_together_are_not_found(tmp_path):
    (tmp_path / "a.py").write_text(
        "def _register(name, other, attrs): ...\n"
        "_register('A', 'B', attrs='C')\n"
        "record = register_op('D', inputs='x: T')\n"
        "for name in ('E', 'F'):\n    register_op(name)\n"
        "register_op(f'{name}G')\n"
        "print('H')\n"
    )
    found = op_files.op_files(set("ABCDEFGH"), tmp_path)
    assert {name for name, paths in found.items() if paths} == set("ABD")


def test_functions_of_a_factory_are_not_found(tmp_path, monkeypatch):
    path = tmp_path / "made_here.py"
    path.write_text(
        "def _make(name):\n"
        "    def function(x):\n        return x\n\n"
        "    function.__name__ = function.__qualname__ = name\n"
        "    return function\n\n\n"
        "made = _make('made')\n\n\n"
        "def written(x):\n    return x\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("made_here")
    monkeypatch.setitem(sys.modules, "made_here", module)
    assert "no `def made`" in name_problem("math.made", module.made)
    assert name_problem("math.written", module.written) is None
    assert "does not stand there" in name_problem("math.other", module.written)
