# case: scores
x = np.random.RandomState(0).randn(3, 4, 3).astype("f")
t = np.random.RandomState(1).randn(3, 3).astype("f")
for tags in (
    np.array([[0, 2, 1, 1], [1, 0, 0, 2], [2, 1, 0, 0]], "i"),
    np.array([[0, 2, 1, 1], [1, 0, 0, 2], [2, 1, 0, 0]], "l"),
):
    for ends in (np.array([4, 2, 1], "i"), np.array([3, 0, 1], "l")):
        with tf.Graph().as_default(), tf.Session() as s:
            lengths, y = tf.constant(ends), tf.constant(tags)
            for f in (
                lambda: tf.contrib.crf.crf_sequence_score(
                    tf.constant(x), y, lengths, tf.constant(t)
                ),
                lambda: tf.contrib.crf.crf_unary_score(y, lengths, tf.constant(x)),
                lambda: tf.contrib.crf.crf_binary_score(y, lengths, tf.constant(t)),
                lambda: tf.contrib.crf.crf_log_norm(tf.constant(x), lengths, tf.constant(t)),
                lambda: tf.contrib.crf.crf_multitag_sequence_score(
                    x, x > -0.5, lengths, tf.constant(t)
                ),
                lambda: tf.contrib.crf.crf_log_likelihood(
                    tf.constant(x), y, lengths, tf.constant(t)
                )[0],
                lambda: tf.contrib.crf.crf_decode(tf.constant(x), tf.constant(t), lengths),
            ):
                show(s.run(f()))
# case: sequences of one step
x = np.random.RandomState(0).randn(2, 1, 3).astype("f")
t = np.random.RandomState(1).randn(3, 3).astype("f")
tags, lengths = np.array([[2], [0]], "i"), tf.constant([1, 0])
with tf.Session() as s:
    for f in (
        lambda: tf.contrib.crf.crf_sequence_score(tf.constant(x), tags, lengths, tf.constant(t)),
        lambda: tf.contrib.crf.crf_log_norm(tf.constant(x), lengths, tf.constant(t)),
        lambda: tf.contrib.crf.crf_multitag_sequence_score(x, x > -0.5, lengths, tf.constant(t)),
        lambda: tf.contrib.crf.crf_log_likelihood(tf.constant(x), tags, lengths, tf.constant(t))[0],
        lambda: tf.contrib.crf.crf_decode(tf.constant(x), tf.constant(t), lengths),
    ):
        show(s.run(f()))
# case: sequences of unknown length
px, pt, pl = (
    tf.placeholder(tf.float32, [None, None, 3]),
    tf.placeholder(tf.int32, [None, None]),
    tf.placeholder(tf.int32, [None]),
)
t = tf.constant(np.random.RandomState(1).randn(3, 3).astype("f"))
like = tf.contrib.crf.crf_log_likelihood(px, pt, pl, t)[0]
tags, best = tf.contrib.crf.crf_decode(px, t, pl)
show(tags.dtype, tags.shape, best.shape)
with tf.Session() as s:
    for steps in (4, 1, 3, 1, 4):
        rng = np.random.RandomState(steps)
        feed = {
            px: rng.randn(2, steps, 3),
            pt: rng.randint(3, size=[2, steps]),
            pl: [steps, max(1, steps - 1)],
        }
        show(s.run([like, tags, best], feed))
# case: training
rng = np.random.RandomState(3)
x, y = rng.randn(5, 6, 4).astype("f"), tf.constant(rng.randint(3, size=[5, 6]).astype("i"))
w = tf.get_variable("w", initializer=tf.constant(rng.randn(4, 3).astype("f")))
scores = tf.reshape(tf.matmul(tf.reshape(x, [-1, 4]), w), [5, 6, 3])
with tf.variable_scope("crf", initializer=tf.constant_initializer(0.1)):
    like, trans = tf.contrib.crf.crf_log_likelihood(scores, y, tf.constant([6, 5, 4, 3, 2]))
show(trans.name, [v.name for v in tf.trainable_variables()])
loss = tf.reduce_mean(-like)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    for _ in range(5):
        show(s.run([loss, train])[0])
    show(s.run([w, trans]))
    show(tf.contrib.crf.viterbi_decode(s.run(scores)[0], s.run(trans)))
# case: cells
t = tf.constant(np.arange(9.0).reshape(3, 3), tf.float32)
for cell, dtype in (
    (tf.contrib.crf.CrfForwardRnnCell(t), "f"),
    (tf.contrib.crf.CrfDecodeForwardRnnCell(t), "f"),
    (tf.contrib.crf.CrfDecodeBackwardRnnCell(3), "i"),
):
    show(cell.state_size, cell.output_size)
    state = np.ones([2, cell.state_size], dtype)
    out, new = cell(tf.constant(np.arange(6).reshape(2, 3).astype(dtype)), tf.constant(state))
    with tf.Session() as s:
        show(s.run([out, new]))
