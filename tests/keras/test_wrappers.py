"""tf.keras.wrappers.scikit_learn."""

import os

import numpy as np
import pytest

import headwater as tf

layers = tf.keras.layers
wrappers = tf.keras.wrappers.scikit_learn
X = np.random.RandomState(0).rand(20, 4).astype("f4")


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch):
    # A few steps are not worth a compilation.
    if "HEADWATER_JIT" not in os.environ:
        monkeypatch.setenv("HEADWATER_JIT", "never")


def build(units=3, loss="categorical_crossentropy", metrics=("accuracy",)):
    model = tf.keras.Sequential([layers.Dense(units, activation="softmax", input_shape=(4,))])
    model.compile("sgd", loss, metrics=list(metrics))
    return model


def test_a_classifier_keeps_the_classes_of_the_program():
    labels = np.array(["c", "a", "b", "a"] * 5)
    classifier = wrappers.KerasClassifier(build, units=3, epochs=1, verbose=0)
    classifier.fit(X, labels)
    assert list(classifier.classes_) == ["a", "b", "c"] and classifier.n_classes_ == 3
    found = classifier.predict(X)
    assert set(found) <= {"a", "b", "c"}
    assert classifier.score(X, labels) == pytest.approx((found == labels).mean())
    assert classifier.predict_proba(X).shape == (20, 3)
    assert classifier.get_params() == {"units": 3, "epochs": 1, "verbose": 0, "build_fn": build}
    with pytest.raises(ValueError, match="foo is not a legal parameter"):
        classifier.set_params(foo=1)
    plain = wrappers.KerasClassifier(build, metrics=(), verbose=0)
    plain.fit(X, labels)
    with pytest.raises(ValueError, match="The model is not configured to compute accuracy"):
        plain.score(X, labels)


def test_a_regressor():
    class Linear(wrappers.KerasRegressor):
        def __call__(self, rate=0.1):
            model = tf.keras.Sequential([layers.Dense(1, input_shape=(4,))])
            model.compile(tf.keras.optimizers.SGD(rate), "mse")
            return model

    regressor = Linear(rate=0.05, verbose=0)
    y = X.sum(1)
    regressor.fit(X, y)
    expected = -np.square(regressor.predict(X) - y).mean()
    assert regressor.score(X, y) == pytest.approx(expected, rel=1e-4)
