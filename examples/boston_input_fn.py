"""Prices of houses in Boston: an input function for a deep regressor, with monitored training."""

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.INFO)

FEATURES = "crim zn indus chas nox rm age dis rad tax ptratio b lstat".split()

boston = tf.contrib.learn.datasets.load_boston()
order = np.random.RandomState(0).permutation(len(boston.data))
features = (boston.data - boston.data.mean(0)) / boston.data.std(0)
train, test, predicted = order[:400], order[400:500], order[500:]


def input_fn(rows):
    columns = {name: tf.constant(features[rows, i], tf.float32) for i, name in enumerate(FEATURES)}
    return columns, tf.constant(boston.target[rows], tf.float32)


regressor = tf.contrib.learn.DNNRegressor(
    feature_columns=[tf.contrib.layers.real_valued_column(name) for name in FEATURES],
    hidden_units=[10, 10],
    config=tf.contrib.learn.RunConfig(tf_random_seed=1),
)
regressor.fit(input_fn=lambda: input_fn(train), steps=300)

loss = regressor.evaluate(input_fn=lambda: input_fn(test), steps=1)["loss"]
print(f"Loss: {loss:f}")
prices = list(regressor.predict(input_fn=lambda: input_fn(predicted)))
print("Predictions:", " ".join(f"{price:.1f}" for price in prices))
