"""The layering of the source tree: permitted imports, and the maximum length of a file."""

from __future__ import annotations

import ast
import gc
import graphlib
import re
import subprocess
import sys
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "headwater"

# A folder imports only itself and folders before it.
LAYERS = (
    "native",
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
    "keras",
    "distributed",
    "serving",
    "profiling",
    "debug",
    "estimator",
    "contrib",
    "compat",
    "cli",
)
# Inside of engine too: a room imports only rooms before it, and the files above the rooms.
ENGINE_ROOMS = ("analysis", "nodes", "compiling", "blocks", "loops", "running")
ROOT_LAYER = len(LAYERS)  # headwater/__init__.py and __main__.py may import everything

LONG_FILE = 400
TOO_LONG_FILE = 800

# Files that import modules of ours whose names are not in an import statement, and why.
DYNAMIC_IMPORTS = {
    "headwater/__init__.py": "the layers declare what is public",
    "headwater/base/declarations.py": "a table says in which modules names are declared",
    "headwater/base/namespace.py": "scans folders, and loads packages that are ON_DEMAND",
    "headwater/base/export.py": "messages are public before protobuf is loaded",
    "headwater/base/lazy.py": "has LazyModule, which puts off the import of JAX and others",
    "headwater/protos/lazy.py": "protobuf is loaded at the first use of a message",
    "headwater/protos/public.py": "messages are public before protobuf is loaded",
    "headwater/protos/original_modules.py": "a program names the module by TensorFlow's name",
    "headwater/testing/__init__.py": "few programs test, and unittest loads slowly",
    "headwater/compat/__init__.py": "few programs install the import hook",
    "headwater/compat/estimator_package.py": "the import hook: a program names the module",
    "headwater/compat/missing_modules.py": "names of other packages, in the modules they left",
    "headwater/compat/v2.py": "a table of second forms, in modules that an import need not load",
    "headwater/compat/modules.py": "the import hook: a program names the module",
    "headwater/compat/numpy_modules.py": "modules that NumPy dropped stand for NumPy's own",
    "headwater/compat/internals/__init__.py": "a scan of the folder finds the internal names",
    "headwater/compat/internals/inspection.py": "a program names the module",
    "headwater/compat/mirrors/__init__.py": "a scan of the folder finds the mirrored modules",
    "headwater/compat/mirrors/util/lazy_loader.py": "a program names the module",
    "headwater/compat/mirrors/util/module_wrapper.py": "a program names the module",
    "headwater/contrib/learn/learn_io/graph_io.py": "a program replaces tf.gfile.Glob",
    "headwater/contrib/specs/specs_lib.py": "a spec names the module",
    "headwater/cli/command_line.py": "a scan of the folder finds the commands",
}
# Functions and classes that import by name -> the position of the name among their arguments.
IMPORTERS = {
    "import_module": 0,
    "__import__": 0,
    "LazyModule": 0,
    "LazyExport": 0,
    "export_lazy": 1,
}

HEAVY_MODULES = tuple(
    "jax jaxlib scipy PIL google.protobuf rich grpc pandas re2 tensorboard".split()
)


@dataclass(frozen=True)
class Import:
    """One import of our own package: the module or name, and its line."""

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
        inner = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.iter_child_nodes(node):
            # No statement stands inside an expression.
            if not isinstance(child, ast.expr):
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


def room_of(module: str) -> int | None:
    """The position of an engine module in the order of rooms: 0 for the files above the rooms.

    None outside of engine.
    """
    parts = module.split(".")
    if parts[1:2] != ["engine"]:
        return None
    room = parts[2] if parts[2:] else ""
    return ENGINE_ROOMS.index(room) + 1 if room in ENGINE_ROOMS else 0


def room_problems(sources: dict[str, Source]) -> list[str]:
    """The imports of engine that lead from a room to a later one, imports for types counted."""
    problems = []
    for source in sources.values():
        room = room_of(source.module)
        if room is None:
            continue
        if source.is_package and source.module.count(".") == 2 and room == 0:
            problems.append(f"{source.path}: its folder has no place among the rooms")
        for found in source.imports:
            target = room_of(found.target)
            if target is not None and target > room:
                problems.append(f"{source.at(found.line)}: imports {found.target}, a later room")
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
    """Returns the modules of one cycle of imports, or an empty list.

    Imports inside functions and imports for types count: who reads one file of a cycle has to know
    them all.
    """
    sorter: graphlib.TopologicalSorter[str] = graphlib.TopologicalSorter()
    for source in sources.values():
        for found in source.imports:
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


def dynamic_imports(source: Source) -> Iterator[tuple[int, str]]:
    """Yields line and text of each import by name that may be one of our own modules."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and called_name(node) in IMPORTERS:
            named = [k.value for k in node.keywords if k.arg in ("name", "module")]
            argument = (*node.args, *named)[IMPORTERS[called_name(node)]]
            literal = argument.value if isinstance(argument, ast.Constant) else None
            # Heavy third-party modules are imported late.
            if not isinstance(literal, str) or literal.split(".")[0] == "headwater":
                yield node.lineno, ast.unparse(argument)


def dynamic_import_problems(
    sources: dict[str, Source], allowed: Collection[str] = DYNAMIC_IMPORTS
) -> list[str]:
    problems = []
    unused = set(allowed)
    for source in sources.values():
        for line, text in dynamic_imports(source):
            unused.discard(str(source.path))
            if str(source.path) not in allowed:
                problems.append(f"{source.at(line)}: imports {text} by name")
    return [*problems, *(f"{path}: no import by name any more" for path in sorted(unused))]


def exports_problems(sources: dict[str, Source]) -> list[str]:
    """Finds functions taken from the table of public names instead of the module that has them."""
    problems = []
    for source in sources.values():
        if source.layer == LAYERS.index("base"):
            continue
        lines = [f.line for f in source.imports if f.target == "headwater.base.export.EXPORTS"]
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Attribute) and node.attr == "EXPORTS":
                lines.append(node.lineno)
        problems += [f"{source.at(line)}: takes EXPORTS; import the function" for line in lines]
    return problems


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
def sources() -> Iterator[dict[str, Source]]:
    # Millions of nodes live until the end of these tests: collections would find nothing to free.
    gc.disable()
    yield read_sources(PACKAGE)
    gc.enable()


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


def test_rooms_of_engine_import_only_earlier_rooms(sources):
    problems = room_problems(sources)
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


def test_own_modules_are_imported_by_statements(sources):
    problems = dynamic_import_problems(sources)
    assert not problems, report(problems)


def test_only_the_base_reads_the_table_of_public_names(sources):
    problems = exports_problems(sources)
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


def test_later_room_is_found(small_package):
    found = room_problems(
        small_package(
            {
                "engine/__init__.py": "",
                "engine/state.py": "from headwater.engine.running.plan import Plan\n",
                "engine/nodes/__init__.py": "",
                "engine/nodes/node.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
                "    from headwater.engine.blocks import block\n",
                "engine/loops/loop.py": "from headwater.engine.blocks import block\n",
                "engine/other/__init__.py": "",
                "session/a.py": "import headwater.engine.running.plan\n",
            }
        )
    )
    assert found == [
        "headwater/engine/nodes/node.py:3: imports headwater.engine.blocks.block, a later room",
        "headwater/engine/other/__init__.py: its folder has no place among the rooms",
        "headwater/engine/state.py:1: imports headwater.engine.running.plan.Plan, a later room",
    ]


def test_cycle_is_found(small_package):
    files = {
        "graph/__init__.py": "from headwater.graph.a import A\n",
        "graph/a.py": "from headwater.graph import b, A\n",
        "graph/b.py": "",
    }
    assert set(import_cycle(small_package(files))) == {"headwater.graph", "headwater.graph.a"}
    files["graph/a.py"] = "from headwater.graph import b\n"
    assert import_cycle(small_package(files)) == []
    for text in (
        "from headwater.graph.a import A\n",
        "def f():\n    # a is heavy\n    from headwater.graph.a import A\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import a\n",
    ):
        files["graph/b.py"] = text
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


def test_import_by_name_is_found(small_package):
    sources = small_package(
        {
            "base/a.py": "import importlib\nimportlib.import_module('headwater.ops')\n",
            "base/b.py": "m = LazyModule('headwater')\nn = LazyModule('headwaters')\n",
            "base/c.py": "def f(name):\n    return __import__(name)\n",
            "base/d.py": "export_lazy('f', module='headwater.io.f', attribute='f')\n",
            "base/e.py": "from importlib import import_module\nimport_module('google.protobuf')\n",
            "cli/commands.py": "from importlib import import_module\nimport_module(f'{x}.y')\n",
        }
    )
    allowed = {"headwater/cli/commands.py", "headwater/base/e.py"}
    assert dynamic_import_problems(sources, allowed) == [
        "headwater/base/a.py:2: imports 'headwater.ops' by name",
        "headwater/base/b.py:1: imports 'headwater' by name",
        "headwater/base/c.py:2: imports name by name",
        "headwater/base/d.py:1: imports 'headwater.io.f' by name",
        "headwater/base/e.py: no import by name any more",
    ]


def test_use_of_the_table_of_public_names_is_found(small_package):
    found = exports_problems(
        small_package(
            {
                "base/namespace.py": "from headwater.base.export import EXPORTS\n",
                "model/a.py": "from headwater.base.export import EXPORTS, export\n",
                "model/b.py": "from headwater.base.export import export\n",
                "ops/c.py": "def f():\n    from ..base.export import EXPORTS\n",
                "ops/d.py": "from headwater.base import export\nf = export.EXPORTS['f']\n",
            }
        )
    )
    assert found == [
        "headwater/model/a.py:1: takes EXPORTS; import the function",
        "headwater/ops/c.py:2: takes EXPORTS; import the function",
        "headwater/ops/d.py:2: takes EXPORTS; import the function",
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
