"""Values have the types of the schema, also where NumPy promotes by value (before 2.0).

The functions are called here as the engine calls them under such a NumPy; `.ci/versions` runs the
suite under one.
"""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.engine.nodes.promotion import traced_scalars, with_declared_types

# What a kernel of two float32 scalars gives under NumPy 1 if it multiplies with a Python number.
WIDENED = [np.float64(0.5), np.array(0.5), np.array([0.5, 1.5])]


@pytest.mark.parametrize("value", WIDENED)
def test_results_have_the_type_of_the_output(value):
    op = tf.add(tf.constant(1.0), tf.constant(2.0)).op
    result = with_declared_types(lambda *inputs: value, op, op._record)(*[np.float32(1)] * 2)
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result, value)


@pytest.mark.parametrize("value", WIDENED)
def test_new_values_of_variables_have_the_type_of_the_old(value):
    variable = tf.get_variable("v", [], use_resource=True)
    op = variable.assign_add(1.0, read_value=False)
    old = [np.array(1, np.float32), np.float32(1)]
    assert op.type == "AssignAddVariableOp"
    result = with_declared_types(lambda *inputs: value, op, op._record)(*old)
    assert result.dtype == np.float32


def test_texts_and_values_of_no_array_type_stay_as_they_are():
    op = tf.string_join(["a", "b"]).op
    text = np.array(b"ab", object)
    assert with_declared_types(lambda *inputs: text, op, op._record)(b"a", b"b") is text


def test_known_scalars_of_traced_kernels_promote_by_type():
    scalar, vector = traced_scalars([np.array(0.1, np.float32), np.ones(2, np.float32)])
    assert (scalar * 2.0).dtype == np.float32
    assert isinstance(vector, np.ndarray)
