"""The models of the tutorials on sequences, small; runs in TensorFlow 1.15.5 and in Headwater.

Each function builds a model in the default graph of the TensorFlow that it is given, trains it and
returns what it computed, as lists of numbers.
"""

import numpy as np

STEPS = 20


def text_of(words, length, seed):
    """A text in which two words follow each word, one of them more often."""
    random = np.random.RandomState(seed)
    following = random.randint(0, words, (words, 2))
    text = [0]
    while len(text) < length:
        text.append(following[text[-1], int(random.rand() < 0.3)])
    return np.array(text, np.int32)


def batches_of(text, batch, steps):
    """Pairs (inputs, targets) that follow each other in each row."""
    length = len(text) // batch
    rows = text[: batch * length].reshape(batch, length)
    for i in range((length - 1) // steps):
        part = rows[:, i * steps : (i + 1) * steps + 1]
        yield part[:, :-1], part[:, 1:]


def language_model(tf, unrolled):
    """Two layers of LSTM over words, with carried state, clipped gradients, rate decay."""
    batch, steps, words, size = 5, 7, 40, 16
    tf.set_random_seed(11)
    inputs = tf.placeholder(tf.int32, [batch, steps])
    targets = tf.placeholder(tf.int32, [batch, steps])
    with tf.variable_scope("Model", initializer=tf.random_uniform_initializer(-0.2, 0.2)):
        cell = tf.nn.rnn_cell.MultiRNNCell(
            [
                tf.nn.rnn_cell.DropoutWrapper(
                    tf.nn.rnn_cell.BasicLSTMCell(size, forget_bias=0.0), output_keep_prob=0.9
                )
                for _ in range(2)
            ]
        )
        start = cell.zero_state(batch, tf.float32)
        embedding = tf.get_variable("embedding", [words, size])
        embedded = tf.nn.dropout(tf.nn.embedding_lookup(embedding, inputs), 0.9)
        softmax_w = tf.get_variable("softmax_w", [size, words])
        softmax_b = tf.get_variable("softmax_b", [words])
        if unrolled:
            parts = tf.unstack(embedded, num=steps, axis=1)
            outputs, last = tf.nn.static_rnn(cell, parts, initial_state=start)
            flat = tf.reshape(tf.concat(outputs, 1), [-1, size])
            losses = tf.contrib.legacy_seq2seq.sequence_loss_by_example(
                [tf.matmul(flat, softmax_w) + softmax_b],
                [tf.reshape(targets, [-1])],
                [tf.ones([batch * steps])],
            )
            cost = tf.reduce_sum(losses) / batch
        else:
            # One step at a time, so that TensorFlow draws the numbers of dropout in order.
            outputs, last = tf.nn.dynamic_rnn(
                cell, embedded, initial_state=start, parallel_iterations=1
            )
            flat = tf.reshape(outputs, [-1, size])
            logits = tf.reshape(tf.matmul(flat, softmax_w) + softmax_b, [batch, steps, words])
            losses = tf.contrib.seq2seq.sequence_loss(
                logits, targets, tf.ones([batch, steps]), average_across_timesteps=False
            )
            cost = tf.reduce_sum(losses)
    rate = tf.Variable(0.0, trainable=False)
    variables = tf.trainable_variables()
    gradients, norm = tf.clip_by_global_norm(tf.gradients(cost, variables), 5.0)
    optimizer = tf.train.GradientDescentOptimizer(rate)
    train = optimizer.apply_gradients(zip(gradients, variables))
    text = text_of(words, batch * (steps * STEPS + 1), 1)
    figures = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        state = session.run(start)
        for step, (x, y) in enumerate(batches_of(text, batch, steps)):
            session.run(tf.assign(rate, 1.0 * 0.9 ** max(step - 10, 0)))
            feeds = {inputs: x, targets: y}
            for layer, (c, h) in enumerate(start):
                feeds[c], feeds[h] = state[layer]
            loss, state, size_of_gradient, _ = session.run([cost, last, norm, train], feeds)
            figures.append([float(loss), float(size_of_gradient)])
    return figures


def unrolled_language_model(tf):
    """The language model with one copy of the cell per step."""
    return language_model(tf, True)


def looped_language_model(tf):
    """The language model with a loop."""
    return language_model(tf, False)


def translation(tf):
    """Attention, buckets and sampled softmax: the target is the source in reverse, shifted."""
    buckets, words, size, batch, samples = [(3, 5), (5, 7)], 30, 12, 6, 8
    pad, go, end, first = 0, 1, 2, 3
    tf.set_random_seed(5)
    s = tf.contrib.legacy_seq2seq
    encoder_inputs = [tf.placeholder(tf.int32, [None]) for _ in range(buckets[-1][0])]
    decoder_inputs = [tf.placeholder(tf.int32, [None]) for _ in range(buckets[-1][1] + 1)]
    weights = [tf.placeholder(tf.float32, [None]) for _ in range(buckets[-1][1] + 1)]
    targets = decoder_inputs[1:]
    w_t = tf.get_variable("proj_w", [words, size])
    b = tf.get_variable("proj_b", [words])
    projection = tf.transpose(w_t), b

    def sampled_loss(labels, logits):
        labels = tf.reshape(labels, [-1, 1])
        return tf.nn.sampled_softmax_loss(
            weights=w_t,
            biases=b,
            labels=labels,
            inputs=logits,
            num_sampled=samples,
            num_classes=words,
        )

    def model(x, y, feed_previous=False):
        cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(size) for _ in range(2)])
        return s.embedding_attention_seq2seq(
            x,
            y,
            cell,
            num_encoder_symbols=words,
            num_decoder_symbols=words,
            embedding_size=size,
            output_projection=projection,
            feed_previous=feed_previous,
        )

    with tf.variable_scope("seq2seq"):
        _, losses = s.model_with_buckets(
            encoder_inputs,
            decoder_inputs[:-1],
            targets,
            weights,
            buckets,
            model,
            softmax_loss_function=sampled_loss,
        )
    variables = tf.trainable_variables()
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    updates, norms = [], []
    for loss in losses:
        gradients, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 2.0)
        norms.append(norm)
        updates.append(optimizer.apply_gradients(zip(gradients, variables)))
    with tf.variable_scope("seq2seq", reuse=True):
        long_target = buckets[-1][1]
        decoded, _ = model(encoder_inputs, decoder_inputs[:long_target], feed_previous=True)
        greedy = [tf.argmax(tf.matmul(x, projection[0]) + b, 1) for x in decoded]

    random = np.random.RandomState(3)

    def feeds_of(source_length, target_length):
        sources = np.full((batch, source_length), pad)
        outputs = np.full((batch, target_length + 1), pad)
        outputs[:, 0] = go
        for source, output in zip(sources, outputs):
            sentence = random.randint(first, words, random.randint(1, source_length + 1))
            source[source_length - len(sentence) :] = sentence[::-1]
            output[1 : len(sentence) + 2] = list(
                (sentence + 1 - first) % (words - first) + first
            ) + [end]
        feeds = dict(zip(encoder_inputs, sources.T))
        for step in range(target_length + 1):
            feeds[decoder_inputs[step]] = outputs[:, step]
            counts = step < target_length
            feeds[weights[step]] = (
                (outputs[:, step + 1] != pad) * 1.0 if counts else outputs[:, 0] * 0.0
            )
        return feeds

    figures = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(STEPS):
            bucket = step % 3 % 2
            feeds = feeds_of(*buckets[bucket])
            loss, norm, _ = session.run([losses[bucket], norms[bucket], updates[bucket]], feeds)
            figures.append([float(loss), float(norm)])
        figures.append([float(x) for x in np.ravel(session.run(greedy, feeds_of(*buckets[-1])))])
    return figures


def characters(tf):
    """A model of characters with a decoder that can feed itself, which writes a text at the end."""
    batch, steps, words, size = 4, 9, 12, 14
    tf.set_random_seed(9)
    inputs = tf.placeholder(tf.int32, [None, steps])
    targets = tf.placeholder(tf.int32, [None, steps])
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(size) for _ in range(2)])
    start = cell.zero_state(tf.shape(inputs)[0], tf.float32)
    with tf.variable_scope("rnnlm"):
        softmax_w = tf.get_variable("softmax_w", [size, words])
        softmax_b = tf.get_variable("softmax_b", [words])
        embedding = tf.get_variable("embedding", [words, size])
    parts = tf.split(tf.nn.embedding_lookup(embedding, inputs), steps, 1)
    parts = [tf.squeeze(part, [1]) for part in parts]

    def most_likely(previous, _):
        previous = tf.matmul(previous, softmax_w) + softmax_b
        return tf.nn.embedding_lookup(embedding, tf.stop_gradient(tf.argmax(previous, 1)))

    decoder = tf.contrib.legacy_seq2seq.rnn_decoder
    outputs, last = decoder(parts, start, cell, scope="rnnlm")
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        written, _ = decoder(parts, start, cell, loop_function=most_likely, scope="rnnlm")
    logits = tf.matmul(tf.reshape(tf.concat(outputs, 1), [-1, size]), softmax_w) + softmax_b
    losses = tf.contrib.legacy_seq2seq.sequence_loss_by_example(
        [logits], [tf.reshape(targets, [-1])], [tf.ones([batch * steps])]
    )
    cost = tf.reduce_sum(losses) / batch / steps
    variables = tf.trainable_variables()
    gradients, norm = tf.clip_by_global_norm(tf.gradients(cost, variables), 5.0)
    train = tf.train.AdamOptimizer(0.01).apply_gradients(zip(gradients, variables))
    symbols = [tf.argmax(tf.matmul(x, softmax_w) + softmax_b, 1) for x in written]
    text = text_of(words, batch * (steps * STEPS + 1), 2)
    figures = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        state = None
        for x, y in batches_of(text, batch, steps):
            feeds = {inputs: x, targets: y}
            if state is not None:
                feeds.update(zip(start, state))
            loss, state, size_of_gradient, _ = session.run([cost, last, norm, train], feeds)
            figures.append([float(loss), float(size_of_gradient)])
        figures.append([float(v) for v in np.ravel(session.run(symbols, {inputs: [[3] * steps]}))])
    return figures


MODELS = {
    model.__name__: model
    for model in (unrolled_language_model, looped_language_model, translation, characters)
}
