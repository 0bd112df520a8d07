"""One training step of wide & deep models: 20 columns of strings, a new batch in each step.

Half of the columns have a vocabulary of 1,000 words, the others 1,000 hash buckets. The linear part
is trained with FTRL, the deep one (embeddings of 8, layers of 100 and 50) with Adagrad. `bags` has
one to five words per example and column instead of one, as sparse tensors.
"""

import itertools

import numpy as np
import timing
import tensorflow as tf

COLUMNS, WORDS, BATCHES = 20, 1000, 48
LONGEST = 5

vocabulary = np.array(["w%d" % i for i in range(WORDS)], object)


def columns_of(names):
    """Returns the columns of some features."""
    column = tf.feature_column
    return [
        column.categorical_column_with_hash_bucket(name, WORDS)
        if number % 2
        else column.categorical_column_with_vocabulary_list(name, list(vocabulary))
        for number, name in enumerate(names)
    ]


def one_word(random, batch):
    """Returns the words of a batch, one per example."""
    return vocabulary[random.randint(0, WORDS, (batch, 1))]


def several_words(random, batch):
    """Returns the words of a batch, one to five per example."""
    counts = random.randint(1, LONGEST + 1, batch)
    rows = np.repeat(np.arange(batch), counts)
    places = np.concatenate([np.arange(count) for count in counts])
    words = vocabulary[random.randint(0, WORDS, len(rows))]
    return tf.SparseTensorValue(np.stack([rows, places], 1), words, (batch, LONGEST))


def measure(name, batch, bags=False):
    """Builds a model and times its training step."""
    random = np.random.RandomState(0)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        names = ["feature%d" % i for i in range(COLUMNS)]
        if bags:
            features = {n: tf.sparse_placeholder(tf.string, name=n) for n in names}
        else:
            features = {n: tf.placeholder(tf.string, [None, 1], name=n) for n in names}
        labels = tf.placeholder(tf.float32, [None, 1])
        columns = columns_of(names)
        embedded = [tf.feature_column.embedding_column(c, 8) for c in columns]
        with tf.variable_scope("linear"):
            logits = tf.feature_column.linear_model(features, columns)
        with tf.variable_scope("deep"):
            hidden = tf.feature_column.input_layer(features, embedded)
            for units in (100, 50):
                hidden = tf.layers.dense(hidden, units, tf.nn.relu)
            logits += tf.layers.dense(hidden, 1)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
        train_step = tf.group(
            tf.train.FtrlOptimizer(0.1).minimize(loss, var_list=tf.trainable_variables("linear")),
            tf.train.AdagradOptimizer(0.05).minimize(loss, var_list=tf.trainable_variables("deep")),
        )
        draw = several_words if bags else one_word
        feeds = []
        for _ in range(BATCHES):
            feed = {features[n]: draw(random, batch) for n in names}
            feed[labels] = random.randint(0, 2, (batch, 1)).astype(np.float32)
            feeds.append(feed)
        following = itertools.cycle(feeds)
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for _ in range(16):
            session.run([train_step, loss], next(following))
        timing.measure(
            lambda: session.run([train_step, loss], next(following)),
            name,
            check=lambda: session.run(loss, feeds[0]),
        )


measure("batch 512", 512)
measure("batch 64", 64)
measure("batch 4096", 4096)
measure("bags, batch 512", 512, bags=True)
