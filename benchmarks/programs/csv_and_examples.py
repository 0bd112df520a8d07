"""Batches of CSV records and of serialized Examples, parsed."""

import numpy as np
import tensorflow as tf
from timing import measure

RECORDS, BATCH, LARGE = 100000, 128, 10000
rng = np.random.RandomState(0)
identity, label = rng.randint(0, 1000000, RECORDS), rng.randint(0, 50, RECORDS)
first, second = rng.randn(RECORDS), rng.rand(RECORDS) * 100


def text(i):
    return "%d,%.6f,word%d,%.2f,%d" % (identity[i], first[i], label[i], second[i], label[i])


def example(i):
    def integers(*values):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

    features = {
        "id": integers(int(identity[i])),
        "label": integers(int(label[i])),
        "tags": integers(*(int(n) for n in rng.randint(0, 1000, i % 5))),
        "name": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"word%d" % label[i]])),
        "vector": tf.train.Feature(float_list=tf.train.FloatList(value=rng.rand(16))),
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


texts = np.array([text(i).encode() for i in range(RECORDS)], object)
examples = np.array([example(i) for i in range(LARGE)], object)
session = tf.Session()
batch, single = tf.placeholder(tf.string, [None]), tf.placeholder(tf.string, [])

columns = tf.decode_csv(batch, [[0], [0.0], [""], [0.0], [0]])
wanted = {
    "id": tf.FixedLenFeature([], tf.int64),
    "label": tf.FixedLenFeature([], tf.int64),
    "name": tf.FixedLenFeature([], tf.string),
    "vector": tf.FixedLenFeature([16], tf.float32),
    "tags": tf.VarLenFeature(tf.int64),
}
parsed, parsed_single = tf.parse_example(batch, wanted), tf.parse_single_example(single, wanted)


def step(feed, ops, result):
    """Runs ops; only the check fetches a result."""
    return (
        lambda: session.run(ops, feed),
        lambda: float(np.mean(session.run(result, feed))),
    )


csv_ops = [column.op for column in columns]
for count, name in ((BATCH, "128 CSV records"), (RECORDS, "100,000 CSV records")):
    run, check = step({batch: texts[:count]}, csv_ops, columns[3])
    measure(run, name, check)
example_op, single_op = parsed["id"].op, parsed_single["id"].op
for count, name in ((BATCH, "128 Examples"), (LARGE, "10,000 Examples")):
    run, check = step({batch: examples[:count]}, example_op, parsed["vector"])
    measure(run, name, check)
run, check = step({single: examples[0]}, single_op, parsed_single["vector"])
measure(run, "one Example", check)
