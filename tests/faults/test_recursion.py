"""Functions of a library that call themselves: an error of TensorFlow, no RecursionError.

TensorFlow 1.15.5 itself crashes on them.
"""

from __future__ import annotations

import pytest

import headwater as tf
from headwater.model.defun import Defun
from headwater.model.functional_ops import If


def _named(library, start):
    return next(f for f in library if f.signature.name.startswith(start))


def _graph_def():
    with tf.Graph().as_default() as graph:

        @Defun(tf.float32, func_name="inner")
        def inner(x):
            return x * 2.0

        @Defun(tf.float32, func_name="outer")
        def outer(x):
            return inner(x) + 1.0

        @Defun(tf.float32, func_name="chooses")
        def chooses(x):
            return If(x > 0, [x], inner, inner)[0]

        outer(tf.constant(1.0))
        chooses(tf.constant(1.0))
        return graph.as_graph_def()


def _run(proto, start):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(proto, name="")
        (call,) = [op for op in graph.get_operations() if op.type.startswith(start)]
        session.run(call.outputs[0])


@pytest.mark.parametrize("callee", ["inner", "outer"])
def test_a_function_that_calls_itself(callee):
    proto = _graph_def()
    body, called = _named(proto.library.function, "inner"), _named(proto.library.function, callee)
    (node,) = [node for node in body.node_def if node.op == "Mul"]
    node.op = called.signature.name
    del node.input[1:]
    node.attr.clear()
    for name in list(body.ret):
        body.ret[name] = f"{node.name}:{called.signature.output_arg[0].name}:0"
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"calls itself.*: (inner|outer)"):
        _run(proto, "outer")


def test_a_branch_that_calls_its_own_function():
    proto = _graph_def()
    body = _named(proto.library.function, "chooses")
    (node,) = [node for node in body.node_def if "then_branch" in node.attr]
    node.attr["then_branch"].func.name = body.signature.name
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"calls itself.*: chooses"):
        _run(proto, "chooses")
