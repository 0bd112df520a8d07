
# case: a phased cell
time = tf.placeholder(tf.float32, [2, 1], name="time")
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.PhasedLSTMCell(3)
show(cell.state_size, cell.output_size, cell((time, x), cell.zero_state(2, tf.float32)))
show(cell((time, x), cell.zero_state(2, tf.float32)))
show([v.name for v in tf.global_variables()], [v.name for v in tf.trainable_variables()])
nodes()
# case: a phased cell with options
time = tf.placeholder(tf.float64, [2, 1], name="time")
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.rnn.PhasedLSTMCell(3, use_peepholes=True, leak=0.01, ratio_on=0.2, trainable_ratio_on=False, period_init_min=2.0, period_init_max=10.0)
show(cell((time, x), cell.zero_state(2, tf.float32)))
show([v.name for v in tf.trainable_variables()])
nodes()
# case: values of a phased cell
tf.set_random_seed(4)
time = tf.constant([[1.0], [5.5]])
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.rnn.PhasedLSTMCell(3, use_peepholes=True)
output, state = cell((time, x), cell.zero_state(2, tf.float32))
output, state = cell((time + 1, x), state)
grads = tf.gradients(output, [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: convolutional cells
x = tf.placeholder(tf.float32, [2, 5, 5, 3], name="x")
cell = tf.contrib.rnn.ConvLSTMCell(2, [5, 5, 3], 4, [3, 3])
show(cell.name, cell.state_size, cell.output_size, cell(x, cell.zero_state(2, tf.float32)))
cell = tf.contrib.rnn.Conv2DLSTMCell(input_shape=[5, 5, 3], output_channels=4, kernel_shape=[3, 3], skip_connection=True, use_bias=False)
show(cell.name, cell.output_size, cell(x, cell.zero_state(2, tf.float32)))
x = tf.placeholder(tf.float32, [2, 5, 3], name="x")
cell = tf.contrib.rnn.Conv1DLSTMCell(input_shape=[5, 3], output_channels=4, kernel_shape=[2], forget_bias=0.5, name="mine")
show(cell.name, cell(x, cell.zero_state(2, tf.float32)))
x = tf.placeholder(tf.float32, [2, 3, 3, 3, 1], name="x")
cell = tf.contrib.rnn.Conv3DLSTMCell(input_shape=[3, 3, 3, 1], output_channels=2, kernel_shape=[2, 2, 2])
show(cell.name, cell(x, cell.zero_state(2, tf.float32)))
nodes()
# case: values of convolutional cells
tf.set_random_seed(4)
results = []
for shape, make in (([4, 2], tf.contrib.rnn.Conv1DLSTMCell), ([3, 3, 2], tf.contrib.rnn.Conv2DLSTMCell), ([2, 2, 2, 2], tf.contrib.rnn.Conv3DLSTMCell)):
    x = tf.constant(np.linspace(-1, 1, 2 * np.prod(shape)).reshape([2] + shape).astype("f"))
    cell = make(input_shape=shape, output_channels=2, kernel_shape=[2] * (len(shape) - 1))
    output, state = cell(x, cell.zero_state(2, tf.float32))
    output, state = cell(x, state)
    results.append([output, state, tf.gradients(output, [x] + cell.trainable_weights)])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run(results)))
# case: errors of these cells
for call in (
    lambda: tf.contrib.rnn.ConvLSTMCell(2, [5, 3], 4, [3, 3]),
    lambda: tf.contrib.rnn.GLSTMCell(3, number_of_groups=2),
    lambda: tf.contrib.rnn.GLSTMCell(4, num_proj=3, number_of_groups=2),
    lambda: tf.contrib.rnn.IntersectionRNNCell(4)(tf.ones([2, 3]), tf.ones([2, 4])),
    lambda: tf.contrib.rnn.AttentionCellWrapper(tf.nn.rnn_cell.BasicLSTMCell(3), 2, state_is_tuple=False),
    lambda: tf.contrib.rnn.AttentionCellWrapper(tf.nn.rnn_cell.BasicLSTMCell(3), 0),
    lambda: tf.contrib.rnn.OutputProjectionWrapper(tf.nn.rnn_cell.BasicLSTMCell(3), 0),
    lambda: tf.contrib.rnn.EmbeddingWrapper(tf.nn.rnn_cell.BasicLSTMCell(3), 0, 3),
    lambda: tf.contrib.rnn.GridLSTMCell(3),
    lambda: tf.contrib.rnn.GridLSTMCell(3, feature_size=2, frequency_skip=1, num_frequency_blocks=[1, 1])(tf.ones([2, 4]), None),
    lambda: tf.contrib.rnn.GridLSTMCell(3, feature_size=2, frequency_skip=1, num_frequency_blocks=[1])(tf.ones([2, 4]), None),
    lambda: tf.contrib.rnn.NASCell(3)(tf.placeholder(tf.float32, [2, None]), tf.nn.rnn_cell.LSTMStateTuple(tf.ones([2, 3]), tf.ones([2, 3]))),
    lambda: tf.contrib.rnn.CoupledInputForgetGateLSTMCell(3, num_unit_shards=20)(tf.ones([2, 4]), tf.nn.rnn_cell.LSTMStateTuple(tf.ones([2, 3]), tf.ones([2, 3]))),
):
    try:
        call()
        print("fine")
    except (TypeError, ValueError) as error:
        print(type(error).__name__, str(error).strip().split("\n")[-1].strip().split("Error: ")[-1])
# case: embedded inputs
x = tf.placeholder(tf.int32, [None], name="x")
cell = tf.contrib.rnn.EmbeddingWrapper(tf.nn.rnn_cell.GRUCell(3), 5, 4)
show(cell.state_size, cell.output_size, cell(x, cell.zero_state(2, tf.float32)))
show(cell(x, cell.zero_state(2, tf.float32)))
show([v.name for v in tf.global_variables()])
nodes()
show(tf.nn.static_rnn(tf.contrib.rnn.EmbeddingWrapper(tf.nn.rnn_cell.BasicLSTMCell(3), 5, 4, initializer=tf.ones_initializer()), [x, x], dtype=tf.float32))
# case: linear maps
from tensorflow.contrib.rnn.python.ops import core_rnn_cell
x = tf.placeholder(tf.float32, [2, 3], name="x")
with tf.variable_scope("s"):
    show(core_rnn_cell._linear(x, 4, True))
with tf.variable_scope("t"):
    show(core_rnn_cell._linear([x, x], 4, False, kernel_initializer=tf.ones_initializer()))
with tf.variable_scope("u"):
    show(core_rnn_cell._linear([x, x], 4, True, bias_initializer=tf.ones_initializer()))
show([v.name for v in tf.global_variables()])
nodes()
for args in ([], None, tf.ones([2]), tf.placeholder(tf.float32, [2, None])):
    try:
        core_rnn_cell._linear(args, 3, True)
    except ValueError as error:
        print(error)
