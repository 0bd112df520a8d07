
# case: nodes of a dynamic network
x = tf.placeholder(tf.float32, [None, None, 3], name="x")
show(tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicRNNCell(4), x, dtype=tf.float32))
nodes()
# case: nodes with lengths
x = tf.placeholder(tf.float32, [2, 5, 3], name="x")
n = tf.placeholder(tf.int64, [None], name="n")
show(tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(4), x, n, dtype=tf.float32))
nodes()
# case: nodes of a time-major network
x = tf.placeholder(tf.float32, [5, 2, 3], name="x")
cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(4), tf.nn.rnn_cell.GRUCell(2)])
show(tf.nn.dynamic_rnn(cell, x, initial_state=(tf.zeros([2, 4]), tf.zeros([2, 2])), time_major=True, swap_memory=True, parallel_iterations=7, scope="net"))
nodes()
# case: nodes of both directions
x = tf.placeholder(tf.float32, [2, None, 3], name="x")
make = tf.nn.rnn_cell.GRUCell
show(tf.nn.bidirectional_dynamic_rnn(make(4), make(5), x, dtype=tf.float32))
show(tf.nn.bidirectional_dynamic_rnn(make(4), make(5), x, sequence_length=[3, 4], dtype=tf.float32, scope="s"))
nodes()
# case: values of dynamic networks
tf.set_random_seed(2)
rows = np.linspace(-1, 1, 24).reshape(2, 4, 3).astype("f")
x = tf.placeholder(tf.float32, [None, None, 3])
n = tf.placeholder(tf.int32, [None])
cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(3), tf.nn.rnn_cell.GRUCell(2)])
results = []
for keywords in ({}, {"sequence_length": n}):
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, **keywords)
    results.append([outputs, state, tf.gradients([outputs, state[0].c], [x] + tf.trainable_variables())])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for lengths in ([4, 2], [1, 3], [0, 0]):
        show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run(results, {x: rows, n: lengths})))
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run(results, {x: rows[:, :2], n: [2, 1]})))
# case: values of both directions
tf.set_random_seed(2)
x = tf.constant(np.linspace(-1, 1, 24).reshape(2, 4, 3).astype("f"))
make = tf.nn.rnn_cell.BasicLSTMCell
outputs, states = tf.nn.bidirectional_dynamic_rnn(make(4), make(3), x, sequence_length=tf.constant([4, 2], tf.int64), dtype=tf.float32)
loss = tf.add_n([tf.reduce_sum(tf.square(o)) for o in outputs])
grads = tf.gradients(loss, [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([outputs, states, grads])))
# case: nested inputs and outputs
class Pair(tf.nn.rnn_cell.RNNCell):
    state_size = (3, (2, tf.TensorShape([1, 2])))
    output_size = (3, tf.TensorShape([2, 1]))
    def __call__(self, inputs, state, scope=None):
        a, b = inputs
        c, (d, e) = state
        return (a + c, b[:, :, None]), (c + a, (d * b, e + 1))
x = (tf.ones([2, 4, 3]), tf.ones([2, 4, 2]))
for keywords in ({}, {"sequence_length": [4, 1]}):
    outputs, state = tf.nn.dynamic_rnn(Pair(), x, dtype=tf.float32, **keywords)
    show(outputs, state)
    with tf.Session() as session:
        show(session.run([outputs, state]))
# case: a wrong number of lengths
x = tf.placeholder(tf.float32, [None, 3, 2])
n = tf.placeholder(tf.int32, [None], name="n")
outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), x, n, dtype=tf.float32)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(outputs, {x: np.ones([2, 3, 2]), n: [1, 2, 3]})
# case: errors of dynamic networks
c = tf.nn.rnn_cell.GRUCell(3)
for call in (
    lambda: tf.nn.dynamic_rnn(3, tf.ones([2, 3, 4])),
    lambda: tf.nn.dynamic_rnn(c, tf.ones([2, 3, 4])),
    lambda: tf.nn.dynamic_rnn(c, tf.ones([2, 3, 4]), sequence_length=3, dtype=tf.float32),
    lambda: tf.nn.dynamic_rnn(c, [tf.ones([2, 3, 4]), tf.ones([2, 4, 4])], dtype=tf.float32),
    lambda: tf.nn.dynamic_rnn(c, [tf.ones([2, 3, 4]), tf.ones([3, 3, 4])], dtype=tf.float32),
    lambda: tf.nn.dynamic_rnn(c, tf.placeholder(tf.float32, [2, 3, None]), dtype=tf.float32),
    lambda: tf.nn.dynamic_rnn(c, tf.ones([2, 3]), dtype=tf.float32),
    lambda: tf.nn.dynamic_rnn(c, tf.ones([2]), dtype=tf.float32),
    lambda: tf.nn.raw_rnn(c, 3),
    lambda: tf.nn.raw_rnn(3, 3),
    lambda: tf.nn.bidirectional_dynamic_rnn(c, 3, tf.ones([2, 3, 4]), dtype=tf.float32),
    lambda: tf.nn.bidirectional_dynamic_rnn(3, c, tf.ones([2, 3, 4]), dtype=tf.float32),
):
    try:
        show(call())
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)
# case: nodes of raw_rnn
steps, rows, depth = 4, 2, 3
x = tf.ones([steps, rows, depth])
arrays = tf.TensorArray(tf.float32, steps).unstack(x)
cell = tf.nn.rnn_cell.GRUCell(4)
def loop_fn(time, cell_output, cell_state, loop_state):
    state = cell.zero_state(rows, tf.float32) if cell_output is None else cell_state
    finished = time >= tf.constant([4, 2])
    done = tf.reduce_all(finished)
    next_input = tf.cond(done, lambda: tf.zeros([rows, depth]), lambda: arrays.read(time))
    return finished, next_input, state, cell_output, None
emitted, state, loop_state = tf.nn.raw_rnn(cell, loop_fn)
outputs = emitted.stack()
show(outputs, state, loop_state)
nodes()
with tf.Session() as session:
    session.run([v.assign(tf.ones_like(v) * 0.1) for v in tf.global_variables()])
    show(tf.nest.map_structure(lambda a: np.round(a, 4), session.run([outputs, state])))
# case: raw_rnn with emissions and a loop state
cell = tf.nn.rnn_cell.BasicLSTMCell(2)
def loop_fn(time, cell_output, cell_state, loop_state):
    if cell_output is None:
        return tf.zeros([3], tf.bool), tf.ones([3, 2]), cell.zero_state(3, tf.float32), (tf.zeros([5]), tf.zeros([], tf.int32)), (tf.constant(1), tf.constant(2.0))
    count, value = loop_state
    emit = (tf.ones([3, 5]) * tf.cast(time, tf.float32), tf.range(3) * time)
    return time >= tf.constant([1, 3, 2]), cell_output, cell_state, emit, (count + 1, value * 2)
emitted, state, loop_state = tf.nn.raw_rnn(cell, loop_fn)
results = [tf.nest.map_structure(lambda a: a.stack(), emitted), state, loop_state]
show(results)
with tf.Session() as session:
    session.run([v.assign(tf.ones_like(v) * 0.1) for v in tf.global_variables()])
    show(tf.nest.map_structure(lambda a: np.round(a, 4), session.run(results)))
# case: a dynamic stack of both directions
x = tf.placeholder(tf.float32, [2, 4, 3], name="x")
make = tf.nn.rnn_cell.GRUCell
outputs, fw, bw = tf.contrib.rnn.stack_bidirectional_dynamic_rnn([make(4), make(3)], [make(5), make(2)], x, dtype=tf.float32)
show(outputs, fw, bw, [v.name for v in tf.global_variables()])
