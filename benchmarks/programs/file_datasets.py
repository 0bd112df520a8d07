"""Datasets of files: TFRecords of Examples with five features, and a million CSV lines."""

import os
import shutil
import tempfile

import numpy as np
import tensorflow as tf
from timing import once

MEGABYTES = int(os.environ.get("BENCHMARK_MEGABYTES", "200"))
LINES = int(os.environ.get("BENCHMARK_LINES", "1000000"))
BATCH = 128
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
    repeats = int(MEGABYTES * 1e6 / sum(map(len, examples)))
    with tf.python_io.TFRecordWriter(path) as writer:
        for _ in range(repeats):
            for record in examples:
                writer.write(record)


def write_lines(path):
    lines = [
        "%d,%.4f,%.3f,word%d,%d\n"
        % (rng.randint(1e6), rng.rand(), rng.randn(), rng.randint(1000), rng.randint(2))
        for _ in range(10000)
    ]
    with open(path, "w") as file:
        for _ in range(LINES // len(lines)):
            file.writelines(lines)


def consume(dataset, fetch):
    """Runs through a dataset; what `fetch` gives of each element is added up."""
    iterator = dataset.make_initializable_iterator()
    total = fetch(iterator.get_next())
    with tf.Session() as session:
        session.run(iterator.initializer)
        found = 0.0
        while True:
            try:
                found += float(session.run(total))
            except tf.errors.OutOfRangeError:
                return found


FEATURES = {
    "label": tf.FixedLenFeature([], tf.int64),
    "weights": tf.FixedLenFeature([32], tf.float32),
    "ids": tf.VarLenFeature(tf.int64),
    "name": tf.FixedLenFeature([], tf.string),
    "image": tf.FixedLenFeature([], tf.string),
}
DEFAULTS = [[0], [0.0], [0.0], [""], [0]]


def parsed_batches():
    dataset = tf.data.TFRecordDataset(records).batch(BATCH)
    dataset = dataset.map(lambda batch: tf.parse_example(batch, FEATURES))
    return consume(dataset, lambda found: tf.reduce_sum(found["label"]))


def batched_features():
    dataset = tf.data.experimental.make_batched_features_dataset(
        records, BATCH, FEATURES, num_epochs=1, shuffle=False
    )
    return consume(dataset, lambda found: tf.reduce_sum(found["label"]))


def decoded_lines():
    dataset = tf.data.TextLineDataset(lines).batch(BATCH)
    dataset = dataset.map(lambda batch: tf.decode_csv(batch, DEFAULTS))
    return consume(dataset, lambda *found: tf.reduce_sum(found[0][0]))


def csv_records():
    types = [tf.int32, tf.float32, tf.float32, tf.string, tf.int32]
    dataset = tf.data.experimental.CsvDataset(lines, types).batch(BATCH)
    return consume(dataset, lambda found: tf.reduce_sum(found[0]))


def one(work, name):
    """Times one pass in a graph of its own; the sum is the check."""
    totals = []
    with tf.Graph().as_default():
        once(lambda: totals.append(work()), name, lambda: totals[0])


try:
    records, lines = os.path.join(folder, "records"), os.path.join(folder, "lines.csv")
    write_records(records)
    write_lines(lines)
    one(parsed_batches, "TFRecordDataset, batch, parse_example")
    one(batched_features, "make_batched_features_dataset")
    one(decoded_lines, "TextLineDataset, batch, decode_csv")
    one(csv_records, "CsvDataset, batch")
finally:
    shutil.rmtree(folder)
