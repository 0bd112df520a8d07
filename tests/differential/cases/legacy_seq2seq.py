# case: a decoder and its loop function
cell = tf.nn.rnn_cell.BasicRNNCell(3)
xs = [tf.placeholder(tf.float32, [2, 3], name="x%d" % i) for i in range(3)]
show(tf.contrib.legacy_seq2seq.rnn_decoder(xs, tf.zeros([2, 3]), cell, loop_function=lambda previous, i: previous * float(i)))
nodes()
# case: an encoder and a decoder
s = tf.contrib.legacy_seq2seq
cell = tf.nn.rnn_cell.GRUCell(2)
xs = [tf.placeholder(tf.float32, [None, 3], name="x%d" % i) for i in range(2)]
show(s.basic_rnn_seq2seq(xs, xs, cell))
show(cell.built, [v.name for v in tf.global_variables()])
nodes()
# case: an encoder and a decoder with the same variables
s = tf.contrib.legacy_seq2seq
xs = [tf.placeholder(tf.float64, [None, 3], name="x%d" % i) for i in range(2)]
show(s.tied_rnn_seq2seq(xs, xs, tf.nn.rnn_cell.BasicRNNCell(3), loop_function=lambda previous, i: previous, dtype=tf.float64, scope="s"))
show([v.name for v in tf.global_variables()])
nodes()
# case: a decoder of embedded symbols
s = tf.contrib.legacy_seq2seq
ids = [tf.placeholder(tf.int32, [None], name="id%d" % i) for i in range(2)]
show(s.embedding_rnn_decoder(ids, tf.zeros([2, 2]), tf.nn.rnn_cell.BasicRNNCell(2), 4, 3))
with tf.variable_scope("again"):
    show(s.embedding_rnn_decoder(ids, tf.zeros([2, 2]), tf.nn.rnn_cell.BasicRNNCell(2), 4, 3, feed_previous=True))
projection = np.ones([2, 4]), np.ones([4])
show(s.embedding_rnn_decoder(ids, tf.zeros([2, 2]), tf.nn.rnn_cell.BasicRNNCell(2), 4, 3, output_projection=projection, feed_previous=True, update_embedding_for_previous=False, scope="named"))
nodes()
# case: symbols to symbols
s = tf.contrib.legacy_seq2seq
ids = [tf.placeholder(tf.int32, [None], name="id%d" % i) for i in range(2)]
cell = tf.nn.rnn_cell.BasicRNNCell(2)
show(s.embedding_rnn_seq2seq(ids, ids, cell, 3, 4, 3))
show([v.name for v in cell.weights])
nodes()
# case: symbols to symbols, fed by a tensor
s = tf.contrib.legacy_seq2seq
ids = [tf.placeholder(tf.int32, [2], name="id%d" % i) for i in range(2)]
feed = tf.placeholder(tf.bool, [])
show(s.embedding_rnn_seq2seq(ids, ids, tf.nn.rnn_cell.BasicLSTMCell(2), 3, 4, 3, feed_previous=feed, dtype=tf.float64))
nodes()
# case: symbols to symbols with the same variables
s = tf.contrib.legacy_seq2seq
ids = [tf.placeholder(tf.int32, [None], name="id%d" % i) for i in range(2)]
show(s.embedding_tied_rnn_seq2seq(ids, ids, tf.nn.rnn_cell.BasicRNNCell(2), 4, 3, num_decoder_symbols=3))
nodes()
# case: symbols to symbols with the same variables, fed by a tensor
s = tf.contrib.legacy_seq2seq
ids = [tf.placeholder(tf.int32, [None], name="id%d" % i) for i in range(2)]
feed = tf.placeholder(tf.bool, [])
show(s.embedding_tied_rnn_seq2seq(ids, ids, tf.nn.rnn_cell.BasicLSTMCell(2), 4, 3, feed_previous=feed))
show([op.name for op in tf.get_default_graph().get_operations() if op.type in ("Merge", "MatMul", "GatherV2", "StopGradient", "VariableV2")])
# case: attention
s = tf.contrib.legacy_seq2seq
xs = [tf.placeholder(tf.float32, [None, 3], name="x%d" % i) for i in range(2)]
states = tf.placeholder(tf.float32, [None, None, 4])
show(s.attention_decoder(xs, tf.zeros([2, 2]), states, tf.nn.rnn_cell.BasicRNNCell(2)))
nodes()
# case: attention of two heads from the first step on
s = tf.contrib.legacy_seq2seq
xs = [tf.placeholder(tf.float64, [2, 3], name="x%d" % i) for i in range(2)]
cell = tf.nn.rnn_cell.BasicLSTMCell(2)
show(s.attention_decoder(xs, cell.zero_state(2, tf.float64), tf.ones([2, 5, 4], tf.float64), cell, output_size=3, num_heads=2, loop_function=lambda previous, i: previous, dtype=tf.float64, initial_state_attention=True))
nodes()
# case: attention around a cell that enters scopes
class Odd(tf.nn.rnn_cell.RNNCell):
    state_size = output_size = 2
    def __call__(self, inputs, state, scope=None):
        with tf.variable_scope(tf.get_variable_scope()):
            return inputs, tf.identity(state, name="here")
s = tf.contrib.legacy_seq2seq
s.attention_decoder([tf.ones([2, 3])] * 3, tf.ones([2, 2]), tf.ones([2, 3, 3]), Odd(), output_size=2)
show([op.name for op in tf.get_default_graph().get_operations() if op.type in ("Identity", "MatMul")])
# case: a projection before a projection
C = tf.contrib.rnn
cell = C.InputProjectionWrapper(C.OutputProjectionWrapper(C.BasicRNNCell(2), 3), 4)
C.static_rnn(cell, [tf.ones([2, 3])] * 2, dtype=tf.float32)
show([op.name for op in tf.get_default_graph().get_operations() if op.type == "MatMul"])
# case: symbols to symbols with attention
s = tf.contrib.legacy_seq2seq
ids = [tf.placeholder(tf.int32, [None], name="id%d" % i) for i in range(2)]
show(s.embedding_attention_seq2seq(ids, ids, tf.nn.rnn_cell.BasicRNNCell(2), 3, 4, 3))
projection = tf.ones([2, 4]), tf.ones([4])
show(s.embedding_attention_seq2seq(ids, ids, tf.nn.rnn_cell.BasicRNNCell(2), 3, 4, 3, num_heads=2, output_projection=projection, feed_previous=True, scope="s"))
nodes()
# case: symbols to symbols with attention, fed by a tensor
s = tf.contrib.legacy_seq2seq
ids = [tf.placeholder(tf.int32, [2], name="id%d" % i) for i in range(2)]
feed = tf.placeholder(tf.bool, [])
cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(2), tf.nn.rnn_cell.GRUCell(2)])
show(s.embedding_attention_seq2seq(ids, ids, cell, 3, 4, 3, feed_previous=feed))
show([op.name for op in tf.get_default_graph().get_operations() if op.type in ("Merge", "MatMul", "GatherV2", "StopGradient", "VariableV2")])
# case: one encoder and several decoders
s = tf.contrib.legacy_seq2seq
ids = [tf.placeholder(tf.int32, [2], name="id%d" % i) for i in range(2)]
make = tf.nn.rnn_cell.BasicRNNCell
cell = make(2)
cells = {"a": make(2), "b": make(2)}
show(s.one2many_rnn_seq2seq(ids, {"a": ids, "b": ids[:1]}, cell, cells, 3, {"a": 4, "b": 5}, 3))
show([len(c.weights) for c in (cell, cells["a"], cells["b"])])
cells = {"a": make(2), "b": make(2)}
feed = tf.placeholder(tf.bool, [])
show(s.one2many_rnn_seq2seq(ids, {"a": ids, "b": ids[:1]}, make(2), cells, 3, {"a": 4, "b": 5}, 3, feed_previous=feed, scope="s"))
show([op.name for op in tf.get_default_graph().get_operations() if op.type in ("Merge", "MatMul", "GatherV2", "StopGradient", "VariableV2")])
# case: losses of sequences
s = tf.contrib.legacy_seq2seq
logits = [tf.placeholder(tf.float32, [None, 5]) for _ in range(2)]
targets = [tf.placeholder(tf.int32, [None]) for _ in range(2)]
weights = [tf.placeholder(tf.float32, [None]) for _ in range(2)]
show(s.sequence_loss_by_example(logits, targets, weights))
loss = lambda labels, logits: tf.reduce_sum(logits, 1) * tf.to_float(labels)
show(s.sequence_loss_by_example(logits, targets, weights, average_across_timesteps=False, softmax_loss_function=loss, name="n"))
show(s.sequence_loss(logits, targets, weights))
show(s.sequence_loss(logits[:1], targets[:1], weights[:1], average_across_batch=False, name="q"))
nodes()
# case: values of losses
s = tf.contrib.legacy_seq2seq
logits = [tf.constant(np.arange(10.0).reshape(2, 5) * 0.3 * (i - 1), tf.float32) for i in range(3)]
targets = [tf.constant([i, 4 - i]) for i in range(3)]
weights = [tf.constant([1.0, 0.5 * i]) for i in range(3)]
with tf.Session() as session:
    show(session.run(s.sequence_loss_by_example(logits, targets, weights)))
    for steps in (True, False):
        for batch in (True, False):
            show(session.run(s.sequence_loss(logits, targets, weights, steps, batch)))
# case: different numbers of logits, targets and weights
tf.contrib.legacy_seq2seq.sequence_loss_by_example([1.0], [], [2.0, 3.0])
# case: no logits
tf.contrib.legacy_seq2seq.sequence_loss([], [], [])
# case: buckets
s = tf.contrib.legacy_seq2seq
ids = lambda n: [tf.placeholder(tf.int32, [None], name="%s%d" % (n, i)) for i in range(3)]
weights = [tf.placeholder(tf.float32, [None], name="w%d" % i) for i in range(3)]
def model(x, y):
    return s.embedding_rnn_seq2seq(x, y, tf.nn.rnn_cell.BasicRNNCell(2), 3, 4, 2)
with tf.variable_scope("root"):
    show(s.model_with_buckets(ids("e"), ids("d"), ids("t"), weights, [(1, 1), (2, 3)], model))
    show(tf.get_variable_scope().reuse)
show([v.name for v in tf.global_variables()])
nodes()
# case: buckets with the losses of examples
s = tf.contrib.legacy_seq2seq
xs = [tf.placeholder(tf.float32, [None, 4]) for _ in range(2)]
targets = [tf.placeholder(tf.int32, [None]), 0]
show(s.model_with_buckets(xs, xs, targets, [tf.ones([3])] * 2, [(1, 1), (1, 2)], lambda x, y: (y, None), per_example_loss=True, name="n"))
nodes()
# case: too few inputs of the encoder for the last bucket
tf.contrib.legacy_seq2seq.model_with_buckets([1], [1], [1], [1], [(2, 1)], None)
# case: too few targets for the last bucket
tf.contrib.legacy_seq2seq.model_with_buckets([1], [1], [1], [1], [(1, 2)], None)
# case: too few weights for the last bucket
tf.contrib.legacy_seq2seq.model_with_buckets([1], [1], [1], [], [(1, 1)], None)
# case: no buckets
tf.contrib.legacy_seq2seq.model_with_buckets([1], [1], [1], [], [], None)
# case: attention without inputs
tf.contrib.legacy_seq2seq.attention_decoder([], None, None, None)
# case: attention without heads
tf.contrib.legacy_seq2seq.attention_decoder([1], None, None, None, num_heads=0)
# case: attention to states of unknown size
tf.contrib.legacy_seq2seq.attention_decoder([1], None, tf.placeholder(tf.float32, [2, 3, None]), None)
# case: attention to a matrix
tf.contrib.legacy_seq2seq.attention_decoder([1], None, tf.ones([2, 3]), None)
# case: attention with inputs of unknown size
cell = tf.nn.rnn_cell.GRUCell(2)
tf.contrib.legacy_seq2seq.attention_decoder([tf.placeholder(tf.float32, [2, None])], tf.ones([2, 2]), tf.ones([2, 3, 4]), cell)
# case: a projection with biases of another number
cell = tf.nn.rnn_cell.GRUCell(2)
tf.contrib.legacy_seq2seq.embedding_rnn_decoder([], None, cell, 4, 3, output_projection=(tf.ones([2, 4]), tf.ones([5])))
# case: a projection with weights of another number
cell = tf.nn.rnn_cell.GRUCell(2)
tf.contrib.legacy_seq2seq.embedding_tied_rnn_seq2seq([], [], cell, 4, 3, 3, output_projection=(tf.ones([2, 3]), tf.ones([3])))
# case: a projection of another type
cell = tf.nn.rnn_cell.GRUCell(2)
tf.contrib.legacy_seq2seq.embedding_attention_decoder([], None, None, cell, 4, 3, output_projection=(None, tf.ones([4], tf.float64)))
# case: projections that are arrays
s = tf.contrib.legacy_seq2seq
ids = [tf.placeholder(tf.int32, [None]) for _ in range(2)]
make = lambda: tf.nn.rnn_cell.BasicRNNCell(2)
projection = np.ones([2, 4], "f"), np.ones([4], "f")
s.embedding_attention_seq2seq(ids, ids, make(), 3, 4, 3, output_projection=projection, feed_previous=True)
s.embedding_attention_decoder(ids, tf.ones([2, 2]), tf.ones([2, 3, 3]), make(), 4, 3, output_projection=projection, feed_previous=True, dtype=tf.float32)
s.embedding_tied_rnn_seq2seq(ids, ids, make(), 4, 3, output_projection=projection, feed_previous=True)
show([op.name for op in tf.get_default_graph().get_operations() if op.type in ("Const", "BiasAdd") and "Init" not in op.name])
# case: no cell
tf.contrib.legacy_seq2seq.basic_rnn_seq2seq([tf.ones([2, 3])], [], 3)
# case: feed_previous ignores the inputs after the first step
s = tf.contrib.legacy_seq2seq
tf.set_random_seed(3)
ids = lambda *v: [tf.constant([i, i + 1]) for i in v]
for model in (s.embedding_rnn_seq2seq, s.embedding_attention_seq2seq):
    outputs = []
    for number, feed in enumerate((True, tf.constant(True), False, tf.constant(False))):
        with tf.variable_scope(model.__name__ + str(number), initializer=tf.random_uniform_initializer(-1, 1, seed=4)):
            outputs += [model(ids(1, 2), ids(*d), tf.nn.rnn_cell.BasicLSTMCell(3), 4, 5, 3, feed_previous=feed)[0] for d in ([0, 1, 2],)]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        show([[np.round(x, 4) for x in o] for o in session.run(outputs)])
# case: gradients reach the embedding by fed symbols
s = tf.contrib.legacy_seq2seq
ids = lambda *v: [tf.constant([i, i + 1]) for i in v]
for update in (True, False):
    with tf.variable_scope("u%s" % update, initializer=tf.random_uniform_initializer(-1, 1, seed=4)):
        outputs, _ = s.embedding_rnn_decoder(ids(0, 0, 0), tf.ones([2, 4]), tf.nn.rnn_cell.GRUCell(4), 4, 3, feed_previous=True, update_embedding_for_previous=update)
        embedding = tf.global_variables("u%s" % update)[0]
        gradient = tf.convert_to_tensor(tf.gradients(outputs, embedding)[0])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            show(embedding.name, np.round(session.run(gradient), 4))
