"""Writes MNIST as TFRecords of Example protos: train, validation and test.

fully_connected_reader.py reads what this writes.

    python convert_to_records.py --directory MNIST_data
"""

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("directory", "MNIST_data", "Folder of the data, and of the records.")
flags.DEFINE_integer("validation_size", 5000, "Number of training examples kept for validation.")


def int64_feature(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


def bytes_feature(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def convert_to(data_set, name):
    """Writes the images and labels of a data set to NAME.tfrecords."""
    images, labels = data_set.images, data_set.labels
    if images.shape[0] != data_set.num_examples:
        raise ValueError(f"{images.shape[0]} images, but {data_set.num_examples} labels.")
    _, rows, columns, depth = images.shape
    filename = FLAGS.directory + "/" + name + ".tfrecords"
    print("Writing", filename)
    with tf.python_io.TFRecordWriter(filename) as writer:
        for image, label in zip(images, labels):
            feature = {
                "height": int64_feature(rows),
                "width": int64_feature(columns),
                "depth": int64_feature(depth),
                "label": int64_feature(int(label)),
                "image_raw": bytes_feature(image.tobytes()),
            }
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(example.SerializeToString())


def main(_):
    data_sets = input_data.read_data_sets(
        FLAGS.directory, dtype=tf.uint8, reshape=False, validation_size=FLAGS.validation_size
    )
    tf.gfile.MakeDirs(FLAGS.directory)
    convert_to(data_sets.train, "train")
    convert_to(data_sets.validation, "validation")
    convert_to(data_sets.test, "test")


if __name__ == "__main__":
    tf.app.run()
