"""Summaries and utilities of tf.contrib.layers."""

from __future__ import annotations

import pytest

import headwater as tf
from headwater.contrib.layers import layer_utils as u
from headwater.contrib.layers import summaries

L = tf.contrib.layers


def test_summaries_of_activations_and_collections():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([-1.0, 2.0, 7.0, 8.0])
        L.summarize_activation(tf.nn.relu6(x))
        tf.add_to_collection(tf.GraphKeys.WEIGHTS, tf.identity(x, name="net/weights"))
        tf.add_to_collection(tf.GraphKeys.WEIGHTS, tf.identity(x[0], name="other/weights"))
        L.summarize_collection(tf.GraphKeys.WEIGHTS, name_filter="other")
        tf.contrib.slim.summarize_weights()
        found = tf.get_collection(tf.GraphKeys.SUMMARIES)
        assert [(s.op.name, s.op.type) for s in found] == [
            ("Relu6/zeros", "ScalarSummary"),
            ("Relu6/sixes", "ScalarSummary"),
            ("Relu6/activation", "HistogramSummary"),
            ("other/weights_summary", "ScalarSummary"),
            ("net/weights_summary", "HistogramSummary"),
            ("other/weights_summary_1", "ScalarSummary"),
        ]
        parts = [tf.Summary.FromString(session.run(s)).value[0] for s in found[:2]]
        assert [(p.tag, p.simple_value) for p in parts] == [
            ("Relu6/zeros", 0.25),
            ("Relu6/sixes", 0.5),
        ]


def test_tags_must_be_unique():
    with tf.Graph().as_default():
        L.summarize_tensor(tf.constant(1.0), tag="loss")
        summaries.assert_summary_tag_unique("other")
        with pytest.raises(ValueError, match="Conflict with summary tag: loss exists on summary"):
            summaries.assert_summary_tag_unique("loss")


def test_named_outputs():
    with tf.Graph().as_default():
        a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
        u.collect_named_outputs("ends", "first/", a)
        u.collect_named_outputs(["ends", "others"], "second", b)
        tf.add_to_collection("ends", tf.constant(3.0, name="plain"))
        found = u.convert_collection_to_dict("ends", clear_collection=True)
        assert list(found) == ["first", "second", "plain"]
        assert tf.get_collection("ends") == []
        assert u.gather_tensors_aliases([a, b, found["plain"]]) == ["first", "second", "plain"]


def test_static_values_and_conditions():
    with tf.Graph().as_default():
        assert u.constant_value(3) == 3
        assert u.constant_value(tf.constant(3)) == 3
        assert u.constant_value(tf.Variable(3)) is None
        assert u.smart_cond(tf.constant(False), lambda: "yes", lambda: "no") == "no"
        assert u.smart_cond(tf.placeholder(tf.bool, []), lambda: 1, lambda: 2).op.type == "Merge"
        with pytest.raises(ValueError, match="It has the wrong type <dtype: 'int32'> instead of"):
            u.constant_value(tf.constant(3), tf.float32)
        with pytest.raises(ValueError, match="value_or_tensor_or_var cannot be None"):
            u.constant_value(None)
        with pytest.raises(TypeError, match="fn2 must be callable"):
            u.static_cond(True, lambda: 1, 2)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(3, (3, 3)), ([1, 2], (1, 2)), (tf.TensorShape([4, 5]), (4, 5)), (1.5, (1, 1))],
)
def test_positive_integers(value, expected):
    assert u.n_positive_integers(2, value) == expected


@pytest.mark.parametrize(
    ("n", "value", "text"),
    [
        (0, 1, "n must be a positive integer"),
        (2, 0, "expected positive integer, but received 0"),
        (2, [1, -1], "expected positive integer, but received -1"),
        (2, [1, 2, 3], r"Expected sequence of 2 positive integers, but received \[1, 2, 3\]"),
        (2, "a", "Expected sequence of 2 positive integers, but received 'a'"),
    ],
)
def test_wrong_positive_integers(n, value, text):
    with pytest.raises(ValueError, match=text):
        u.n_positive_integers(n, value)


def test_dimensions():
    shape = tf.TensorShape([None, 2, 3])
    assert (u.last_dimension(shape), u.channel_dimension(shape, "NCW")) == (3, 2)
    with pytest.raises(ValueError, match="rank of shape must be at least 4 not: 3"):
        u.last_dimension(shape, min_rank=4)
    with pytest.raises(ValueError, match="dims of shape must be known but is None"):
        u.last_dimension(tf.TensorShape(None))
    with pytest.raises(ValueError, match="Must be a list with 2 elements"):
        u.two_element_tuple([1])


def test_the_module_of_slim_and_of_release_0_12():
    utils = tf.contrib.slim.utils
    assert utils.collect_named_outputs is tf.contrib.layers.utils.collect_named_outputs
    assert utils.NamedOutputs("n", [1])._asdict() == {"name": "n", "outputs": [1]}
    assert utils.last_dimension(tf.TensorShape([4, 5]), min_rank=2) == 5
    with tf.Graph().as_default():
        a, b = tf.zeros([2, 3], name="a"), tf.ones([], name="b")
        utils.collect_named_outputs("c", "al/", a)
        utils.append_tensor_alias(a, "last")
        assert dict(utils.convert_collection_to_dict("c")) == {"al": a, "last": a}
        assert utils.gather_tensors_alias([a, b]) == ["last", "b"]


def test_the_first_dimension():
    assert u.first_dimension(tf.TensorShape([4, 5])) == 4
    with pytest.raises(ValueError, match="must be known but is None"):
        u.first_dimension(tf.TensorShape([None, 2]))
    with pytest.raises(ValueError, match="rank of shape must be at least 2 not: 1"):
        u.first_dimension(tf.TensorShape([3]), min_rank=2)
