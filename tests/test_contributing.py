"""What CONTRIBUTING shows works; its commands and those of pre-commit exist."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import headwater

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
HOOKS = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")

# Registers the op of the page, then runs the sweep over it.
SWEEP = """
import sys
import doctest
import pytest
import headwater as tf
from headwater.base import namespace

source, root = sys.argv[1:]
exec(compile(open(source).read(), source, "exec"), {"__name__": "bell"})
namespace.build(tf)
session = tf.InteractiveSession()
example = doctest.DocTestParser().get_doctest(tf.math.bell.__doc__, {"tf": tf}, "bell", None, 0)
assert doctest.DocTestRunner().run(example) == (0, 1)
session.close()
sys.exit(pytest.main([
    root + "/tests/ops/test_sweep.py", "--rootdir", root, "-c", root + "/pyproject.toml",
    "-n", "0", "-q", "-p", "no:cacheprovider", "-k", "Bell- or Bell]",
]))
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(
        filter(None, [str(Path(headwater.__file__).parent.parent), os.environ.get("PYTHONPATH")])
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env={**environment, "PYTHONPATH": path},
        cwd=ROOT,
        check=False,
    )


@pytest.mark.slow
def test_the_op_of_the_page_passes_the_sweep(tmp_path):
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    source = tmp_path / "bell.py"
    source.write_text(block, encoding="utf-8")
    result = run("-c", SWEEP, str(source), str(ROOT))
    assert result.returncode == 0, result.stdout + result.stderr
    passed = re.search(r"(\d+) passed", result.stdout)
    # Three samples: values, types, shapes, NodeDefs and gradients, host and compiled.
    assert passed and int(passed[1]) >= 12, result.stdout


def test_the_op_of_the_page_fits_the_lines():
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert max(map(len, block.splitlines())) <= 100


def test_the_table_of_options_is_current():
    result = run("tools/make_op_options.py", "--check")
    assert result.returncode == 0, result.stdout + result.stderr


def test_hooks_run_what_is_there():
    entries = re.findall(r"^ +entry: (\S+)(?: (\S+))?", HOOKS, flags=re.MULTILINE)
    metadata = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert {tool for tool, _ in entries} == {"ruff", "mypy", "python"}
    for tool, argument in entries:
        if tool == "python":
            assert (ROOT / argument).is_file()
        else:
            assert f'"{tool}>=' in metadata
    # Nothing has to be fetched.
    assert re.findall(r"^ +- repo: (\S+)", HOOKS, flags=re.MULTILINE) == ["local"]


def test_pages_that_the_page_names_are_there():
    for link in re.findall(r"\]\(([^)#]+)", PAGE):
        assert (ROOT / link).exists(), link
