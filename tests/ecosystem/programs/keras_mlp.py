"""Keras 2: a Sequential model and one of the functional form, trained, saved as HDF5, loaded."""

import json
import os
import tempfile

import numpy as np
import tensorflow as tf

np.random.seed(1)
tf.set_random_seed(2)

from keras import backend as K
from keras.callbacks import EarlyStopping, ModelCheckpoint
from keras.layers import (
    LSTM,
    BatchNormalization,
    Conv2D,
    Dense,
    Dropout,
    Embedding,
    Flatten,
    Input,
    MaxPooling2D,
    concatenate,
)
from keras.models import Model, Sequential, load_model
from keras.optimizers import SGD

folder = tempfile.mkdtemp()
brightness = np.random.rand(256, 1, 1, 1)
x = (brightness + 0.1 * np.random.rand(256, 8, 8, 1)).astype(np.float32)
y = (brightness.ravel() > 0.5).astype(np.int64)

model = Sequential()
model.add(Conv2D(8, (3, 3), activation="relu", input_shape=(8, 8, 1)))
model.add(BatchNormalization())
model.add(MaxPooling2D((2, 2)))
model.add(Flatten())
model.add(Dense(16, activation="relu"))
model.add(Dense(2, activation="softmax"))
model.compile(SGD(0.1), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
untrained = model.predict(x[:4])
start = model.evaluate(x, y, verbose=0)
path = os.path.join(folder, "best.h5")
history = model.fit(
    x,
    y,
    batch_size=32,
    epochs=25,
    shuffle=False,
    verbose=0,
    validation_split=0.25,
    callbacks=[
        EarlyStopping(monitor="loss", patience=5),
        ModelCheckpoint(path, monitor="loss", save_best_only=True),
    ],
)
losses = history.history["loss"]
assert losses[-1] < 0.8 * losses[0]
score = model.evaluate(x, y, verbose=0)
model.save(os.path.join(folder, "model.h5"))
loaded = load_model(os.path.join(folder, "model.h5"))
np.testing.assert_allclose(loaded.predict(x), model.predict(x), rtol=1e-5)
more = loaded.fit(x, y, batch_size=32, epochs=1, shuffle=False, verbose=0)
assert os.path.exists(path)

words = Input((6,), dtype="int32")
number = Input((3,))
states = LSTM(8)(Embedding(20, 4)(words))
joined = concatenate([states, Dense(4, activation="tanh")(number)])
two = Model([words, number], Dense(1)(Dropout(0.0)(joined)))
two.compile(SGD(0.01, momentum=0.9), loss="mse")
w = np.random.randint(0, 20, (128, 6))
n = np.random.rand(128, 3)
target = (w == 3).sum(1, keepdims=True) + n.sum(1, keepdims=True)
first = two.evaluate([w, n], target, verbose=0)
for _ in range(100):
    last = two.train_on_batch([w, n], target)
assert last < 0.5 * first
config = Model.from_config(two.get_config())
config.set_weights(two.get_weights())
np.testing.assert_allclose(config.predict([w, n]), two.predict([w, n]), rtol=1e-5)
weights = os.path.join(folder, "weights.h5")
two.save_weights(weights)
config.load_weights(weights)
gradient = K.function([words, number], K.gradients(two.output, number))([w[:2], n[:2]])[0]
print(
    json.dumps(
        {
            # Keras 2 updates weights while TensorFlow still reads them: no two runs of training
            # there are equal.
            "untrained": untrained.ravel().tolist(),
            "start": [float(v) for v in start],
            "shape": list(np.asarray(gradient).shape),
            "parameters": model.count_params() + two.count_params(),
        }
    )
)
