"""cond, case, group, tuple and while_loop: what runs, what they return, what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        return session.run(fetch, feed)


def test_only_the_ops_of_the_chosen_branch_run():
    x, y, calls = tf.constant(2), tf.constant(5), []

    def noted(name, v):
        return tf.py_func(lambda a: (calls.append(name), a)[1], [v], tf.int32)

    outside = noted("outside", tf.mul(x, y))
    chosen = tf.cond(
        tf.less(x, y), lambda: noted("first", outside + x * 7), lambda: noted("second", x)
    )
    assert value(chosen) == 24
    assert sorted(calls) == ["first", "outside"]
    x = tf.constant(2)
    assert value(tf.cond(tf.less(x, y), lambda: tf.mul(x, 17), lambda: tf.add(y, 23))) == 34


def test_what_branches_return():
    pred, x = tf.constant(True), tf.constant(1)
    with pytest.raises(
        ValueError, match=r"The two structures don't have the same nested structure\."
    ):
        tf.cond(pred, lambda: (x + 1, x + 1), lambda: x + 1)
    with pytest.raises(
        (ValueError, TypeError),
        match="Outputs of true_fn and false_fn must have the same type: int32,",
    ):
        tf.cond(pred, lambda: x + 1, lambda: tf.constant(1.0))
    with pytest.raises(TypeError, match=r"true_fn must be callable\."):
        tf.cond(pred, x, lambda: x)
    assert isinstance(tf.cond(pred, lambda: [x + 1], lambda: [x]), tf.Tensor)


def test_case():
    x, y, z = tf.constant(0), tf.constant(1), tf.constant(2)
    f1, f2, f3 = (lambda: tf.constant(17)), (lambda: tf.constant(23)), (lambda: tf.constant(-1))
    assert value(tf.case([(tf.less(x, y), f1)], default=f2)) == 17
    pairs = {tf.less(x, y): f1, tf.greater(x, z): f2}
    assert value(tf.case(pairs, default=f3, exclusive=True)) == 17
    both = [(tf.less(x, y), f1), (tf.less(x, z), f2)]
    assert value(tf.case(both, default=f3)) == 17
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"assertion failed: \[Input error: exclusive=True: more than 1",
    ):
        value(tf.case(both, default=f3, exclusive=True))
    for wrong in (3, [3], [(tf.less(x, y), 3)], [(tf.less(x, y),)]):
        with pytest.raises(
            TypeError,
            match=r"Each entry in pred_fn_pairs must be|fn for|fns must be a list, tuple, or dict",
        ):
            tf.case(wrong, default=f3)
    with pytest.raises(TypeError, match=r"false_fn must be callable\."):
        tf.case(both, default=3)


def test_groups_of_structures():
    a, b, c = (tf.constant(i, name=f"part{i}") for i in range(3))
    grouped = tf.group([a], {"z": [(b, tf.Variable(1).initializer)], "y": {"c": c}}, {})
    names = [op.name for op in grouped.control_inputs]
    assert names[:3] == ["part0", "part2", "part1"]  # keys in their order
    assert len(names) == 4
    with pytest.raises(TypeError, match="expected Tensor arguments not '1' with type"):
        tf.group({"a": 1})


def test_groups_tuples_and_counters():
    with pytest.raises(ValueError, match=r"Must have at least one Tensor: \[\]"):
        tf.tuple([])
    with pytest.raises(TypeError, match="Control input must be Operation or Tensor: 3"):
        tf.tuple([tf.constant(1)], control_inputs=[3])
    assert isinstance(tf.group(), tf.Operation) and not tf.group().outputs
    assert isinstance(tf.no_op(), tf.Operation)
    with pytest.raises(ValueError, match="Unknown keyword arguments: title"):
        tf.group(tf.no_op(), title="x")
    counter = tf.Variable(0)
    following = tf.count_up_to(counter, 3)
    with tf.Session() as session:
        session.run(counter.initializer)
        assert [session.run(following) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 3"):
            session.run(following)


@pytest.mark.parametrize("parallel", [1, 3, 10])
def test_loops(parallel):
    i = tf.constant(0)
    last = tf.while_loop(
        lambda i: tf.less(i, 10), lambda i: tf.add(i, 1), [i], parallel_iterations=parallel
    )
    assert value(last) == 10
    assert value(tf.while_loop(lambda i: i < 10, lambda i: [i + 1], [20])) == 20


def test_arrays_and_slices_are_loop_variables():
    x = tf.constant([1.0, 2.0, 3.0])
    array = tf.TensorArray(tf.float32, 3)
    _, array = tf.while_loop(
        lambda i, a: i < 3, lambda i, a: [i + 1, a.write(i, x[i] ** 2)], [0, array]
    )
    total = tf.reduce_sum(array.pack() * [1.0, 10.0, 100.0])
    rows = tf.IndexedSlices(tf.ones([2, 1]), tf.constant([0, 2]))

    def double(i, s):
        return i + 1, tf.IndexedSlices(s.values * 2.0, s.indices)

    _, rows = tf.while_loop(lambda i, s: i < 3, double, [0, rows])
    found = value([total, tf.gradients(total, x)[0], rows.values, rows.indices])
    assert found[0] == 941.0
    equal(found[1], [2.0, 40.0, 600.0])
    equal(found[2], [[8.0], [8.0]])
    equal(found[3], [0, 2])


def test_wrong_loops():
    for condition, body in ((3, lambda i: i), (lambda i: i < 1, 3)):
        with pytest.raises(TypeError, match=r"must be callable\."):
            tf.while_loop(condition, body, [0])
    with pytest.raises(ValueError, match="No loop variables provided"):
        tf.while_loop(lambda: True, list, [])
    with pytest.raises(
        (ValueError, TypeError), match=r"The two structures don't have the same nested structure\."
    ):
        tf.while_loop(lambda i, j: i < 1, lambda i, j: [i], [0, 0])


def test_gradients_go_through_loops_unless_told_not_to():
    x = tf.constant(3.0)

    def power(**options):
        return tf.while_loop(lambda i, p: i < 4, lambda i, p: [i + 1, p * x], [0, x], **options)[1]

    assert value(tf.gradients(power(swap_memory=True), x)) == [5 * 3.0**4]


@pytest.mark.parametrize("pred", [[True, True], [False], [[True]]])
def test_a_predicate_that_is_fed_must_be_a_scalar(pred):
    fed = tf.placeholder(tf.bool)
    chosen = tf.cond(fed, lambda: tf.constant(1), lambda: tf.constant(2))
    shown = str(list(np.shape(pred))).replace(" ", "")
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        value(chosen, {fed: pred})
    assert f"The second input must be a scalar, but it has shape {shown}" in str(caught.value)
    count = tf.placeholder(tf.int32)
    loop = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [count])
    assert value(loop, {count: 0}) == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="The second input must be a scalar"):
        value(loop, {count: np.zeros(np.shape(pred), np.int32)})
