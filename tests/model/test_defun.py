"""Functions of a graph's library: definitions, calls, gradients, loops and branches of them."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.model import functional_ops
from headwater.model.defun import Defun


@pytest.fixture(autouse=True, params=["never", "auto", "always"])
def graph(request, monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", request.param)
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feed_dict=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed_dict)


def test_a_call_is_one_node_and_runs_the_body(graph):
    @Defun(tf.float32, tf.float32)
    def sum_and_product(a, b):
        return a + b, a * b

    total, product = sum_and_product(2.0, 3.0)
    assert total.op is product.op
    assert total.op.type == sum_and_product.name
    assert run([total, product]) == [5.0, 6.0]
    library = graph.as_graph_def().library
    assert [f.signature.name for f in library.function] == [sum_and_product.name]
    assert [arg.name for arg in library.function[0].signature.input_arg] == ["a", "b"]


def test_outer_tensors_and_variables_become_arguments():
    factor = tf.constant(4.0)

    @Defun(tf.float32)
    def scaled(x):
        return x * factor + tf.get_variable("offset", initializer=1.0)

    result = scaled(2.0)
    offset = tf.trainable_variables()[0]
    assert scaled.captured_inputs == [factor, offset.value()]
    gradients = tf.gradients(result, [factor, offset])
    assert run([result, *gradients]) == [9.0, 2.0, 1.0]


def test_given_gradients_are_used():
    @Defun(tf.float32, tf.float32)
    def twenty(x, dy):
        return dy * x * 20.0

    @Defun(tf.float32, grad_func=twenty)
    def by_function(x):
        return x * x

    @Defun(tf.float32, python_grad_func=lambda op, dy: dy * op.inputs[0] * 200.0)
    def by_python(x):
        return x * x

    x = tf.constant(3.0)
    found = [tf.gradients(f(x), x)[0] for f in (by_function, by_python)]
    assert run(found) == [60.0, 600.0]


def test_calls_work_in_loops_and_branches():
    @Defun(tf.float32)
    def doubled(x):
        return x * 2.0

    @Defun(tf.float32)
    def checked(x):
        with tf.control_dependencies([tf.Assert(x > 0, ["not positive"])]):
            return x + 1.0

    pred = tf.placeholder(tf.bool, [])
    chosen = tf.cond(pred, lambda: checked(-1.0), lambda: doubled(3.0))
    mapped = tf.map_fn(doubled, tf.constant([1.0, 2.0]))
    np.testing.assert_array_equal(run(mapped), [2.0, 4.0])
    assert run(chosen, {pred: False}) == 6.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="not positive"):
        run(chosen, {pred: True})


def test_loops_and_branches_stand_in_bodies():
    step = tf.constant(3)

    @Defun(tf.bool)
    def counted(pred):
        count = tf.while_loop(lambda i: i < 10, lambda i: i + step, [0])
        return tf.cond(pred, lambda: count, lambda: step)

    # Two calls: the loops are two loops.
    assert run([counted(True), counted(False)]) == [12, 3]


def test_functional_branches_and_loops():
    @Defun(tf.float32)
    def doubled(x):
        return x * 2.0

    @Defun(tf.float32)
    def tripled(x):
        return x * 3.0

    @Defun(tf.int32, tf.float32)
    def positive(i, x):
        return i > 0

    @Defun(tf.int32, tf.float32)
    def down(i, x):
        return i - 1, x + tf.cast(i, tf.float32)

    @Defun(tf.int32, tf.float32)
    def added(i, x):
        return x + tf.cast(i, tf.float32)

    pred, x = tf.placeholder(tf.bool, []), tf.constant(5.0)
    chosen = functional_ops.If(pred, [x], doubled, tripled)[0]
    slope = tf.gradients(chosen, x)[0]
    assert run([chosen, slope], {pred: True}) == [10.0, 2.0]
    assert run([chosen, slope], {pred: False}) == [15.0, 3.0]
    assert run(functional_ops.While([5, 1.0], positive, down)) == [0, 16.0]
    assert run(functional_ops.For(0, 10, 1, [0.0], added)) == [45.0]
    assert run(functional_ops.For(10, 0, -1, [0.0], added, rewrite_with_while=True)) == [55.0]
    assert run(functional_ops.partitioned_call([x], doubled)) == [10.0]
    assert run(functional_ops.remote_call("/cpu:0", [x], [tf.float32], doubled)) == [10.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid start/limit/delta"):
        run(functional_ops.For(0, 10, -1, [0.0], added))
    with pytest.raises(tf.errors.InvalidArgumentError, match="cond, got 2 tensors"):
        run(functional_ops.While([5, 1.0], down, down))


def test_a_graph_with_functions_is_imported_and_runs(graph):
    @Defun(tf.float32)
    def doubled(x):
        return x * 2.0

    @Defun(tf.float32)
    def twice_doubled(x):
        return doubled(doubled(x))

    x = tf.placeholder(tf.float32, [], name="x")
    tf.identity(tf.gradients(twice_doubled(x), x)[0] + twice_doubled(x), name="y")
    definition = graph.as_graph_def()
    with tf.Graph().as_default():
        (y,) = tf.import_graph_def(definition, return_elements=["y:0"])
        assert run(y, {"import/x:0": 5.0}) == 24.0
        assert tf.get_default_graph().as_graph_def().library == definition.library


def test_effects_of_a_body_happen_once_per_run():
    count = tf.get_variable("count", initializer=0.0, use_resource=True)

    @Defun(tf.float32)
    def counting(x):
        with tf.control_dependencies([count.assign_add(1.0)]):
            return tf.identity(x)

    result = counting(7.0)
    with tf.Session() as session:
        session.run(count.initializer)
        for _ in range(3):
            assert session.run(result) == 7.0
        assert session.run(count) == 3.0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "Expected number of arguments: 1, received: 0"),
        (([1], [2]), "Expected number of arguments: 1, received: 2"),
        ((np.float32([1]),), "Input 'a' passed float expected int32 while building NodeDef"),
    ],
)
def test_wrong_arguments_are_refused(arguments, text):
    @Defun(tf.int32)
    def plus_one(a):
        return a + 1

    with pytest.raises(ValueError, match=text):
        plus_one(*arguments)
    with pytest.raises(ValueError, match="Unknown keyword arguments"):
        plus_one([1], device="/gpu:0")


def test_functions_with_defaults_and_too_few_arguments_are_refused():
    with pytest.raises(ValueError, match="argument defaults or keywords arguments are not support"):
        Defun()(lambda a=1: a)
    with pytest.raises(ValueError, match="fewer arguments than the number of specified input"):
        Defun(tf.int32, tf.int32)(lambda a: a)
    with pytest.raises(ValueError, match="can not return None"):
        Defun(tf.float32)(lambda x: [x, None])(1.0)


def test_two_functions_of_one_name_are_refused():
    Defun(tf.float32, func_name="same")(lambda x: x)(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot add function 'same' because"):
        Defun(tf.float32, func_name="same")(lambda x: x + 1.0)(1.0)


def test_types_of_a_call_choose_the_function():
    @Defun()
    def added(x, y):
        return x + y

    whole, real = added(1, 2), added(1.0, 2.0)
    assert whole.op.type != real.op.type
    assert run([whole, real]) == [3, 3.0]


def test_variables_of_a_body_are_made_in_the_scope_of_its_first_call():
    @Defun(tf.float32)
    def shifted(x):
        return x + tf.get_variable("offset", initializer=1.0)

    with tf.variable_scope("first"):
        one = shifted(1.0)
    with tf.variable_scope("second"):
        two = shifted(2.0)
    assert [v.op.name for v in tf.global_variables()] == ["first/offset"]
    assert run([one, two]) == [2.0, 3.0]


def test_the_value_of_a_resource_variable_is_an_argument():
    captured = []

    @Defun(tf.float32)
    def scaled(x):
        y = x * tf.get_variable("scale", initializer=[2.0, 3.0], use_resource=True)
        captured.extend(tf.get_default_graph().extra_args)
        return y, tf.gradients(y, captured)[0]

    assert run(scaled(5.0))[1].tolist() == [5.0, 5.0]
    assert [tensor.shape.as_list() for tensor in captured] == [[2]]


def test_functions_with_equal_bodies_keep_their_own_gradients():
    def defined(**options):
        @Defun(tf.float32, **options)
        def twice(x):
            return x * 2.0

        return twice

    x = tf.constant(100.0)
    gradients = [tf.gradients(defined()(x), x)[0]]
    gradients += tf.gradients(defined(python_grad_func=lambda op, dy: op.inputs[0] * dy)(x), x)
    assert run(gradients) == [2.0, 100.0]


def test_a_function_has_a_state_if_an_op_of_it_has_one():
    @Defun()
    def constant():
        return tf.constant(1.0)

    @Defun()
    def random():
        return tf.random_uniform([])

    @Defun()
    def calls_constant():
        return constant()

    @Defun()
    def calls_random():
        return random()

    functions = (constant, random, calls_constant, calls_random)
    stateful = [f.definition.signature.is_stateful for f in functions]
    assert stateful == [False, True, False, True]


def test_guaranteed_constants_stay_so_in_a_body():
    guaranteed = tf.guarantee_const(tf.constant(1.0))
    follows = tf.identity(guaranteed)
    mixed = follows + tf.placeholder_with_default(2.0, [])
    users = []

    @Defun()
    def total():
        result = guaranteed + follows + mixed
        users.extend(t.consumers()[0].type for t in tf.get_default_graph().extra_args)
        return result

    assert run(total()) == 5.0
    assert users == ["GuaranteeConst", "GuaranteeConst", "AddV2"]


def test_a_remote_call_needs_a_device_of_the_session():
    config = tf.ConfigProto(device_count={"CPU": 2})
    called = tf.get_variable("called", [], initializer=tf.zeros_initializer(), use_resource=True)

    @Defun(tf.float32)
    def doubled(x):
        with tf.control_dependencies([called.assign_add(1.0)]):
            return x * 2.0

    target = tf.placeholder(tf.string)
    arguments = [tf.constant(5.0), *doubled.captured_inputs]
    (result,) = functional_ops.remote_call(target, arguments, [tf.float32], doubled)
    with tf.Session(config=config) as session:
        session.run(called.initializer)
        for name in (
            "/cpu:1",
            "/job:localhost/replica:0/task:0/device:CPU:0",
            "",
            "/job:localhost",
        ):
            assert session.run(result, {target: name}) == 10.0
        text = (
            "Currently don't support instantiating functions on device: "
            "/job:{}/replica:0/task:{}/device:{}"
        )
        for name, missing in (
            ("/cpu:2", ("localhost", 0, "CPU:2")),
            ("/device:GPU:7", ("localhost", 0, "GPU:7")),
            ("/job:worker/task:1/cpu:0", ("worker", 1, "CPU:0")),
        ):
            with pytest.raises(tf.errors.InternalError, match=text.format(*missing)):
                session.run(result, {target: name})
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="Could not parse nowhere into a device spec"
        ):
            session.run(result, {target: "nowhere"})
        assert session.run(called) == 4.0
