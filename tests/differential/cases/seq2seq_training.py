
# case: translation with attention, trained
s = tf.contrib.seq2seq
tf.set_random_seed(5)
random = np.random.RandomState(2)
words, size, batch = 12, 8, 6
source = tf.placeholder(tf.int32, [None, None])
lengths = tf.placeholder(tf.int32, [None])
target = tf.placeholder(tf.int32, [None, None])
table = tf.get_variable("table", [words, size])
outputs, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(size), tf.nn.embedding_lookup(table, source), lengths, dtype=tf.float32)
projection = tf.layers.Dense(words, name="projection")
m = s.BahdanauAttention(size, outputs, lengths, normalize=True)
cell = s.AttentionWrapper(tf.nn.rnn_cell.GRUCell(size), m, size)
start = cell.zero_state(tf.shape(source)[0], tf.float32).clone(cell_state=state)
fed = tf.concat([tf.zeros_like(target[:, :1]), target[:, :-1]], 1)
helper = s.TrainingHelper(tf.nn.embedding_lookup(table, fed), lengths)
with tf.variable_scope("decode"):
    decoded, _, _ = s.dynamic_decode(s.BasicDecoder(cell, helper, start, projection), impute_finished=True)
logits = decoded.rnn_output
cross = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target[:, :tf.shape(logits)[1]], logits=logits)
mask = tf.sequence_mask(lengths, dtype=tf.float32)
loss = tf.reduce_sum(cross * mask) / tf.reduce_sum(mask)
variables = tf.trainable_variables()
grads, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 3.0)
train = tf.train.AdamOptimizer(0.02).apply_gradients(zip(grads, variables))
greedy = s.GreedyEmbeddingHelper(table, tf.zeros_like(lengths), 1)
with tf.variable_scope("decode", reuse=True):
    found, _, found_lengths = s.dynamic_decode(s.BasicDecoder(cell, greedy, start, projection), maximum_iterations=6)
show([v.name for v in variables])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(20):
        n = random.randint(1, 5, batch)
        n[0] = 4
        text = random.randint(2, words, [batch, 4])
        for row, end in zip(text, n):
            row[end:] = 1
        feeds = {source: text, lengths: n, target: text[:, ::-1] if i < 0 else text}
        print("%.4f %.3f" % tuple(session.run([loss, norm, train], feeds)[:2]))
    show(session.run([found.sample_id, found_lengths], feeds))
# case: scheduled sampling, trained
s = tf.contrib.seq2seq
tf.set_random_seed(5)
random = np.random.RandomState(2)
x = tf.placeholder(tf.int32, [4, 5])
table = tf.get_variable("table", [9, 6])
inputs = tf.nn.embedding_lookup(table, x)
helper = s.ScheduledEmbeddingTrainingHelper(inputs, [5, 4, 3, 5], table, 0.4, seed=3, scheduling_seed=4)
cell = tf.nn.rnn_cell.BasicLSTMCell(6)
outputs, _, lengths = s.dynamic_decode(s.BasicDecoder(cell, helper, cell.zero_state(4, tf.float32), tf.layers.Dense(9)), parallel_iterations=1)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=x, logits=outputs.rnn_output))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(12):
        print("%.4f" % session.run([loss, train], {x: random.randint(0, 9, [4, 5])})[0])
# case: monotonic attention over two layers, trained
s = tf.contrib.seq2seq
tf.set_random_seed(5)
random = np.random.RandomState(2)
memory = tf.placeholder(tf.float32, [3, None, 4])
x = tf.placeholder(tf.float32, [3, None, 2])
m = [s.LuongMonotonicAttention(6, memory, [3, 2, 4], scale=True, sigmoid_noise=1.0, sigmoid_noise_seed=2), s.LuongAttention(6, memory, [3, 2, 4])]
inner = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(5), tf.nn.rnn_cell.GRUCell(6)])
cell = s.AttentionWrapper(inner, m, [3, 4], alignment_history=True)
outputs, state, _ = s.dynamic_decode(s.BasicDecoder(cell, s.TrainingHelper(x, [4, 4, 3]), cell.zero_state(3, tf.float32)), parallel_iterations=1)
loss = tf.reduce_mean(tf.square(outputs.rnn_output - 0.5)) + 0.1 * tf.reduce_mean(tf.square(state.alignment_history[0].stack()))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
a, b = random.randn(3, 4, 4), random.randn(3, 4, 2)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(12):
        print("%.4f" % session.run([loss, train], {memory: a, x: b})[0])
