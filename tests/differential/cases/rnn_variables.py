
# case: variables that are not trained
def getter(getter, *args, **kwargs):
    kwargs["trainable"] = False
    return getter(*args, **kwargs)
x = tf.zeros([1, 2])
with tf.variable_scope("root", custom_getter=getter):
    for cell in (tf.nn.rnn_cell.BasicRNNCell(2), tf.contrib.rnn.UGRNNCell(2), tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(2)])):
        cell(x, cell.zero_state(1, tf.float32))
        show([v.name for v in cell.trainable_variables], [v.name for v in cell.non_trainable_variables], len(cell.variables))
show(tf.trainable_variables())
cell = tf.nn.rnn_cell.BasicRNNCell(2, trainable=False)
cell(x, cell.zero_state(1, tf.float32))
show([v.name for v in cell.trainable_variables], [v.name for v in cell.non_trainable_variables])
# case: cells of other types
for dtype in (tf.float16, tf.float64):
    x = tf.constant([[1.0, 2.0]], dtype)
    with tf.variable_scope(dtype.name, initializer=tf.constant_initializer(0.5)):
        for cell in (tf.nn.rnn_cell.BasicLSTMCell(2, state_is_tuple=False), tf.nn.rnn_cell.LSTMCell(2, use_peepholes=True), tf.nn.rnn_cell.GRUCell(2), tf.contrib.rnn.NASCell(2)):
            zero = cell.zero_state(1, dtype)
            output, state = cell(x, zero)
            show(cell.dtype, output, [v.dtype.base_dtype.name for v in cell.weights])
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                show(np.round(session.run(output), 2))
# case: weights that belong to cells
from tensorflow.python.ops import rnn_cell_impl
show(rnn_cell_impl._WEIGHTS_VARIABLE_NAME, rnn_cell_impl._BIAS_VARIABLE_NAME)
x = tf.zeros([1, 2])
for cell in (tf.contrib.rnn.AttentionCellWrapper(tf.nn.rnn_cell.GRUCell(2), 2), tf.contrib.rnn.LayerNormBasicLSTMCell(2), tf.contrib.rnn.GRUBlockCell(2), tf.contrib.rnn.OutputProjectionWrapper(tf.nn.rnn_cell.GRUCell(2), 3)):
    cell(x, cell.zero_state(1, tf.float32))
    show(cell.name, [v.name for v in cell.trainable_weights], cell.count_params() if hasattr(cell, "count_params") else None)
# case: regularizers, partitioners and reuse in loops
x = tf.zeros([2, 3, 4])
with tf.variable_scope("s", regularizer=tf.nn.l2_loss, partitioner=tf.fixed_size_partitioner(2)) as scope:
    tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(4, num_proj=2), x, dtype=tf.float32)
    scope.reuse_variables()
    tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(4, num_proj=2), x, dtype=tf.float32)
show([v.name for v in tf.global_variables()], tf.losses.get_regularization_losses())
tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(3), tf.unstack(x, axis=1), dtype=tf.float32)
tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(3), tf.unstack(x, axis=1), dtype=tf.float32)
show([v.name for v in tf.global_variables()][-4:])
tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(3), tf.unstack(x, axis=1), dtype=tf.float32, scope="rnn")
