"""The nodes of the public random functions, against those of TensorFlow."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import headwater as tf

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "random_nodes.json").read_text())


def attr(value):
    if isinstance(value, list):
        return [attr(v) for v in value]
    return value.name if isinstance(value, tf.DType) else value


def row(op, expected):
    names = expected[3]
    shapes = [None if t.shape.ndims is None else t.shape.as_list() for t in op.outputs]
    attrs = {name: attr(op.get_attr(name)) for name in names}
    return [op.name, op.type, [t.name for t in op.inputs], attrs, shapes]


@pytest.mark.parametrize("call", GOLDEN)
def test_nodes_are_those_of_tensorflow(call):
    expected = GOLDEN[call]
    tf.set_random_seed(7)
    if "error" in expected:
        name, text = expected["error"]
        with pytest.raises({"TypeError": TypeError, "ValueError": ValueError}[name]) as caught:
            eval(call, {"tf": tf, "np": np})
        assert str(caught.value).startswith(text)
        return
    eval(call, {"tf": tf, "np": np})
    ops = tf.get_default_graph().get_operations()
    wanted = expected["nodes"]
    assert [op.name for op in ops] == [node[0] for node in wanted]
    assert [row(op, node) for op, node in zip(ops, wanted, strict=True)] == wanted
