"""Statements S87 to S108 and S179 to S210: constants, random values, casts, shapes, slices."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def value(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def test_s87_s88_zeros_and_ones():
    assert value(tf.zeros([3, 4])).dtype == np.float32
    equal(value(tf.ones(tf.constant([2, 3]), tf.int32)), np.ones([2, 3], np.int32))
    for name in "float32 float64 int8 int16 int32 int64 uint8 complex64 complex128".split():
        x = tf.cast(tf.constant([[1, 2]]), name)
        assert tf.zeros_like(x).dtype == name == tf.ones_like(x).dtype.name
        equal(value(tf.ones_like(x)), [[1, 1]])


def test_s89_s90_s91_s92_fill_and_constant():
    equal(value(tf.fill([2, 3], 9)), np.full([2, 3], 9, np.int32))
    equal(value(tf.constant([1, 2], shape=[2, 2])), [[1, 2], [2, 2]])
    with pytest.raises(ValueError):
        tf.constant([1, 2, 3], shape=[2])
    assert tf.constant([1.5]).op.name.startswith("Const") and tf.constant(1.5).dtype == tf.float32
    assert tf.constant([[1], [2]]).get_shape().as_list() == [2, 1]
    equal(value(tf.constant(-1.0, shape=[2, 3])), np.full([2, 3], -1.0))


def test_s93_s94_sequences():
    equal(value(tf.linspace(10.0, 12.0, 3, name="l")), [10, 11, 12])
    equal(value(tf.range(3, 18, 3)), [3, 6, 9, 12, 15])
    equal(value(tf.range(5)), range(5))
    assert tf.range(2).op.name == "range_2" and tf.range(2).dtype == tf.int32


def seeded(build):
    """Two values of a random op in each of two sessions."""
    out = []
    for _ in range(2):
        with tf.Session() as session:
            out.append([session.run(build).tolist(), session.run(build).tolist()])
    return out


def test_s95_s96_s97_s101_seeds_of_ops():
    a, b = tf.random_uniform([3], seed=1), tf.random_normal([3])
    (a1, a2), (a3, a4) = seeded(a)
    assert a1 == a3 and a2 == a4 and a1 != a2
    (b1, b2), (b3, b4) = seeded(b)
    assert len({str(x) for x in (b1, b2, b3, b4)}) == 4


def test_s98_s99_s100_seeds_of_graphs():
    tf.set_random_seed(1234)
    a, b = tf.random_uniform([3]), tf.random_uniform([3])
    first, second = seeded(a), seeded(b)
    assert first[0] == first[1] and second[0] == second[1] and first != second
    both = seeded(tf.random_uniform([3], seed=1))
    assert both[0] == both[1]
    tf.reset_default_graph()
    assert seeded(tf.random_uniform([3], seed=1)) != both


def test_s102_truncated_normal():
    x = value(tf.truncated_normal([20000], 1.0, 0.5, seed=3))
    assert np.all(np.abs(x - 1.0) <= 1.0) and np.std(x) > 0.4


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_s103_s104_s105_random_uniform(dtype):
    x = value(tf.random_uniform([5000], 2, 7, dtype, seed=1))
    assert x.dtype == dtype and x.min() >= 2 and x.max() < 7
    if dtype.startswith("int"):
        assert set(x) == {2, 3, 4, 5, 6}
        with pytest.raises(ValueError):
            tf.random_uniform([2], dtype=dtype)
    else:
        x = value(tf.random_uniform([5000], dtype=dtype))
        assert x.min() >= 0 and x.max() < 1


def test_s106_s107_s108_shuffle_crop_multinomial():
    x = np.arange(12).reshape(6, 2)
    shuffled = value(tf.random_shuffle(x, seed=2))
    assert sorted(map(tuple, shuffled)) == list(map(tuple, x)) and not np.array_equal(shuffled, x)
    cropped = value(tf.random_crop(np.arange(100).reshape(10, 10), [3, 10]))
    assert cropped.shape == (3, 10) and np.all(np.diff(cropped[:, 0]) == 10)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        value(tf.random_crop(x, [7, 2]))
    drawn = value(tf.multinomial([[1.0, -1.0, -1.0], [-50.0, 50.0, -50.0]], 2000, seed=1))
    assert drawn.shape == (2, 2000) and drawn.dtype == np.int64
    assert abs(np.mean(drawn[0] == 0) - 0.787) < 0.05 and np.all(drawn[1] == 1)


def test_s179_string_to_number():
    equal(value(tf.string_to_number(["1.5", "-2"])), np.float32([1.5, -2]))
    equal(value(tf.string_to_number(["7"], tf.int32)), [7])
    with pytest.raises(tf.errors.InvalidArgumentError):
        value(tf.string_to_number(["99999999999"], tf.int32))


def test_s180_s181_s182_casts():
    x = tf.constant([1.8, 2.2, -1.8])
    names = {"ToDouble": "float64", "ToFloat": "float32", "ToBFloat16": "bfloat16"}
    names |= {"ToInt32": "int32", "ToInt64": "int64"}
    functions = [tf.to_double, tf.to_float, tf.to_bfloat16, tf.to_int32, tf.to_int64]
    source = tf.constant([1, 2], tf.int16)
    for function, (name, dtype) in zip(functions, names.items(), strict=True):
        cast = function(source)
        assert cast.op.name == name and cast.dtype == dtype
    sparse = tf.to_int32(tf.SparseTensor([[0]], [1.5], [2]))
    equal(value(sparse).values, [1])
    equal(value(tf.cast(x, tf.int32)), [1, 2, -1])
    with pytest.raises((TypeError, ValueError, tf.errors.OpError)):
        value(tf.cast(tf.constant(["a"]), tf.float32))
    equal(value(tf.saturate_cast([300, -5, 7], tf.uint8)), [255, 0, 7])


def test_s183_shape_size_rank():
    t = tf.zeros([2, 2, 3])
    assert value([tf.size(t), tf.rank(t)]) == [12, 3]
    equal(value(tf.shape(t)), [2, 2, 3])
    assert {f(t).dtype for f in (tf.shape, tf.size, tf.rank)} == {tf.int32}
    assert value(tf.rank(tf.SparseTensor([[0, 0]], [1], [2, 2]))) == 2


def test_s184_s185_s186_reshape_squeeze_expand():
    t = np.arange(18).reshape(3, 2, 3)
    equal(value(tf.reshape(t, [-1])), np.arange(18))
    assert value(tf.reshape(t, [2, -1])).shape == (2, 9)
    assert value(tf.reshape([7], [])) == 7
    for wrong in ([-1, -1], [5]):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            value(tf.reshape(t, wrong))
    u = tf.zeros([1, 2, 1, 3, 1, 1])
    assert tf.squeeze(u).get_shape().as_list() == [2, 3]
    assert tf.squeeze(u, [2, 4]).get_shape().as_list() == [1, 2, 3, 1]
    assert tf.squeeze(u, squeeze_dims=[2]).get_shape().as_list() == [1, 2, 3, 1, 1]
    with pytest.raises(ValueError):
        tf.squeeze(u, [1])
    for axis, shape in ((0, [1, 2, 3]), (1, [2, 1, 3]), (-1, [2, 3, 1]), (-3, [1, 2, 3])):
        assert tf.expand_dims(tf.zeros([2, 3]), axis).get_shape().as_list() == shape
    for axis in (3, -4):
        with pytest.raises(ValueError):
            tf.expand_dims(tf.zeros([2, 3]), axis)


def test_s187_slice():
    t = np.array([[[1, 1, 1], [2, 2, 2]], [[3, 3, 3], [4, 4, 4]], [[5, 5, 5], [6, 6, 6]]])
    equal(value(tf.slice(t, [1, 0, 0], [1, 1, 3])), [[[3, 3, 3]]])
    equal(value(tf.slice(t, [1, 0, 0], [1, -1, 3])), t[1:2])
    equal(value(tf.slice(t, [1, 0, 0], [2, 1, 3])), t[1:3, :1])
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        value(tf.slice(t, [2, 0, 0], [2, 1, 3]))


def test_s188_s189_split_and_tile():
    parts = tf.split(1, 3, tf.zeros([5, 30]))
    assert [p.get_shape().as_list() for p in parts] == [[5, 10]] * 3
    with pytest.raises(ValueError):
        tf.split(1, 4, tf.zeros([5, 30]))
    equal(value(tf.tile(["a", "b"], [2])), [b"a", b"b", b"a", b"b"])


def test_s190_pad():
    t = np.array([[1, 2, 3], [4, 5, 6]])
    for mode, name in (("CONSTANT", "constant"), ("REFLECT", "reflect")):
        equal(value(tf.pad(t, [[1, 1], [2, 2]], mode)), np.pad(t, [(1, 1), (2, 2)], name))
    equal(value(tf.pad(t, [[2, 1], [3, 2]], "SYMMETRIC")), np.pad(t, [(2, 1), (3, 2)], "symmetric"))
    with pytest.raises(ValueError):
        tf.pad(t, [[1, 1], [2, 2]], "OTHER")
    for mode, padding in (("REFLECT", 2), ("SYMMETRIC", 3)):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            value(tf.pad(t, [[padding, 0], [0, 0]], mode))


def test_s191_s192_s193_concat_pack_unpack():
    a, b = np.arange(6).reshape(2, 3), np.arange(6, 12).reshape(2, 3)
    equal(value(tf.concat(0, [a, b])), np.concatenate([a, b]))
    equal(value(tf.concat(1, [a, b])), np.concatenate([a, b], 1))
    with pytest.raises(ValueError):
        tf.concat(0, [tf.zeros([2, 3]), tf.zeros([2, 4])])
    equal(value(tf.pack([[1, 4], [2, 5], [3, 6]])), [[1, 4], [2, 5], [3, 6]])
    equal(value(tf.unpack(a)), a)
    with pytest.raises(ValueError):
        tf.unpack(tf.placeholder(tf.float32))


def test_s194_s195_reversing():
    x = np.arange(24).reshape(2, 3, 4)
    want = x.copy()
    want[0, :, :2] = x[0, :, 1::-1]
    want[1, :, :4] = x[1, :, ::-1]
    equal(value(tf.reverse_sequence(x, np.int64([2, 4]), 2, 0)), want)
    equal(value(tf.reverse(x, [True, False, True])), x[::-1, :, ::-1])
    for name in "uint8 int8 int32 bool float16 float32 float64".split():
        equal(value(tf.reverse(x.astype(name), [False, True, False])), x.astype(name)[:, ::-1])


def test_s196_transpose():
    x = np.arange(6).reshape(1, 2, 3)
    equal(value(tf.transpose(x)), x.T)
    y = tf.transpose(x, perm=[0, 2, 1])
    equal(value(y), x.transpose(0, 2, 1))
    assert y.op.name == "transpose_1"


def test_s197_image_patches():
    x = np.arange(1 * 6 * 6 * 2).reshape(1, 6, 6, 2).astype(np.float32)
    patches = value(tf.extract_image_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 2, 2, 1], "VALID"))
    assert patches.shape == (1, 2, 2, 8)
    equal(patches[0, 1, 0], x[0, 2:5:2, 0:3:2].reshape(-1))


def test_s198_to_s201_blocks():
    x = np.arange(36).reshape(1, 3, 3, 4)
    y = tf.space_to_batch(x, [[0, 1], [0, 1]], 2)
    assert value(y).shape == (4, 2, 2, 4)
    equal(value(tf.batch_to_space(y, [[0, 1], [0, 1]], 2)), x)
    with pytest.raises(ValueError):
        tf.space_to_batch(x, [[0, 1], [0, 1]], 3)
    z = np.arange(16).reshape(1, 4, 4, 1)
    deep = value(tf.space_to_depth(z, 2))
    equal(deep[0, 0, 0], [0, 1, 4, 5])
    equal(value(tf.depth_to_space(deep, 2)), z)
    for call in (tf.space_to_depth, tf.depth_to_space):
        with pytest.raises(ValueError):
            call(z, 3)


def test_s202_to_s205_gathering_and_stitching():
    x = np.arange(12).reshape(4, 3)
    equal(value(tf.gather(x, [[0, 3], [1, 1]])), x[[[0, 3], [1, 1]]])
    equal(value(tf.gather_nd(x, [[0, 1], [3, 2]])), [1, 11])
    with pytest.raises(tf.errors.InvalidArgumentError):
        value(tf.gather(x, [4]))
    parts = value(tf.dynamic_partition([10, 20, 30, 40, 50], [0, 0, 1, 1, 0], 2))
    equal(parts[0], [10, 20, 50])
    equal(parts[1], [30, 40])
    assert [p.shape for p in value(tf.dynamic_partition([10, 20], 1, 2))] == [(0, 2), (1, 2)]
    with pytest.raises(tf.errors.InvalidArgumentError):
        value(tf.dynamic_partition([1, 2], [0, 2], 2))
    indices = [6, [4, 1], [[5, 2], [0, 3]]]
    data = [[61, 62], [[41, 42], [11, 12]], [[[51, 52], [21, 22]], [[1, 2], [31, 32]]]]
    equal(value(tf.dynamic_stitch(indices, data)), [[10 * i + 1, 10 * i + 2] for i in range(7)])
    equal(value(tf.dynamic_stitch([[0, 1], [1]], [[5, 6], [7]])), [5, 7])


def test_s206_boolean_mask():
    x = np.arange(6).reshape(3, 2)
    equal(value(tf.boolean_mask(x, [True, False, True])), x[[0, 2]])
    equal(value(tf.boolean_mask(x, x > 2)), [3, 4, 5])
    for mask in (True, [True, False], tf.placeholder(tf.bool)):
        with pytest.raises(ValueError):
            tf.boolean_mask(x, mask)


def test_s207_s208_s209_one_hot():
    equal(value(tf.one_hot([0, 2, -1, 1], 3)), [[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 1, 0]])
    equal(value(tf.one_hot([1], 2, 5.0, -1.0, axis=0)), [[-1.0], [5.0]])
    indices = tf.constant([[0, 2], [1, -1]])
    shapes = {-1: [2, 2, 4], 1: [2, 4, 2], 0: [4, 2, 2]}
    for axis, shape in shapes.items():
        assert tf.one_hot(indices, 4, axis=axis).get_shape().as_list() == shape
    for arguments in ({"on_value": 1, "off_value": 0.5}, {"on_value": 1.0, "dtype": tf.int32}):
        with pytest.raises(TypeError):
            tf.one_hot([0], 2, **arguments)
    with pytest.raises(TypeError):
        tf.one_hot([0], 2, on_value="on", dtype=tf.string)


def test_s210_bitcast():
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    wide = tf.bitcast(x, tf.uint8)
    assert wide.get_shape().as_list() == [2, 4, 4]
    equal(value(wide), x.view(np.uint8).reshape(2, 4, 4))
    equal(value(tf.bitcast(wide, tf.float32)), x)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        value(tf.bitcast(np.zeros([2, 3], np.uint8), tf.float32))
