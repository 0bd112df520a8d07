
# case: a language model, unrolled
tf.set_random_seed(7)
batch, steps, vocabulary, size = 4, 5, 11, 6
words = tf.placeholder(tf.int32, [batch, steps])
targets = tf.placeholder(tf.int32, [batch, steps])
with tf.variable_scope("model", initializer=tf.random_uniform_initializer(-0.3, 0.3)):
    make = lambda: tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(size, forget_bias=0.0), output_keep_prob=0.8)
    cell = tf.nn.rnn_cell.MultiRNNCell([make() for _ in range(2)])
    start = cell.zero_state(batch, tf.float32)
    inputs = tf.nn.embedding_lookup(tf.get_variable("embedding", [vocabulary, size]), words)
    state, outputs = start, []
    with tf.variable_scope("RNN"):
        for t in range(steps):
            if t > 0:
                tf.get_variable_scope().reuse_variables()
            output, state = cell(inputs[:, t, :], state)
            outputs.append(output)
    flat = tf.reshape(tf.concat(outputs, 1), [-1, size])
    logits = tf.matmul(flat, tf.get_variable("w", [size, vocabulary])) + tf.get_variable("b", [vocabulary])
loss = tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(targets, [-1]), logits=logits)) / batch
variables = tf.trainable_variables()
grads, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 2.0)
train = tf.train.GradientDescentOptimizer(0.7).apply_gradients(zip(grads, variables))
show([v.name for v in variables])
text = np.random.RandomState(0).randint(0, vocabulary, [batch, 26])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    value = session.run(start)
    for i in range(5):
        feeds = {words: text[:, i * steps:(i + 1) * steps], targets: text[:, i * steps + 1:(i + 1) * steps + 1], start: value}
        cost, value, n, _ = session.run([loss, state, norm, train], feeds)
        print("%.3f %.2f" % (cost, n))
# case: a tagger with a dynamic network of both directions
tf.set_random_seed(7)
x = tf.placeholder(tf.int32, [None, None])
y = tf.placeholder(tf.int32, [None, None])
n = tf.reduce_sum(tf.sign(x), 1)
embedded = tf.nn.embedding_lookup(tf.get_variable("embedding", [9, 5]), x)
(fw, bw), _ = tf.nn.bidirectional_dynamic_rnn(tf.nn.rnn_cell.LSTMCell(4), tf.nn.rnn_cell.GRUCell(3), embedded, n, dtype=tf.float32)
logits = tf.layers.dense(tf.concat([fw, bw], 2), 3)
losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
mask = tf.sequence_mask(n, tf.shape(x)[1], tf.float32)
loss = tf.reduce_sum(losses * mask) / tf.reduce_sum(mask)
train = tf.train.AdamOptimizer(0.05).minimize(loss)
random = np.random.RandomState(1)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(5):
        length = 3 + i % 2
        rows = random.randint(1, 9, [4, length])
        for row, keep in zip(rows, random.randint(1, length + 1, 4)):
            row[keep:] = 0
        print("%.3f" % session.run([loss, train], {x: rows, y: rows % 3})[0])
# case: a classifier over residual layers with variational dropout
tf.set_random_seed(7)
x = tf.placeholder(tf.float32, [None, 6, 4])
y = tf.placeholder(tf.float32, [None, 1])
make = lambda: tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(4), 0.9, 0.8, 0.9, variational_recurrent=True, input_size=4, dtype=tf.float32))
outputs, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.MultiRNNCell([make(), make()]), x, dtype=tf.float32)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=tf.layers.dense(state[-1], 1)))
train = tf.train.RMSPropOptimizer(0.01).minimize(loss)
random = np.random.RandomState(1)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(4):
        rows = random.randn(8, 6, 4)
        print("%.3f" % session.run([loss, train], {x: rows, y: (rows.sum((1, 2)) > 0)[:, None]})[0])
# case: a fused layer in training
tf.set_random_seed(7)
x = tf.placeholder(tf.float32, [6, None, 4])
outputs, state = tf.contrib.rnn.LSTMBlockFusedCell(5)(x, dtype=tf.float32)
loss = tf.reduce_mean(tf.square(tf.layers.dense(state.h, 1) - tf.reduce_mean(x, [0, 2])[:, None]))
train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
random = np.random.RandomState(1)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(4):
        print("%.4f" % session.run([loss, train], {x: random.randn(6, 8, 4)})[0])
