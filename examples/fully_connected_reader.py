"""Trains a fully connected network on MNIST that threads read from TFRecords.

Write the records first:

    python convert_to_records.py --directory MNIST_data
    python fully_connected_reader.py --train_dir MNIST_data --num_epochs 2
"""

import time

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import mnist

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_float("learning_rate", 0.01, "Initial learning rate.")
flags.DEFINE_integer("num_epochs", 2, "Number of times all examples are read.")
flags.DEFINE_integer("hidden1", 128, "Number of units in hidden layer 1.")
flags.DEFINE_integer("hidden2", 32, "Number of units in hidden layer 2.")
flags.DEFINE_integer("batch_size", 100, "Batch size.")
flags.DEFINE_string("train_dir", "MNIST_data", "Folder of the records.")

TRAIN_FILE = "train.tfrecords"
VALIDATION_FILE = "validation.tfrecords"


def read_and_decode(filename_queue):
    """The next image, with pixels from -0.5 to 0.5, and its label."""
    reader = tf.TFRecordReader()
    _, serialized_example = reader.read(filename_queue)
    features = tf.parse_single_example(
        serialized_example,
        features={
            "image_raw": tf.FixedLenFeature([], tf.string),
            "label": tf.FixedLenFeature([], tf.int64),
        },
    )
    image = tf.decode_raw(features["image_raw"], tf.uint8)
    image.set_shape([mnist.IMAGE_PIXELS])
    image = tf.cast(image, tf.float32) * (1.0 / 255) - 0.5
    label = tf.cast(features["label"], tf.int32)
    return image, label


def inputs(train, batch_size, num_epochs):
    """Shuffled batches of images and labels.

    They end with OutOfRangeError after the epochs; num_epochs=0 reads without end. The counter of
    epochs is a local variable, which has to be initialized.
    """
    filename = FLAGS.train_dir + "/" + (TRAIN_FILE if train else VALIDATION_FILE)
    with tf.name_scope("input"):
        filename_queue = tf.train.string_input_producer([filename], num_epochs=num_epochs or None)
        image, label = read_and_decode(filename_queue)
        return tf.train.shuffle_batch(
            [image, label],
            batch_size=batch_size,
            num_threads=2,
            capacity=1000 + 3 * batch_size,
            # A larger number mixes the examples better.
            min_after_dequeue=1000,
        )


def run_training():
    with tf.Graph().as_default():
        images, labels = inputs(True, FLAGS.batch_size, FLAGS.num_epochs)
        logits = mnist.inference(images, FLAGS.hidden1, FLAGS.hidden2)
        loss = mnist.loss(logits, labels)
        train_op = mnist.training(loss, FLAGS.learning_rate)
        init_op = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())

        sess = tf.Session()
        sess.run(init_op)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        step = 0
        try:
            while not coord.should_stop():
                start_time = time.time()
                _, loss_value = sess.run([train_op, loss])
                duration = time.time() - start_time
                if step % 100 == 0:
                    print(f"Step {step}: loss = {loss_value:.2f} ({duration:.3f} sec)")
                step += 1
        except tf.errors.OutOfRangeError:
            print(f"Done training for {FLAGS.num_epochs} epochs, {step} steps.")
        finally:
            coord.request_stop()
        coord.join(threads)
        sess.close()


def main(_):
    run_training()


if __name__ == "__main__":
    tf.app.run()
