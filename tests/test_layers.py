"""The layering of the source tree: who may import whom, and how long a file may be."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "headwater"

# A folder imports only itself and what stands before it.
LAYERS = (
    "base",
    "protos",
    "io",
    "graph",
    "ops",
    "engine",
    "session",
    "model",
    "testing",
    "train",
    "data",
    "distributed",
    "serving",
    "contrib",
    "compat",
    "cli",
)
ROOT_LAYER = len(LAYERS)  # headwater/__init__.py and __main__.py stand on everything

LONG_FILE = 400
TOO_LONG_FILE = 800

HEAVY_MODULES = tuple("jax jaxlib scipy PIL google.protobuf rich grpc pandas re2".split())


@dataclass(frozen=True)
class Import:
    """One import of our own package: the module or name meant, and where it stands."""

    target: str
    line: int
    in_function: bool
    type_checking: bool
    star: bool


@dataclass
class Source:
    """One parsed source file."""

    path: Path
    module: str
    is_package: bool
    text: str
    tree: ast.Module
    imports: list[Import] = field(default_factory=list)

    @property
    def layer(self) -> int:
        parts = self.module.split(".")
        if len(parts) == 1 or (len(parts) == 2 and not self.is_package and parts[1] not in LAYERS):
            return ROOT_LAYER
        return LAYERS.index(parts[1]) if parts[1] in LAYERS else -1

    @property
    def is_op_file(self) -> bool:
        return self.module.startswith("headwater.ops.") and any(
            isinstance(node, ast.Call) and called_name(node) == "register_op"
            for node in ast.walk(self.tree)
        )

    def at(self, line: int) -> str:
        return f"{self.path}:{line}"


def called_name(node: ast.expr) -> str:
    """Returns the last name of `a.b.f(...)`, `a.b.f` or `f`."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def own_imports(tree: ast.Module, module: str, is_package: bool) -> Iterator[Import]:
    """Yields the imports of `headwater` in a file; `from a import b` yields `a.b`."""

    def visit(node: ast.AST, in_function: bool, type_checking: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "headwater":
                    yield Import(alias.name, node.lineno, in_function, type_checking, False)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".")
                parents = parents[: len(parents) - node.level + is_package]
                base = ".".join([*parents, base]) if base else ".".join(parents)
            if base.split(".")[0] == "headwater":
                for alias in node.names:
                    star = alias.name == "*"
                    target = base if star else f"{base}.{alias.name}"
                    yield Import(target, node.lineno, in_function, type_checking, star)
        elif isinstance(node, ast.If) and called_name(node.test) == "TYPE_CHECKING":
            for child in node.body:
                yield from visit(child, in_function, True)
            for child in node.orelse:
                yield from visit(child, in_function, type_checking)
            return
        inner = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, inner, type_checking)

    yield from visit(tree, False, False)


def read_sources(package: Path) -> dict[str, Source]:
    """Parses each file of the package except generated protocol buffers; keys are module names."""
    sources = {}
    for path in sorted(package.rglob("*.py")):
        if path.name.endswith("_pb2.py") or path.is_relative_to(package / "data" / "bundled"):
            continue
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        is_package = parts[-1] == "__init__"
        module = ".".join(parts[:-1] if is_package else parts)
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text, filename=str(path))
        source = Source(path.relative_to(package.parent), module, is_package, text, tree)
        source.imports = list(own_imports(tree, module, is_package))
        sources[module] = source
    return sources


def layer_problems(sources: dict[str, Source]) -> list[str]:
    problems = []
    for source in sources.values():
        if source.layer < 0:
            problems.append(f"{source.path}: its folder has no place among the layers")
            continue
        for found in source.imports:
            target = found.target.split(".")
            layer = LAYERS.index(target[1]) if target[1:] and target[1] in LAYERS else ROOT_LAYER
            if layer > source.layer:
                problems.append(f"{source.at(found.line)}: imports {found.target}, a later layer")
    return problems


def modules_loaded(found: Import, source: Source, sources: dict[str, Source]) -> set[str]:
    """Returns the modules that an import statement executes, the importer's packages left out."""
    parts = found.target.split(".")
    names = {".".join(parts[:n]) for n in range(1, len(parts) + 1)} & sources.keys()
    above = {source.module[:n] for n, char in enumerate(source.module) if char == "."}
    if source.is_package:
        above.add(source.module)
    explicit = found.target if found.target in sources else found.target.rpartition(".")[0]
    return {name for name in names if name not in above or name == explicit} - {source.module}


def import_cycle(sources: dict[str, Source]) -> list[str]:
    """Returns the modules of one cycle of imports at module level, or an empty list."""
    sorter: graphlib.TopologicalSorter[str] = graphlib.TopologicalSorter()
    for source in sources.values():
        for found in source.imports:
            if not (found.in_function or found.type_checking):
                sorter.add(source.module, *modules_loaded(found, source, sources))
    try:
        sorter.prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def function_import_problems(sources: dict[str, Source]) -> list[str]:
    problems = []
    for source in sources.values():
        lines = source.text.splitlines()
        for found in source.imports:
            if not found.in_function:
                continue
            statement, before = lines[found.line - 1], lines[found.line - 2].strip()
            reason = statement.partition("#")[2].strip()
            if (not reason or reason.startswith("noqa")) and not before.startswith("#"):
                problems.append(
                    f"{source.at(found.line)}: import of {found.target} inside a function "
                    "without a comment that gives the reason"
                )
    return problems


def star_import_problems(sources: dict[str, Source]) -> list[str]:
    return [
        f"{source.at(found.line)}: star import"
        for source in sources.values()
        for found in source.imports
        if found.star
    ]


def op_file_problems(sources: dict[str, Source]) -> list[str]:
    op_files = {source.module for source in sources.values() if source.is_op_file}
    problems = []
    for module in sorted(op_files):
        source = sources[module]
        for found in source.imports:
            hit = {found.target, found.target.rpartition(".")[0]} & (op_files - {module})
            if hit:
                problems.append(f"{source.at(found.line)}: op file imports op file {hit.pop()}")
    return problems


def returns_value(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tells whether a function has a `return x` of its own, nested functions left out."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))
    return False


def points_to_its_twin(function: ast.FunctionDef | ast.AsyncFunctionDef, doc: str) -> bool:
    """Tells whether a docstring names, in backticks, a function that the body calls.

    Such a function is another door to one that is documented in full elsewhere.
    """
    named = {name.rpartition(".")[2] for name in re.findall(r"`([\w.]+)(?:\(\))?`", doc)}
    called = {called_name(node) for node in ast.walk(function) if isinstance(node, ast.Call)}
    return bool(named & called)


def docstring_problems(sources: dict[str, Source]) -> list[str]:
    problems = []
    for source in sources.values():
        for node in ast.walk(source.tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if "export" not in {called_name(decorator) for decorator in node.decorator_list}:
                continue
            where = f"{source.at(node.lineno)}: public `{node.name}`"
            doc = ast.get_docstring(node)
            if not doc:
                problems.append(f"{where} has no docstring")
            elif not isinstance(node, ast.ClassDef) and not points_to_its_twin(node, doc):
                arguments = node.args
                named = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
                if (named or arguments.vararg or arguments.kwarg) and "Args:" not in doc:
                    problems.append(f"{where} has parameters but no `Args:` in its docstring")
                has_result = "Returns:" in doc or "Yields:" in doc
                if named and returns_value(node) and not has_result:
                    problems.append(f"{where} returns a value but has no `Returns:`")
    return problems


def file_lengths(sources: dict[str, Source]) -> dict[Path, int]:
    return {source.path: source.text.count("\n") for source in sources.values()}


@pytest.fixture(scope="module")
def sources() -> dict[str, Source]:
    return read_sources(PACKAGE)


@pytest.fixture
def small_package(tmp_path):
    """Returns a function that writes {path: text} as a package and reads its sources."""

    def write(files: dict[str, str]) -> dict[str, Source]:
        for name, text in files.items():
            path = tmp_path / "headwater" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return read_sources(tmp_path / "headwater")

    return write


def report(problems: list[str]) -> str:
    return "\n" + "\n".join(problems)


def test_folders_import_only_earlier_layers(sources):
    problems = layer_problems(sources)
    assert not problems, report(problems)


def test_no_import_cycle(sources):
    cycle = import_cycle(sources)
    assert not cycle, " -> ".join(cycle)


def test_imports_inside_functions_give_a_reason(sources):
    problems = function_import_problems(sources)
    assert not problems, report(problems)


def test_no_star_import(sources):
    problems = star_import_problems(sources)
    assert not problems, report(problems)


def test_no_op_file_imports_another(sources):
    problems = op_file_problems(sources)
    assert not problems, report(problems)


def test_public_functions_are_documented(sources):
    problems = docstring_problems(sources)
    assert not problems, report(problems)


@pytest.mark.filterwarnings("default:long source file:UserWarning")
def test_file_length(sources):
    lengths = file_lengths(sources)
    for path, lines in lengths.items():
        if LONG_FILE < lines <= TOO_LONG_FILE:
            warnings.warn(f"long source file: {path} has {lines} lines", stacklevel=1)
    problems = [f"{path}: {n} lines" for path, n in lengths.items() if n > TOO_LONG_FILE]
    assert not problems, report(problems)


def test_import_loads_nothing_heavy():
    script = (
        f"import sys, headwater\nprint(sorted(m for m in {HEAVY_MODULES!r} if m in sys.modules))"
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=PACKAGE.parent,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "[]"


def test_later_layer_is_found(small_package):
    found = layer_problems(
        small_package(
            {
                "__init__.py": "from headwater.cli import main\n",
                "base/a.py": "def f():\n    from ..session import Session\n",
                "session/b.py": "from headwater.base import a\nimport headwater.graph.c\n",
                "misplaced/d.py": "",
                "ops/e.py": "import headwater\n",
            }
        )
    )
    assert found == [
        "headwater/base/a.py:2: imports headwater.session.Session, a later layer",
        "headwater/misplaced/d.py: its folder has no place among the layers",
        "headwater/ops/e.py:1: imports headwater, a later layer",
    ]


def test_cycle_is_found(small_package):
    files = {
        "graph/__init__.py": "from headwater.graph.a import A\n",
        "graph/a.py": "from headwater.graph import b, A\n",
        "graph/b.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import a\n",
    }
    assert set(import_cycle(small_package(files))) == {"headwater.graph", "headwater.graph.a"}
    files["graph/a.py"] = "from headwater.graph import b\n"
    assert import_cycle(small_package(files)) == []
    files["graph/b.py"] = "from headwater.graph.a import A\n"
    assert set(import_cycle(small_package(files))) == {"headwater.graph.a", "headwater.graph.b"}


def test_import_inside_function_without_reason_is_found(small_package):
    found = function_import_problems(
        small_package(
            {
                "base/a.py": "def f():\n    from headwater.base import b\n",
                "base/b.py": "def f():\n    # b is heavy\n    import headwater.base.a\n",
                "base/c.py": "def f():\n    import headwater.base.a  # noqa: PLC0415\n",
            }
        )
    )
    assert [problem.split(":")[0] for problem in found] == [
        "headwater/base/a.py",
        "headwater/base/c.py",
    ]


def test_op_file_that_imports_another_is_found(small_package):
    found = op_file_problems(
        small_package(
            {
                "ops/math/add.py": "register_op('Add')\n",
                "ops/math/shared.py": "",
                "ops/math/sub.py": "from headwater.ops.math import add\nregister_op('Sub')",
                "ops/nn/x.py": "from ..math import shared\nfrom ..math.add import k\nregister_op()",
            }
        )
    )
    assert found == [
        "headwater/ops/math/sub.py:1: op file imports op file headwater.ops.math.add",
        "headwater/ops/nn/x.py:2: op file imports op file headwater.ops.math.add",
    ]


def test_missing_docstring_parts_are_found(small_package):
    found = docstring_problems(
        small_package(
            {
                "model/a.py": "@export('f')\ndef f(x):\n    '''Does.'''\n    return x\n"
                "@export('g')\nclass G:\n    pass\n"
                "@export('h')\ndef h(x):\n    '''Does.\n\n    Args:\n      x: it.\n    '''\n"
                "def private(x):\n    return x\n"
                "@export('t')\ndef t(x):\n    '''`Graph.t` of the default graph.'''\n"
                "    return default().t(x)\n"
            }
        )
    )
    assert found == [
        "headwater/model/a.py:2: public `f` has parameters but no `Args:` in its docstring",
        "headwater/model/a.py:2: public `f` returns a value but has no `Returns:`",
        "headwater/model/a.py:6: public `G` has no docstring",
    ]
