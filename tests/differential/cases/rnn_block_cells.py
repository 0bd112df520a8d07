
# case: block cells
x = tf.placeholder(tf.float32, [2, 3], name="x")
for cell in (tf.contrib.rnn.LSTMBlockCell(4), tf.contrib.rnn.LSTMBlockCell(4, forget_bias=0.5, cell_clip=2.0, use_peephole=True), tf.contrib.rnn.GRUBlockCell(4), tf.contrib.rnn.GRUBlockCellV2(4)):
    with tf.variable_scope(None, "s"):
        show(cell.name, cell.state_size, cell.output_size, cell(x, cell.zero_state(2, tf.float32)))
        show([v.name for v in cell.weights], cell(x, cell.zero_state(2, tf.float32))[0])
nodes()
# case: nodes of the gradients of block cells
x = tf.placeholder(tf.float32, [None, 3], name="x")
for cell in (tf.contrib.rnn.LSTMBlockCell(4), tf.contrib.rnn.GRUBlockCell(4)):
    output, state = cell(x, cell.zero_state(2, tf.float32))
    show(tf.gradients(output, [x] + cell.trainable_weights))
nodes()
# case: values of block cells
tf.set_random_seed(3)
x = tf.constant(np.linspace(-1, 1, 6).reshape(2, 3).astype("f"))
results = []
for cell in (tf.contrib.rnn.LSTMBlockCell(4), tf.contrib.rnn.LSTMBlockCell(4, cell_clip=0.1, use_peephole=True), tf.contrib.rnn.GRUBlockCell(num_units=4), tf.contrib.rnn.GRUBlockCellV2(4)):
    with tf.variable_scope(None, "s"):
        output, state = cell(x, cell.zero_state(2, tf.float32))
        output, state = cell(x * 2, state)
    results.append([output, state, tf.gradients(output, [x] + cell.trainable_weights)])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for result in results:
        show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run(result)))
# case: a fused cell
x = tf.placeholder(tf.float32, [5, 2, 3], name="x")
cell = tf.contrib.rnn.LSTMBlockFusedCell(4)
show(cell.name, cell.num_units, cell(x, dtype=tf.float32))
show(cell(x, dtype=tf.float32, sequence_length=[3, 5])[0])
show([v.name for v in tf.global_variables()])
nodes()
# case: a fused cell with options
x = tf.placeholder(tf.float32, [None, None, 3], name="x")
n = tf.placeholder(tf.int32, [None], name="n")
cell = tf.contrib.rnn.LSTMBlockFusedCell(4, forget_bias=0.3, cell_clip=0.7, use_peephole=True, name="f")
show(cell(x, initial_state=(tf.ones([2, 4]), tf.zeros([2, 4])), sequence_length=n))
nodes()
# case: values of fused cells
tf.set_random_seed(3)
x = tf.constant(np.linspace(-1, 1, 24).reshape(4, 2, 3).astype("f"))
results = []
for keywords in ({}, {"use_peephole": True, "cell_clip": 0.2}):
    for lengths in (None, [2, 4], [1, 0]):
        cell = tf.contrib.rnn.LSTMBlockFusedCell(3, **keywords)
        with tf.variable_scope(None, "s"):
            outputs, state = cell(x, dtype=tf.float32, sequence_length=lengths)
        results.append([outputs, state, tf.gradients([outputs, state], [x] + cell.trainable_weights)])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for result in results:
        show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run(result)))
# case: adaptors of fused cells
tf.set_random_seed(3)
x = tf.constant(np.linspace(-1, 1, 24).reshape(4, 2, 3).astype("f"))
make = tf.nn.rnn_cell.BasicRNNCell
results = []
for i, cell in enumerate((
    tf.contrib.rnn.FusedRNNCellAdaptor(make(3)), tf.contrib.rnn.FusedRNNCellAdaptor(make(3), use_dynamic_rnn=True),
    tf.contrib.rnn.TimeReversedFusedRNN(tf.contrib.rnn.FusedRNNCellAdaptor(make(3))), tf.contrib.rnn.TimeReversedFusedRNN(tf.contrib.rnn.LSTMBlockFusedCell(3)))):
    with tf.variable_scope("s%d" % i):
        results.append(cell(x, dtype=tf.float32))
        results.append(cell(x, dtype=tf.float32, sequence_length=[2, 4], scope="again"))
show(results)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run(results)))
# case: errors of block cells
for call in (
    lambda: tf.contrib.rnn.LSTMBlockFusedCell(4)(tf.ones([2, 3, 4])),
    lambda: tf.contrib.rnn.LSTMBlockFusedCell(4)(tf.ones([2, 3]), dtype=tf.float32),
    lambda: tf.contrib.rnn.LSTMBlockFusedCell(4)(tf.ones([2, 3, 4]), initial_state=(tf.ones([3, 4]),)),
    lambda: tf.contrib.rnn.GRUBlockCell(),
    lambda: tf.contrib.rnn.GRUBlockCell(3, 4),
):
    try:
        show(call())
    except (TypeError, ValueError) as error:
        print(type(error).__name__, str(error).strip().split("\n")[-1].strip().split(": ")[-1])
