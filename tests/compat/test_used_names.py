"""Internal names of TensorFlow that the code of real projects uses.

`tests/golden/used_internal_names.txt` lists those that 38 projects import.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from headwater.compat import install as hook

NAMES = (Path(__file__).parent.parent / "golden" / "used_internal_names.txt").read_text().split()

# What they are part of is not there yet, or will not be.
OF_MISSING_PARTS = (
    "tensorflow.contrib.eager.",
    "tensorflow.contrib.layers.",
    "tensorflow.contrib.learn.",
    "tensorflow.contrib.slim.",
    "tensorflow.contrib.tensor_forest.",
    "tensorflow.contrib.tpu.",
    "tensorflow.python.autograph.",
    "tensorflow.python.compiler.xla.",
    "tensorflow.python.debug.",
    "tensorflow.python.eager.backprop.",
    "tensorflow.python.estimator.",
    "tensorflow.python.feature_column.",
    "tensorflow.python.keras.",
    "tensorflow.python.ops.io_ops.",
    "tensorflow.python.ops.summary_ops_v2.",
    "tensorflow.python.pywrap_tensorflow.EventsWriter",
    "tensorflow.python.tpu.",
    "tensorflow.python.training.device_setter.",
    "tensorflow.python.training.evaluation.",
    "tensorflow.python.types",
    # A collection of 1.0 that held another object than today's of this name.
    "tensorflow.python.ops.variable_scope._VARSCOPE_KEY",
)


@pytest.fixture
def installed():
    hook.install()
    yield
    hook.uninstall()


def found(path: str) -> bool:
    """Whether a path leads to a module, or to an attribute of one."""
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        try:
            for name in parts[count:]:
                value = getattr(value, name)
        except AttributeError:
            return False
        return True
    return False


def test_names_that_projects_use_are_there(installed):
    missing = [name for name in NAMES if not found(name)]
    assert [name for name in missing if not name.startswith(OF_MISSING_PARTS)] == []
    assert len(NAMES) - len(missing) > 550
