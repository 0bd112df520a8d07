from __future__ import annotations

import random
import unittest
from typing import ClassVar

import numpy as np
import pytest

import headwater as tf


class Case(tf.test.TestCase):
    __test__ = False  # run by the tests below
    seen: ClassVar[list] = []

    def test_one(self):
        self.seen.append((random.random(), np.random.rand(), len(self.ops())))
        tf.constant(1)

    def test_two(self):
        self.test_one()

    @staticmethod
    def ops():
        assert tf.get_default_graph().seed == 87654321
        return tf.get_default_graph().get_operations()


def run(name):
    result = unittest.TestResult()
    Case(name).run(result)
    assert not result.errors and not result.failures
    return result


@pytest.fixture
def case():
    case = Case("test_one")
    case.setUp()
    yield case
    case.tearDown()


def test_each_test_begins_alike():
    Case.seen.clear()
    run("test_one")
    run("test_two")
    assert Case.seen[0] == Case.seen[1]
    assert Case.seen[0][2] == 0


def test_helper_is_no_test():
    assert [reason for _, reason in run("test_session").skipped] == ["Not a test."]


def test_cached_session(case):
    with case.cached_session() as first:
        assert tf.get_default_session() is first
        assert tf.zeros([]).device == "/device:CPU:0"
        variable = tf.Variable(3.0)
        variable.initializer.run()
    with case.test_session(use_gpu=True, config=tf.ConfigProto()) as second:
        assert second is first
        assert tf.zeros([]).device == ""
        assert variable.eval() == 3
    assert case.evaluate({"v": [variable]}) == {"v": [3]}
    for what, arguments in (
        ("graph", {"graph": tf.Graph()}),
        ("config", {"config": tf.ConfigProto()}),
        ("force_gpu value", {"force_gpu": True}),
    ):
        with (
            pytest.raises(ValueError, match=f"^The {what} used to get the cached session is"),
            case.cached_session(**arguments),
        ):
            pass


def test_own_session(case):
    with case.cached_session() as cached, case.session() as own:
        assert own is not cached and own.graph is cached.graph
        zeros = tf.zeros([])
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
        own.run(zeros)
    graph = tf.Graph()
    with case.test_session(graph=graph, force_gpu=True) as sess:
        assert sess.graph is graph and tf.get_default_graph() is graph
        assert tf.zeros([]).device == "/device:GPU:0"
        assert not sess._config.allow_soft_placement


def test_errors_of_runs_are_logged(case, caplog):
    number = tf.placeholder(tf.float32, name="number")
    with (
        case.cached_session() as sess,
        pytest.raises(
            tf.errors.InvalidArgumentError,
            match="You must feed a value for placeholder tensor 'number'",
        ),
    ):
        sess.run(number + 1)
    assert "number" in caplog.text
