"""Small steps of many kinds, each of which once took longer than in TensorFlow."""

import numpy as np
import timing
import tensorflow as tf

random = np.random.RandomState(0)
BATCHES = 8


def floats(*shape):
    """Returns random numbers of [0, 1)."""
    return random.rand(*shape).astype(np.float32)


def table(rows, width):
    """Returns a variable of small numbers."""
    return tf.Variable(floats(rows, width) * 0.1 - 0.05)


def measure(name, build):
    """Times what `build` makes: fetches, and a list of feeds that are taken in turn."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        fetches, feeds = build()
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        turn = [0]

        def step():
            turn[0] += 1
            return session.run(fetches, feeds[turn[0] % len(feeds)])

        timing.measure(step, name)


def factorization(batch):
    """Two tables and two columns of biases, with Adagrad."""
    u, i = (tf.placeholder(tf.int32, [None]) for _ in range(2))
    stars = tf.placeholder(tf.float32, [None])
    users, items = (tf.nn.embedding_lookup(table(2000, 32), ids) for ids in (u, i))
    biases = sum(tf.gather(tf.Variable(tf.zeros([2000])), ids) for ids in (u, i))
    error = tf.reduce_sum(users * items, 1) + biases - stars
    loss = tf.reduce_mean(tf.square(error))
    loss += 0.01 * (tf.nn.l2_loss(users) + tf.nn.l2_loss(items))
    feeds = [
        {**{ids: random.randint(0, 2000, batch) for ids in (u, i)}, stars: floats(batch)}
        for _ in range(BATCHES)
    ]
    return [tf.train.AdagradOptimizer(0.1).minimize(loss), loss], feeds


def sampled_softmax():
    """Word vectors with sampled softmax and Adagrad."""
    x, y = tf.placeholder(tf.int32, [128]), tf.placeholder(tf.int32, [128, 1])
    vectors = tf.nn.embedding_lookup(table(10000, 128), x)
    loss = tf.nn.sampled_softmax_loss(
        table(10000, 128), tf.Variable(tf.zeros([10000])), y, vectors, 64, 10000
    )
    loss = tf.reduce_mean(loss)
    ids = [random.randint(0, 10000, 128) for _ in range(BATCHES)]
    feeds = [{x: k, y: k[::-1, None]} for k in ids]
    return [tf.train.AdagradOptimizer(0.1).minimize(loss), loss], feeds


def averaged_words():
    """The mean of word vectors as the input of logistic regression, with Adam."""
    x, y = tf.placeholder(tf.int32, [None, 20]), tf.placeholder(tf.float32, [None, 1])
    mean = tf.reduce_mean(tf.nn.embedding_lookup(table(10000, 64), x), 1)
    logits = tf.layers.dense(mean, 1)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
    feeds = [{x: random.randint(0, 10000, (64, 20)), y: floats(64, 1)} for _ in range(BATCHES)]
    return [tf.train.AdamOptimizer().minimize(loss), loss], feeds


def text_convnet():
    """Convolutions over the words of sentences, and their maxima (Kim, 2014)."""
    x, y = tf.placeholder(tf.int32, [None, 56]), tf.placeholder(tf.int64, [None])
    words = tf.nn.embedding_lookup(table(5000, 64), x)[..., tf.newaxis]
    pooled = []
    for size in (3, 4, 5):
        hidden = tf.layers.conv2d(words, 64, [size, 64], activation=tf.nn.relu)
        pooled.append(tf.nn.max_pool(hidden, [1, 57 - size, 1, 1], [1] * 4, "VALID"))
    hidden = tf.layers.dropout(tf.layers.flatten(tf.concat(pooled, 3)), 0.5, training=True)
    loss = tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(hidden, 2))
    feeds = [{x: random.randint(0, 5000, (64, 56)), y: random.randint(0, 2, 64)}]
    return [tf.train.AdamOptimizer().minimize(loss), loss], feeds


def dropout():
    """Two layers of 64 with dropout."""
    x = tf.placeholder(tf.float32, [None, 64])
    hidden = x
    for _ in range(2):
        hidden = tf.layers.dense(hidden, 64, tf.nn.relu)
        hidden = tf.layers.dropout(hidden, training=True)
    loss = tf.reduce_mean(tf.square(hidden))
    return [tf.train.GradientDescentOptimizer(0.1).minimize(loss), loss], [{x: floats(128, 64)}]


def decompositions():
    """Decompositions of a matrix of 200 rows."""
    x = tf.placeholder(tf.float32, [200, 200])
    square = tf.matmul(x, x, transpose_b=True) + 200 * tf.eye(200)
    parts = [tf.cholesky(square), tf.matrix_inverse(square), tf.matrix_solve(square, x)]
    parts += [tf.qr(x)[0], tf.self_adjoint_eig(square)[0]]
    return [tf.reduce_sum(part) for part in parts], [{x: floats(200, 200)}]


def places():
    """The positions of the largest elements along both axes."""
    x = tf.placeholder(tf.float32, [10000, 100])
    return [tf.argmax(x, 0), tf.argmax(x, 1)], [{x: floats(10000, 100)}]


def texts():
    """Lines of text split, replaced and hashed."""
    lines = tf.placeholder(tf.string, [None])
    words = tf.string_split(tf.regex_replace(lines, "<br />", " "), " ").values
    fed = np.array([b"line %d<br />of some words" % i for i in range(2000)], object)
    return tf.string_to_hash_bucket_fast(words, 1000), [{lines: fed}]


def shuffled():
    """100,000 numbers shuffled."""
    return tf.random_shuffle(tf.range(100000)), [{}]


def boxes():
    """Boxes that overlap little."""
    x, scores = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None])
    corners = floats(1000, 2)
    fed = {x: np.concatenate([corners, corners + 0.2], 1), scores: floats(1000)}
    return tf.image.non_max_suppression(x, scores, 100), [fed]


def spoken():
    """The loss and gradient of connectionist temporal classification."""
    x = tf.placeholder(tf.float32, [100, 16, 28])
    weights = tf.Variable(tf.ones([28]))
    where = [[row, place] for row in range(16) for place in range(8)]
    labels = tf.SparseTensor(where, random.randint(0, 27, 128).astype(np.int32), [16, 8])
    loss = tf.reduce_mean(tf.nn.ctc_loss(labels, x * weights, np.full(16, 100, np.int32)))
    return [tf.train.GradientDescentOptimizer(0.01).minimize(loss), loss], [
        {x: floats(100, 16, 28)}
    ]


measure("factorization, batch 64", lambda: factorization(64))
measure("factorization, batch 512", lambda: factorization(512))
measure("sampled softmax", sampled_softmax)
measure("averaged words, Adam", averaged_words)
measure("text convnet", text_convnet)
measure("dropout", dropout)
measure("decompositions", decompositions)
measure("argmax", places)
measure("texts", texts)
measure("shuffle", shuffled)
measure("boxes", boxes)
measure("CTC", spoken)
