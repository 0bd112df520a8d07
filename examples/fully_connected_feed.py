"""Trains a fully connected network on MNIST: the tutorial on the mechanics of TensorFlow.

Writes summaries and checkpoints, and evaluates on all three parts of the data set.

    python fully_connected_feed.py --max_steps 2000 --train_dir MNIST_data
"""

import time

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data, mnist

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_float("learning_rate", 0.01, "Initial learning rate.")
flags.DEFINE_integer("max_steps", 2000, "Number of steps to run the trainer.")
flags.DEFINE_integer("hidden1", 128, "Number of units in hidden layer 1.")
flags.DEFINE_integer("hidden2", 32, "Number of units in hidden layer 2.")
flags.DEFINE_integer("batch_size", 100, "Batch size. Must divide evenly into the data set sizes.")
flags.DEFINE_string("train_dir", "MNIST_data", "Folder of the training data.")
flags.DEFINE_string("log_dir", "logs", "Folder of the summaries and checkpoints.")
flags.DEFINE_boolean("fake_data", False, "If true, uses fake data for unit testing.")


def placeholder_inputs(batch_size):
    images_placeholder = tf.placeholder(tf.float32, shape=(batch_size, mnist.IMAGE_PIXELS))
    labels_placeholder = tf.placeholder(tf.int32, shape=(batch_size))
    return images_placeholder, labels_placeholder


def fill_feed_dict(data_set, images_placeholder, labels_placeholder):
    images_feed, labels_feed = data_set.next_batch(FLAGS.batch_size, FLAGS.fake_data)
    return {images_placeholder: images_feed, labels_placeholder: labels_feed}


def do_eval(sess, eval_correct, images_placeholder, labels_placeholder, data_set):
    """Runs one evaluation against a full epoch of data."""
    true_count = 0
    steps_per_epoch = data_set.num_examples // FLAGS.batch_size
    num_examples = steps_per_epoch * FLAGS.batch_size
    for _ in range(steps_per_epoch):
        feed_dict = fill_feed_dict(data_set, images_placeholder, labels_placeholder)
        true_count += sess.run(eval_correct, feed_dict=feed_dict)
    precision = true_count / num_examples
    print(
        f"  Num examples: {num_examples}  Num correct: {true_count}  "
        f"Precision @ 1: {precision:0.04f}"
    )


def run_training():
    data_sets = input_data.read_data_sets(FLAGS.train_dir, FLAGS.fake_data)

    with tf.Graph().as_default():
        images_placeholder, labels_placeholder = placeholder_inputs(FLAGS.batch_size)
        logits = mnist.inference(images_placeholder, FLAGS.hidden1, FLAGS.hidden2)
        loss = mnist.loss(logits, labels_placeholder)
        train_op = mnist.training(loss, FLAGS.learning_rate)
        eval_correct = mnist.evaluation(logits, labels_placeholder)

        summary_op = tf.merge_all_summaries()
        init = tf.initialize_all_variables()
        saver = tf.train.Saver()
        sess = tf.Session()
        summary_writer = tf.train.SummaryWriter(FLAGS.log_dir, sess.graph)
        sess.run(init)

        for step in range(FLAGS.max_steps):
            start_time = time.time()
            feed_dict = fill_feed_dict(data_sets.train, images_placeholder, labels_placeholder)
            _, loss_value = sess.run([train_op, loss], feed_dict=feed_dict)
            duration = time.time() - start_time

            if step % 100 == 0:
                print(f"Step {step}: loss = {loss_value:.2f} ({duration:.3f} sec)")
                summary_str = sess.run(summary_op, feed_dict=feed_dict)
                summary_writer.add_summary(summary_str, step)
                summary_writer.flush()

            if (step + 1) % 1000 == 0 or (step + 1) == FLAGS.max_steps:
                saver.save(sess, FLAGS.log_dir + "/model.ckpt", global_step=step)
                for title, data_set in (
                    ("Training", data_sets.train),
                    ("Validation", data_sets.validation),
                    ("Test", data_sets.test),
                ):
                    print(f"{title} Data Eval:")
                    do_eval(sess, eval_correct, images_placeholder, labels_placeholder, data_set)


def main(_):
    run_training()


if __name__ == "__main__":
    tf.app.run()
