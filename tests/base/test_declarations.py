"""The table of declarations: which modules it lets wait, and when it is not believed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from headwater.base import declarations, namespace
from headwater.base.declarations import EXPORT, GRADIENT, OP, PROTOCOL
from headwater.graph import registry

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "make_declarations.py"
_spec = importlib.util.spec_from_file_location("make_declarations", TOOL)
make_declarations = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make_declarations)

TABLE = """\
ops\tasked\t
ops.array\tasked\top:Tile protocol:grpc:// tile
ops.effects\tfirst\tadd
ops.gone\tasked\tlost
ops.whole\tdemand\t. whole
"""


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A package whose modules are those of the table, but for ops.gone."""
    root = tmp_path / "headwater"
    (root / "ops" / "whole").mkdir(parents=True)
    for name in ("__init__", "array", "effects", "whole/__init__", "whole/part"):
        (root / "ops" / f"{name}.py").touch()
    (root / "declarations.tsv").write_text(TABLE)
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr(declarations, "_ROOT", root)
    monkeypatch.setattr(declarations, "TABLE", root / "declarations.tsv")
    monkeypatch.setattr(declarations, "_declared", {})
    return root


def test_modules_wait_unless_they_do_more_than_declare(tree):
    table = declarations.Table(["ops"])
    assert table.first == ["headwater.ops.effects"]
    assert table.waiting == {"headwater.ops.whole": ("", "whole")}
    assert set(declarations.names(EXPORT)) == {"tile", "add"}
    assert list(declarations.names(OP)) == ["Tile"]
    assert list(declarations.names(PROTOCOL)) == ["grpc://"]


def test_a_module_that_the_table_does_not_know_is_imported(tree):
    (tree / "ops" / "new.py").touch()
    (tree / "ops" / "more").mkdir()
    (tree / "ops" / "more" / "__init__.py").touch()
    (tree / "ops" / "more" / "new.py").touch()
    assert declarations.Table(["ops"]).first == [
        "headwater.ops.effects",
        "headwater.ops.new",
        "headwater.ops.more",
        "headwater.ops.more.new",
    ]


def test_a_module_that_is_newer_than_the_table_is_imported(tree):
    later = (tree / "declarations.tsv").stat().st_mtime + 100
    os.utime(tree / "ops" / "array.py", (later, later))
    assert "headwater.ops.array" in declarations.Table(["ops"]).first
    assert not declarations.names(OP), "what the table says of it may be wrong"


def test_an_installed_package_is_not_looked_through(tree):
    (tree.parent / "pyproject.toml").unlink()
    (tree / "ops" / "new.py").touch()
    assert declarations.Table(["ops"]).first == ["headwater.ops.effects"]
    assert "lost" in declarations.names(EXPORT)


def test_without_a_table_all_is_imported(tree):
    (tree / "declarations.tsv").unlink()
    assert declarations.Table(["ops"]).first == [
        "headwater.ops",
        "headwater.ops.array",
        "headwater.ops.effects",
        "headwater.ops.whole",
        "headwater.ops.whole.part",
    ]


@pytest.mark.parametrize(
    "source, more",
    [
        ('register_op("Tile", shape=shapes.none)\n', False),
        ("for name in NAMES:\n    export_value(name, 1)\n", False),
        ('@export("tile")\ndef tile():\n    pass\n', False),
        ('def _register_tile(name):\n    pass\n_register_tile("Tile")\n', False),
        ("class A:\n    pass\nregister_tensor_conversion_function(A, _of_a)\n", False),
        ("class A:\n    pass\nA.size = 1\n", False),
        ('declarations.declare(declarations.HOOK, "x")\nfound[:] = [1]\n', False),
        ("register_tensor_conversion_function(A, _of_a)\n", True),
        ('Tensor._override_operator("__neg__", negative)\n', True),
        ('makers["node"] = node\n', True),
        ("A.size = 1\n", True),
        ("try:\n    start()\nexcept ImportError:\n    pass\n", True),
        ('@RegisterGradient("Tile")\ndef f(op):\n    pass\n', True),
    ],
)
def test_the_tool_sees_what_cannot_be_found_by_a_name(source, more):
    assert make_declarations.does_more_than_declare(source) is more


def test_the_table_is_current():
    done = subprocess.run(
        [sys.executable, TOOL, "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_all_that_is_registered_is_in_the_table():
    namespace.import_everything()
    known = set(declarations.names(OP))
    assert {r.name for r in registry.records() if r.name in known} == known
    with_gradient = set(declarations.names(GRADIENT))
    assert with_gradient <= registry.registered_gradients().keys()
