"""Models in HDF5 files; tests/golden/keras has one of TensorFlow 1.15.5."""

import os
from pathlib import Path

import numpy as np
import pytest

import headwater as tf

h5py = pytest.importorskip("h5py")
layers = tf.keras.layers
GOLDEN = Path(__file__).parents[1] / "golden" / "keras" / "model-1.15.5.h5"
X = np.arange(12).reshape(4, 3) / 10.0
Y = X.sum(1, keepdims=True)


@pytest.fixture(autouse=True)
def fresh_graph(monkeypatch):
    # Compiling such small models takes most of the time.
    if "HEADWATER_JIT" not in os.environ:
        monkeypatch.setenv("HEADWATER_JIT", "never")
    tf.keras.backend.clear_session()


def test_training_goes_on_with_a_model_of_tensorflow():
    model = tf.keras.models.load_model(str(GOLDEN))
    np.testing.assert_allclose(
        model.predict(X)[:, 0], [-0.11197525, -0.01573598, -0.02224582, -0.02875566], 1e-5
    )
    np.testing.assert_allclose(model.evaluate(X, Y, verbose=0), [3.83125639, 1.6946782], 1e-5)
    np.testing.assert_allclose(model.train_on_batch(X, Y), [3.2222102, 1.6574123], 1e-5)
    np.testing.assert_allclose(model.train_on_batch(X, Y), [3.0208611, 1.5903764], 1e-5)


def test_a_saved_model_has_the_layout_of_tensorflow(tmp_path):
    def layout(path):
        found = {}
        with h5py.File(path, "r") as file:
            file.visititems(lambda name, item: found.update({name: getattr(item, "shape", None)}))
            names = {k: list(v) for k, v in file["model_weights"].attrs.items() if "names" in k}
            config = file.attrs["training_config"]
            return found, names, sorted(file.attrs), config

    model = tf.keras.models.load_model(str(GOLDEN))
    model.save(str(tmp_path / "m.h5"))
    found, expected = layout(tmp_path / "m.h5"), layout(GOLDEN)
    assert found[:3] == expected[:3]
    again = tf.keras.models.load_model(str(tmp_path / "m.h5"))
    np.testing.assert_allclose(again.train_on_batch(X, Y), model.train_on_batch(X, Y), 1e-5)


def test_weights_are_found_by_order_or_name(tmp_path):
    path = str(tmp_path / "w.h5")
    first = tf.keras.Sequential(
        [layers.Dense(2, input_shape=(3,), name="a"), layers.Dense(1, name="b")]
    )
    first.save_weights(path)
    second = tf.keras.Sequential(
        [layers.Dense(2, input_shape=(3,), name="a"), layers.Dense(4, name="c")]
    )
    second.load_weights(path, by_name=True)
    np.testing.assert_array_equal(second.get_weights()[0], first.get_weights()[0])
    third = tf.keras.Sequential([layers.Dense(2, input_shape=(3,))])
    with pytest.raises(ValueError, match="containing 2 layers into a model with 1 layers"):
        third.load_weights(path)


def test_rows_of_a_file_are_read_batch_by_batch(tmp_path):
    path = str(tmp_path / "data.h5")
    with h5py.File(path, "w") as file:
        file["x"], file["y"] = X.astype("f4"), Y.astype("f4")
    x = tf.keras.utils.HDF5Matrix(path, "x", start=1)
    y = tf.keras.utils.HDF5Matrix(path, "y", 1, normalizer=lambda rows: rows * 2)
    assert x.shape == (3, 3) and len(y) == 3 and y[0] == pytest.approx(2 * Y[1])
    np.testing.assert_allclose(x[[2, 0]], X[[3, 1]])
    with pytest.raises(IndexError):
        x[3]
    model = tf.keras.Sequential([layers.Dense(1, input_shape=(3,), kernel_initializer="zeros")])
    model.compile("sgd", "mse")
    loss = model.fit(x, y, batch_size=2, shuffle="batch", verbose=0, epochs=1).history["loss"][0]
    assert np.isfinite(loss)
