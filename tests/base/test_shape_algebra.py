"""TensorShape and Dimension: merging, joining, compatibility, sizes."""

from __future__ import annotations

import pytest

import headwater as tf

S = tf.TensorShape


def test_static_shapes():
    assert repr(tf.zeros([2, 3]).get_shape()) == "TensorShape([Dimension(2), Dimension(3)])"
    assert "Dimension(None)" in repr(tf.placeholder(tf.float32, [None]).get_shape())
    x, y = tf.zeros([2, 3]), tf.zeros([4, 2])
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 3 and 4"):
        tf.matmul(x, y)
    product = tf.matmul(x, y, transpose_a=True, transpose_b=True)
    assert product.get_shape().as_list() == [3, 4]
    image = tf.image.decode_png(tf.placeholder(tf.string), channels=3)
    assert image.get_shape().as_list() == [None, None, 3]
    image.set_shape([28, None, None])
    image.set_shape([None, 28, 3])
    assert image.get_shape().as_list() == [28, 28, 3]
    with pytest.raises(
        ValueError, match=r"Dimension 0 in both shapes must be equal, but are 28 and 29\."
    ):
        image.set_shape([29, 28, 3])


def test_shapes_merge_and_join():
    assert S([None, 3]).merge_with([2, None]).as_list() == [2, 3]
    with pytest.raises(ValueError, match=r"Shapes \(1,\) and \(2,\) are not compatible"):
        S([1]).merge_with([2])
    assert S([1]).concatenate(None).ndims is None
    assert S([1]).concatenate([None]).as_list() == [1, None]
    assert S(None).ndims is None and S(None).dims is None
    assert S([1, None]).ndims == 2 and S([1, None]).dims[1].value is None
    assert [d.size for d in S([3, None]).as_proto().dim] == [3, -1]
    assert S(None).as_proto().unknown_rank


@pytest.mark.parametrize(
    ("shape", "yes", "no"),
    [
        (None, [None, [3], [None, 2]], []),
        ([None, None], [[32, 784], None], [[None], [None, None, None]]),
        ([32, None], [[32, 1], [None, None], None], [[32], [32, None, 1], [64, None]]),
        ([32, 784], [[32, None], [None, 784], [None, None], None], [[32, 1, 784], [None]]),
    ],
)
def test_compatibility(shape, yes, no):
    shape = S(shape)
    assert shape.is_compatible_with(shape)
    assert all(shape.is_compatible_with(y) and S(y).is_compatible_with(shape) for y in yes)
    assert not any(shape.is_compatible_with(n) or S(n).is_compatible_with(shape) for n in no)


def test_ranks_and_sizes():
    assert S(None).with_rank(2).as_list() == [None, None]
    bad = [
        lambda: S([1]).with_rank(2),
        lambda: S([1]).with_rank_at_least(2),
        lambda: S([1, 2]).with_rank_at_most(1),
        lambda: S([1]).assert_has_rank(2),
        lambda: S([1]).assert_same_rank([1, 2]),
        lambda: S([1]).assert_is_compatible_with([2]),
        lambda: S([None]).assert_is_fully_defined(),
    ]
    for call in bad:
        with pytest.raises(
            ValueError, match=r"must have rank|Shape \(\?,\) is not fully defined|Shapes \(1,\) and"
        ):
            call()
    assert S(7).as_list() == [7]
    with pytest.raises(
        (TypeError, ValueError),
        match="A string has ambiguous TensorShape, please wrap in a list or",
    ):
        S("x")
    assert (S([2, 3]).num_elements(), S([None]).num_elements()) == (6, None)


def test_dimensions():
    D = tf.Dimension
    assert D(3).is_compatible_with(None) and not D(3).is_compatible_with(4)
    with pytest.raises(ValueError, match="Dimensions 3 and 4 are not compatible"):
        D(3).assert_is_compatible_with(4)
    merged = [D(3).merge_with(3), D(3).merge_with(None), D(None).merge_with(3)]
    assert [d.value for d in merged] == [3, 3, 3]
    assert D(None).merge_with(None).value is None
    with pytest.raises(ValueError, match="Dimensions 3 and 4 are not compatible"):
        D(3).merge_with(4)
