
# case: a static network with lengths
xs = [tf.placeholder(tf.float32, [2, 3], name="x%d" % i) for i in range(3)]
lengths = tf.placeholder(tf.int64, [None], name="n")
show(tf.nn.static_rnn(tf.nn.rnn_cell.BasicLSTMCell(4), xs, dtype=tf.float32, sequence_length=lengths))
nodes()
# case: lengths of unknown batch size
xs = [tf.placeholder(tf.float32, [None, 3], name="x%d" % i) for i in range(2)]
show(tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(4), xs, dtype=tf.float32, sequence_length=tf.placeholder(tf.int32, [None], name="n")))
nodes()
# case: values with lengths
tf.set_random_seed(2)
xs = [tf.constant(np.full([3, 3], 0.1 * (i + 1), "f")) for i in range(4)]
cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(3), tf.nn.rnn_cell.GRUCell(2)])
n = tf.placeholder(tf.int32, [3])
outputs, state = tf.nn.static_rnn(cell, xs, dtype=tf.float32, sequence_length=n)
loss = tf.add_n([tf.reduce_sum(o * o) for o in outputs])
grads = tf.gradients(loss, tf.trainable_variables() + xs)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for lengths in ([1, 4, 2], [0, 0, 0], [3, 3, 3], [2, 1, 1]):
        show(tf.nest.map_structure(lambda a: np.round(a, 4), session.run([outputs, state, grads], {n: lengths})))
# case: both directions with lengths
tf.set_random_seed(2)
xs = [tf.constant(np.full([2, 3], 0.1 * (i + 1), "f")) for i in range(3)]
make = tf.nn.rnn_cell.GRUCell
result = tf.nn.static_bidirectional_rnn(make(4), make(5), xs, dtype=tf.float32, sequence_length=[2, 3])
show(result)
nodes()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 4), session.run(result)))
