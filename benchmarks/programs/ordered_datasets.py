"""Order and groups of elements: shuffled images, caches, 100,000 sequences in padded buckets."""

import numpy as np
import tensorflow as tf
from timing import once

IMAGES, STEPS, NUMBERS, SEQUENCES = 20000, 1000, 500000, 100000
Dataset = tf.data.Dataset
rng = np.random.RandomState(0)


def consume(dataset):
    """Runs through a dataset and adds up one tensor of each element."""
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    total = tf.reduce_sum(tf.cast(element, tf.float64))
    with tf.Session() as session:
        session.run(iterator.initializer)
        found = 0.0
        while True:
            try:
                found += session.run(total)
            except tf.errors.OutOfRangeError:
                return found


def images():
    values = rng.randint(0, 8, (IMAGES, 784)).astype(np.float32)
    labels = np.arange(IMAGES)
    dataset = Dataset.from_tensor_slices((values, labels)).shuffle(10000, seed=1).repeat()
    return dataset.batch(128).take(STEPS).map(lambda x, y: y)


def buckets():
    lengths = rng.randint(1, 60, SEQUENCES).astype(np.int32)
    sequences = Dataset.from_tensor_slices(lengths).map(tf.range)
    return sequences.apply(
        tf.data.experimental.bucket_by_sequence_length(
            lambda x: tf.shape(x)[0], [10, 20, 30, 40, 50], [64] * 6
        )
    )


for make, name in (
    (images, "images, shuffle, repeat, batch"),
    (lambda: Dataset.range(NUMBERS).shuffle(10000, seed=1).batch(100), "range, shuffle, batch"),
    (lambda: Dataset.range(NUMBERS // 20).cache().repeat(20).batch(100), "cache, repeat, batch"),
    (
        lambda: (
            Dataset.zip(
                (
                    Dataset.range(1000).repeat(),
                    Dataset.range(NUMBERS).concatenate(Dataset.range(1000)),
                )
            )
            .skip(1000)
            .batch(100)
            .map(lambda x, y: x + y)
        ),
        "zip, concatenate, skip, batch",
    ),
    (
        lambda: Dataset.range(NUMBERS).batch(64).apply(tf.data.experimental.unbatch()).batch(100),
        "batch, unbatch, batch",
    ),
    (buckets, "100,000 sequences in buckets"),
):
    tf.reset_default_graph()
    dataset = make()
    totals = []
    once(lambda: totals.append(consume(dataset)), name, lambda: totals[-1])  # noqa: B023
