"""A generator of text through Keras: an LSTM of 128, two epochs, then 100 characters."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

tf.set_random_seed(1)
random = np.random.RandomState(1)
text = "pack my box with five dozen liquor jugs. " * 60
characters = sorted(set(text))
length = 20
codes = np.array([characters.index(c) for c in text])
starts = range(0, len(codes) - length, 2)
x = np.eye(len(characters), dtype=np.float32)[[codes[i : i + length] for i in starts]]
y = np.eye(len(characters), dtype=np.float32)[[codes[i + length] for i in starts]]

model = keras.models.Sequential()
model.add(keras.layers.LSTM(128, input_shape=(length, len(characters))))
model.add(keras.layers.Dense(len(characters), activation="softmax"))
model.compile(loss="categorical_crossentropy", optimizer=keras.optimizers.RMSprop(lr=0.01))
history = model.fit(x, y, batch_size=64, epochs=2, verbose=2, shuffle=False)
window, written = list(codes[:length]), ""
for _ in range(100):
    given = np.eye(len(characters))[window][None]
    chosen = int(np.argmax(model.predict(given, verbose=0)[0]))
    window, written = window[1:] + [chosen], written + characters[chosen]
print(written)
print(f"result {history.history['loss'][-1]:.6f}")
