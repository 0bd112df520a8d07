"""Files read by queues: TFRecords of Examples with five features, and JPEG files, in batches.

The JPEG files are measured after a pass over a few of them.
"""

import os
import shutil
import tempfile

import numpy as np
import tensorflow as tf
from timing import once

MEGABYTES = int(os.environ.get("BENCHMARK_MEGABYTES", "20"))
IMAGES = int(os.environ.get("BENCHMARK_IMAGES", "1000"))
BATCH, CAPACITY, REST = 128, 1000, 500
rng = np.random.RandomState(0)
folder = tempfile.mkdtemp()


def example():
    made = tf.train.Example()
    feature = made.features.feature
    feature["label"].int64_list.value.append(int(rng.randint(1000)))
    feature["weights"].float_list.value.extend(rng.rand(32).tolist())
    feature["ids"].int64_list.value.extend(rng.randint(0, 5000, rng.randint(1, 9)).tolist())
    feature["name"].bytes_list.value.append(b"item %d" % rng.randint(100000))
    feature["image"].bytes_list.value.append(rng.bytes(64))
    return made.SerializeToString()


def write_records(path):
    examples = [example() for _ in range(1000)]
    repeats = max(1, int(MEGABYTES * 1e6 / sum(map(len, examples))))
    with tf.python_io.TFRecordWriter(path) as writer:
        for _ in range(repeats):
            for record in examples:
                writer.write(record)


def write_images():
    """Writes one picture under several names; returns the names."""
    smooth = np.cumsum(np.cumsum(rng.randn(375, 500, 3), 0), 1)
    picture = np.uint8(128 + 100 * np.tanh(smooth / 100))
    with tf.Graph().as_default(), tf.Session() as session:
        data = session.run(tf.image.encode_jpeg(picture))
    names = [os.path.join(folder, "%d.jpg" % i) for i in range(IMAGES)]
    for name in names:
        with open(name, "wb") as file:
            file.write(data)
    return names


def consume(files, total):
    """Runs through the batches of some files; what `total` gives of each is added up."""
    names = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    fetched = total(names)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        found = 0.0
        try:
            while True:
                found += float(session.run(fetched))
        except tf.errors.OutOfRangeError:
            pass
        coordinator.request_stop()
        coordinator.join(threads)
    return found


FEATURES = {
    "label": tf.FixedLenFeature([], tf.int64),
    "weights": tf.FixedLenFeature([32], tf.float32),
    "ids": tf.VarLenFeature(tf.int64),
    "name": tf.FixedLenFeature([], tf.string),
    "image": tf.FixedLenFeature([], tf.string),
}


def batched(tensors, **options):
    settings = dict(capacity=CAPACITY, allow_smaller_final_batch=True)
    return tf.train.batch(tensors, BATCH, **dict(settings, **options))


def shuffled(tensors):
    return tf.train.shuffle_batch(tensors, BATCH, CAPACITY, REST, allow_smaller_final_batch=True)


def labels(serialized):
    return tf.reduce_sum(tf.parse_example(serialized, FEATURES)["label"])


def read_batch_parse(names):
    return labels(batched([tf.TFRecordReader().read(names)[1]]))


def read_shuffle_parse(names):
    return labels(shuffled([tf.TFRecordReader().read(names)[1]]))


def read_many_batch_parse(names):
    records = tf.TFRecordReader().read_up_to(names, BATCH)[1]
    return labels(batched([records], enqueue_many=True))


def read_parse_batch(names):
    _, record = tf.TFRecordReader().read(names)
    return tf.reduce_sum(batched(tf.parse_single_example(record, FEATURES))["label"])


def read_parse_shuffle(names):
    _, record = tf.TFRecordReader().read(names)
    return tf.reduce_sum(shuffled(tf.parse_single_example(record, FEATURES))["label"])


def pictures(names):
    _, data = tf.WholeFileReader().read(names)
    image = tf.image.decode_jpeg(data, channels=3)
    image = tf.random_crop(image, [300, 300, 3], seed=1)
    image = tf.image.resize_images(image, [224, 224])
    images = tf.train.batch([image], 32, num_threads=2, capacity=64)
    return tf.reduce_mean(images)


def one(work, name):
    """Times one pass in a graph of its own; the sum is the check."""
    totals = []
    with tf.Graph().as_default():
        once(lambda: totals.append(work()), name, lambda: totals[0])


try:
    records, images = os.path.join(folder, "records"), write_images()
    write_records(records)
    one(lambda: consume([records], read_batch_parse), "read, batch, parse_example")
    one(lambda: consume([records], read_shuffle_parse), "read, shuffle_batch, parse_example")
    one(lambda: consume([records], read_many_batch_parse), "read_up_to, batch, parse_example")
    one(lambda: consume([records], read_parse_batch), "read, parse_single_example, batch")
    one(lambda: consume([records], read_parse_shuffle), "read, parse_single_example, shuffle_batch")
    with tf.Graph().as_default():
        consume(images[:64], pictures)
    one(lambda: consume(images, pictures), "WholeFileReader, decode_jpeg, crop, resize, batch")
finally:
    shutil.rmtree(folder)
