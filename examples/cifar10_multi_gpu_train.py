"""Trains the network of the CIFAR-10 tutorial on several GPUs at once.

Each GPU has a replica ("tower") that computes the gradients of a batch of its own; the variables
are on the CPU and are updated by the mean of the gradients. If there are fewer GPUs, the towers
share what there is.

    python cifar10_multi_gpu_train.py --num_gpus 2
"""

import time
from datetime import datetime

import numpy as np
import tensorflow as tf
from tensorflow.models.image.cifar10 import cifar10

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("train_dir", "/tmp/cifar10_train", "Folder of event files and checkpoints.")
flags.DEFINE_integer("max_steps", 1000000, "Number of batches to run.")
flags.DEFINE_integer("num_gpus", 1, "How many GPUs to use.")
flags.DEFINE_boolean("log_device_placement", False, "Whether to log device placement.")


def tower_loss(scope):
    """The loss of one tower; only the weight decay of this tower counts."""
    images, labels = cifar10.distorted_inputs()
    logits = cifar10.inference(images)
    cifar10.loss(logits, labels)
    return tf.add_n(tf.get_collection("losses", scope), name="total_loss")


def average_gradients(tower_grads):
    """The mean over the towers of the gradient of each variable."""
    averaged = []
    for pairs in zip(*tower_grads):
        gradients = [gradient for gradient, _ in pairs]
        mean = tf.add_n(gradients) * (1.0 / len(gradients))
        averaged.append((mean, pairs[0][1]))
    return averaged


def train():
    """Trains for a number of steps."""
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        global_step = tf.get_variable(
            "global_step", [], initializer=tf.constant_initializer(0), trainable=False
        )
        batches_per_epoch = cifar10.NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN / FLAGS.batch_size
        rate = tf.train.exponential_decay(
            cifar10.INITIAL_LEARNING_RATE,
            global_step,
            int(batches_per_epoch * cifar10.NUM_EPOCHS_PER_DECAY),
            cifar10.LEARNING_RATE_DECAY_FACTOR,
            staircase=True,
        )
        optimizer = tf.train.GradientDescentOptimizer(rate)

        tower_grads = []
        # A scope of its own: what comes after the towers makes new variables.
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(FLAGS.num_gpus):
                with tf.device(f"/gpu:{i}"), tf.name_scope(f"{cifar10.TOWER_NAME}_{i}") as scope:
                    loss = tower_loss(scope)
                    tf.get_variable_scope().reuse_variables()
                    summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
                    tower_grads.append(optimizer.compute_gradients(loss))

        update = optimizer.apply_gradients(average_gradients(tower_grads), global_step=global_step)
        averages = tf.train.ExponentialMovingAverage(cifar10.MOVING_AVERAGE_DECAY, global_step)
        train_op = tf.group(update, averages.apply(tf.trainable_variables()))

        saver = tf.train.Saver(tf.all_variables())
        summary_op = tf.merge_summary(summaries)
        config = tf.ConfigProto(
            allow_soft_placement=True, log_device_placement=FLAGS.log_device_placement
        )
        with tf.Session(config=config) as session:
            session.run(tf.initialize_all_variables())
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            writer = tf.train.SummaryWriter(FLAGS.train_dir, session.graph)

            for step in range(FLAGS.max_steps):
                start_time = time.time()
                _, loss_value = session.run([train_op, loss])
                duration = time.time() - start_time
                assert not np.isnan(loss_value), "Model diverged with loss = NaN"

                if step % 10 == 0:
                    rate_now = FLAGS.batch_size * FLAGS.num_gpus / duration
                    print(
                        f"{datetime.now()}: step {step}, loss = {loss_value:.2f} "
                        f"({rate_now:.1f} examples/sec; {duration:.3f} sec/batch)",
                        flush=True,
                    )
                if step % 100 == 0:
                    writer.add_summary(session.run(summary_op), step)
                if step % 1000 == 0 or step + 1 == FLAGS.max_steps:
                    saver.save(session, f"{FLAGS.train_dir}/model.ckpt", global_step=step)

            writer.close()
            coordinator.request_stop()
            coordinator.join(threads)


def main(_):
    cifar10.maybe_download_and_extract()
    if tf.gfile.Exists(FLAGS.train_dir):
        tf.gfile.DeleteRecursively(FLAGS.train_dir)
    tf.gfile.MakeDirs(FLAGS.train_dir)
    train()


if __name__ == "__main__":
    tf.app.run()
