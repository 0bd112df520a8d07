"""tf_slim 1.1: a convnet with batch normalization, slim's training loop, evaluation, Saver."""

import json
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
import tf_slim as slim

rng = np.random.RandomState(0)
x = rng.rand(64, 8, 8, 1).astype(np.float32)
y = (x[:, :4].mean((1, 2, 3)) > x[:, 4:].mean((1, 2, 3))).astype(np.int64)
tf.set_random_seed(4)


def network(images, is_training):
    with slim.arg_scope(
        [slim.conv2d, slim.fully_connected],
        activation_fn=tf.nn.relu,
        weights_initializer=tf.truncated_normal_initializer(stddev=0.2, seed=3),
        weights_regularizer=slim.l2_regularizer(0.001),
    ):
        with slim.arg_scope(
            [slim.batch_norm], is_training=is_training, updates_collections=None, decay=0.9
        ):
            net = slim.conv2d(images, 4, [3, 3], normalizer_fn=slim.batch_norm, scope="conv1")
            net = slim.repeat(net, 2, slim.conv2d, 4, [3, 3], scope="conv2")
            net = slim.max_pool2d(net, [2, 2], scope="pool")
            net = slim.flatten(net)
            net = slim.stack(net, slim.fully_connected, [16, 8], scope="fc")
            net = slim.dropout(net, 1.0, is_training=is_training)
            return slim.fully_connected(net, 2, activation_fn=None, scope="logits")


found = {}
folder = tempfile.mkdtemp()
graph = tf.Graph()
with graph.as_default():
    tf.set_random_seed(4)
    logits = network(tf.constant(x), True)
    slim.losses.sparse_softmax_cross_entropy(logits, y)
    total = slim.losses.get_total_loss()
    train = slim.learning.create_train_op(
        total, tf.train.MomentumOptimizer(0.05, 0.9), clip_gradient_norm=4.0
    )
    found["variables"] = [v.op.name for v in slim.get_model_variables()]
    found["parameters"], found["bytes"] = slim.model_analyzer.analyze_vars(slim.get_variables())
    found["regularizers"] = [loss.op.name for loss in slim.losses.get_regularization_losses()]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found["first"] = float(session.run(total))
        found["steps"] = [float(session.run(train)) for _ in range(3)]
    last = slim.learning.train(
        train, folder, number_of_steps=80, save_summaries_secs=0, log_every_n_steps=1000
    )
    assert last < 0.85 * found["first"], last
graph = tf.Graph()
with graph.as_default():
    logits = network(tf.constant(x), False)
    names, updates = slim.metrics.aggregate_metric_map(
        {
            "accuracy": slim.metrics.streaming_accuracy(tf.argmax(logits, 1), tf.constant(y)),
            "mean": slim.metrics.streaming_mean(logits),
        }
    )
    checkpoint = tf.train.latest_checkpoint(folder)
    accuracy = slim.evaluation.evaluate_once(
        "",
        checkpoint,
        os.path.join(folder, "eval"),
        num_evals=1,
        eval_op=list(updates.values()),
        final_op=names["accuracy"],
    )
    assert 0.4 < accuracy <= 1.0, accuracy
    found["checkpoint"] = os.path.basename(checkpoint)
    restore = slim.assign_from_checkpoint_fn(checkpoint, slim.get_variables_to_restore())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        restore(session)
        found["step"] = int(tf.train.load_variable(checkpoint, "global_step"))
        kernel = session.run(slim.get_variables_by_name("conv1/weights")[0])
        np.testing.assert_array_equal(kernel, tf.train.load_variable(checkpoint, "conv1/weights"))
print(json.dumps(found))
