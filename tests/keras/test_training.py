"""fit, evaluate and predict of tf.keras, with the values and lines of TensorFlow 1.15.5."""

import os
import re

import numpy as np
import pytest

import headwater as tf

layers = tf.keras.layers
_random = np.random.RandomState(0)
X = _random.rand(32, 6).astype("f4")
CLASSES = _random.randint(0, 3, (32, 1))
SUMS = X.sum(1, keepdims=True).astype("f4")


@pytest.fixture(autouse=True)
def seeded_graph(monkeypatch):
    # Compiling such small models takes most of the time.
    if "HEADWATER_JIT" not in os.environ:
        monkeypatch.setenv("HEADWATER_JIT", "never")
    tf.keras.backend.clear_session()
    tf.set_random_seed(7)
    np.random.seed(3)


def classifier(loss="sparse_categorical_crossentropy", units=3, activation="softmax", **kwargs):
    model = tf.keras.Sequential(
        [
            layers.Dense(5, activation="relu", input_shape=(6,)),
            layers.Dense(units, activation=activation),
        ]
    )
    model.compile(kwargs.pop("optimizer", "sgd"), loss, **kwargs)
    return model


def printed(capsys):
    lines = capsys.readouterr().out.rstrip("\n").split("\n")
    return [re.sub(r"\b\d+[mu]?s\b", "T", line.split("\r")[-1]) for line in lines]


def test_datasets_are_counted_in_steps(capsys):
    model = classifier(metrics=["accuracy"])
    dataset = tf.data.Dataset.from_tensor_slices((X, CLASSES)).batch(8)
    history = model.fit(dataset, epochs=2, verbose=1, validation_data=dataset)
    np.testing.assert_allclose(history.history["loss"], [1.1345342, 1.1294781], rtol=1e-5)
    np.testing.assert_allclose(history.history["val_loss"], [1.1307552, 1.1259116], rtol=1e-5)
    assert history.params["steps"] == history.params["samples"] == 4
    lines = printed(capsys)
    assert lines[0] == "Train on 4 steps, validate on 4 steps"
    assert lines[2].startswith("4/4 [==============================] - T T/step - loss: 1.134")
    assert model.predict(dataset).shape == (32, 3)
    with pytest.raises(ValueError, match="an infinitely repeating dataset, you must specify"):
        model.evaluate(dataset.repeat())
    with pytest.raises(ValueError, match="The `batch_size` argument must not be specified"):
        model.fit(dataset, batch_size=3)


def test_a_dataset_that_ends_early_ends_training():
    dataset = tf.data.Dataset.from_tensor_slices((X, CLASSES)).batch(8)
    validation = {"validation_data": dataset, "validation_steps": 2}
    history = classifier().fit(dataset, epochs=2, steps_per_epoch=3, verbose=0, **validation)
    # The second epoch has one batch; after it there is no validation.
    assert len(history.history["loss"]) == 2 and len(history.history["val_loss"]) == 1


def test_tensors_are_taken_once_for_each_step(capsys):
    batches = tf.data.Dataset.from_tensor_slices((X, CLASSES)).batch(8).repeat()
    x, y = batches.make_one_shot_iterator().get_next()
    model = classifier()
    history = model.fit(x, y, epochs=2, steps_per_epoch=4, verbose=2)
    np.testing.assert_allclose(history.history["loss"], [1.0915799, 1.0884559], rtol=1e-5)
    assert printed(capsys)[0] == "Train on 4 samples"
    assert model.predict(x, steps=2).shape == (16, 3)
    with pytest.raises(ValueError, match="you should specify the `steps_per_epoch` argument"):
        model.fit(tf.constant(X), tf.constant(CLASSES))


def test_inputs_and_targets_may_be_tensors_of_the_model():
    batches = tf.data.Dataset.from_tensor_slices((X, CLASSES.astype("f4"))).batch(8).repeat()
    x, y = batches.make_one_shot_iterator().get_next()
    inputs = layers.Input(tensor=x)
    model = tf.keras.Model(inputs, layers.Dense(3, activation="softmax")(inputs))
    model.compile("sgd", "sparse_categorical_crossentropy", target_tensors=[y])
    history = model.fit(epochs=2, steps_per_epoch=4, verbose=0)
    np.testing.assert_allclose(history.history["loss"], [1.1400192, 1.1322505], rtol=1e-5)


class Batches(tf.keras.utils.Sequence):
    ended = 0

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return X[8 * index : 8 * index + 8], CLASSES[8 * index : 8 * index + 8]

    def on_epoch_end(self):
        self.ended += 1


def generator():
    while True:
        yield X[:8], CLASSES[:8]
        yield X[:2], CLASSES[:2]


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_sequences_come_in_order_from_any_number_of_threads(workers):
    batches = Batches()
    history = classifier().fit_generator(
        batches, epochs=2, shuffle=False, validation_data=Batches(), verbose=0, workers=workers
    )
    np.testing.assert_allclose(history.history["loss"], [1.1345342, 1.1294781], rtol=1e-5)
    np.testing.assert_allclose(history.history["val_loss"], [1.1307552, 1.1259116], rtol=1e-5)
    # Without workers, TensorFlow 1.15.5 does not call on_epoch_end.
    assert (batches.ended >= 1) is (workers > 0)


def test_generators():
    model = classifier()
    # The mean over the steps, though they have 8 and 2 examples.
    each = [model.evaluate(X[:n], CLASSES[:n], verbose=0) for n in (8, 2)]
    np.testing.assert_allclose(
        model.evaluate_generator(generator(), steps=2), np.mean(each), rtol=1e-5
    )
    assert model.predict_generator(generator(), steps=2).shape == (10, 3)
    with pytest.raises(ValueError, match="number of steps via the `steps_per_epoch` argument"):
        model.fit_generator(generator())
    with pytest.raises(ValueError, match="`y` argument is not supported when data isa generator"):
        model.fit(generator(), CLASSES, steps_per_epoch=1)

    def failing():
        yield X[:8], CLASSES[:8]
        raise KeyError("no more")

    with pytest.raises(KeyError, match="no more"):
        model.fit_generator(failing(), steps_per_epoch=3, verbose=0)


def test_weights_of_examples_and_classes():
    model = classifier(metrics=["accuracy"], weighted_metrics=["accuracy"])
    weights = np.arange(32) / 16.0
    model.fit(X, CLASSES, batch_size=8, shuffle=False, sample_weight=weights, verbose=0)
    assert model.metrics_names == ["loss", "acc", "weighted_acc"]
    _, acc, weighted = model.evaluate(X, CLASSES, sample_weight=weights, verbose=0)
    right = model.predict(X).argmax(1) == CLASSES[:, 0]
    np.testing.assert_allclose([acc, weighted], [right.mean(), right @ weights / weights.sum()])
    by_class = {0: 1.0, 1: 2.0, 2: 0.5}
    factors = np.array([by_class[c] for c in CLASSES[:, 0]])
    expected = model.test_on_batch(X, CLASSES, sample_weight=factors)[0]
    found = model.train_on_batch(X, CLASSES, class_weight=by_class)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_several_outputs():
    a, b = layers.Input((6,), name="a"), layers.Input((6,), name="b")
    hidden = layers.concatenate([layers.Dense(4)(a), layers.Dense(4)(b)])
    outputs = [
        layers.Dense(1, name="o1")(hidden),
        layers.Dense(3, activation="softmax", name="o2")(hidden),
    ]
    model = tf.keras.Model([a, b], outputs)
    model.compile(
        "sgd",
        {"o1": "mse", "o2": "sparse_categorical_crossentropy"},
        metrics={"o2": "accuracy", "o1": ["mae"]},
        loss_weights={"o1": 0.5, "o2": 2.0},
    )
    names = ["loss", "o1_loss", "o2_loss", "o1_mean_absolute_error", "o2_acc"]
    assert model.metrics_names == names
    inputs, targets = {"a": X, "b": X}, {"o1": SUMS, "o2": CLASSES}
    total, first, second, *_ = model.evaluate(inputs, targets, verbose=0)
    np.testing.assert_allclose(total, 0.5 * first + 2.0 * second, rtol=1e-5)
    dataset = tf.data.Dataset.from_tensor_slices((inputs, targets)).batch(32)
    np.testing.assert_allclose(model.evaluate(dataset, verbose=0)[0], total, rtol=1e-5)
    assert [p.shape for p in model.predict([X, X])] == [(32, 1), (32, 3)]
    with pytest.raises(ValueError, match=r"Expected to see 2 array\(s\), but instead got"):
        model.fit([X], [SUMS, CLASSES])


def test_optimizers_of_tf_train(capsys):
    model = classifier(optimizer=tf.train.GradientDescentOptimizer(0.1))
    history = model.fit(X, CLASSES, epochs=2, batch_size=8, shuffle=False, verbose=0)
    np.testing.assert_allclose(history.history["loss"], [1.1243484, 1.0923485], rtol=1e-5)
    model.compile(tf.train.AdamOptimizer(0.01), "sparse_categorical_crossentropy")
    model.fit(X, CLASSES, epochs=2, batch_size=8, verbose=0)
    assert tf.keras.backend.get_value(model.optimizer.iterations) == 8


def test_subclasses_know_whether_they_train():
    class Dropped(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.drop = layers.Dropout(0.5)
            self.end = layers.Dense(1, kernel_initializer="ones")

        def call(self, x, training=False):
            return self.end(self.drop(x, training=training))

    model = Dropped()
    model.compile(tf.keras.optimizers.SGD(0.0), "mse")
    assert model.train_on_batch(X, SUMS) > 0.1
    assert model.test_on_batch(X, SUMS) < 1e-9


def test_validation_takes_place_when_it_is_asked_for():
    history = classifier().fit(
        X, CLASSES, epochs=3, verbose=0, validation_split=0.25, validation_freq=[1, 3]
    )
    assert len(history.history["val_loss"]) == 2
    with pytest.raises(ValueError, match="`validation_freq` can not be less than 1"):
        classifier().fit(X, CLASSES, verbose=0, validation_split=0.25, validation_freq=0)


def test_errors_of_data():
    model = classifier("mse")
    for arguments, text in (
        ((X, CLASSES), r"target array with shape \(32, 1\) was passed for an output of shape"),
        ((X[:, :5], CLASSES), r"expected dense_input to have shape \(6,\) but got array with"),
        ((X, np.zeros((8, 3))), "Found 32 input samples and 8 target samples"),
        (({"x": X}, CLASSES), 'No data provided for "dense_input". Need data for each key in'),
    ):
        with pytest.raises(ValueError, match=text):
            model.fit(*arguments, verbose=0)
    one_hot = np.zeros((32, 3))
    for weights, text in (
        (np.ones((32, 2)), r"Found a sample_weight array with shape \(32, 2\)\. In order to use"),
        (np.ones(31), r"shape \(31,\) for an input with shape \(32, 3\)\. sample_weight cannot"),
    ):
        with pytest.raises(ValueError, match=text):
            model.train_on_batch(X, one_hot, sample_weight=weights)
    with pytest.raises(ValueError, match="You are passing a target array of shape"):
        classifier("categorical_crossentropy").fit(X, CLASSES)
    with pytest.raises(RuntimeError, match="You must compile your model before"):
        tf.keras.Sequential([layers.Dense(1, input_shape=(6,))]).fit(X, SUMS)


def test_errors_of_compile():
    model = tf.keras.Sequential([layers.Dense(1, input_shape=(6,), name="d")])
    for arguments, text in (
        (("sgd", "nope"), "Unknown loss function:nope"),
        (("nope", "mse"), "Unknown optimizer: nope"),
        (("sgd", ["mse", "mse"]), "it should have one entry per model outputs"),
        (("sgd", "mse", None, [1, 2]), "it should have one entry per model output. The model"),
        (("sgd", None), "The model cannot be compiled because it has no loss to optimize"),
    ):
        with pytest.raises(ValueError, match=text):
            model.compile(*arguments)
    model.compile("sgd", "mse")
    assert model.fit(X, SUMS, verbose=0).epoch == [0]


def test_metrics_of_a_compiled_model_inside_belong_to_that_model():
    inside = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,), activation="softmax")])
    inside.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])

    class Outside(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.inside = inside

        def call(self, inputs):
            outputs = self.inside(inputs["x"])
            self.add_loss(tf.reduce_mean(tf.square(outputs)))
            self.add_metric(tf.reduce_sum(outputs), name="total", aggregation="mean")
            return outputs

    model = Outside()
    model.compile("sgd")
    history = model.fit({"x": np.ones((4, 3), np.float32)}, batch_size=2, verbose=0).history
    assert sorted(history) == ["loss", "total"]
    assert history["total"] == pytest.approx([2.0])
    assert [metric.name for metric in model.metrics] == ["total"]
