"""Small nets in the words that TensorFlow 0.12 to 1.15 and Headwater share.

Each function builds a net in the default graph and returns (feeds by tensor name, names of the ops
that prepare it, names of the ops of one step, names of the tensors that are compared).
"""

import numpy as np


def values(seed, *shape):
    """Returns float32 numbers between -1 and 1."""
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(np.float32)


def softmax_regression(tf):
    """A training step of softmax regression."""
    x = tf.placeholder(tf.float32, [None, 6], name="x")
    y = tf.placeholder(tf.float32, [None, 3], name="y")
    w = tf.Variable(values(1, 6, 3), name="w")
    b = tf.Variable(tf.zeros([3]), name="b")
    p = tf.nn.softmax(tf.matmul(x, w) + b, name="p")
    loss = tf.reduce_mean(-tf.reduce_sum(y * tf.log(p), reduction_indices=[1]), name="loss")
    tf.train.GradientDescentOptimizer(0.5).minimize(loss, name="train")
    tf.group(w.initializer, b.initializer, name="prepare")
    feeds = {"x:0": values(2, 5, 6), "y:0": np.eye(3, dtype=np.float32)[[0, 1, 2, 1, 0]]}
    return feeds, ["prepare"], ["train"], ["loss:0", "p:0", "w:0", "b:0"]


def convnet(tf):
    """A convolution, pooling, a dense layer, and a step with momentum."""
    x = tf.placeholder(tf.float32, [2, 8, 8, 1], name="x")
    k = tf.Variable(values(3, 3, 3, 1, 4), name="k")
    w = tf.Variable(values(4, 64, 2), name="w")
    h = tf.nn.relu(tf.nn.conv2d(x, k, strides=[1, 1, 1, 1], padding="SAME"))
    h = tf.nn.max_pool(h, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME", name="pool")
    out = tf.matmul(tf.reshape(h, [-1, 64]), w, name="out")
    loss = tf.nn.l2_loss(out, name="loss")
    tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss, name="train")
    variables = tf.get_collection("variables")
    tf.group(*[v.initializer for v in variables], name="prepare")
    return {"x:0": values(5, 2, 8, 8, 1)}, ["prepare"], ["train"], ["loss:0", "pool:0", "k:0"]


def embedding(tf):
    """Rows of a table, with sparse gradients and Adam."""
    ids = tf.placeholder(tf.int32, [None], name="ids")
    with tf.variable_scope("scope"):
        table = tf.get_variable("table", [7, 4], initializer=tf.constant_initializer(0.5))
    rows = tf.nn.embedding_lookup(table, ids, name="rows")
    loss = tf.reduce_sum(tf.square(rows - 1.0), name="loss")
    tf.train.AdamOptimizer(0.1).minimize(loss, name="train")
    variables = tf.get_collection("variables")
    tf.group(*[v.initializer for v in variables], name="prepare")
    feeds = {"ids:0": np.array([1, 3, 1, 6], np.int32)}
    return feeds, ["prepare"], ["train"], ["loss:0", "rows:0", "scope/table:0"]


def shapes(tf):
    """Shape arithmetic, slices, transposed and tiled tensors, comparisons and casts."""
    x = tf.placeholder(tf.float32, [None, None, 3], name="x")
    size = tf.shape(x)
    flat = tf.reshape(x, [-1, size[2]], name="flat")
    part = flat[1:-1, ::2]
    turned = tf.transpose(part, name="turned")
    tiled = tf.tile(tf.expand_dims(turned, 0), [2, 1, 1], name="tiled")
    tf.reduce_sum(tf.cast(tf.greater(tiled, 0.0), tf.int32), name="count")
    tf.argmax(flat, 1, name="best")
    padded = tf.pad(part, [[0, 1], [1, 0]], name="padded")
    picked = tf.gather(flat, [2, 0], name="picked")
    tf.gradients(tf.reduce_sum(padded * 2.0) + tf.reduce_sum(picked), [x])[0]
    names = ["flat:0", "tiled:0", "count:0", "best:0", "padded:0", "picked:0"]
    return {"x:0": values(6, 2, 3, 3)}, [], [], names


def normalized(tf):
    """Moments and batch normalization, clipped gradients, and an exponential decay."""
    x = tf.placeholder(tf.float32, [4, 5], name="x")
    w = tf.Variable(values(7, 5, 3), name="w")
    step = tf.Variable(0, trainable=False, name="step")
    h = tf.matmul(x, w)
    mean, variance = tf.nn.moments(h, [0])
    h = tf.nn.batch_normalization(h, mean, variance, tf.zeros([3]), tf.ones([3]), 1e-3)
    h = tf.identity(tf.tanh(h) + tf.sigmoid(h), name="h")
    loss = tf.reduce_mean(tf.square(h), name="loss")
    rate = tf.train.exponential_decay(0.5, step, 2, 0.7)
    grads, norm = tf.clip_by_global_norm(tf.gradients(loss, [w]), 0.01)
    tf.identity(norm, name="norm")
    optimizer = tf.train.AdagradOptimizer(rate)
    optimizer.apply_gradients(zip(grads, [w]), global_step=step, name="train")
    variables = tf.get_collection("variables")
    tf.group(*[v.initializer for v in variables], name="prepare")
    return {"x:0": values(8, 4, 5)}, ["prepare"], ["train"], ["h:0", "loss:0", "norm:0", "w:0"]


NETS = {
    "softmax_regression": softmax_regression,
    "convnet": convnet,
    "embedding": embedding,
    "shapes": shapes,
    "normalized": normalized,
}


def outcome(tf, graph_def, feeds, prepare, step, names):
    """Runs a GraphDef: returns the values of the named tensors before and after two steps."""
    found = []
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        with tf.Session(graph=graph) as session:
            for op in prepare:
                session.run(graph.get_operation_by_name(op))
            found.append(session.run(names, feeds))
            for _ in range(2):
                for op in step:
                    session.run(graph.get_operation_by_name(op), feeds)
            found.append(session.run(names, feeds))
    return found
