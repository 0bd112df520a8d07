"""Models of tf.keras under MirroredStrategy: what one device computes with the whole batch."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import headwater as tf

keras = tf.keras
X = np.random.RandomState(0).rand(64, 3).astype(np.float32)
Y = (X.sum(1) > 1.5).astype(np.int32)


def mirrored() -> Any:
    return tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])


def made(optimizer: Any, normalizes: bool) -> Any:
    normal = keras.initializers.RandomNormal
    model = keras.Sequential()
    model.add(
        keras.layers.Dense(
            8,
            "relu",
            input_shape=(3,),
            kernel_initializer=normal(seed=3),
            kernel_regularizer=keras.regularizers.l2(0.01),
        )
    )
    if normalizes:
        model.add(keras.layers.BatchNormalization())
    model.add(keras.layers.Dense(2, "softmax", kernel_initializer=normal(seed=4)))
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def trained(strategy: Any, optimizer: Any, normalizes: bool = False) -> Any:
    keras.backend.clear_session()
    tf.set_random_seed(1)
    with nullcontext() if strategy is None else strategy.scope():
        model = made(optimizer(), normalizes)
    history = model.fit(X, Y, batch_size=16, epochs=3, verbose=0, shuffle=False).history
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(16)
    evaluated = model.evaluate(data, steps=4, verbose=0)
    return history, evaluated, model.predict(X[:16], batch_size=16), model


@pytest.mark.parametrize(
    "optimizer",
    [
        lambda: keras.optimizers.Adam(0.05),
        lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    ],
    ids=["keras", "train"],
)
def test_two_replicas_train_like_one_device(optimizer: Any) -> None:
    one, two = trained(None, optimizer), trained(mirrored(), optimizer)
    for key, values in one[0].items():
        assert two[0][key] == pytest.approx(values, rel=1e-4)
    assert two[1] == pytest.approx(one[1], rel=1e-4)
    np.testing.assert_allclose(two[2], one[2], atol=1e-4)
    model, session = two[3], keras.backend.get_session()
    for variable in model.weights:
        first, second = session.run(list(variable.values))
        assert first.tobytes() == second.tobytes()


def test_each_replica_normalizes_its_part_of_the_batch() -> None:
    history = trained(mirrored(), lambda: keras.optimizers.SGD(0.1, momentum=0.9), True)[0]
    # What TensorFlow 1.15.5 prints.
    assert history["loss"] == pytest.approx([0.6331, 0.3921, 0.3144], abs=1e-4)
    assert history["acc"] == pytest.approx([0.7188, 0.7969, 0.7969], abs=1e-4)


def test_an_estimator_of_a_model_trains_in_replicas(tmp_path: Any) -> None:
    target = X.sum(1, keepdims=True)

    def data(input_context: Any = None) -> Any:
        size = 16 if input_context is None else input_context.get_per_replica_batch_size(16)
        return tf.data.Dataset.from_tensor_slices((X, target)).repeat().batch(size)

    found = []
    for number, strategy in enumerate((None, mirrored())):
        keras.backend.clear_session()
        normal = keras.initializers.RandomNormal(seed=3)
        model = keras.Sequential(
            [keras.layers.Dense(1, input_shape=(3,), kernel_initializer=normal)]
        )
        model.compile(keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
        options = tf.ConfigProto(device_count={"CPU": 2})
        config = tf.estimator.RunConfig(
            str(tmp_path / str(number)), train_distribute=strategy, session_config=options
        )
        estimator = keras.estimator.model_to_estimator(model, config=config)
        estimator.train(data, steps=10)
        found.append(estimator.evaluate(data, steps=4))
    assert found[0] == pytest.approx(found[1], rel=1e-4)


def test_optimizers_of_keras_in_the_code_of_replicas(session: Any) -> None:
    strategy = mirrored()
    with strategy.scope():
        w = tf.Variable([1.0, 2.0], name="w")
        optimizer = keras.optimizers.SGD(0.5, momentum=0.9)

        def step() -> Any:
            number = tf.distribute.get_replica_context().replica_id_in_sync_group
            loss = tf.reduce_sum(w) * (tf.cast(number, tf.float32) + 1.0)
            return optimizer.apply_gradients([(tf.gradients(loss, w)[0], w)])

        train = strategy.group(strategy.experimental_run_v2(step))
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as other:
        other.run([tf.global_variables_initializer(), *[v.initializer for v in optimizer.weights]])
        other.run([v.initializer for v in optimizer._hyper.values()])
        other.run(train)
        first, second = other.run(list(w.values))
    assert first.tolist() == second.tolist() == [-0.5, 0.5]
