"""Kinds of bad arguments that the fuzzer has found, each with an error that says what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf


def itself():
    found: list = []
    found.append(found)
    return found


def deep():
    found: list = [1.0]
    for _ in range(5000):
        found = [found]
    return found


@pytest.mark.parametrize("value", [itself(), deep()], ids=["itself", "deep"])
@pytest.mark.parametrize(
    "function",
    [
        tf.constant,
        tf.convert_to_tensor,
        tf.identity,
        tf.stack,
        tf.nn.relu,
        tf.ragged.constant,
        lambda value: tf.identity([tf.constant(1.0), value]),
        lambda value: tf.metrics.auc(tf.ones([2], tf.bool), value),
        lambda value: tf.contrib.framework.nest.flatten(value),
    ],
)
def test_lists_that_are_nested_too_deeply(function, value):
    with pytest.raises(ValueError, match=r"nested too deeply, or .*contains itself"):
        function(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [(itself(), r"Expected int for argument 'ksize' not \[\[...\]\]"), (deep(), "too deeply")],
    ids=["itself", "deep"],
)
def test_attrs_that_are_nested_too_deeply(value, text):
    with pytest.raises(TypeError, match=text):
        tf.raw_ops.MaxPool(
            input=np.ones((1, 2, 2, 1), np.float32),
            ksize=[1, 2, 2, value],
            strides=[1, 1, 1, 1],
            padding="SAME",
        )


@pytest.mark.parametrize(
    "call",
    [
        lambda name: tf.linalg.LinearOperatorIdentity(2).to_dense(name=name),
        lambda name: tf.layers.Dense(2).add_weight(name=name, shape=[1]),
        lambda name: tf.metrics.recall_at_k([[1]], [[1.0, 2.0]], k=name),
    ],
)
def test_names_and_counts_of_a_wrong_kind(call):
    for name in (deep(), [1], tf.float32):
        with pytest.raises(TypeError, match=r"list|DType|str"), tf.variable_scope("outer"):
            call(name)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.TensorShape(b"\xff"),
        lambda: tf.placeholder(tf.float32, b"\xff"),
        lambda: tf.layers.Flatten().compute_output_shape(b"\xff"),
    ],
)
def test_bytes_that_are_not_utf_8_as_shapes(call):
    with pytest.raises(TypeError, match=r"A string has ambiguous TensorShape.*b'\\xff'"):
        call()


def test_bytes_that_are_not_utf_8_as_names():
    with pytest.raises(ValueError, match="is not a valid scope name"):
        tf.name_scope(b"\xff").__enter__()
    with pytest.raises(ValueError, match="is not a valid node name"):
        tf.placeholder(tf.float32, name=b"\xff")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.tensordot(1.0, [[1.0]], [[-1], [0]]), "a tensor of rank 0 has no axis -1"),
        (lambda: tf.tensordot([1.0], [[1.0]], [[-3], [0]]), "a tensor of rank 1 has no axis -3"),
        (lambda: tf.image.yuv_to_rgb(1.0), "a tensor of rank 0 has no axis -1"),
        (lambda: tf.contrib.distributions.auto_correlation(1.0), "a tensor of rank 0 has no axis"),
        (lambda: tf.nn.sufficient_statistics(1.0, [0]), "a tensor of rank 0 has no axis 0"),
        (lambda: tf.map_fn(tf.identity, ()), "elems has no tensor"),
        (lambda: tf.layers.Flatten().compute_output_signature({}), "input_signature has no"),
        (lambda: tf.stack([], axis=1), "there is no tensor to stack"),
    ],
)
def test_dimensions_that_do_not_exist(call, text):
    # The type and the beginning of the text are TensorFlow's.
    with pytest.raises(IndexError, match=r"^list index out of range\nHint: .*" + text):
        call()


@pytest.mark.parametrize("shape", ["", "a", np.array(["a", "b"]), np.float32(1.5), [[]]])
def test_shapes_of_inputs_are_shapes(shape):
    for cell in (tf.contrib.rnn.LSTMBlockCell(2), tf.contrib.rnn.NASCell(2)):
        with pytest.raises((TypeError, ValueError)):
            cell.build(shape)
    with pytest.raises((TypeError, ValueError)):
        tf.contrib.rnn.LSTMBlockFusedCell(2).build(shape)


@pytest.mark.parametrize(
    ("x", "axis", "text"),
    [
        (1.5, -1, "Expected argument 'x' to have ndims >= 1"),
        ([1.5], 4, r"dim 4 not in the interval \[0, 0\]"),
        ([[1.5]], -3, r"Negatively indexed dim -3 not in the interval \[-2, -1\]"),
    ],
)
def test_axes_of_percentiles(x, axis, text):
    with pytest.raises(ValueError, match=text):
        tf.contrib.distributions.percentile(x, 0.0, axis=axis)


@pytest.mark.parametrize("count", [2**31 - 1, 2**62, 3])
def test_more_dimensions_of_an_event_than_a_tensor_has(count):
    bijector = tf.contrib.distributions.bijectors.Exp()
    with pytest.raises(ValueError, match=r"event_ndims .* must not be larger than the rank \(2\)"):
        bijector.forward_log_det_jacobian(tf.ones([2, 3]), event_ndims=count)


def test_numbers_that_attrs_cannot_hold():
    with pytest.raises(ValueError, match="Value out of range: 9223372036854775808"):
        tf.unstack(tf.placeholder(tf.float32), 2**63)
    with pytest.raises(TypeError, match="Expected int for argument"):
        tf.raw_ops.Unpack(value=[1.0], num=float("inf"))
    with pytest.raises(TypeError, match="Expected float for argument"):
        tf.raw_ops.LeakyRelu(features=[1.0], alpha=10**400)


def test_lengths_of_a_tensor_array_are_a_vector():
    for lengths in (-5, [[1]]):
        with pytest.raises(ValueError, match="Shape must be rank 1 but is rank"):
            tf.TensorArray(tf.float32, 3).split([1.0], lengths)


def test_permutations_with_negative_dimensions():
    with pytest.raises(ValueError, match="perm dim -3 is out of range of input rank 2"):
        tf.transpose([[1.0]], [-3, 1])


def test_inputs_of_cells_have_columns():
    cell = tf.contrib.rnn.AttentionCellWrapper(tf.nn.rnn_cell.GRUCell(2), 3, state_is_tuple=True)
    with pytest.raises(ValueError, match=r"Shape \(\) must have rank at least 2"):
        cell(tf.constant(1.0), cell.zero_state(1, tf.float32))


@pytest.mark.parametrize("strides", [[], [1, 1], [1, 1, 1, 1, 1]])
def test_attrs_of_depthwise_convolutions_have_four_values(strides):
    x, w = tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1])
    with pytest.raises(ValueError, match=f"stride attribute to contain 4.*{len(strides)}"):
        tf.nn.depthwise_conv2d_native(x, w, strides, "VALID")


def test_dictionaries_are_no_lists_of_inputs():
    with pytest.raises(TypeError, match="inputs must be a sequence"):
        tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(2), {"a": tf.ones([1, 1])}, dtype=tf.float32)


@pytest.mark.parametrize("seed", [float("inf"), float("nan"), 1.5])
def test_seeds_of_generators_are_integers(seed):
    with pytest.raises(TypeError):
        tf.random.experimental.create_rng_state(seed, 1)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            lambda: tf.constant(np.array([b"\xff", None], object), tf.complex64),
            TypeError,
            "Expected complex64, got array",
        ),
        (
            lambda: tf.nn.fractional_avg_pool(tf.ones([1, 4, 4, 1]), [1, 0, 1.2, 1]),
            ValueError,
            "cannot be zero",
        ),
        (
            lambda: tf.nn.convolution(
                tf.ones([1, 4, 4, 1]),
                tf.ones([2, 2, 1, 1]),
                "SAME",
                dilation_rate=tf.zeros([0], tf.int32),
            ),
            ValueError,
            "rate must have an element for each spatial dimension",
        ),
        (lambda: tf.linalg.lstsq(-0.5, tf.ones([2, 3])), ValueError, "must be at least rank 2"),
        (lambda: tf.fingerprint([[1, 2]], method=b"\xff"), ValueError, "method|farmhash"),
        (lambda: tf.get_default_graph().as_graph_element(b"\xff:0"), KeyError, "refers to a Te"),
    ],
)
def test_values_that_a_function_cannot_take(call, kind, text):
    with pytest.raises(kind, match=text):
        call()
