from __future__ import annotations

import sys

import numpy as np
import pytest

import headwater as tf


class Case(tf.test.TestCase):
    __test__ = False  # for use by the tests below

    def runTest(self):
        pass


@pytest.fixture
def case():
    case = Case()
    case.setUp()
    yield case
    case.doCleanups()


def fails(expected, function, *args, **kwargs):
    with pytest.raises(AssertionError) as raised:
        function(*args, **kwargs)
    assert expected in str(raised.value)


def test_close_arrays(case):
    case.assertAllClose([1, 2.0], [1, 2.000001])
    case.assertAllClose(float("nan"), float("nan"))
    case.assertAllClose({"a": [1.0, {"b": 2}]}, {"a": [1.0, {"b": 2.0000001}]})
    case.assertAllClose([np.ones(2), np.ones(3)], [np.ones(2), np.ones(3)])
    case.assertAllClose(tf.ones(2), [1, 1])
    fails("not close where = (array([1]),)", case.assertAllClose, [1, 2.0], [1, 2.1])
    fails("a[1][b] is different from b[1][b]", case.assertAllClose, [1, {"b": 2}], [1, {"b": 3}])
    fails("mismatched keys: a has keys", case.assertAllClose, {"a": 1}, {"b": 1})
    fails("expected (3,), got (2,) with contents [1 2].", case.assertAllClose, [1, 2, 3], [1, 2])
    fails("The two values are close at all elements", case.assertNotAllClose, [1], [1])
    case.assertNotAllClose([1], [2])
    with pytest.raises(ValueError, match=r"Can't compare dict to non-dict, a vs b\."):
        case.assertAllClose({"a": 1}, 3)


def test_tolerance_of_the_shorter_type(case):
    half = np.array([1.001], np.float16)
    case.assertAllCloseAccordingToType(half, [1.0])
    case.assertAllCloseAccordingToType(half.astype(np.float32), [1.001], float_rtol=1e-3)
    fails("Not equal to tolerance", case.assertAllCloseAccordingToType, [1.001], [1.0])
    short = np.array([1.005], tf.bfloat16.as_numpy_dtype)
    case.assertAllCloseAccordingToType(short, [1.0])


def test_equal_arrays(case):
    case.assertAllEqual([1, float("nan")], [1, float("nan")])
    case.assertAllEqual([b"a"], np.array([b"a"], object))
    fails("not equal lhs = [3]\nnot equal rhs = [4]", case.assertAllEqual, [1, 3], [1, 4])
    fails("expected (2,), got (1,). Contents: [1].", case.assertAllEqual, [1, 2], [1])
    fails("equal at all elements", case.assertNotAllEqual, [1, 2], [1, 2])
    case.assertNotAllEqual([1, 2], [1, 3])


def test_numbers(case):
    case.assertNear(1, 1.05, 0.1)
    fails("1.000000 != 2.000000 +/- 0.100000 (hey)", case.assertNear, 1, 2, 0.1, "hey")
    case.assertArrayNear([1, 2], [1, 2.05], 0.1)
    fails("+/- 0.1", case.assertArrayNear, [1], [2], 0.1)
    case.assertNDArrayNear(np.ones(2), np.ones(2) + 0.01, 0.1)
    fails("False is not true", case.assertNDArrayNear, np.ones(2), np.zeros(2), 0.1)


def test_bounds(case):
    case.assertAllGreater([2, 3], 1)
    case.assertAllGreaterEqual([2, 3], 2)
    case.assertAllLess([2, 3], 4)
    case.assertAllLessEqual([2, 3], 3)
    fails("not greater than 2", case.assertAllGreater, [2, 3], 2)
    case.assertAllInRange([1, 2, 3], 1, 3)
    fails(
        "1 of the 3 element(s) are outside the range [1, 5). Subscript(s) and value(s) of the "
        "offending elements:\n  [2] : 5",
        case.assertAllInRange,
        [1, 2, 5],
        1,
        5,
        open_upper_bound=True,
    )
    fails("does not have an ordered numeric type", case.assertAllInRange, ["a"], 0, 1)
    fails(
        "2 unique element(s) are not in the set [1, 3]: [2 5]",
        case.assertAllInSet,
        [1, 2, 5],
        [1, 3],
    )
    case.assertAllInSet(tf.constant([1]), {1, 2})


def test_shapes_types_devices(case):
    case.assertShapeEqual(np.ones([2, 3]), tf.zeros([2, 3]))
    fails("not equal lhs = [3]", case.assertShapeEqual, np.ones([2, 3]), tf.zeros([2, 4]))
    with pytest.raises(TypeError, match="np_array must be a Numpy ndarray or Numpy scalar"):
        case.assertShapeEqual([1], tf.zeros([1]))
    case.assertDTypeEqual(np.ones(2, np.float32), np.float32)
    case.assertDeviceEqual("/cpu:0", "/device:CPU:0")
    fails(
        "Devices /device:CPU:0 and /device:GPU:0 are not equal",
        case.assertDeviceEqual,
        "/cpu:0",
        "/gpu:0",
    )
    case.assertStartsWith("abc", "ab")
    fails("'abc' does not start with 'b'", case.assertStartsWith, "abc", "b")
    case.assertItemsEqual([1, 2], [2, 1])


def test_raised_errors(case):
    op = tf.constant(1, name="culprit").op
    with case.assertRaisesOpError("culprit"):
        raise tf.errors.InvalidArgumentError(None, op, "bar")
    with case.assertRaisesWithPredicateMatch(ValueError, lambda error: "b" in str(error)):
        raise ValueError("abc")

    def block(expected, raised):
        with case.assertRaisesOpError(expected):
            if raised is not None:
                raise raised

    fails(": foo", block, "foo", ValueError("foo"))
    fails(": bar", block, "foo", tf.errors.NotFoundError(None, None, "bar"))
    fails("OpError not raised", block, "foo", None)


def test_protos(case):
    node = tf.NodeDef(name="a")
    case.assertProtoEquals("name: 'a'", node)
    case.assertProtoEqualsVersion("", tf.Graph().as_graph_def())
    fails(
        '+ name: "b"',
        case.assertProtoEquals,
        tf.NodeDef(name="a"),
        tf.NodeDef(name="b"),
    )
    fails("Can't compare protos of type", case.assertProtoEquals, node, tf.GraphDef())
    graphs = [tf.GraphDef(node=[tf.NodeDef(name=name)]) for name in "aab"]
    case.assertProtoEquals(graphs[0].node, graphs[1].node)
    fails("Can't compare", case.assertProtoEquals, graphs[0].node, graphs[2].node)
    tensor = tf.make_tensor_proto
    case.assertProtoEquals(tensor([1.0000001]), tensor([1.0]))
    value = tf.Summary.Value
    case.assertProtoEquals(value(simple_value=1.0000001), value(simple_value=1.0))
    fails(
        "simple_value",
        case.assertProtoEquals,
        value(simple_value=1.000001),
        value(simple_value=1.0),
    )


def test_graph_defs():
    def graph_def(value):
        with tf.Graph().as_default() as graph:
            tf.constant(value, name="a")
        return graph.as_graph_def()

    tf.test.assert_equal_graph_def(graph_def(1.0), graph_def(1.0))
    fails(
        "Node named 'a' has attr 'value' with value",
        tf.test.assert_equal_graph_def,
        graph_def(1.0),
        graph_def(2.0),
    )
    fails(
        "Found unexpected node '{{node a}}",
        tf.test.assert_equal_graph_def,
        graph_def(1.0),
        tf.GraphDef(),
    )
    fails(
        "Did not find expected node '{{node a}}",
        tf.test.assert_equal_graph_def,
        tf.GraphDef(),
        graph_def(1.0),
    )
    with pytest.raises(TypeError, match=r"^Expected tf\.GraphDef for actual, got int$"):
        tf.test.assert_equal_graph_def(1, 2)


def test_threads(case):
    def boom():
        raise ValueError("in thread")

    thread = case.checkedThread(boom)
    thread.start()
    fails("Error in checkedThread: in thread", thread.join)
    thread = case.checkedThread(int, args=("3",))
    thread.start()
    fails("A checked thread was not joined.", case.tearDown)
    thread.join()
    case.tearDown()


def test_captured_writes(case, capfd):
    with case.captureWritesToStream(sys.stderr) as captured:
        sys.stderr.write("abc")
    assert captured.contents() == "abc"
    assert capfd.readouterr().err == ""
    assert case.get_temp_dir() == case.get_temp_dir()


def test_raised_by_a_function(case):
    case.assertRaisesWithPredicateMatch(ValueError, "base 10", int, "x")
    fails("ValueError not raised", case.assertRaisesWithPredicateMatch, ValueError, "", int, "3")


def test_ragged_tensors_are_compared_row_by_row(case: tf.test.TestCase) -> None:
    rows = tf.ragged.constant([[1, 2], [3]])
    case.assertAllEqual(rows, [[1, 2], [3]])
    case.assertAllEqual(case.evaluate(rows), rows)
    case.assertAllClose(tf.cast(rows, tf.float32), [[1.0, 2.0 + 1e-7], [3.0]])
    for other in ([[1, 2], [4]], [[1, 2, 3]], tf.ragged.constant([[1], [2, 3]])):
        with pytest.raises(AssertionError):
            case.assertAllEqual(rows, other)
    with pytest.raises(AssertionError):
        case.assertAllClose(tf.cast(rows, tf.float32), [[1.0, 2.1], [3.0]])
    square = tf.ragged.constant([[1], [2]])
    with pytest.raises(AssertionError):
        case.assertAllEqual(square, tf.constant([[1], [2]]))  # ragged_rank differs
