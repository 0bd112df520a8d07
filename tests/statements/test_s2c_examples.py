"""The worked examples with printed values (lines 11280 to 14765), in the spelling of the page."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal
THREES = np.array([[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]]])
SIXES = np.array([[[i] * 3, [i + 1] * 3] for i in (1, 3, 5)])
ROWS = np.array([[1, 2, 3], [4, 5, 6]])
MORE_ROWS = ROWS + 6
CUBES = np.arange(24).reshape(1, 2, 3, 4)
TENS = [10, 20, 30, 40, 50]
PADDINGS = [[1, 1], [2, 2]]

EXAMPLES = {
    11280: (lambda: tf.zeros([3, 4], tf.int32), np.zeros((3, 4))),
    11304: (lambda: tf.zeros_like(ROWS), [[0, 0, 0], [0, 0, 0]]),
    11329: (lambda: tf.ones([2, 3], tf.int32), [[1, 1, 1], [1, 1, 1]]),
    11353: (lambda: tf.ones_like(ROWS), [[1, 1, 1], [1, 1, 1]]),
    11378: (lambda: tf.fill([2, 3], 9), [[9, 9, 9], [9, 9, 9]]),
    11412: (lambda: tf.constant([1, 2, 3, 4, 5, 6, 7]), [1, 2, 3, 4, 5, 6, 7]),
    11415: (lambda: tf.constant(-1.0, shape=[2, 3]), [[-1, -1, -1], [-1, -1, -1]]),
    11444: (lambda: tf.linspace(10.0, 12.0, 3, name="linspace"), [10, 11, 12]),
    11471: (lambda: tf.range(3, 18, 3), [3, 6, 9, 12, 15]),
    11475: (lambda: tf.range(5), [0, 1, 2, 3, 4]),
    13542: (lambda: tf.cast(tf.constant([1.8, 2.2]), tf.int32), [1, 2]),
    13589: (lambda: tf.shape(THREES), [2, 2, 3]),
    13613: (lambda: tf.size(THREES), 12),
    13637: (lambda: tf.rank(THREES), 3),
    13666: (lambda: tf.reshape(np.arange(1, 10), [3, 3]), [[1, 2, 3], [4, 5, 6], [7, 8, 9]]),
    13674: (
        lambda: tf.reshape([[[1, 1], [2, 2]], [[3, 3], [4, 4]]], [2, 4]),
        [[1, 1, 2, 2], [3, 3, 4, 4]],
    ),
    13685: (lambda: tf.reshape(SIXES, [-1]), np.repeat(np.arange(1, 7), 3)),
    13690: (lambda: tf.reshape(SIXES, [2, -1]), np.repeat(np.arange(1, 7), 3).reshape(2, 9)),
    13694: (lambda: tf.reshape(SIXES, [-1, 9]), np.repeat(np.arange(1, 7), 3).reshape(2, 9)),
    13698: (lambda: tf.reshape(SIXES, [2, -1, 3]), np.repeat(range(1, 7), 3).reshape(2, 3, 3)),
    13706: (lambda: tf.reshape([7], []), 7),
    13732: (lambda: tf.shape(tf.squeeze(tf.zeros([1, 2, 1, 3, 1, 1]))), [2, 3]),
    13739: (lambda: tf.shape(tf.squeeze(tf.zeros([1, 2, 1, 3, 1, 1]), [2, 4])), [1, 2, 3, 1]),
    13766: (lambda: tf.shape(tf.expand_dims([0, 0], 0)), [1, 2]),
    13767: (lambda: tf.shape(tf.expand_dims([0, 0], 1)), [2, 1]),
    13768: (lambda: tf.shape(tf.expand_dims([0, 0], -1)), [2, 1]),
    13771: (lambda: tf.shape(tf.expand_dims(tf.zeros([2, 3, 5]), 0)), [1, 2, 3, 5]),
    13772: (lambda: tf.shape(tf.expand_dims(tf.zeros([2, 3, 5]), 2)), [2, 3, 1, 5]),
    13773: (lambda: tf.shape(tf.expand_dims(tf.zeros([2, 3, 5]), 3)), [2, 3, 5, 1]),
    13822: (lambda: tf.slice(SIXES, [1, 0, 0], [1, 1, 3]), [[[3, 3, 3]]]),
    13824: (lambda: tf.slice(SIXES, [1, 0, 0], [1, 2, 3]), [[[3, 3, 3], [4, 4, 4]]]),
    13827: (lambda: tf.slice(SIXES, [1, 0, 0], [2, 1, 3]), [[[3, 3, 3]], [[5, 5, 5]]]),
    13855: (lambda: tf.shape(tf.split(1, 3, tf.zeros([5, 30]))[0]), [5, 10]),
    13876: (lambda: tf.tile(["a", "b", "c", "d"], [2]), list("abcdabcd")),
    13903: (
        lambda: tf.pad(ROWS, PADDINGS, "CONSTANT"),
        [[0] * 7, [0, 0, 1, 2, 3, 0, 0], [0, 0, 4, 5, 6, 0, 0], [0] * 7],
    ),
    13908: (
        lambda: tf.pad(ROWS, PADDINGS, "REFLECT"),
        [[6, 5, 4, 5, 6, 5, 4], [3, 2, 1, 2, 3, 2, 1]] * 2,
    ),
    13913: (
        lambda: tf.pad(ROWS, PADDINGS, "SYMMETRIC"),
        [[2, 1, 1, 2, 3, 3, 2]] * 2 + [[5, 4, 4, 5, 6, 6, 5]] * 2,
    ),
    13962: (lambda: tf.concat(0, [ROWS, MORE_ROWS]), np.arange(1, 13).reshape(4, 3)),
    13964: (
        lambda: tf.concat(1, [ROWS, MORE_ROWS]),
        [[1, 2, 3, 7, 8, 9], [4, 5, 6, 10, 11, 12]],
    ),
    13968: (lambda: tf.shape(tf.concat(0, [ROWS, ROWS])), [4, 3]),
    13969: (lambda: tf.shape(tf.concat(1, [ROWS, ROWS])), [2, 6]),
    13992: (lambda: tf.pack([[1, 4], [2, 5], [3, 6]]), [[1, 4], [2, 5], [3, 6]]),
    14015: (lambda: tf.unpack(ROWS), ROWS),
    14116: (lambda: tf.reverse(CUBES, [False, False, False, True]), CUBES[..., ::-1]),
    14129: (lambda: tf.reverse(CUBES, [False, True, False, False]), CUBES[:, ::-1]),
    14142: (lambda: tf.reverse(CUBES, [False, False, True, False]), CUBES[:, :, ::-1]),
    14172: (lambda: tf.transpose(ROWS), [[1, 4], [2, 5], [3, 6]]),
    14177: (lambda: tf.transpose(ROWS, perm=[1, 0]), [[1, 4], [2, 5], [3, 6]]),
    14186: (
        lambda: tf.transpose(np.arange(1, 13).reshape(2, 2, 3), perm=[0, 2, 1]),
        [[[1, 4], [2, 5], [3, 6]], [[7, 10], [8, 11], [9, 12]]],
    ),
    14335: (lambda: tf.space_to_depth([[[[1], [2]], [[3], [4]]]], 2), [[[[1, 2, 3, 4]]]]),
    14350: (
        lambda: tf.space_to_depth(np.arange(1, 13).reshape(1, 2, 2, 3), 2),
        np.arange(1, 13).reshape(1, 1, 1, 12),
    ),
    14363: (
        lambda: tf.space_to_depth(
            [[[[1], [2], [5], [6]], [[3], [4], [7], [8]], [[9], [10], [13], [14]],
              [[11], [12], [15], [16]]]], 2
        ),
        np.arange(1, 17).reshape(1, 2, 2, 4),
    ),
    14407: (lambda: tf.depth_to_space([[[[1, 2, 3, 4]]]], 2), [[[[1], [2]], [[3], [4]]]]),
    14422: (
        lambda: tf.depth_to_space(np.arange(1, 13).reshape(1, 1, 1, 12), 2),
        np.arange(1, 13).reshape(1, 2, 2, 3),
    ),
    14435: (
        lambda: tf.depth_to_space(np.arange(1, 17).reshape(1, 2, 2, 4), 2)[0, :, :, 0],
        [[1, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16]],
    ),
    14545: (lambda: tf.dynamic_partition(TENS, [0, 0, 1, 1, 0], 2)[0], [10, 20, 50]),
    14546: (lambda: tf.dynamic_partition(TENS, [0, 0, 1, 1, 0], 2)[1], [30, 40]),
    14542: (lambda: tf.shape(tf.dynamic_partition([10, 20], 1, 2)[0]), [0, 2]),
    14543: (lambda: tf.dynamic_partition([10, 20], 1, 2)[1], [[10, 20]]),
    14605: (
        lambda: tf.dynamic_stitch(
            [6, [4, 1], [[5, 2], [0, 3]]],
            [[61, 62], [[41, 42], [11, 12]], [[[51, 52], [21, 22]], [[1, 2], [31, 32]]]],
        ),
        [[1, 2], [11, 12], [21, 22], [31, 32], [41, 42], [51, 52], [61, 62]],
    ),
    14635: (lambda: tf.boolean_mask([0, 1, 2, 3], [True, False, True, False]), [0, 2]),
    14660: (lambda: tf.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True]),
            [[1, 2], [5, 6]]),
    14710: (
        lambda: tf.one_hot([0, 2, -1, 1], depth=3, on_value=5.0, off_value=0.0, axis=-1),
        [[5, 0, 0], [0, 0, 5], [0, 0, 0], [0, 5, 0]],
    ),
    14730: (
        lambda: tf.one_hot([[0, 2], [1, -1]], depth=3, on_value=1.0, off_value=0.0, axis=-1),
        [[[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 0]]],
    ),
    14755: (
        lambda: tf.one_hot([0, 1], 3, axis=0),
        [[1, 0], [0, 1], [0, 0]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("line", EXAMPLES)
def test_example(line):
    build, expected = EXAMPLES[line]
    expected = np.asarray(expected)
    with tf.Session() as session:
        found = np.asarray(session.run(build()))
    if found.dtype == object:
        expected = np.array([each.encode() for each in expected], object)
    assert found.shape == expected.shape
    equal(found, expected)


def test_14048_to_14086_reverse_sequence():
    x = np.arange(4 * 8).reshape(4, 8)
    lengths = np.array([7, 2, 3, 5])
    expected = [np.r_[row[:n][::-1], row[n:]] for row, n in zip(x, lengths)]
    with tf.Session() as session:
        equal(session.run(tf.reverse_sequence(x, lengths, seq_dim=1, batch_dim=0)), expected)
        turned = tf.reverse_sequence(x.T, lengths, seq_dim=0, batch_dim=1)
        equal(session.run(turned), np.transpose(expected))


def test_13240_sparse_mask():
    a = tf.IndexedSlices(tf.constant(np.arange(40).reshape(4, 10)), tf.constant([12, 26, 37, 45]))
    b = tf.sparse_mask(a, [12, 45])
    with tf.Session() as session:
        assert session.run(tf.shape(a.values)).tolist() == [4, 10]
        assert session.run(b.indices).tolist() == [26, 37]
        assert session.run(tf.shape(b.values)).tolist() == [2, 10]


def test_s45_an_op_dict_is_accepted():
    with tf.Graph().as_default() as graph:
        tf.constant(1.0, name="a")
    found = tf.import_graph_def(graph.as_graph_def(), return_elements=["a:0"], op_dict={})
    assert found[0].name == "import/a:0"


def test_s56_shape_functions():
    with pytest.raises((KeyError, ValueError)):
        for _ in range(2):

            @tf.RegisterShape("ShapeOfTheStatements")
            def shape(op):
                return [op.inputs[0].get_shape()]


def test_s78_conversion_to_references():
    class Holder:
        def __init__(self, variable):
            self.variable = variable

    asked = []

    def convert(value, dtype=None, name=None, as_ref=False):
        asked.append(as_ref)
        return value.variable._ref() if as_ref else value.variable.value()

    tf.register_tensor_conversion_function(Holder, convert)
    held = Holder(tf.Variable(3.0))
    assert tf.convert_to_tensor(held, as_ref=True).dtype._is_ref_dtype
    assert not tf.convert_to_tensor(held).dtype._is_ref_dtype
    assert asked == [True, False]


def test_s124_a_consumer_sees_the_live_value():
    v = tf.Variable(1.0)
    before = v.value()
    with tf.control_dependencies([v.assign(5.0)]):
        after = v.value() + 0.0
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(after) == 5
        assert session.run(before) == 5
