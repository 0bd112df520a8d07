"""Evaluates the checkpoints of cifar10_train.py: how many test pictures are recognized.

The moving averages of the variables take their places.

    python cifar10_eval.py --data_dir cifar10_data --checkpoint_dir cifar10_train --run_once
"""

import math
import time
from datetime import datetime

import tensorflow as tf
from tensorflow.models.image.cifar10 import cifar10

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("eval_dir", "/tmp/cifar10_eval", "Folder of event files.")
flags.DEFINE_string("eval_data", "test", "Either 'test' or 'train_eval'.")
flags.DEFINE_string("checkpoint_dir", "/tmp/cifar10_train", "Folder of the checkpoints.")
flags.DEFINE_integer("eval_interval_secs", 60 * 5, "Seconds between evaluations.")
flags.DEFINE_integer("num_examples", 10000, "Number of examples to run.")
flags.DEFINE_boolean("run_once", False, "Whether to run the evaluation only once.")


def eval_once(saver, summary_writer, top_k_op, summary_op):
    """Evaluates the newest checkpoint."""
    with tf.Session() as session:
        checkpoint = tf.train.get_checkpoint_state(FLAGS.checkpoint_dir)
        if not (checkpoint and checkpoint.model_checkpoint_path):
            print("No checkpoint file found")
            return
        saver.restore(session, checkpoint.model_checkpoint_path)
        global_step = checkpoint.model_checkpoint_path.split("-")[-1]

        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        batches = math.ceil(FLAGS.num_examples / FLAGS.batch_size)
        right = sum(int(session.run(top_k_op).sum()) for _ in range(batches))
        precision = right / (batches * FLAGS.batch_size)
        print(f"{datetime.now()}: precision @ 1 = {precision:.3f}", flush=True)

        summary = tf.Summary()
        summary.ParseFromString(session.run(summary_op))
        summary.value.add(tag="Precision @ 1", simple_value=precision)
        summary_writer.add_summary(summary, int(global_step))
        coordinator.request_stop()
        coordinator.join(threads)


def evaluate():
    """Evaluates now and then, or once."""
    with tf.Graph().as_default() as graph:
        images, labels = cifar10.inputs(eval_data=FLAGS.eval_data == "test")
        logits = cifar10.inference(images)
        top_k_op = tf.nn.in_top_k(logits, labels, 1)

        averages = tf.train.ExponentialMovingAverage(cifar10.MOVING_AVERAGE_DECAY)
        saver = tf.train.Saver(averages.variables_to_restore())
        summary_op = tf.merge_all_summaries()
        summary_writer = tf.train.SummaryWriter(FLAGS.eval_dir, graph)
        while True:
            eval_once(saver, summary_writer, top_k_op, summary_op)
            if FLAGS.run_once:
                break
            time.sleep(FLAGS.eval_interval_secs)
        summary_writer.close()


def main(_):
    cifar10.maybe_download_and_extract()
    if tf.gfile.Exists(FLAGS.eval_dir):
        tf.gfile.DeleteRecursively(FLAGS.eval_dir)
    tf.gfile.MakeDirs(FLAGS.eval_dir)
    evaluate()


if __name__ == "__main__":
    tf.app.run()
