"""Random graphs, and what a real TensorFlow computes for them.

ORACLE/bin/python tests/golden/make_random_graphs.py

`build` makes the same graph from the same numbers in every release of TensorFlow and in Headwater.
It works in every Python from 3.6 on.
"""

import pathlib

import numpy as np

SEEDS = 60
NODES = 200
TARGET = pathlib.Path(__file__).with_name("random_graphs.npz")


def build(tf, seed, nodes):
    """Makes a random graph.

    No value grows, and no choice depends on rounding: only integers are compared.

    Args:
        tf: the module.
        seed: an integer.
        nodes: how many nodes there are at most.

    Returns:
        The feed_dict, ops to run first, the tensors to fetch, and an op that updates variables.
    """
    rng = np.random.RandomState(seed)
    graph = tf.get_default_graph()
    feeds = {}
    for i in range(2):
        shape = [int(n) for n in rng.randint(1, 4, size=2)]
        known = shape if rng.rand() < 0.5 else [None, None]
        x = tf.placeholder(tf.float32, known, name=f"x{i}")
        feeds[x] = rng.uniform(-1, 1, shape).astype(np.float32)
    k = tf.placeholder(tf.int32, [None], name="k")
    feeds[k] = rng.randint(-5, 6, size=int(rng.randint(1, 5))).astype(np.int32)
    v = tf.Variable(rng.uniform(-1, 1, [2, 3]).astype(np.float32), name="v")
    w = tf.get_variable("w", [3], initializer=tf.constant_initializer(0.25), use_resource=True)
    floats = list(feeds)[:2] + [v, tf.identity(w)]
    integers = [k]

    def pick(values):
        return values[int(rng.randint(max(0, len(values) - 12), len(values)))]

    def matrix(x):
        return tf.reshape(x, [-1, 1]) if rng.rand() < 0.5 else tf.reshape(x, [1, -1])

    def pair():
        x = pick(floats)
        return x, tf.reduce_mean(pick(floats)) * tf.ones_like(x)

    def scatter():
        x = matrix(pick(floats))
        return tf.gather(x, tf.mod(pick(integers), tf.shape(x)[0]))

    def choose():
        x, y = pair()
        return tf.where(tf.fill(tf.shape(x), tf.reduce_sum(pick(integers)) > 0), x, y)

    makers = [
        lambda: tf.tanh(pick(floats)),
        lambda: tf.nn.sigmoid(pick(floats)),
        lambda: tf.sin(pick(floats) * 2.0),
        lambda: tf.nn.softplus(pick(floats)) * 0.5,
        lambda: 0.5 * sum(pair()),
        lambda: (lambda p: p[0] * p[1])(pair()),
        lambda: (lambda p: tf.maximum(p[0], p[1] + 0.1))(pair()),
        lambda: (lambda p: tf.squared_difference(p[0], p[1]) * 0.25)(pair()),
        lambda: tf.stack(pair())[1],
        lambda: tf.unstack(tf.stack(pair()))[0],
        lambda: tf.nn.softmax(matrix(pick(floats))),
        lambda: tf.nn.l2_normalize(matrix(pick(floats)) + 2.0, 0),
        lambda: (lambda m: tf.tanh(tf.matmul(m, m, transpose_b=True)))(matrix(pick(floats))),
        lambda: tf.reduce_mean(matrix(pick(floats)), axis=int(rng.randint(2)), keep_dims=True),
        lambda: tf.cumsum(tf.nn.softmax(tf.reshape(pick(floats), [-1]))),
        lambda: tf.transpose(matrix(pick(floats))),
        lambda: tf.reverse(tf.reshape(pick(floats), [-1]), [0]),
        lambda: tf.reshape(pick(floats), [-1])[: int(rng.randint(1, 3))],
        lambda: tf.pad(tf.reshape(pick(floats), [-1])[:3], [[1, 0]]),
        lambda: tf.expand_dims(tf.reshape(pick(floats), [-1])[0], 0),
        lambda: tf.tile(tf.reshape(pick(floats), [-1])[:2], [2]),
        lambda: tf.concat([tf.reshape(pick(floats), [-1])[:2] for _ in range(2)], 0),
        lambda: tf.nn.relu(pick(floats)),
        lambda: tf.nn.elu(pick(floats)),
        lambda: tf.clip_by_value(pick(floats), -0.9, 0.9),
        lambda: tf.cast(pick(integers), tf.float32) * 0.1,
        lambda: tf.stop_gradient(tf.exp(-tf.square(pick(floats)))),
        scatter,
        choose,
    ]
    integer_makers = [
        lambda: tf.shape(pick(floats)),
        lambda: tf.maximum(pick(integers), -3),
        lambda: tf.floordiv(pick(integers), int(rng.randint(1, 4))),
        lambda: tf.floormod(pick(integers), int(rng.randint(2, 6))),
        lambda: tf.minimum(pick(integers) * 2 + 1, 20),
        lambda: tf.reshape(tf.range(tf.size(pick(floats)))[:5], [-1]),
        lambda: tf.cast(pick(integers) > 1, tf.int32),
        lambda: tf.reverse(pick(integers), [0]),
        lambda: tf.concat([pick(integers)[:3], pick(integers)[:2]], 0),
    ]
    while len(graph.get_operations()) < nodes - 25:
        if rng.rand() < 0.75:
            floats.append(makers[int(rng.randint(len(makers)))]())
        else:
            integers.append(integer_makers[int(rng.randint(len(integer_makers)))]())
    total = tf.add_n([tf.reduce_mean(t) for t in floats[-3:]])
    fetches = floats[-3:] + integers[-2:] + [total]
    step = tf.group(
        tf.assign_sub(v, tf.zeros([2, 3]) + 0.1 * total),
        tf.assign_add(w, 0.1 * tf.tanh(w + total)),
    )
    gradient = tf.gradients(total, [v])[0]
    if gradient is not None:
        fetches.append(gradient)
    return feeds, tf.global_variables_initializer(), fetches + [v, w], step


def results(session, graph):
    """The fetched values before and after two updates of the variables, as a flat list."""
    feeds, first, fetches, step = graph
    session.run(first)
    values = session.run(fetches, feeds)
    for _ in range(2):
        session.run(step, feeds)
    return [np.asarray(value) for value in values + session.run(fetches, feeds)]


def main():
    import tensorflow as tf

    tf.logging.set_verbosity(tf.logging.FATAL)
    golden = {}
    for seed in range(SEEDS):
        tf.reset_default_graph()
        graph = build(tf, seed, 40 + 160 * seed // SEEDS)
        with tf.Session() as session:
            values = results(session, graph)
        for kind in "if":
            flat = [v.ravel() for v in values if v.dtype.kind == kind]
            golden[f"{kind}{seed}"] = np.concatenate(flat)
    np.savez_compressed(str(TARGET), **golden)
    print(sum(v.size for v in golden.values()), "numbers")


if __name__ == "__main__":
    main()
