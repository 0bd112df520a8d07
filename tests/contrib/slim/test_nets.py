"""The networks of slim: their variables, end points and nodes are those of TensorFlow 1.15.5."""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np
import pytest

import headwater as tf

slim = tf.contrib.slim
nets = slim.nets

_RESNET = nets.resnet_utils.resnet_arg_scope
_CLASSES = {"num_classes": 1000}

# function, arg scope, image size, arguments; then as 1.15.5 has it in training: the number of
# variables and of their elements, the digest of their names and shapes, the number and digest of
# the end points, the number and digest of the nodes.
NETS: dict[str, tuple[Any, Any, int, dict[str, Any], tuple[int, ...]]] = {
    "alexnet_v2": (
        nets.alexnet.alexnet_v2,
        nets.alexnet.alexnet_v2_arg_scope,
        224,
        {},
        (16, 50_303_912, 2957693518, 11, 511611303, 203, 3967372631),
    ),
    "vgg_a": (
        nets.vgg.vgg_a,
        nets.vgg.vgg_arg_scope,
        224,
        {},
        (22, 132_863_336, 1560146625, 16, 3190798835, 275, 913463631),
    ),
    "vgg_16": (
        nets.vgg.vgg_16,
        nets.vgg.vgg_arg_scope,
        224,
        {},
        (32, 138_357_544, 313869120, 21, 961481901, 380, 3711418952),
    ),
    "vgg_19": (
        nets.vgg.vgg_19,
        nets.vgg.vgg_arg_scope,
        224,
        {},
        (38, 143_667_240, 2863072961, 24, 2952613989, 443, 1754459378),
    ),
    "overfeat": (
        nets.overfeat.overfeat,
        nets.overfeat.overfeat_arg_scope,
        231,
        {},
        (16, 145_704_424, 2288393342, 11, 1961994408, 207, 1367613770),
    ),
    "inception_v1": (
        nets.inception.inception_v1,
        nets.inception.inception_v1_arg_scope,
        224,
        {},
        (230, 6_632_184, 814062233, 18, 3780907730, 2470, 688663535),
    ),
    "inception_v2": (
        nets.inception.inception_v2,
        nets.inception.inception_v2_arg_scope,
        224,
        {},
        (277, 11_198_112, 2270503969, 17, 374267743, 2961, 2220775699),
    ),
    "inception_v2 of half the depth": (
        nets.inception.inception_v2,
        nets.inception.inception_v2_arg_scope,
        224,
        {"depth_multiplier": 0.5},
        (277, 3_064_976, 386887407, 17, 3527943263, 2961, 2220775699),
    ),
    "inception_v3": (
        nets.inception.inception_v3,
        nets.inception.inception_v3_arg_scope,
        299,
        {},
        (388, 27_179_376, 2973921230, 22, 609903379, 4143, 2496673619),
    ),
    "resnet_v1_50": (
        nets.resnet_v1.resnet_v1_50,
        _RESNET,
        224,
        _CLASSES,
        (267, 25_610_152, 2405115616, 75, 3156134781, 2526, 1449118669),
    ),
    "resnet_v1_101": (
        nets.resnet_v1.resnet_v1_101,
        _RESNET,
        224,
        _CLASSES,
        (522, 44_654_504, 2416752673, 143, 1489214464, 4974, 471369762),
    ),
    "resnet_v1_152": (
        nets.resnet_v1.resnet_v1_152,
        _RESNET,
        224,
        _CLASSES,
        (777, 60_344_232, 1346228916, 211, 4235064533, 7390, 2229851194),
    ),
    "resnet_v1_200": (
        nets.resnet_v1.resnet_v1_200,
        _RESNET,
        224,
        _CLASSES,
        (1017, 64_849_832, 2228420334, 275, 3178732035, 9566, 2589167370),
    ),
    "resnet_v1_50 for segmentation": (
        nets.resnet_v1.resnet_v1_50,
        _RESNET,
        321,
        {"num_classes": 21, "global_pool": False, "output_stride": 8},
        (267, 23_604_181, 1337726501, 75, 470908436, 2615, 3905715027),
    ),
    "resnet_v2_50": (
        nets.resnet_v2.resnet_v2_50,
        _RESNET,
        224,
        _CLASSES,
        (272, 25_613_800, 2241682276, 75, 3945947847, 2517, 2410430357),
    ),
    "resnet_v2_101": (
        nets.resnet_v2.resnet_v2_101,
        _RESNET,
        224,
        _CLASSES,
        (544, 44_675_560, 3308393749, 143, 150840311, 5084, 733713335),
    ),
    "resnet_v2_152": (
        nets.resnet_v2.resnet_v2_152,
        _RESNET,
        224,
        _CLASSES,
        (816, 60_380_648, 2614172481, 211, 3948711718, 7611, 3587697211),
    ),
    "resnet_v2_200": (
        nets.resnet_v2.resnet_v2_200,
        _RESNET,
        224,
        _CLASSES,
        (1072, 64_894_440, 2634032124, 275, 3594527607, 9867, 1822316407),
    ),
}
# The others are larger networks of the same blocks.
_SMALL = ("alexnet_v2", "inception_v1", "resnet_v1_50")


def _digest(names: list[Any]) -> int:
    return zlib.crc32(json.dumps(names).encode())


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in _SMALL else pytest.mark.slow) for n in NETS]
)
def test_names_and_shapes_are_those_of_the_published_network(name: str) -> None:
    function, arg_scope, size, arguments, expected = NETS[name]
    images = tf.placeholder(tf.float32, [None, size, size, 3])
    with slim.arg_scope(arg_scope()):
        _, end_points = function(images, is_training=True, **arguments)
    variables = [[v.op.name, v.shape.as_list()] for v in tf.global_variables()]
    points = [[key, point.name, str(point.shape)] for key, point in end_points.items()]
    nodes = [[op.name, op.type] for op in tf.get_default_graph().get_operations()]
    elements = sum(int(np.prod(shape)) for _, shape in variables)
    assert (
        len(variables),
        elements,
        _digest(variables),
        len(points),
        _digest(points),
        len(nodes),
        _digest(nodes),
    ) == expected


def test_small_images_get_a_smaller_last_window() -> None:
    images = tf.placeholder(tf.float32, [2, 150, 150, 3])
    logits, end_points = nets.inception.inception_v3(images, 10)
    assert logits.shape.as_list() == [2, 10]
    assert end_points["PreLogits"].shape.as_list() == [2, 1, 1, 2048]
    assert tf.get_default_graph().get_operation_by_name("InceptionV3/Logits/AvgPool_1a_3x3/AvgPool")


def test_a_network_ends_at_an_end_point() -> None:
    images = tf.placeholder(tf.float32, [2, 224, 224, 3])
    net, end_points = nets.inception.inception_v1_base(images, final_endpoint="Mixed_3c")
    assert net.op.name == "InceptionV1/Mixed_3c/concat"
    assert list(end_points)[-2:] == ["Mixed_3b", "Mixed_3c"]


def test_unknown_end_point() -> None:
    images = tf.placeholder(tf.float32, [2, 32, 32, 3])
    with pytest.raises(ValueError, match="Unknown final endpoint Mixed_9z"):
        nets.inception.inception_v1_base(images, final_endpoint="Mixed_9z")


@pytest.mark.parametrize("factor", [0, -0.5])
def test_depth_multiplier_is_positive(factor: float) -> None:
    images = tf.placeholder(tf.float32, [2, 32, 32, 3])
    with pytest.raises(ValueError, match=r"depth_multiplier is not greater than zero\."):
        nets.inception.inception_v2(images, depth_multiplier=factor)


@pytest.mark.parametrize(
    ("stride", "message"),
    [
        (6, "The output_stride needs to be a multiple of 4."),
        (12, "The target output_stride cannot be reached."),
        (64, "The target output_stride cannot be reached."),
    ],
)
def test_unreachable_stride(stride: int, message: str) -> None:
    images = tf.placeholder(tf.float32, [2, 32, 32, 3])
    with pytest.raises(ValueError, match=message):
        nets.resnet_v1.resnet_v1_50(images, output_stride=stride)


def test_units_may_be_tuples() -> None:
    bottleneck = nets.resnet_v1.bottleneck
    images = tf.placeholder(tf.float32, [2, 32, 32, 3])
    blocks = [nets.resnet_utils.Block("block1", bottleneck, [(8, 2, 1), (8, 2, 2)])]
    net, _ = nets.resnet_v1.resnet_v1(images, blocks, global_pool=False, scope="old")
    same = [nets.resnet_v1.resnet_v1_block("block1", 2, 2, 2)]
    other, _ = nets.resnet_v1.resnet_v1(images, same, global_pool=False, scope="new")
    assert net.shape.as_list() == other.shape.as_list() == [2, 4, 4, 8]
    names = [v.op.name for v in tf.global_variables()]
    assert [n[4:] for n in names if n.startswith("old/")] == [
        n[4:] for n in names if n.startswith("new/")
    ]


def test_dilation_gives_the_same_features(session: tf.Session) -> None:
    # Features of stride 8 are, at every fourth place, those of the network of stride 32.
    images = np.random.rand(1, 65, 65, 3).astype(np.float32)
    blocks = [nets.resnet_v2.resnet_v2_block(f"block{n}", 1, 2, 2) for n in (1, 2, 3)]

    def features(output_stride: int | None, reuse: bool) -> tf.Tensor:
        with slim.arg_scope(nets.resnet_utils.resnet_arg_scope()):
            net, _ = nets.resnet_v2.resnet_v2(
                images,
                blocks,
                is_training=False,
                global_pool=False,
                output_stride=output_stride,
                reuse=reuse,
                scope="net",
            )
        return net

    nominal, dense = features(None, False), features(8, True)
    session.run(tf.global_variables_initializer())
    expected, found = session.run([nominal, dense])
    assert found.shape == (1, 9, 9, 4)
    np.testing.assert_allclose(found[:, ::4, ::4], expected, rtol=1e-4, atol=1e-5)


def test_arg_scope_and_arguments_of_release_1_0() -> None:
    blocks = [nets.resnet_v1.resnet_v1_block("block1", 2, 2, 2)]
    for scope in (_RESNET(False), nets.resnet_v1.resnet_arg_scope(is_training=False)):
        with tf.Graph().as_default(), slim.arg_scope(scope):
            images = tf.placeholder(tf.float32, [2, 32, 32, 3])
            net, _ = nets.resnet_v1.resnet_v1(images, blocks, 5, False, None, True, None, "net")
            assert net.shape.as_list() == [2, 4, 4, 5]
            assert net.op.name == "net/logits/BiasAdd"
            assert tf.get_collection(tf.GraphKeys.UPDATE_OPS) == []


def test_sizes_of_images() -> None:
    assert nets.vgg.vgg_16.default_image_size == 224
    assert nets.inception.inception_v3.default_image_size == 299
