"""tf.xla.experimental; nodes and errors are those of TensorFlow 1.15.5."""

import pytest

import headwater as tf

xla = tf.xla.experimental


def marks(tensor):
    op = tensor.op
    return tuple(
        op.get_attr(f"_Xla{key}") for key in ("Compile", "Scope", "SeparateCompiledGradients")
    )


def test_ops_of_a_scope_are_marked(session):
    with xla.jit_scope():
        x = tf.constant(1.0) + 1
        assert marks(x) == (True, b"jit_scope_0", False)
        with xla.jit_scope(separate_compiled_gradients=True):
            assert marks(tf.constant(1.0)) == (True, b"jit_scope_0", True)
    with xla.jit_scope(compile_ops=lambda node: node.op == "MatMul"):
        assert marks(x + x) == (False, b"jit_scope_1", False)
        y = tf.matmul([[2.0]], [[3.0]])
        assert marks(y) == (True, b"jit_scope_1", False)
    with pytest.raises(ValueError, match="_XlaCompile"):
        marks(tf.constant(2.0))
    assert session.run([x, y]) == [2.0, [[6.0]]]
    assert tf.contrib.compiler.jit.experimental_jit_scope is xla.jit_scope


def test_compile_returns_the_outputs(session):
    results = xla.compile(lambda a, b: (a + b, a * b), [2.0, tf.constant(3.0)])
    assert [t.name for t in results] == ["output_0:0", "output_1:0"]
    assert session.run(results) == [5.0, 6.0]
    assert xla.compile(lambda: None).type == "NoOp"
    nested = xla.compile(lambda a: {"k": a, "l": [a, a + 1]}, [1.0])
    assert session.run(nested) == {"k": 1.0, "l": [1.0, 2.0]}


def test_ops_run_before_the_outputs(session):
    variable = tf.Variable(1.0, use_resource=True)
    session.run(variable.initializer)
    results = xla.compile(lambda a: (a + 1, variable.assign_add(a).op), [4.0])
    assert session.run(results) == [5.0]
    assert session.run(variable) == 5.0


def test_variables_of_the_computation_are_resources(session):
    def computation(a):
        return a * tf.get_variable("w", [], initializer=tf.ones_initializer())

    (result,) = xla.compile(computation, [3.0])
    session.run(tf.global_variables_initializer())
    assert session.run(result) == 3.0
    assert tf.global_variables()[0].op.type == "VarHandleOp"


def test_compile_checks_its_arguments():
    with pytest.raises(TypeError, match="inputs must be a list"):
        xla.compile(lambda a: a, 1.0)
    with pytest.raises(ValueError, match="zero or more Tensor values followed by"):
        xla.compile(lambda a: (tf.no_op(), a), [1.0])
