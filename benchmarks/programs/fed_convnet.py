"""A training step of an MNIST network fed from memory, by datasets and by queues."""

import os
import shutil
import tempfile

import numpy as np
import timing
import tensorflow as tf

BATCH, IMAGES = 50, 6000
# More batches than queues hold.
BLOCK = 40
random = np.random.RandomState(0)
images = random.randint(0, 255, (IMAGES, 784)).astype(np.uint8)
labels = random.randint(0, 10, IMAGES).astype(np.int64)
folder = tempfile.mkdtemp()
records = os.path.join(folder, "train.tfrecords")
FEATURES = {
    "image_raw": tf.FixedLenFeature([], tf.string),
    "label": tf.FixedLenFeature([], tf.int64),
}


def write_records():
    """Writes the images as convert_to_records does."""
    with tf.python_io.TFRecordWriter(records) as writer:
        for image, label in zip(images, labels):
            raw = tf.train.BytesList(value=[image.tobytes()])
            number = tf.train.Int64List(value=[label])
            feature = {
                "image_raw": tf.train.Feature(bytes_list=raw),
                "label": tf.train.Feature(int64_list=number),
            }
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(example.SerializeToString())


def decoded(record):
    found = tf.parse_single_example(record, FEATURES)
    image = tf.decode_raw(found["image_raw"], tf.uint8)
    image.set_shape([784])
    return image, found["label"]


def normalized(image, label):
    return tf.cast(image, tf.float32) * (1.0 / 255) - 0.5, label


def from_memory():
    inputs = tf.placeholder(tf.float32, [BATCH, 784]), tf.placeholder(tf.int64, [BATCH])
    scaled = images.astype(np.float32) * np.float32(1.0 / 255) - np.float32(0.5)
    place = [0]

    def feeds():
        place[0] = (place[0] + BATCH) % IMAGES
        rows = slice(place[0], place[0] + BATCH)
        return dict(zip(inputs, (scaled[rows], labels[rows])))

    return inputs, feeds


def by_dataset(dataset):
    dataset = dataset.batch(BATCH, drop_remainder=True).prefetch(2)
    return dataset.make_initializable_iterator().get_next(), dict


def record_dataset():
    dataset = tf.data.TFRecordDataset(records).map(decoded).map(normalized)
    return by_dataset(dataset.shuffle(1000 + 3 * BATCH, seed=1).repeat())


def slice_dataset():
    dataset = tf.data.Dataset.from_tensor_slices((images, labels))
    dataset = dataset.shuffle(IMAGES, seed=1).repeat().map(normalized, num_parallel_calls=2)
    dataset = dataset.batch(BATCH, drop_remainder=True).prefetch(2)
    return dataset.make_one_shot_iterator().get_next(), dict


def by_queue(example):
    batch = tf.train.shuffle_batch(
        normalized(*example), BATCH, 1000 + 3 * BATCH, 1000, num_threads=2, seed=1
    )
    return batch, dict


def record_queue():
    names = tf.train.string_input_producer([records])
    return by_queue(decoded(tf.TFRecordReader().read(names)[1]))


def slice_queue():
    return by_queue(tf.train.slice_input_producer([images, labels]))


def layer(size, seed):
    return {
        "activation": tf.nn.relu,
        "kernel_initializer": tf.truncated_normal_initializer(stddev=0.1, seed=seed),
        "bias_initializer": tf.constant_initializer(0.1),
    }


def train(image, label):
    """The training step: two convolutions with pooling and two dense layers, Adam."""
    maps = tf.reshape(image, [-1, 28, 28, 1])
    maps = tf.layers.conv2d(maps, 32, 5, padding="same", **layer(32, 1))
    maps = tf.layers.max_pooling2d(maps, 2, 2)
    maps = tf.layers.conv2d(maps, 64, 5, padding="same", **layer(64, 2))
    maps = tf.layers.max_pooling2d(maps, 2, 2)
    hidden = tf.layers.dense(tf.layers.flatten(maps), 512, **layer(512, 3))
    logits = tf.layers.dense(hidden, 10)
    loss = tf.losses.sparse_softmax_cross_entropy(label, logits)
    return tf.train.AdamOptimizer(1e-4).minimize(loss)


def prepared(pipeline):
    """The training step with a pipeline in a graph of its own, and what ends its threads."""
    with tf.Graph().as_default() as graph:
        inputs, feeds = pipeline()
        step = train(*inputs)
        makers = [op for op in graph.get_operations() if op.type == "MakeIterator"]
        session = tf.Session()
        session.run([tf.global_variables_initializer(), *makers])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)

    def stop():
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=10)
        session.close()

    return lambda: session.run(step, feeds()), stop


try:
    write_records()
    names = {
        from_memory: "from memory",
        record_dataset: "by a dataset of records",
        slice_dataset: "by a dataset of slices",
        record_queue: "by queues of records",
        slice_queue: "by queues of slices",
    }
    steps = [(*prepared(pipeline), name) for pipeline, name in names.items()]
    timing.measure_in_turns([(step, name) for step, _, name in steps], BLOCK)
    for _, stop, _ in steps:
        stop()
finally:
    shutil.rmtree(folder)
