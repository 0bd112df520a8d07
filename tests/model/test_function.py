"""tf.function: one traced function per signature; values and errors are those of 1.15.5."""

from __future__ import annotations

import pytest

import headwater as tf
from headwater.base.arguments import getfullargspec


class Scale(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([1.0, 2.0], use_resource=True, name="w")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def __call__(self, x):
        return {"y": x * self.w}

    @tf.function
    def add(self, x, k=2):
        return x + k

    @tf.function
    def twice(self, x):
        self.w.assign_add(x)
        between = self.w.read_value()
        self.w.assign_add(x)
        return between


def test_a_function_is_traced_once_for_each_signature(session):
    traces = []

    @tf.function
    def double(x, factor=2):
        traces.append(factor)
        return x * factor

    one, two = double(3.0), double(tf.constant(4.0))
    assert session.run([one, two, double(5.0, factor=3), double(tf.constant(6.0))]) == [
        6,
        8,
        15,
        12,
    ]
    # Python values are part of the signature, tensors are not.
    assert traces == [2, 2, 3]


def test_variables_are_captured_and_differentiated(session):
    scale = Scale()
    y = scale(tf.constant([1.0, 1.0]))["y"]
    (gradient,) = tf.gradients(y, scale.w)
    session.run(tf.global_variables_initializer())
    assert session.run([y, gradient])[0].tolist() == [1.0, 2.0]
    assert session.run(gradient).tolist() == [1.0, 1.0]
    concrete = scale.__call__.get_concrete_function()
    assert concrete.variables == [scale.w]
    assert [t.op.type for t in concrete.captured_inputs] == ["VarHandleOp"]


def test_effects_run_in_their_order(session):
    scale = Scale()
    between = scale.twice([1.0, 1.0])
    session.run(tf.global_variables_initializer())
    assert session.run(between).tolist() == [2.0, 3.0]
    assert session.run(scale.w).tolist() == [3.0, 4.0]


def test_variables_of_a_body_are_made_once(session):
    class Keeps:
        v = None

    @tf.function
    def scaled(x):
        if Keeps.v is None:
            Keeps.v = tf.Variable(3.0)
        return x * Keeps.v

    one, two = scaled(2.0), scaled(tf.constant(4.0))
    session.run(tf.global_variables_initializer())
    assert session.run([one, two]) == [6.0, 12.0]

    @tf.function
    def makes_one_each_time(x):
        return tf.Variable(x)

    with pytest.raises(ValueError, match="tried to create variables on non-first call"):
        makes_one_each_time(1.0)


def test_sparse_tensors_go_in_and_out(session):
    @tf.function(input_signature=[tf.SparseTensorSpec([None, 2], tf.float32)])
    def same(x):
        return x

    sparse = same(tf.SparseTensor([[0, 1]], [1.0], [1, 2]))
    assert session.run(sparse).values.tolist() == [1.0]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda f: f([1, 2]), ValueError, "Python inputs incompatible with input_signature"),
        (lambda f: f([[1.0]]), ValueError, "Python inputs incompatible with input_signature"),
        (
            lambda f: f([1.0], 3),
            TypeError,
            "only pass arguments covered by it. Received 2 argument",
        ),
        (lambda f: f.get_concrete_function()(), TypeError, r"Missing: \['x'\]"),
        (
            lambda f: f.get_concrete_function()([1.0], y=3),
            TypeError,
            r"Keyword arguments \['y'\] unknown. Expected \['x'\]",
        ),
        (
            lambda f: f.get_concrete_function()([1.0], [2.0]),
            TypeError,
            "Expected at most 1 positional arguments",
        ),
    ],
)
def test_wrong_arguments(call, error, text):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x):
        return x

    with pytest.raises(error, match=text):
        call(f)


def test_results_are_tensors():
    @tf.function
    def makes_an_op(x):
        return tf.no_op()

    with pytest.raises(TypeError, match="must return zero or more Tensors; in compilation of"):
        makes_an_op(1.0)


def test_an_argument_that_is_fed(session):
    # Nothing in the body but a constant: it waits for the arguments, one of which is fed.
    function = tf.function(lambda x: tf.constant(1.0))
    given = tf.constant("given")
    called = function(given)
    with tf.control_dependencies([called]):
        after = tf.no_op()
    assert session.run(called, {given: "fed"}) == 1.0
    session.run(after, {given: "fed"})


def test_functions_that_run_as_they_are(session):
    calls = []

    @tf.function
    def double(x):
        calls.append(x)
        return x * 2

    x = tf.constant(1.0)
    concrete = double.get_concrete_function(x)
    tf.config.experimental_run_functions_eagerly(True)
    try:
        assert (double(3), double(x).op.type, double(x).op.type) == (6, "Mul", "Mul")
        assert calls[1:] == [3, x, x]
        assert Scale().add(tf.constant(3.0)).op.type.startswith("Add")
        assert double.get_concrete_function(x) is concrete
        with pytest.raises(TypeError, match="unexpected keyword argument 'q'"):
            double(q=1)
    finally:
        tf.config.experimental_run_functions_eagerly(False)
    assert double(x).op.type.endswith("PartitionedCall")
    assert len(calls) == 4


def test_specs_of_nested_arguments_are_named_by_the_way_to_them():
    @tf.function
    def first(a, b, *rest, **named):
        return a[0]

    one = tf.constant(1.0)
    concrete = first.get_concrete_function([one, (one, 4)], {"q": one}, one, k=[one])
    args, kwargs = concrete.structured_input_signature
    assert [spec.name for spec in (args[0][0], args[0][1][0], args[1]["q"], args[2])] == [
        *("a/0", "a/1/0", "b/q", "rest_0")
    ]
    assert kwargs["k"][0].name == "k/0"


def test_functions_of_functions_and_of_objects(session):
    class Scale:
        def __call__(self, x, factor=3):
            return x * factor

    class Model(tf.Module):
        @tf.function
        def scaled(self, x, factor=2):
            return x * factor

    inner = tf.function(lambda x, y=2: x + y)
    method = Model().scaled
    calls = [tf.function(inner)(1), tf.function(inner)(1, y=5), tf.function(method)(3)]
    calls += [tf.function(Scale())(2), tf.function(Scale())(2, factor=1)]
    assert session.run(calls) == [3, 6, 6, 6, 2]
    assert getfullargspec(inner).args == ["x", "y"]
    assert getfullargspec(method).args == ["self", "x", "factor"]
