
# case: a static network
xs = [tf.placeholder(tf.float32, [2, 3], name="x%d" % i) for i in range(3)]
outputs, state = tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(4), xs, dtype=tf.float32)
show(outputs, state)
nodes()
# case: a static network of unknown batch size
xs = [tf.placeholder(tf.float32, [None, 3], name="x%d" % i) for i in range(2)]
show(tf.nn.static_rnn(tf.nn.rnn_cell.BasicRNNCell(4), xs, dtype=tf.float32))
ys = [tf.placeholder(tf.float32, [5, 3], name="y%d" % i) for i in range(2)]
with tf.variable_scope("other"):
    show(tf.nn.static_rnn(tf.nn.rnn_cell.BasicRNNCell(4), [xs[0], ys[1]], dtype=tf.float32))
show(tf.nn.static_rnn(tf.nn.rnn_cell.BasicRNNCell(4), xs, initial_state=tf.ones([2, 4]), scope="named"))
nodes()
# case: nested inputs and states
class Pair(tf.nn.rnn_cell.RNNCell):
    state_size = (3, (2, tf.TensorShape([1, 2])))
    output_size = (3, 2)
    def __call__(self, inputs, state, scope=None):
        a, b = inputs
        c, (d, e) = state
        return (a + c, b), (c + a, (d * b, e + 1))
xs = [(tf.ones([2, 3]) * i, tf.ones([2, 2])) for i in range(2)]
outputs, state = tf.nn.static_rnn(Pair(), xs, dtype=tf.float32)
show(outputs, state)
with tf.Session() as session:
    show(session.run([outputs, state]))
# case: values of a static network
tf.set_random_seed(2)
xs = [tf.constant(np.full([2, 3], 0.1 * i, "f")) for i in range(4)]
cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(3), tf.nn.rnn_cell.BasicLSTMCell(2)])
outputs, state = tf.nn.static_rnn(cell, xs, dtype=tf.float32)
loss = tf.add_n([tf.reduce_sum(o * o) for o in outputs])
grads = tf.gradients(loss, tf.trainable_variables() + xs)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 4), session.run([outputs, state, grads])))
show([v.name for v in tf.global_variables()])
# case: both directions
xs = [tf.placeholder(tf.float32, [None, 3], name="x%d" % i) for i in range(2)]
make = tf.nn.rnn_cell.GRUCell
show(tf.nn.static_bidirectional_rnn(make(4), make(5), xs, dtype=tf.float32))
show([v.name for v in tf.global_variables()])
show(tf.nn.static_bidirectional_rnn(make(4), make(5), xs, initial_state_fw=tf.ones([2, 4]), initial_state_bw=tf.zeros([2, 5]), scope="s"))
nodes()
# case: a state saver
class Saver(object):
    def __init__(self):
        self.saved = {}
    def state(self, name):
        return tf.ones([2, 4], name="state_" + name) if name != "h" else tf.zeros([2, 3])
    def save_state(self, name, value):
        self.saved[name] = value
        return tf.no_op(name="save_" + name)
xs = [tf.placeholder(tf.float32, [2, 3], name="x%d" % i) for i in range(2)]
saver = Saver()
show(tf.nn.static_state_saving_rnn(tf.nn.rnn_cell.GRUCell(4), xs, saver, "s"))
show(saver.saved)
saver = Saver()
cell = tf.nn.rnn_cell.LSTMCell(4, num_proj=3)
show(tf.nn.static_state_saving_rnn(cell, xs, saver, ("c", "h"), scope="t"))
show(saver.saved)
nodes()
# case: errors of a state saver
cell = tf.nn.rnn_cell.LSTMCell(4)
xs = [tf.ones([2, 3])]
for c, names in ((cell, "a"), (cell, ("a",)), (tf.nn.rnn_cell.GRUCell(4), ("a",)), (tf.nn.rnn_cell.MultiRNNCell([cell, tf.nn.rnn_cell.GRUCell(4)]), ("a", "b"))):
    try:
        tf.nn.static_state_saving_rnn(c, xs, None, names)
    except ValueError as error:
        print(error)
# case: errors of static networks
cell = tf.nn.rnn_cell.GRUCell(3)
for call in (
    lambda: tf.nn.static_rnn(3, [tf.ones([2, 3])], dtype=tf.float32),
    lambda: tf.nn.static_rnn(cell, tf.ones([2, 3]), dtype=tf.float32),
    lambda: tf.nn.static_rnn(cell, [], dtype=tf.float32),
    lambda: tf.nn.static_rnn(cell, [tf.ones([2, 3])]),
    lambda: tf.nn.static_rnn(cell, [tf.placeholder(tf.float32, [2, None])], dtype=tf.float32),
    lambda: tf.nn.static_rnn(cell, [tf.ones([2, 3]), tf.ones([3, 3])], dtype=tf.float32),
    lambda: tf.nn.static_rnn(cell, [tf.ones([2, 3])], dtype=tf.float32, sequence_length=3),
    lambda: tf.nn.static_rnn(cell, [tf.ones([2, 3])], dtype=tf.float32, sequence_length=[[3]]),
    lambda: tf.nn.static_bidirectional_rnn(cell, cell, tf.ones([2, 3]), dtype=tf.float32),
    lambda: tf.nn.static_bidirectional_rnn(cell, cell, [], dtype=tf.float32),
    lambda: tf.nn.static_bidirectional_rnn(cell, 3, [tf.ones([2, 3])], dtype=tf.float32),
    lambda: tf.nn.static_bidirectional_rnn(3, cell, [tf.ones([2, 3])], dtype=tf.float32),
):
    try:
        show(call())
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)
# case: a stack of both directions
xs = [tf.placeholder(tf.float32, [None, 3], name="x%d" % i) for i in range(2)]
make = tf.nn.rnn_cell.GRUCell
show(tf.contrib.rnn.stack_bidirectional_rnn([make(4), make(3)], [make(5), make(2)], xs, dtype=tf.float32))
show([v.name for v in tf.global_variables()])
start = [tf.zeros([2, n]) for n in (4, 3, 5, 2)]
show(tf.contrib.rnn.stack_bidirectional_rnn([make(4), make(3)], [make(5), make(2)], xs, start[:2], start[2:], scope="s"))
for arguments in (([], [make(2)]), ([make(2)], make(2)), ([make(2)], []), ([make(2)], [make(2), make(3)]), ([make(2)], [make(2)], xs, 3), ([make(2)], [make(2)], xs, None, [1, 2])):
    arguments = list(arguments) + [xs] * (3 - len(arguments) if len(arguments) < 3 else 0)
    try:
        tf.contrib.rnn.stack_bidirectional_rnn(*arguments, dtype=tf.float32)
    except ValueError as error:
        print(error)
