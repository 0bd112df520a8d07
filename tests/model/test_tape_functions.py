"""Functions of tf.contrib.eager that build gradients, with the results of TensorFlow 1.15.5."""

from __future__ import annotations

import pytest

import headwater as tf

tfe = tf.contrib.eager


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def product(x, y):
    return x * x * y


def test_gradients_of_the_variables_that_a_function_reads(session):
    v = tf.get_variable("v", initializer=2.0, use_resource=True)
    w = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=True)
    fixed = tf.get_variable("fixed", initializer=3.0, use_resource=True, trainable=False)
    reference = tf.Variable(5.0)
    value, pairs = tfe.implicit_value_and_gradients(lambda a: a * w * v * fixed * reference)(2.0)
    assert [variable for _, variable in pairs] == [v, w]
    session.run(tf.global_variables_initializer())
    found, to_v, to_w = session.run([value, pairs[0][0], pairs[1][0]])
    assert found.tolist() == [60.0, 120.0]
    assert (to_v, to_w.tolist()) == (90.0, [60.0, 60.0])
    train = tf.train.GradientDescentOptimizer(0.5)
    session.run(train.apply_gradients(tfe.implicit_gradients(lambda: v * v)()))
    assert session.run(v.read_value()) == 0.0


def test_a_variable_without_influence_has_no_gradient(session):
    v = tf.get_variable("v", initializer=2.0, use_resource=True)
    w = tf.get_variable("w", initializer=1.0, use_resource=True)
    pairs = tfe.implicit_gradients(lambda: (w.read_value(), v * 3.0)[1])()
    assert [variable for _, variable in pairs] == [v, w]
    assert pairs[1][0] is None


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda: None, "Cannot differentiate a function that returns None; did you forget to"),
        (lambda: tf.constant(1.0), "No trainable variables were accessed while the function was"),
        (lambda: tf.Variable(1.0) * 2.0, "No trainable variables were accessed"),
    ],
)
def test_functions_without_gradients(session, function, text):
    with pytest.raises(ValueError, match=text):
        tfe.implicit_gradients(function)()


@pytest.mark.parametrize(
    ("params", "options", "expected"),
    [
        (None, {}, [24.0, 9.0]),
        ([1], {}, [9.0]),
        ("y", {}, [9.0]),
        (["y", "x"], {}, [9.0, 24.0]),
        (None, {"dy": 2.0}, [48.0, 18.0]),
        ([], {}, []),
    ],
)
def test_gradients_of_arguments(session, params, options, expected):
    gradients = tfe.gradients_function(product, params)(3.0, 4.0, **options)
    assert session.run(gradients) == expected


def test_values_and_gradients_of_arguments(session):
    x = tf.constant(3.0)
    assert session.run(tfe.value_and_gradients_function(product)(x, x)) == (27.0, [18.0, 9.0])
    (square, same), gradients = tfe.value_and_gradients_function(lambda a: (a * a, a))(x)
    assert session.run([square, same, *gradients]) == [9.0, 3.0, 7.0]
    assert tfe.gradients_function(lambda a, b: a)(x, 4.0)[1] is None


@pytest.mark.parametrize(
    ("params", "options", "text"),
    [
        (["z"], {}, "'z' is not in list"),
        (["y", 0], {}, r"params must be all strings or all integers; got \['y', 0\]."),
        (None, {"z": 2}, "Functions to be differentiated cannot receive keyword arguments."),
    ],
)
def test_wrong_arguments(session, params, options, text):
    with pytest.raises(ValueError, match=text):
        tfe.gradients_function(product, params)(3.0, 4.0, **options)
