"""Functions of elements: 200,000 numbers mapped, filtered and batched; a map that cannot batch."""

import tensorflow as tf
from timing import once

NUMBERS, FEW = 200000, 5000
Dataset = tf.data.Dataset


def consume(dataset):
    """Runs through a dataset of numbers and adds them up."""
    iterator = dataset.make_initializable_iterator()
    total = tf.reduce_sum(tf.cast(iterator.get_next(), tf.float64))
    with tf.Session() as session:
        session.run(iterator.initializer)
        found = 0.0
        while True:
            try:
                found += session.run(total)
            except tf.errors.OutOfRangeError:
                return found


def features(x):
    y = tf.cast(x, tf.float32) / 100.0
    return tf.stack([y, tf.sin(y), tf.where(y > 10, tf.sqrt(y), y * y)])


for dataset, name in (
    (Dataset.range(NUMBERS).map(lambda x: x * 2 + 1).batch(100), "range, map, batch"),
    (Dataset.range(NUMBERS).map(features, 2).batch(100).prefetch(2), "features in parallel"),
    (Dataset.range(NUMBERS).filter(lambda x: x % 3 > 0).batch(100), "filter, batch"),
    (
        Dataset.range(NUMBERS).map(lambda x: x + 1).shuffle(1000, seed=1).repeat(1).batch(100),
        "map, shuffle, batch",
    ),
    (
        Dataset.range(NUMBERS // 1000)
        .flat_map(lambda x: Dataset.range(1000).map(lambda y: x + y))
        .batch(100),
        "flat_map of maps, batch",
    ),
    (Dataset.range(FEW).map(lambda x: x * 2 + 1), "elements one by one"),
    (
        Dataset.range(FEW).map(lambda x: tf.py_func(lambda v: v, [x], tf.int64), 2).batch(10),
        "Python function in parallel",
    ),
):
    totals = []
    once(lambda: totals.append(consume(dataset)), name, lambda: totals[-1])  # noqa: B023
