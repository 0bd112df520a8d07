"""Trains the convolutional network of the CIFAR-10 tutorial on one device.

Prints the loss, writes summaries and, now and then, a checkpoint for cifar10_eval.py.

    python cifar10_train.py --data_dir cifar10_data --train_dir cifar10_train --max_steps 1000
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
flags.DEFINE_boolean("log_device_placement", False, "Whether to log device placement.")


def train():
    """Trains for a number of steps."""
    with tf.Graph().as_default():
        global_step = tf.Variable(0, trainable=False, name="global_step")
        with tf.device("/cpu:0"):
            images, labels = cifar10.distorted_inputs()
        logits = cifar10.inference(images)
        loss = cifar10.loss(logits, labels)
        train_op = cifar10.train(loss, global_step)

        saver = tf.train.Saver(tf.all_variables())
        summary_op = tf.merge_all_summaries()
        config = tf.ConfigProto(log_device_placement=FLAGS.log_device_placement)
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
                    rate = FLAGS.batch_size / duration
                    print(
                        f"{datetime.now()}: step {step}, loss = {loss_value:.2f} "
                        f"({rate:.1f} examples/sec; {duration:.3f} sec/batch)",
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
