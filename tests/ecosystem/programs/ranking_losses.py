"""TensorFlow Ranking 0.2.2: Estimators that rank lists, with four losses and two metrics."""

import json
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow_ranking as tfr

tf.logging.set_verbosity(tf.logging.ERROR)
rng = np.random.RandomState(0)
data = rng.rand(32, 5, 3).astype(np.float32)
labels = (data[:, :, 0] * 3).astype(int).astype(np.float32)
names = ["f%d" % i for i in range(3)]


def examples():
    features = {name: data[:, :, i : i + 1] for i, name in enumerate(names)}
    return tf.data.Dataset.from_tensor_slices((features, labels)).batch(8)


def columns(features, mode):
    numbers = {name: tf.feature_column.numeric_column(name, shape=(1,)) for name in names}
    return tfr.feature.encode_listwise_features(
        features=features, example_feature_columns=numbers, context_feature_columns={}, mode=mode
    )


def score(context, group, mode, params, config):
    x = tf.concat([tf.layers.flatten(group[name]) for name in names], 1)
    x = tf.layers.dense(x, 8, tf.nn.relu, kernel_initializer=tf.glorot_uniform_initializer(seed=1))
    return tf.layers.dense(x, 1, kernel_initializer=tf.glorot_uniform_initializer(seed=2))


def train_op(loss):
    return tf.train.AdagradOptimizer(0.1).minimize(loss, tf.train.get_global_step())


metrics = {
    "ndcg@3": tfr.metrics.make_ranking_metric_fn(tfr.metrics.RankingMetricKey.NDCG, topn=3),
    "mrr": tfr.metrics.make_ranking_metric_fn(tfr.metrics.RankingMetricKey.MRR),
}
found = {}
for loss in ("approx_ndcg_loss", "pairwise_logistic_loss", "softmax_loss", "list_mle_loss"):
    head = tfr.head.create_ranking_head(
        loss_fn=tfr.losses.make_loss_fn(loss), eval_metric_fns=metrics, train_op_fn=train_op
    )
    model_fn = tfr.model.make_groupwise_ranking_fn(
        group_score_fn=score, group_size=1, transform_fn=columns, ranking_head=head
    )
    config = tf.estimator.RunConfig(tf_random_seed=1, model_dir=tempfile.mkdtemp())
    estimator = tf.estimator.Estimator(model_fn, config=config)
    estimator.train(lambda: examples().repeat(), steps=20)
    values = estimator.evaluate(examples)
    assert values["mrr"] > 0.5, values
    found[loss] = {name: float(value) for name, value in values.items()}
print(json.dumps(found))
