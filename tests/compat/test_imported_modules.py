"""Modules that TensorFlow's internal modules import are attributes of them."""

from __future__ import annotations

import importlib

import pytest

from headwater.compat import install as hook
from headwater.compat.path_table import imported_modules


@pytest.fixture(autouse=True)
def installed():
    hook.install()
    yield
    hook.uninstall()


@pytest.mark.parametrize(
    ("module", "name", "path"),
    [
        ("tensorflow.python", "math_ops", "tensorflow.python.ops.math_ops"),
        ("tensorflow.python", "control_flow_ops", "tensorflow.python.ops.control_flow_ops"),
        ("tensorflow.python.ops.rnn_cell_impl", "vs", "tensorflow.python.ops.variable_scope"),
        ("tensorflow.python.training.adam", "ops", "tensorflow.python.framework.ops"),
        ("tensorflow.python.layers.core", "base", "tensorflow.python.layers.base"),
    ],
)
def test_an_imported_module_is_an_attribute(module, name, path):
    assert getattr(importlib.import_module(module), name) is importlib.import_module(path)


def test_the_package_of_ops_has_the_names_of_the_module_that_hides_it():
    from tensorflow.python import ops
    from tensorflow.python.framework import ops as framework_ops

    assert ops.convert_to_tensor is framework_ops.convert_to_tensor
    assert ops.GraphKeys is framework_ops.GraphKeys


def test_only_the_modules_that_were_imported_are_attributes():
    adam = importlib.import_module("tensorflow.python.training.adam")
    assert not hasattr(adam, "rnn_cell_impl")
    with pytest.raises(AttributeError, match="no attribute 'sparse_ops'"):
        _ = adam.sparse_ops


def test_every_value_is_a_module_of_tensorflow():
    table = imported_modules()
    assert len(table) > 1000
    assert all(
        path.startswith("tensorflow") and path != f"{module}.{name}"
        for module, names in table.items()
        for name, path in names.items()
    )
