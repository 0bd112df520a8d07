"""tf.keras.applications: names and shapes of published networks, those of TensorFlow 1.15.5."""

import hashlib

import numpy as np
import pytest

import headwater as tf

applications = tf.keras.applications

# (layers, digest of the names and shapes of the weights) in TensorFlow 1.15.5.
NETWORKS = {
    "MobileNet": (93, "998f2e985b6885c7"),
    "VGG16": (23, "93a5fd7fe67fa9da"),
    "VGG19": (26, "cac455447ed225f4"),
    "ResNet50": (177, "0d8185f5f5f37163"),
    "ResNet101": (347, "213ef00d8dbbddff"),
    "ResNet152": (517, "600b1384eb04e02a"),
    "ResNet50V2": (192, "86150946653a90d4"),
    "ResNet101V2": (379, "11ee62b59e3a8253"),
    "DenseNet121": (429, "1d090b21832681ae"),
    "DenseNet169": (597, "574871def7ea16d2"),
    "DenseNet201": (709, "7908524caf447249"),
    "InceptionV3": (313, "388dd4dffe1379c6"),
    "Xception": (134, "e27f803d7d18e767"),
    "MobileNetV2": (157, "34397bcee39956bb"),
}


@pytest.fixture(autouse=True)
def fresh_graph():
    tf.keras.backend.clear_session()


def digest(weights):
    text = "".join(f"{name}{shape}" for name, shape in weights)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _slow(name):
    small = name in ("MobileNet", "VGG16")
    # The larger networks take seconds and go through the same layers.
    return pytest.param(name, marks=() if small else pytest.mark.slow)


@pytest.mark.parametrize("name", [_slow(name) for name in NETWORKS])
def test_weights_have_the_published_names_and_shapes(name):
    model = getattr(applications, name)(weights=None)
    found = [(w.name, w.shape.as_list()) for w in model.weights]
    assert (len(model.layers), digest(found)) == NETWORKS[name]


def test_a_network_takes_other_shapes_and_ends():
    model = applications.MobileNet(
        input_shape=(32, 32, 1), alpha=0.25, include_top=False, weights=None, pooling="max"
    )
    assert model.output_shape == (None, 256) and model.name == "mobilenet_0.25_32"
    for arguments, text in (
        ({"weights": "nope"}, "The `weights` argument should be either"),
        ({"weights": "imagenet", "classes": 10}, "`classes` should be 1000"),
        ({"weights": None, "input_shape": (20, 20, 3), "include_top": False}, "at least 32x32"),
        ({"weights": None, "input_shape": (None, None, 3)}, "should specify a static"),
    ):
        with pytest.raises(ValueError, match=text):
            applications.VGG16(**arguments)


def test_images_are_made_ready_in_three_ways():
    x = np.full((1, 2, 2, 3), 255.0, np.float32)
    assert applications.mobilenet.preprocess_input(x.copy()).tolist()[0][0][0] == [1.0, 1.0, 1.0]
    np.testing.assert_allclose(
        applications.vgg16.preprocess_input(x * [1.0, 0.5, 0.0])[0, 0, 0],
        [-103.939, 127.5 - 116.779, 255 - 123.68],
        1e-5,
    )
    np.testing.assert_allclose(
        applications.densenet.preprocess_input(x.copy())[0, 0, 0],
        [(1 - m) / s for m, s in ((0.485, 0.229), (0.456, 0.224), (0.406, 0.225))],
        1e-5,
    )
    with pytest.raises(ValueError, match=r"\(i\.e\. a 2D array of shape \(samples, 1000\)\)"):
        applications.vgg16.decode_predictions(np.ones((1, 10)))


# Slow: these networks have over a thousand layers.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameters", "variables"),
    [("NASNetMobile", 5326716, 1126), ("InceptionResNetV2", 55873736, 898)],
)
def test_large_networks(name, parameters, variables):
    model = getattr(tf.keras.applications, name)(weights=None)
    assert model.count_params() == parameters
    assert len(model.weights) == variables
    assert model.output_shape == (None, 1000)


def test_layers_of_a_program_take_the_place_of_those_of_keras():
    class Normalization(tf.keras.layers.BatchNormalization):
        pass

    class Layers:
        def __getattr__(self, name):
            return getattr(tf.keras.layers, name)

        def BatchNormalization(self, **kwargs):
            return Normalization(momentum=0.5, **kwargs)

    def momenta(**kwargs):
        made = applications.MobileNet(weights=None, input_shape=(32, 32, 3), **kwargs)
        return [x.momentum for x in made.layers if isinstance(x, Normalization)]

    # TensorFlow 1.15.5 makes 27, too.
    assert momenta(layers=Layers()) == [0.5] * 27
    assert momenta() == momenta(layers=None, backend=tf.keras.backend) == []
    with pytest.raises(TypeError, match="Invalid keyword argument"):
        momenta(layer=Layers())
