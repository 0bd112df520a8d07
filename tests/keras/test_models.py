"""Models of tf.keras; values are those of TensorFlow 1.15.5 for the same seeds."""

import inspect

import numpy as np
import pytest

import headwater as tf

layers = tf.keras.layers
_random = np.random.RandomState(0)
IMAGES = _random.rand(20, 8, 8, 1).astype(np.float32)
CLASSES = _random.randint(0, 3, 20)
FEATURES = _random.rand(20, 6).astype(np.float32)


@pytest.fixture(autouse=True)
def seeded_graph():
    tf.keras.backend.clear_session()
    tf.set_random_seed(7)


def perceptron():
    return tf.keras.Sequential(
        [
            layers.Dense(5, activation="relu", input_shape=(6,)),
            layers.Dense(3, activation="softmax"),
        ]
    )


def outputs_of(model, inputs):
    """The outputs, computed in the session of tf.keras."""
    session = tf.keras.backend.get_session()
    return session.run(model.outputs, dict(zip(model.inputs, inputs)))


def test_a_sequential_model_is_named_configured_and_printed_as_in_tensorflow():
    model = perceptron()
    lines = []
    model.summary(print_fn=lines.append)
    assert lines[0] == 'Model: "sequential"'
    assert lines[4] == "dense (Dense)                (None, 5)                 35        "
    assert lines[8:11] == ["Total params: 53", "Trainable params: 53", "Non-trainable params: 0"]
    names = [weight.name for weight in model.weights]
    assert names == ["dense/kernel:0", "dense/bias:0", "dense_1/kernel:0", "dense_1/bias:0"]
    config = model.get_config()["layers"][0]
    assert config["class_name"] == "Dense"
    assert config["config"]["batch_input_shape"] == (None, 6)
    assert config["config"]["kernel_initializer"] == {
        "class_name": "GlorotUniform",
        "config": {"seed": None, "dtype": "float32"},
    }


def test_a_model_made_of_json_computes_the_same(tmp_path):
    model = perceptron()
    copy = tf.keras.models.model_from_json(model.to_json())
    copy.set_weights(model.get_weights())
    (expected,) = outputs_of(model, [FEATURES])
    (found,) = outputs_of(copy, [FEATURES])
    np.testing.assert_allclose(found, expected, atol=1e-6)
    np.testing.assert_allclose(expected[0], [0.46454, 0.37186, 0.1636], atol=1e-5)
    model.save_weights(str(tmp_path / "weights"))
    model.set_weights([np.zeros_like(w) for w in model.get_weights()])
    model.load_weights(str(tmp_path / "weights"))
    np.testing.assert_allclose(outputs_of(model, [FEATURES])[0], expected, atol=1e-6)


def test_a_convolutional_network_starts_with_the_values_of_tensorflow():
    x = inputs = layers.Input((8, 8, 1))
    for layer in (
        layers.Conv2D(4, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.BatchNormalization(),
        layers.Dropout(0.3),
        layers.Flatten(),
        layers.Dense(3, activation="softmax"),
    ):
        x = layer(x)
    model = tf.keras.Model(inputs, x)
    (found,) = outputs_of(model, [IMAGES])
    np.testing.assert_allclose(found[0], [0.40946, 0.26066, 0.32987], atol=1e-5)
    assert len(model.updates) == 2
    assert len(model.trainable_weights) == 6


def test_a_model_of_several_inputs_and_outputs_is_made_anew_from_its_configuration():
    steps = np.random.RandomState(1).randint(1, 9, (20, 5))
    a, b = layers.Input((6,), name="a"), layers.Input((5,), name="b")
    hidden = layers.LSTM(3)(layers.Embedding(9, 4)(b))
    joined = layers.concatenate([layers.Dense(4)(a), hidden])
    ends = [layers.Dense(1, name="o1")(joined), layers.Dense(3, name="o2")(joined)]
    model = tf.keras.Model([a, b], ends)
    copy = tf.keras.Model.from_config(model.get_config())
    assert [layer.name for layer in copy.layers] == [
        *("b", "a", "embedding", "dense", "lstm", "concatenate", "o1", "o2")
    ]
    copy.set_weights(model.get_weights())
    for found, expected in zip(
        outputs_of(copy, [FEATURES, steps]), outputs_of(model, [FEATURES, steps]), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_model_of_a_subclass_has_the_layers_of_its_attributes():
    class Stack(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.first = layers.Dense(4, activation="relu")
            self.rest = [layers.Dense(3), layers.Dense(2)]

        def call(self, x):
            x = self.first(x)
            for layer in self.rest:
                x = layer(x)
            return x

    model = Stack()
    y = model(tf.constant(FEATURES))
    assert y.shape.as_list() == [20, 2]
    assert [w.name for w in model.weights][::2] == [
        "stack/dense/kernel:0",
        "stack/dense_1/kernel:0",
        "stack/dense_2/kernel:0",
    ]
    assert [layer.name for layer in model.layers] == ["dense", "dense_1", "dense_2"]


def test_tensors_that_do_not_depend_on_the_inputs_are_refused():
    a, b = layers.Input((2,)), layers.Input((2,))
    with pytest.raises(ValueError, match="Graph disconnected: cannot obtain value for tensor"):
        tf.keras.Model(a, layers.Dense(1)(b))
    with pytest.raises(ValueError, match="Input tensors to a Model must come"):
        tf.keras.Model(tf.ones([1, 2]), layers.Dense(1)(b))


def test_layers_of_both_kinds_have_one_base():
    assert isinstance(tf.layers.Dense(3), tf.keras.layers.Layer)
    assert not isinstance(layers.Dense(3), tf.layers.Layer)


def test_steps_of_training_have_the_losses_of_tensorflow():
    class Regression(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.hidden = layers.Dense(4, activation="relu")
            self.end = layers.Dense(1)

        def call(self, x):
            return self.end(self.hidden(x))

    model = Regression()
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    losses = [model.train_on_batch(FEATURES, FEATURES[:, 0]) for _ in range(4)]
    np.testing.assert_allclose(losses, [0.11774, 0.08117, 0.06253, 0.05425], atol=1e-5)


def test_a_sequential_model_begins_with_an_input_and_trains_without_variables() -> None:
    model = tf.keras.Sequential()
    model.add(tf.keras.Input((2,)))
    model.add(tf.keras.layers.LeakyReLU(0.5))
    model.compile("rmsprop", "mse")
    np.testing.assert_array_equal(model.predict(np.array([[-2.0, 2.0]])), [[-1.0, 2.0]])
    assert model.train_on_batch(np.array([[-2.0, 2.0]]), np.zeros((1, 2))) == 2.5


def test_convolutions_of_channels_accept_the_arguments_of_other_kernels():
    x = tf.ones([1, 8, 8, 2])
    for layer in (
        tf.keras.layers.DepthwiseConv2D(2, kernel_regularizer="l2", kernel_initializer="ones"),
        tf.keras.layers.SeparableConv2D(2, 2, kernel_regularizer="l2", kernel_initializer="ones"),
    ):
        assert layer(x).shape.as_list() == [1, 7, 7, 2]
        assert layer.losses == []
        assert type(layer.kernel_regularizer).__name__ == "L1L2"
    with pytest.raises(TypeError, match="Keyword argument not understood"):
        tf.keras.layers.DepthwiseConv2D(2, foo=1)


def test_signatures_of_layers_show_the_defaults_of_their_rank():
    def default(kind, name):
        return inspect.signature(kind.__init__).parameters[name].default

    layers = tf.keras.layers
    assert default(layers.Conv2D, "dilation_rate") == default(layers.Conv2D, "strides") == (1, 1)
    assert default(layers.Conv3D, "strides") == (1, 1, 1)
    assert default(layers.Conv1D, "strides") == 1
    assert default(layers.MaxPooling2D, "pool_size") == (2, 2)
    assert default(layers.AveragePooling1D, "data_format") == "channels_last"
    assert default(layers.BatchNormalization, "renorm") is False
    assert "name" in inspect.getfullargspec(layers.BatchNormalization.__init__).args
    assert layers.Conv2D(2, 3, name="c").strides == (1, 1)


def test_dense_layers_convert_matrices_to_the_type_of_their_variables():
    layer = tf.keras.layers.Dense(2, autocast=False)
    layer(tf.ones([2, 3]))
    outputs = layer(tf.constant(np.ones((2, 3))))
    assert outputs.dtype == tf.float32
    assert outputs.op.inputs[0].op.inputs[0].op.type == "Cast"
    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(inputs))
    assert model(tf.constant([[1, 2, 3]])).dtype == tf.float32
    with pytest.raises(TypeError, match="does not match type float64"):
        layer(tf.constant(np.ones((2, 4, 3))))


def test_the_names_of_outputs_are_missing_until_they_are_known():
    class Line(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(1)

        def call(self, inputs):
            return self.dense(inputs)

    model = Line()
    model.compile("sgd", "mse")
    assert not hasattr(model, "output_names")
    model.fit(np.ones((4, 2), np.float32), np.ones((4, 1), np.float32), verbose=0)
    assert model.output_names == ["output_1"]
