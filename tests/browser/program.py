"""A program of the time that writes all kinds of summaries: `headwater run program.py LOGDIR`."""

import sys

import numpy as np
import tensorflow as tf
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.custom_scalar import summary as custom_scalar_summary
from tensorboard.plugins.hparams import api_pb2
from tensorboard.plugins.hparams import summary as hparams_summary
from tensorboard.plugins.pr_curve import summary as pr_curve_summary
from tensorflow.contrib.tensorboard.plugins import projector

WORDS = 50


def hyperparameters():
    return hparams_summary.experiment_pb(
        hparam_infos=[api_pb2.HParamInfo(name="rate", type=api_pb2.DATA_TYPE_FLOAT64)],
        metric_infos=[api_pb2.MetricInfo(name=api_pb2.MetricName(tag="loss"))],
    )


def layout():
    chart = layout_pb2.Chart(
        title="chart of losses", multiline=layout_pb2.MultilineChartContent(tag=["loss"])
    )
    return custom_scalar_summary.pb(
        layout_pb2.Layout(category=[layout_pb2.Category(title="my category", chart=[chart])])
    )


def show_embedding(writer, embedding):
    config = projector.ProjectorConfig()
    shown = config.embeddings.add()
    shown.tensor_name = embedding.name
    shown.metadata_path = "words.tsv"
    with tf.gfile.Open(writer.get_logdir() + "/words.tsv", "w") as file:
        file.write("\n".join(f"word{i}" for i in range(WORDS)))
    projector.visualize_embeddings(writer, config)


def main(logdir):
    folder = logdir + "/first"
    with tf.name_scope("model"):
        x = tf.placeholder(tf.float32, [None, 8], name="x")
        with tf.name_scope("layer1"):
            weights = tf.Variable(tf.random_normal([8, 16]), name="weights")
            hidden = tf.nn.relu(tf.matmul(x, weights))
        with tf.name_scope("layer2"):
            output = tf.matmul(hidden, tf.Variable(tf.random_normal([16, 1]), name="weights"))
    loss = tf.reduce_mean(tf.square(output))
    train = tf.train.GradientDescentOptimizer(0.001).minimize(loss)
    embedding = tf.Variable(tf.random_normal([WORDS, 8]), name="embedding")

    tf.summary.scalar("loss", loss)
    tf.summary.histogram("distribution", weights)
    tf.summary.image("picture", tf.random_uniform([2, 32, 24, 3]))
    wave = tf.sin(tf.range(8000.0) / 20.0)
    tf.summary.audio("sound", tf.reshape(wave, [1, -1]), 8000.0)
    tf.summary.text("note", tf.constant("a **strong** word"))
    merged = tf.summary.merge_all()
    guesses = tf.random_uniform([100])
    curve = pr_curve_summary.op(
        "curve", labels=tf.random_uniform([100]) > 0.5, predictions=guesses, num_thresholds=20
    )

    with tf.summary.FileWriter(folder, tf.get_default_graph()) as writer:
        writer.add_summary(layout())
        writer.add_summary(hparams_summary.session_start_pb({"rate": 0.125}))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for step in range(20):
                options, metadata = None, None
                if step == 10:
                    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
                    metadata = tf.RunMetadata()
                summaries, points, _ = session.run(
                    [merged, curve, train],
                    {x: np.random.RandomState(step).randn(32, 8)},
                    options=options,
                    run_metadata=metadata,
                )
                writer.add_summary(summaries, step)
                writer.add_summary(points, step)
                if metadata is not None:
                    writer.add_run_metadata(metadata, "step10", step)
            tf.train.Saver().save(session, folder + "/model.ckpt", 20)
        writer.add_summary(hparams_summary.session_end_pb(api_pb2.STATUS_SUCCESS))
        show_embedding(writer, embedding)
    with tf.summary.FileWriter(logdir) as writer:
        writer.add_summary(hyperparameters())


if __name__ == "__main__":
    main(sys.argv[1])
