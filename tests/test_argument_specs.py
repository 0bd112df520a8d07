"""What libraries see of public functions when they compare them with TensorFlow's."""

from __future__ import annotations

import inspect

import headwater as tf
from headwater.base.export import EXPORTS


def test_public_functions_have_no_annotations() -> None:
    functions = {n: f for n, f in EXPORTS.items() if inspect.isfunction(f)}
    assert len(functions) > 1000
    annotated = [n for n, f in functions.items() if inspect.getfullargspec(f).annotations]
    assert annotated == []


def test_argument_specs_are_those_of_the_release() -> None:
    found = inspect.getfullargspec(tf.nn.elu)
    assert found == inspect.FullArgSpec(["features", "name"], None, None, (None,), [], None, {})
    found = inspect.getfullargspec(tf.nn.softmax)
    names = ["logits", "axis", "name", "dim"]
    assert found == inspect.FullArgSpec(names, None, None, (None, None, None), [], None, {})
    # A function that asks handlers is a wrapper in TensorFlow too.
    assert inspect.getfullargspec(tf.add) == inspect.FullArgSpec(
        [], "args", "kwargs", None, [], None, {}
    )
