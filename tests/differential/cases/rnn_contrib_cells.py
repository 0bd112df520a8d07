
# case: layer normalization
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.LayerNormBasicLSTMCell(3)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of layer normalization
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.LayerNormBasicLSTMCell(3)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: layer normalization with dropout
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.LayerNormBasicLSTMCell(3, forget_bias=0.5, norm_gain=0.7, norm_shift=0.2, dropout_keep_prob=0.5, dropout_prob_seed=3)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of layer normalization with dropout
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.LayerNormBasicLSTMCell(3, forget_bias=0.5, norm_gain=0.7, norm_shift=0.2, dropout_keep_prob=0.5, dropout_prob_seed=3)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: no layer normalization
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.LayerNormBasicLSTMCell(3, layer_norm=False)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of no layer normalization
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.LayerNormBasicLSTMCell(3, layer_norm=False)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: output projection
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.OutputProjectionWrapper(tf.nn.rnn_cell.GRUCell(3), 2)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of output projection
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.OutputProjectionWrapper(tf.nn.rnn_cell.GRUCell(3), 2)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: output projection with activation
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.OutputProjectionWrapper(tf.nn.rnn_cell.GRUCell(3), 2, activation=tf.nn.relu)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of output projection with activation
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.OutputProjectionWrapper(tf.nn.rnn_cell.GRUCell(3), 2, activation=tf.nn.relu)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: input projection
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.InputProjectionWrapper(tf.nn.rnn_cell.GRUCell(3), 2, activation=tf.tanh)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of input projection
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.InputProjectionWrapper(tf.nn.rnn_cell.GRUCell(3), 2, activation=tf.tanh)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: an attention cell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.AttentionCellWrapper(tf.nn.rnn_cell.GRUCell(3), 5)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of an attention cell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.AttentionCellWrapper(tf.nn.rnn_cell.GRUCell(3), 5)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: an attention cell with options
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.AttentionCellWrapper(tf.nn.rnn_cell.BasicLSTMCell(3), 5, attn_size=2, attn_vec_size=6, input_size=3)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of an attention cell with options
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.AttentionCellWrapper(tf.nn.rnn_cell.BasicLSTMCell(3), 5, attn_size=2, attn_vec_size=6, input_size=3)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: an attention cell without tuples
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.AttentionCellWrapper(tf.nn.rnn_cell.BasicLSTMCell(3, state_is_tuple=False), 2, state_is_tuple=False)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of an attention cell without tuples
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.AttentionCellWrapper(tf.nn.rnn_cell.BasicLSTMCell(3, state_is_tuple=False), 2, state_is_tuple=False)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: NASCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.NASCell(3)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of NASCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.NASCell(3)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: NASCell with projection
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.NASCell(3, num_proj=2, use_bias=True)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of NASCell with projection
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.NASCell(3, num_proj=2, use_bias=True)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: UGRNNCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.UGRNNCell(3)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of UGRNNCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.UGRNNCell(3)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: IntersectionRNNCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.IntersectionRNNCell(4)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of IntersectionRNNCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.IntersectionRNNCell(4)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: IntersectionRNNCell with projection
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.IntersectionRNNCell(3, num_in_proj=3)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of IntersectionRNNCell with projection
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.IntersectionRNNCell(3, num_in_proj=3)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: HighwayWrapper
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.HighwayWrapper(tf.nn.rnn_cell.GRUCell(4))
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of HighwayWrapper
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.HighwayWrapper(tf.nn.rnn_cell.GRUCell(4))
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: HighwayWrapper with two gates
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.HighwayWrapper(tf.nn.rnn_cell.BasicLSTMCell(4), couple_carry_transform_gates=False, carry_bias_init=0.5)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of HighwayWrapper with two gates
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.HighwayWrapper(tf.nn.rnn_cell.BasicLSTMCell(4), couple_carry_transform_gates=False, carry_bias_init=0.5)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: CoupledInputForgetGateLSTMCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.CoupledInputForgetGateLSTMCell(3)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of CoupledInputForgetGateLSTMCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.CoupledInputForgetGateLSTMCell(3)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: CoupledInputForgetGateLSTMCell with options
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.CoupledInputForgetGateLSTMCell(3, use_peepholes=True, num_proj=2, proj_clip=0.1, forget_bias=0.5, state_is_tuple=False)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of CoupledInputForgetGateLSTMCell with options
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.CoupledInputForgetGateLSTMCell(3, use_peepholes=True, num_proj=2, proj_clip=0.1, forget_bias=0.5, state_is_tuple=False)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: CoupledInputForgetGateLSTMCell with layer normalization
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.CoupledInputForgetGateLSTMCell(3, layer_norm=True, norm_gain=0.9, norm_shift=0.1)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of CoupledInputForgetGateLSTMCell with layer normalization
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.CoupledInputForgetGateLSTMCell(3, layer_norm=True, norm_gain=0.9, norm_shift=0.1)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: LayerNormLSTMCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = __import__('importlib').import_module('tensorflow.contrib.rnn.python.ops.rnn_cell').LayerNormLSTMCell(3, use_peepholes=True, cell_clip=0.5, num_proj=2, proj_clip=0.3, layer_norm=True)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of LayerNormLSTMCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = __import__('importlib').import_module('tensorflow.contrib.rnn.python.ops.rnn_cell').LayerNormLSTMCell(3, use_peepholes=True, cell_clip=0.5, num_proj=2, proj_clip=0.3, layer_norm=True)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: LayerNormLSTMCell without normalization
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = __import__('importlib').import_module('tensorflow.contrib.rnn.python.ops.rnn_cell').LayerNormLSTMCell(3)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of LayerNormLSTMCell without normalization
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = __import__('importlib').import_module('tensorflow.contrib.rnn.python.ops.rnn_cell').LayerNormLSTMCell(3)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
