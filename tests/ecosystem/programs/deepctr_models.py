"""DeepCTR 0.7.5: DeepFM of tf.keras, trained, saved and loaded."""

import json
import os
import tempfile

import numpy as np
import tensorflow as tf
from deepctr.inputs import DenseFeat, SparseFeat, get_feature_names
from deepctr.models import DeepFM

rng = np.random.RandomState(0)
tf.set_random_seed(1)
columns = [SparseFeat("a", 5, 4), SparseFeat("b", 6, 4), DenseFeat("x", 1)]
data = {
    "a": rng.randint(0, 5, 128),
    "b": rng.randint(0, 6, 128),
    "x": rng.rand(128).astype(np.float32),
}
target = ((data["a"] > 2) == (data["b"] > 2)).astype(np.float32)
found = {"names": get_feature_names(columns)}
model = DeepFM(columns, columns, dnn_hidden_units=(8,), task="binary", seed=7)
model.compile("adam", "binary_crossentropy", metrics=["binary_crossentropy"])
inputs = {name: data[name] for name in found["names"]}
found["untrained"] = model.predict(inputs, batch_size=128)[:4].ravel().tolist()
history = model.fit(inputs, target, batch_size=32, epochs=30, verbose=0, shuffle=False)
losses = history.history["loss"]
assert losses[-1] < 0.9 * losses[0], losses
found["weights"] = len(model.get_weights())
path = os.path.join(tempfile.mkdtemp(), "weights.h5")
model.save_weights(path)
before = model.predict(inputs)
other = DeepFM(columns, columns, dnn_hidden_units=(8,), task="binary", seed=8)
other.load_weights(path)
np.testing.assert_allclose(other.predict(inputs), before, rtol=1e-5)
print(json.dumps(found))
