"""The same cases in Headwater and in TensorFlow 1.15.5: what they print and raise is equal."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

import headwater as tf
from headwater.compat import install as hook

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("differential_running", HERE / "running.py")
running = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(running)
ALL = [
    pytest.param(path.stem, title, code, id=f"{path.stem}-{title.replace(' ', '_')}")
    for path in sorted((HERE / "cases").glob("*.py"))
    for title, code in running.cases_of(path.read_text(encoding="utf-8")).items()
]
GOLDEN = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in (HERE / "golden").glob("*.json")
}


@pytest.fixture(autouse=True)
def tensorflow():
    """Lets cases import internal modules by their names in TensorFlow."""
    hook.install()
    yield
    hook.uninstall()


@pytest.mark.parametrize(("file", "title", "code"), ALL)
def test_case(file, title, code):
    assert running.outcome(tf, code, title).splitlines() == GOLDEN[file][title].splitlines()
