"""An Experiment: a deep classifier of flowers, trained and evaluated by learn_runner.

--schedule is a method of Experiment: train, evaluate, train_and_evaluate, local_run, test.
"""

import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib.learn import learn_runner

tf.flags.DEFINE_string("output_dir", "", "Where checkpoints are written.")
tf.flags.DEFINE_string("schedule", "train_and_evaluate", "The method of Experiment to run.")
tf.flags.DEFINE_integer("train_steps", 200, "The number of training steps.")
FLAGS = tf.flags.FLAGS

iris = tf.contrib.learn.datasets.load_iris()
order = np.random.RandomState(0).permutation(150)


def input_fn(rows):
    return {"": tf.constant(iris.data[rows], tf.float32)}, tf.constant(iris.target[rows])


def experiment_fn(run_config, hparams):
    estimator = tf.contrib.learn.DNNClassifier(
        feature_columns=[tf.contrib.layers.real_valued_column("", dimension=4)],
        hidden_units=hparams.hidden_units,
        n_classes=3,
        config=run_config,
    )
    return tf.contrib.learn.Experiment(
        estimator=estimator,
        train_input_fn=lambda: input_fn(order[:120]),
        eval_input_fn=lambda: input_fn(order[120:]),
        train_steps=hparams.train_steps,
        eval_steps=1,
    )


def main(_):
    results, _ = learn_runner.run(
        experiment_fn=experiment_fn,
        run_config=tf.contrib.learn.RunConfig(
            tf_random_seed=1, model_dir=FLAGS.output_dir or tempfile.mkdtemp()
        ),
        schedule=FLAGS.schedule,
        hparams=tf.contrib.training.HParams(
            hidden_units=[10, 20, 10], train_steps=FLAGS.train_steps
        ),
    )
    print(f"Accuracy: {results['accuracy']:f}")


if __name__ == "__main__":
    tf.app.run()
