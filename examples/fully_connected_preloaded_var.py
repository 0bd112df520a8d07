"""Trains a fully connected network on MNIST that is kept in variables.

python fully_connected_preloaded_var.py --train_dir MNIST_data --num_epochs 2
"""

import time

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data, mnist

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_float("learning_rate", 0.01, "Initial learning rate.")
flags.DEFINE_integer("num_epochs", 2, "Number of times all examples are used.")
flags.DEFINE_integer("hidden1", 128, "Number of units in hidden layer 1.")
flags.DEFINE_integer("hidden2", 32, "Number of units in hidden layer 2.")
flags.DEFINE_integer("batch_size", 100, "Batch size.")
flags.DEFINE_string("train_dir", "MNIST_data", "Folder of the training data.")
flags.DEFINE_string("log_dir", "logs", "Folder of the summaries and checkpoints.")
flags.DEFINE_boolean("fake_data", False, "If true, uses fake data for unit testing.")


def run_training():
    data_sets = input_data.read_data_sets(FLAGS.train_dir, FLAGS.fake_data)

    with tf.Graph().as_default():
        with tf.name_scope("input"), tf.device("/cpu:0"):
            images_initializer = tf.placeholder(
                dtype=data_sets.train.images.dtype, shape=data_sets.train.images.shape
            )
            labels_initializer = tf.placeholder(
                dtype=data_sets.train.labels.dtype, shape=data_sets.train.labels.shape
            )
            # No optimizer changes them, and no checkpoint has them.
            input_images = tf.Variable(images_initializer, trainable=False, collections=[])
            input_labels = tf.Variable(labels_initializer, trainable=False, collections=[])
            image, label = tf.train.slice_input_producer(
                [input_images, input_labels], num_epochs=FLAGS.num_epochs
            )
            images, labels = tf.train.batch(
                [image, tf.cast(label, tf.int32)], batch_size=FLAGS.batch_size
            )

        logits = mnist.inference(images, FLAGS.hidden1, FLAGS.hidden2)
        loss = mnist.loss(logits, labels)
        train_op = mnist.training(loss, FLAGS.learning_rate)
        eval_correct = mnist.evaluation(logits, labels)

        summary_op = tf.summary.merge_all()
        saver = tf.train.Saver()
        init_op = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())

        sess = tf.Session()
        sess.run(init_op)
        sess.run(input_images.initializer, feed_dict={images_initializer: data_sets.train.images})
        sess.run(input_labels.initializer, feed_dict={labels_initializer: data_sets.train.labels})
        summary_writer = tf.summary.FileWriter(FLAGS.log_dir, sess.graph)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        step = 0
        try:
            while not coord.should_stop():
                start_time = time.time()
                _, loss_value, correct = sess.run([train_op, loss, eval_correct])
                duration = time.time() - start_time
                if step % 100 == 0:
                    print(
                        f"Step {step}: loss = {loss_value:.2f}, {correct} of "
                        f"{FLAGS.batch_size} correct ({duration:.3f} sec)"
                    )
                    # This takes a batch of its own.
                    summary_writer.add_summary(sess.run(summary_op), step)
                if (step + 1) % 1000 == 0:
                    print("Saving")
                    saver.save(sess, FLAGS.log_dir + "/model.ckpt", global_step=step)
                step += 1
        except tf.errors.OutOfRangeError:
            print("Saving")
            saver.save(sess, FLAGS.log_dir + "/model.ckpt", global_step=step)
            print(f"Done training for {FLAGS.num_epochs} epochs, {step} steps.")
        finally:
            coord.request_stop()
        coord.join(threads)
        summary_writer.close()
        sess.close()


def main(_):
    run_training()


if __name__ == "__main__":
    tf.app.run()
