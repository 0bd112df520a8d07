"""Layers of tf.contrib.layers: values for a seed and names of variables of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

L = tf.contrib.layers

# Name: function, shape of the input; sum of the values, sum of their sizes, shape, variables.
CASES = {
    "conv1d": (
        lambda x: L.conv1d(x, 4, 3),
        (2, 6, 3),
        10.5992,
        10.5992,
        (2, 6, 4),
        ["Conv/weights", "Conv/biases"],
    ),
    "conv3d": (
        lambda x: L.conv3d(x, 2, 2, stride=2),
        (1, 4, 4, 4, 2),
        7.5196,
        7.5196,
        (1, 2, 2, 2, 2),
        ["Conv/weights", "Conv/biases"],
    ),
    "conv2d_rate": (
        lambda x: L.conv2d(x, 4, 3, rate=2, activation_fn=None),
        (2, 6, 6, 3),
        -88.7755,
        161.8704,
        (2, 6, 6, 4),
        ["Conv/weights", "Conv/biases"],
    ),
    "conv2d_transpose": (
        lambda x: L.conv2d_transpose(x, 4, 3, stride=2),
        (2, 3, 3, 2),
        29.1267,
        29.1267,
        (2, 6, 6, 4),
        ["Conv2d_transpose/weights", "Conv2d_transpose/biases"],
    ),
    "conv3d_transpose": (
        lambda x: L.conv3d_transpose(x, 2, 2, stride=2),
        (1, 2, 2, 2, 2),
        12.3534,
        12.3534,
        (1, 4, 4, 4, 2),
        ["Conv3d_transpose/weights", "Conv3d_transpose/biases"],
    ),
    "separable_conv2d": (
        lambda x: L.separable_conv2d(x, 4, 3, 2),
        (2, 5, 5, 3),
        32.2249,
        32.2249,
        (2, 5, 5, 4),
        [
            "SeparableConv2d/depthwise_weights",
            "SeparableConv2d/pointwise_weights",
            "SeparableConv2d/biases",
        ],
    ),
    "separable_depthwise": (
        lambda x: L.separable_conv2d(x, None, 3, 2, normalizer_fn=L.batch_norm),
        (2, 5, 5, 3),
        115.9939,
        115.9939,
        (2, 5, 5, 6),
        [
            "SeparableConv2d/depthwise_weights",
            "SeparableConv2d/BatchNorm/beta",
            "SeparableConv2d/BatchNorm/moving_mean",
            "SeparableConv2d/BatchNorm/moving_variance",
        ],
    ),
    "conv2d_in_plane": (
        lambda x: L.conv2d_in_plane(x, [2, 1], padding="VALID", activation_fn=None),
        (2, 5, 5, 3),
        -23.8028,
        59.7393,
        (2, 4, 5, 3),
        ["ConvInPlane/weights", "ConvInPlane/biases"],
    ),
    "bias_add": (
        lambda x: L.bias_add(x, initializer=tf.constant_initializer(0.5), activation_fn=tf.nn.relu),
        (2, 5, 3),
        31.4655,
        31.4655,
        (2, 5, 3),
        ["BiasAdd/biases"],
    ),
    "layer_norm": (
        lambda x: L.layer_norm(x, begin_norm_axis=2) ** 3,
        (2, 5, 4),
        -0.0,
        50.0879,
        (2, 5, 4),
        ["LayerNorm/beta", "LayerNorm/gamma"],
    ),
    "instance_norm": (
        lambda x: L.instance_norm(x) ** 3 * x,
        (2, 3, 3, 2),
        28.2039,
        43.6703,
        (2, 3, 3, 2),
        ["InstanceNorm/beta", "InstanceNorm/gamma"],
    ),
    "group_norm": (
        lambda x: L.group_norm(x, groups=2) ** 2 * x,
        (2, 3, 3, 4),
        35.9998,
        65.8165,
        (2, 3, 3, 4),
        ["GroupNorm/beta", "GroupNorm/gamma"],
    ),
    "batch_norm": (
        lambda x: L.batch_norm(x, fused=False, scale=True, updates_collections=None) ** 2 * x,
        (3, 4, 5),
        29.9611,
        68.3775,
        (3, 4, 5),
        ["BatchNorm/beta", "BatchNorm/gamma", "BatchNorm/moving_mean", "BatchNorm/moving_variance"],
    ),
    "batch_norm_weights": (
        lambda x: L.batch_norm(x, batch_weights=[1.0, 0.0, 2.0]) * x,
        (3, 4),
        7.132,
        8.5455,
        (3, 4),
        ["BatchNorm/beta", "BatchNorm/moving_mean", "BatchNorm/moving_variance"],
    ),
    "batch_norm_debias": (
        lambda x: L.batch_norm(x, zero_debias_moving_mean=True) * x,
        (3, 4),
        10.682,
        10.682,
        (3, 4),
        [
            "BatchNorm/beta",
            "BatchNorm/moving_mean",
            "BatchNorm/moving_variance",
            "BatchNorm/BatchNorm/moving_mean/biased",
            "BatchNorm/BatchNorm/moving_mean/local_step",
        ],
    ),
    "batch_norm_renorm": (
        lambda x: L.batch_norm(x, renorm=True) * x,
        (3, 4),
        13.6364,
        13.6364,
        (3, 4),
        [
            "BatchNorm/beta",
            "BatchNorm/moving_mean",
            "BatchNorm/moving_variance",
            "BatchNorm/moving_stddev",
            "BatchNorm/renorm_mean",
            "BatchNorm/renorm_stddev",
        ],
    ),
    "spatial_softmax": (
        lambda x: L.spatial_softmax(x, temperature=0.5),
        (2, 3, 4, 2),
        3.1724,
        3.1724,
        (2, 4),
        ["spatial_softmax/temperature"],
    ),
    "softmax": (lambda x: L.softmax(x) * x, (2, 3, 4), 3.127, 5.2162, (2, 3, 4), []),
    "unit_norm": (lambda x: L.unit_norm(x, 1), (2, 3, 4), 3.0408, 12.4189, (2, 3, 4), []),
    "maxout": (lambda x: L.maxout(x, 2), (3, 4), 3.8182, 5.6364, (3, 2), []),
    "legacy": (
        lambda x: L.legacy_fully_connected(x, 3, activation_fn=tf.nn.relu),
        (2, 3, 4),
        4.3615,
        4.3615,
        (2, 3, 3),
        ["fully_connected/weights", "fully_connected/bias"],
    ),
    "elu": (
        lambda x: L.elu(x, 3),
        (2, 4),
        -0.8962,
        3.8238,
        (2, 3),
        ["fully_connected/weights", "fully_connected/biases"],
    ),
    "stack": (
        lambda x: L.stack(x, L.fully_connected, [4, 3], scope="fc"),
        (2, 4),
        1.9042,
        1.9042,
        (2, 3),
        ["fc/fc_1/weights", "fc/fc_1/biases", "fc/fc_2/weights", "fc/fc_2/biases"],
    ),
    "repeat": (
        lambda x: L.repeat(x, 2, L.conv2d, 2, 1),
        (1, 3, 3, 2),
        8.659,
        8.659,
        (1, 3, 3, 2),
        [
            "Repeat/convolution2d_1/weights",
            "Repeat/convolution2d_1/biases",
            "Repeat/convolution2d_2/weights",
            "Repeat/convolution2d_2/biases",
        ],
    ),
    "gdn": (
        lambda x: L.gdn(x),
        (2, 3, 3, 2),
        16.0474,
        28.4067,
        (2, 3, 3, 2),
        ["gdn/reparam_beta", "gdn/reparam_gamma"],
    ),
    "embed_sequence": (
        lambda x: L.embed_sequence(tf.constant([[1, 2, 1]]), 4, 3, unique=True),
        (1,),
        -0.9319,
        4.7686,
        (1, 3, 3),
        ["EmbedSequence/embeddings"],
    ),
    "bow_encoder": (
        lambda x: L.bow_encoder(tf.constant([[1, 2, 0], [0, 0, 0]]), 4, 3),
        (1,),
        0.2641,
        3.9775,
        (2, 3),
        ["bow_encoder/embeddings"],
    ),
    "images_to_sequence": (
        lambda x: L.images_to_sequence(x)[:, 1],
        (2, 3, 4, 2),
        -2.1277,
        2.1277,
        (4, 2),
        [],
    ),
    "scattered": (
        lambda x: tf.contrib.slim.scattered_embedding_lookup(
            tf.get_variable("p", [17]), ["a", "b"], 3, hash_key=5
        ),
        (1,),
        -0.485,
        1.4159,
        (2, 3),
        ["p"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_values_and_variables(name):
    layer, input_shape, total, size, shape, variables = CASES[name]
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        count = int(np.prod(input_shape))
        x = tf.constant(np.linspace(-1, 2, count).reshape(input_shape), tf.float32)
        y = layer(x)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            value = session.run(y)
        assert [v.op.name for v in tf.global_variables()] == variables
    assert value.shape == shape
    np.testing.assert_allclose(np.sum(value), total, rtol=1e-4, atol=2e-3)
    np.testing.assert_allclose(np.sum(np.abs(value)), size, rtol=1e-4, atol=2e-3)


ERRORS = [
    (lambda x: L.conv2d(x, 3, 3, data_format="X"), "Invalid data_format: 'X'"),
    (lambda x: L.conv1d(x, 3, 3), "Convolution expects input with rank 3, got 4"),
    (lambda x: L.convolution(x[0, 0], 3, 3), "Convolution not supported for input with rank"),
    (lambda x: L.max_pool2d(x, 2, data_format="X"), "data_format has to be either NCHW or NHWC."),
    (lambda x: L.batch_norm(x, data_format="X"), "data_format has to be either NCHW or NHWC."),
    (
        lambda x: L.batch_norm(x, renorm=True, updates_collections=None),
        "renorm is not supported with batch_weights, updates_collections or",
    ),
    (lambda x: L.fully_connected(x, 3.0), "num_outputs type should be one of"),
    (lambda x: L.group_norm(x, groups=32), "Invalid groups 32 for 4 channels."),
    (lambda x: L.group_norm(x, groups=3), "4 channels is not commensurate with 3 groups."),
    (
        lambda x: L.group_norm(x, groups=2, reduction_axes=[3]),
        "reduction_axis must be mutually exclusive with channels_axis",
    ),
    (lambda x: L.layer_norm(x, begin_norm_axis=4), r"must be < rank\(inputs\) \(4\)"),
    (lambda x: L.unit_norm(x, 4), "dim must be positive but smaller than the input rank."),
    (lambda x: L.maxout(x, 3), r"number of features\(4\) is not a multiple of num_units\(3\)"),
    (lambda x: L.bias_add(x[0], data_format="NCHW"), "Data format NCHW only supports 4D Tensor"),
    (lambda x: L.embed_sequence(x), "Must specify vocab size and embedding dimension"),
    (lambda x: L.gdn(x, data_format="X"), "Unsupported `data_format` for GDN layer: X."),
]


@pytest.mark.parametrize(("call", "text"), ERRORS)
def test_errors(call, text):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        call(tf.ones([2, 3, 3, 4]))


def test_collections_of_variables_and_outputs():
    with tf.Graph().as_default():
        L.conv2d(
            tf.ones([2, 3, 3, 4]),
            2,
            1,
            variables_collections={"weights": ["w"], "biases": ["b"]},
            outputs_collections=["out"],
        )
        assert [v.op.name for v in tf.get_collection("w")] == ["Conv/weights"]
        assert [v.op.name for v in tf.get_collection("b")] == ["Conv/biases"]
        assert [t.op.name for t in tf.get_collection("out")] == ["Conv/Relu"]


def test_missing_factor_is_not_a_variable():
    with tf.Graph().as_default():
        L.batch_norm(tf.ones([2, 3, 3, 4]), variables_collections=["all"])
        names = [v.op.name for v in tf.get_collection("all")]
    assert names == ["BatchNorm/moving_mean", "BatchNorm/moving_variance", "BatchNorm/beta"]


def test_dilated_convolution_keeps_the_name_of_its_op():
    with tf.Graph().as_default() as graph:
        L.conv2d(tf.placeholder(tf.float32, [2, 8, 8, 3]), 4, 3, rate=2)
        assert graph.get_operation_by_name("Conv/Conv2D").inputs[0].op.name == "Conv/SpaceToBatchND"


def test_inner_layers_of_slim_are_the_same_functions():
    slim = tf.contrib.slim
    assert slim.conv2d is L.conv2d is L.convolution2d
    assert slim.arg_scope is tf.contrib.framework.arg_scope
    assert slim.losses is tf.contrib.losses


def test_scaled_gradient():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1.0, 2.0])
        y = L.scale_gradient(x, 3.0)
        value, gradient = session.run([y, tf.gradients(y, x)[0]])
    assert value.tolist() == [1.0, 2.0]
    assert gradient.tolist() == [3.0, 3.0]


def test_sequences_return_to_images():
    images = np.arange(2 * 3 * 4 * 2, dtype=np.float32).reshape(2, 3, 4, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        back = session.run(L.sequence_to_images(L.images_to_sequence(images), 3))
    np.testing.assert_array_equal(back, images)


def test_dense_to_sparse():
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(L.dense_to_sparse([[4, 0], [7, 8]], outputs_collections="sparse"))
        assert tf.get_collection("sparse")[0].aliases == ["dense_to_sparse"]
    assert found.indices.tolist() == [[0, 0], [1, 0], [1, 1]]
    assert found.values.tolist() == [4, 7, 8]
    assert found.dense_shape.tolist() == [2, 2]


def test_adding_to_several_collections_gives_one_alias_each():
    with tf.Graph().as_default():
        y = L.flatten(tf.ones([2, 3]), outputs_collections=["a", "b"], scope="f")
        assert y.aliases == ["f"]
        assert tf.get_collection("a") == tf.get_collection("b") == [y]
