"""AdaNet 0.8.0: an Estimator that searches ensembles, evaluated, and continued from its files."""

import json
import tempfile

import adanet
import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
rng = np.random.RandomState(0)
data = rng.rand(64, 4).astype(np.float32)
target = (data.sum(1, keepdims=True) ** 2).astype(np.float32)


def examples():
    return tf.data.Dataset.from_tensor_slices(({"x": data}, target)).batch(16)


def endless():
    return examples().repeat()


class Layers(adanet.subnetwork.Builder):
    def __init__(self, depth):
        self._depth = depth

    @property
    def name(self):
        return "layers_%d" % self._depth

    def build_subnetwork(
        self, features, logits_dimension, training, iteration_step, summary, previous_ensemble=None
    ):
        x = features["x"]
        for seed in range(self._depth):
            initializer = tf.glorot_uniform_initializer(seed=seed)
            x = tf.layers.dense(x, 6, tf.nn.relu, kernel_initializer=initializer)
        initializer = tf.glorot_uniform_initializer(seed=9)
        logits = tf.layers.dense(x, logits_dimension, kernel_initializer=initializer)
        summary.scalar("depth", self._depth)
        return adanet.Subnetwork(
            last_layer=x,
            logits=logits,
            complexity=self._depth**0.5,
            persisted_tensors={"depth": tf.constant(self._depth)},
        )

    def build_subnetwork_train_op(
        self, subnetwork, loss, var_list, labels, iteration_step, summary, previous_ensemble
    ):
        return tf.train.RMSPropOptimizer(0.01).minimize(loss, var_list=var_list)

    def build_mixture_weights_train_op(
        self, loss, var_list, logits, labels, iteration_step, summary
    ):
        return tf.train.GradientDescentOptimizer(0.01).minimize(loss, var_list=var_list)


class Search(adanet.subnetwork.Generator):
    def generate_candidates(
        self,
        previous_ensemble,
        iteration_number,
        previous_ensemble_reports,
        all_reports,
        config=None,
    ):
        return [Layers(1), Layers(2)]


def estimator(folder):
    return adanet.Estimator(
        head=tf.estimator.RegressionHead(),
        subnetwork_generator=Search(),
        max_iteration_steps=15,
        evaluator=adanet.Evaluator(input_fn=examples, steps=4),
        config=tf.estimator.RunConfig(tf_random_seed=1, model_dir=folder),
    )


folder = tempfile.mkdtemp()
estimator(folder).train(endless, max_steps=30)
trained = estimator(folder)
found = {
    name: float(value)
    for name, value in trained.evaluate(examples).items()
    if not isinstance(value, bytes)
}
found["predictions"] = [float(p["predictions"][0]) for p in trained.predict(examples)][:3]
print(json.dumps(found))
