"""tensorpack 0.9: a ModelDesc with its layers, dataflow, queue input, callbacks, ModelSaver."""

import json
import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorpack import (
    BatchData,
    DataFromList,
    InferenceRunner,
    ModelDesc,
    ModelSaver,
    OfflinePredictor,
    PredictConfig,
    QueueInput,
    ScalarStats,
    SimpleTrainer,
    SmartInit,
    TrainConfig,
    launch_train_with_config,
)
from tensorpack.models import BatchNorm, Conv2D, FullyConnected, MaxPooling, regularize_cost
from tensorpack.tfutils.summary import add_moving_summary
from tensorpack.utils import logger

folder = tempfile.mkdtemp()
logger.set_logger_dir(folder, action="d")
rng = np.random.RandomState(0)
x = rng.rand(128, 8, 8, 1).astype(np.float32)
y = (x[:, :4].mean((1, 2, 3)) > x[:, 4:].mean((1, 2, 3))).astype(np.int32)
rows = [[x[i], y[i]] for i in range(len(x))]


class Model(ModelDesc):
    def inputs(self):
        return [
            tf.TensorSpec([None, 8, 8, 1], tf.float32, "input"),
            tf.TensorSpec([None], tf.int32, "label"),
        ]

    def build_graph(self, image, label):
        net = Conv2D("conv", image, 4, 3, activation=tf.nn.relu)
        net = BatchNorm("bn", net)
        net = MaxPooling("pool", net, 2)
        net = FullyConnected("fc", net, 16, activation=tf.nn.relu)
        logits = FullyConnected("out", net, 2)
        tf.nn.softmax(logits, name="prob")
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=label)
        )
        wrong = tf.cast(tf.not_equal(tf.argmax(logits, 1), tf.cast(label, tf.int64)), tf.float32)
        add_moving_summary(tf.reduce_mean(wrong, name="error"), loss)
        decay = regularize_cost("fc.*/W", tf.contrib.layers.l2_regularizer(1e-4))
        return tf.add_n([loss, decay], name="cost")

    def optimizer(self):
        return tf.train.MomentumOptimizer(0.05, 0.9)


data = BatchData(DataFromList(rows, shuffle=False), 32)
config = TrainConfig(
    model=Model(),
    data=QueueInput(data),
    callbacks=[
        ModelSaver(),
        InferenceRunner(BatchData(DataFromList(rows, shuffle=False), 32), [ScalarStats("cost")]),
    ],
    max_epoch=6,
    steps_per_epoch=4,
)
launch_train_with_config(config, SimpleTrainer())
history = json.load(open(os.path.join(folder, "stats.json")))
costs = [entry["validation_cost"] for entry in history]
predict = OfflinePredictor(
    PredictConfig(
        model=Model(),
        session_init=SmartInit(os.path.join(folder, "checkpoint")),
        input_names=["input"],
        output_names=["prob"],
    )
)
(prob,) = predict(x)
assert prob.shape == (128, 2)
np.testing.assert_allclose(prob.sum(1), 1.0, rtol=1e-5)
names = sorted(name for name, _ in tf.train.list_variables(tf.train.latest_checkpoint(folder)))
print(json.dumps({"epochs": len(costs), "names": names}))
