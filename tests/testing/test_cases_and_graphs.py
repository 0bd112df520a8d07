"""tf.test: test cases, compared graphs, numeric gradients."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import headwater as tf
from headwater.testing import modes

close = np.testing.assert_allclose


def test_a_test_case_is_run_by_unittest():
    class Case(tf.test.TestCase):
        def test(self):
            with self.test_session():
                self.assertAllEqual([2, 4], (tf.constant([1, 2]) * 2).eval())
                with self.assertRaises(AssertionError):
                    self.assertAllEqual([1], [2])

    import unittest

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    assert result.wasSuccessful() and result.testsRun >= 1
    assert Path(tf.test.get_temp_dir()).is_dir()
    assert isinstance(tf.test.is_built_with_cuda(), bool)


def test_comparing_graphs():
    def definition(order):
        with tf.Graph().as_default() as graph:
            for name in order:
                tf.constant(1.0, name=name)
            return graph.as_graph_def()

    tf.test.assert_equal_graph_def(definition("ab"), definition("ba"))
    with pytest.raises(AssertionError, match="Did not find expected node '"):
        tf.test.assert_equal_graph_def(definition("ab"), definition("ac"))
    with pytest.raises(TypeError, match=r"Expected tf\.GraphDef for actual, got int"):
        tf.test.assert_equal_graph_def(3, definition("a"))


def test_numeric_gradients(session):
    x = tf.constant([[1.0, 2.0, 3.0]])
    y = tf.matmul(x, tf.ones([3, 2])) ** 2
    theory, numeric = tf.test.compute_gradient(x, [1, 3], y, [1, 2], x_init_value=np.ones([1, 3]))
    assert theory.shape == (3, 2) == numeric.shape
    close(theory, np.full([3, 2], 6.0), rtol=1e-5)
    close(theory, numeric, rtol=1e-2)
    assert tf.test.compute_gradient_error(x, [1, 3], y, [1, 2]) < 0.05
    pairs = tf.test.compute_gradient([x], [[1, 3]], y, [1, 2])
    assert len(pairs) == 1 and len(pairs[0]) == 2
    z = tf.constant([1.0 + 2.0j], tf.complex64)
    theory, _ = tf.test.compute_gradient(z, [1], z * 2.0, [1])
    close(theory, 2.0 * np.eye(2))


def test_gradient_checker():
    x = tf.constant(np.random.uniform(size=10).astype(np.float32))
    y = tf.nn.relu(x * x)
    with tf.Session():
        assert tf.test.compute_gradient_error(x, [10], y, [10]) < 1e-2
    w = tf.get_variable("w", [5])
    y = tf.nn.softmax_cross_entropy_with_logits(logits=w, labels=tf.nn.softmax(w))
    assert (str(w.get_shape()), str(y.get_shape())) == ("(5,)", "()")
    with tf.Session():
        assert tf.test.compute_gradient_error(w, [5], y, []) > 1e-3


def test_tests_that_skip_the_eager_mode_run_without_a_session():
    sessions = []

    @modes.run_all_in_graph_and_eager_modes
    class Tests(tf.test.TestCase):
        def testBoth(self):
            sessions.append(self._cached_session is not None)

        def testSkipEagerOne(self):
            sessions.append(self._cached_session is not None)

        def test_skip_eager_two(self):
            sessions.append(self._cached_session is not None)

    for name in ("testBoth", "testSkipEagerOne", "test_skip_eager_two"):
        assert Tests(name).run().wasSuccessful()
    assert sessions == [True, False, False]
