
# case: TimeFreqLSTMCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.TimeFreqLSTMCell(3, feature_size=2, frequency_skip=1)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of TimeFreqLSTMCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.TimeFreqLSTMCell(3, feature_size=2, frequency_skip=1)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: TimeFreqLSTMCell with options
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.TimeFreqLSTMCell(3, use_peepholes=True, cell_clip=0.2, feature_size=2, frequency_skip=2, forget_bias=0.3)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of TimeFreqLSTMCell with options
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.TimeFreqLSTMCell(3, use_peepholes=True, cell_clip=0.2, feature_size=2, frequency_skip=2, forget_bias=0.3)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: GridLSTMCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.GridLSTMCell(3, feature_size=2, frequency_skip=1, num_frequency_blocks=[3])
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of GridLSTMCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.GridLSTMCell(3, feature_size=2, frequency_skip=1, num_frequency_blocks=[3])
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: GridLSTMCell with options
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.GridLSTMCell(3, use_peepholes=True, share_time_frequency_weights=True, cell_clip=0.4, feature_size=2, frequency_skip=1, num_frequency_blocks=[2, 2], start_freqindex_list=[0, 1], end_freqindex_list=[3, 4], state_is_tuple=False)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of GridLSTMCell with options
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.GridLSTMCell(3, use_peepholes=True, share_time_frequency_weights=True, cell_clip=0.4, feature_size=2, frequency_skip=1, num_frequency_blocks=[2, 2], start_freqindex_list=[0, 1], end_freqindex_list=[3, 4], state_is_tuple=False)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: GridLSTMCell with coupled gates
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.GridLSTMCell(3, use_peepholes=True, feature_size=2, frequency_skip=2, num_frequency_blocks=[2], couple_input_forget_gates=True)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of GridLSTMCell with coupled gates
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.GridLSTMCell(3, use_peepholes=True, feature_size=2, frequency_skip=2, num_frequency_blocks=[2], couple_input_forget_gates=True)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: BidirectionalGridLSTMCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.BidirectionalGridLSTMCell(2, feature_size=2, frequency_skip=1, num_frequency_blocks=[3])
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of BidirectionalGridLSTMCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.BidirectionalGridLSTMCell(2, feature_size=2, frequency_skip=1, num_frequency_blocks=[3])
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: BidirectionalGridLSTMCell with options
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.BidirectionalGridLSTMCell(2, use_peepholes=True, share_time_frequency_weights=True, feature_size=2, frequency_skip=2, num_frequency_blocks=[2], couple_input_forget_gates=True, backward_slice_offset=1)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of BidirectionalGridLSTMCell with options
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.BidirectionalGridLSTMCell(2, use_peepholes=True, share_time_frequency_weights=True, feature_size=2, frequency_skip=2, num_frequency_blocks=[2], couple_input_forget_gates=True, backward_slice_offset=1)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: GLSTMCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.GLSTMCell(4, number_of_groups=2)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of GLSTMCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.GLSTMCell(4, number_of_groups=2)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: GLSTMCell with projection
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.GLSTMCell(4, num_proj=2, number_of_groups=2, forget_bias=0.5)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of GLSTMCell with projection
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.GLSTMCell(4, num_proj=2, number_of_groups=2, forget_bias=0.5)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: GLSTMCell of one group
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.GLSTMCell(3)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of GLSTMCell of one group
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.GLSTMCell(3)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: IndRNNCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.IndRNNCell(3)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of IndRNNCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.IndRNNCell(3)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: IndyGRUCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.IndyGRUCell(3)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of IndyGRUCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.IndyGRUCell(3)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: IndyLSTMCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.IndyLSTMCell(3)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of IndyLSTMCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.IndyLSTMCell(3)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: SRUCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.SRUCell(4)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of SRUCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.SRUCell(4)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: SRUCell with other depth
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.SRUCell(3, activation=tf.nn.relu)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of SRUCell with other depth
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.SRUCell(3, activation=tf.nn.relu)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: MinimalRNNCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = __import__('importlib').import_module('tensorflow.contrib.rnn.python.ops.rnn_cell').MinimalRNNCell(3)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of MinimalRNNCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = __import__('importlib').import_module('tensorflow.contrib.rnn.python.ops.rnn_cell').MinimalRNNCell(3)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: CFNCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = __import__('importlib').import_module('tensorflow.contrib.rnn.python.ops.rnn_cell').CFNCell(3)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of CFNCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = __import__('importlib').import_module('tensorflow.contrib.rnn.python.ops.rnn_cell').CFNCell(3)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: WeightNormLSTMCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = __import__('importlib').import_module('tensorflow.contrib.rnn.python.ops.rnn_cell').WeightNormLSTMCell(3)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of WeightNormLSTMCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = __import__('importlib').import_module('tensorflow.contrib.rnn.python.ops.rnn_cell').WeightNormLSTMCell(3)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: WeightNormLSTMCell with options
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = __import__('importlib').import_module('tensorflow.contrib.rnn.python.ops.rnn_cell').WeightNormLSTMCell(3, norm=False, use_peepholes=True, cell_clip=0.5, num_proj=2, proj_clip=0.3, forget_bias=0.5)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of WeightNormLSTMCell with options
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = __import__('importlib').import_module('tensorflow.contrib.rnn.python.ops.rnn_cell').WeightNormLSTMCell(3, norm=False, use_peepholes=True, cell_clip=0.5, num_proj=2, proj_clip=0.3, forget_bias=0.5)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: WeightNormLSTMCell with peepholes
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = __import__('importlib').import_module('tensorflow.contrib.rnn.python.ops.rnn_cell').WeightNormLSTMCell(3, use_peepholes=True, num_proj=2)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of WeightNormLSTMCell with peepholes
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = __import__('importlib').import_module('tensorflow.contrib.rnn.python.ops.rnn_cell').WeightNormLSTMCell(3, use_peepholes=True, num_proj=2)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: AttentionCell over LSTM
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.AttentionCellWrapper(tf.nn.rnn_cell.LSTMCell(3), 2)
show(cell.state_size, cell.output_size)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], [] if "Highway" in type(cell).__name__ else [v.name for v in cell.weights])
nodes()
# case: values of AttentionCell over LSTM
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.AttentionCellWrapper(tf.nn.rnn_cell.LSTMCell(3), 2)
zero = tf.zeros([2, 18]) if "TimeFreq" in type(cell).__name__ else cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True if "Wrapper" in type(cell).__name__ else None):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
