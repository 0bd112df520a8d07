
# case: Grid1BasicRNNCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.grid_rnn.Grid1BasicRNNCell(3)
show(cell.state_size, cell.output_size)
zero = cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], cell.output_size)
nodes()
# case: values of Grid1BasicRNNCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.grid_rnn.Grid1BasicRNNCell(3)
zero = cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: Grid1BasicLSTMCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.grid_rnn.Grid1BasicLSTMCell(3)
show(cell.state_size, cell.output_size)
zero = cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], cell.output_size)
nodes()
# case: values of Grid1BasicLSTMCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.grid_rnn.Grid1BasicLSTMCell(3)
zero = cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: Grid1LSTMCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.grid_rnn.Grid1LSTMCell(3, use_peepholes=True, state_is_tuple=False, output_is_tuple=False)
show(cell.state_size, cell.output_size)
zero = cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], cell.output_size)
nodes()
# case: values of Grid1LSTMCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.grid_rnn.Grid1LSTMCell(3, use_peepholes=True, state_is_tuple=False, output_is_tuple=False)
zero = cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: Grid2BasicRNNCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.grid_rnn.Grid2BasicRNNCell(3)
show(cell.state_size, cell.output_size)
zero = cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], cell.output_size)
nodes()
# case: values of Grid2BasicRNNCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.grid_rnn.Grid2BasicRNNCell(3)
zero = cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: Grid2BasicRNNCell that is tied
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.grid_rnn.Grid2BasicRNNCell(3, tied=True)
show(cell.state_size, cell.output_size)
zero = cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], cell.output_size)
nodes()
# case: values of Grid2BasicRNNCell that is tied
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.grid_rnn.Grid2BasicRNNCell(3, tied=True)
zero = cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: Grid2BasicRNNCell with relu
x = tf.placeholder(tf.float32, [2, 4], name="x")
tf.get_variable_scope().set_initializer(tf.constant_initializer(0.2))
cell = tf.contrib.grid_rnn.Grid2BasicRNNCell(3, non_recurrent_fn=tf.nn.relu)
show(cell.state_size, cell.output_size)
zero = cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], cell.output_size)
nodes()
# case: values of Grid2BasicRNNCell with relu
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
tf.get_variable_scope().set_initializer(tf.constant_initializer(0.2))
cell = tf.contrib.grid_rnn.Grid2BasicRNNCell(3, non_recurrent_fn=tf.nn.relu)
zero = cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: Grid2BasicLSTMCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.grid_rnn.Grid2BasicLSTMCell(3)
show(cell.state_size, cell.output_size)
zero = cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], cell.output_size)
nodes()
# case: values of Grid2BasicLSTMCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.grid_rnn.Grid2BasicLSTMCell(3)
zero = cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: Grid2BasicLSTMCell without tuples
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.grid_rnn.Grid2BasicLSTMCell(3, state_is_tuple=False, output_is_tuple=False)
show(cell.state_size, cell.output_size)
zero = cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], cell.output_size)
nodes()
# case: values of Grid2BasicLSTMCell without tuples
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.grid_rnn.Grid2BasicLSTMCell(3, state_is_tuple=False, output_is_tuple=False)
zero = cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: Grid2BasicLSTMCell with relu
x = tf.placeholder(tf.float32, [2, 4], name="x")
tf.get_variable_scope().set_initializer(tf.constant_initializer(0.2))
cell = tf.contrib.grid_rnn.Grid2BasicLSTMCell(3, tied=True, non_recurrent_fn=tf.nn.relu)
show(cell.state_size, cell.output_size)
zero = cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], cell.output_size)
nodes()
# case: values of Grid2BasicLSTMCell with relu
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
tf.get_variable_scope().set_initializer(tf.constant_initializer(0.2))
cell = tf.contrib.grid_rnn.Grid2BasicLSTMCell(3, tied=True, non_recurrent_fn=tf.nn.relu)
zero = cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: Grid2LSTMCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.grid_rnn.Grid2LSTMCell(3, tied=True, use_peepholes=True, forget_bias=0.5)
show(cell.state_size, cell.output_size)
zero = cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], cell.output_size)
nodes()
# case: values of Grid2LSTMCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.grid_rnn.Grid2LSTMCell(3, tied=True, use_peepholes=True, forget_bias=0.5)
zero = cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: Grid2GRUCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.grid_rnn.Grid2GRUCell(3)
show(cell.state_size, cell.output_size)
zero = cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], cell.output_size)
nodes()
# case: values of Grid2GRUCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.grid_rnn.Grid2GRUCell(3)
zero = cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: Grid3LSTMCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
cell = tf.contrib.grid_rnn.Grid3LSTMCell(3, use_peepholes=True)
show(cell.state_size, cell.output_size)
zero = cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], cell.output_size)
nodes()
# case: values of Grid3LSTMCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
cell = tf.contrib.grid_rnn.Grid3LSTMCell(3, use_peepholes=True)
zero = cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: GridRNNCell
x = tf.placeholder(tf.float32, [2, 4], name="x")
tf.get_variable_scope().set_initializer(tf.constant_initializer(0.2))
cell = tf.contrib.grid_rnn.GridRNNCell(3, num_dims=3, input_dims=[0, 1], output_dims=[1, 2], priority_dims=[2], non_recurrent_dims=[0], cell_fn=None, tied=False)
show(cell.state_size, cell.output_size)
zero = cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], cell.output_size)
nodes()
# case: values of GridRNNCell
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
tf.get_variable_scope().set_initializer(tf.constant_initializer(0.2))
cell = tf.contrib.grid_rnn.GridRNNCell(3, num_dims=3, input_dims=[0, 1], output_dims=[1, 2], priority_dims=[2], non_recurrent_dims=[0], cell_fn=None, tied=False)
zero = cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: GridRNNCell without recurrence
x = tf.placeholder(tf.float32, [2, 4], name="x")
tf.get_variable_scope().set_initializer(tf.constant_initializer(0.2))
cell = tf.contrib.grid_rnn.GridRNNCell(num_units=3, num_dims=1, input_dims=0, output_dims=0, non_recurrent_dims=0, non_recurrent_fn=tf.nn.relu)
show(cell.state_size, cell.output_size)
zero = cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    show(cell(x, zero))
show([v.name for v in tf.global_variables()], cell.output_size)
nodes()
# case: values of GridRNNCell without recurrence
tf.set_random_seed(4)
x = tf.constant(np.linspace(-1, 1, 8).reshape(2, 4).astype("f"))
tf.get_variable_scope().set_initializer(tf.constant_initializer(0.2))
cell = tf.contrib.grid_rnn.GridRNNCell(num_units=3, num_dims=1, input_dims=0, output_dims=0, non_recurrent_dims=0, non_recurrent_fn=tf.nn.relu)
zero = cell.zero_state(2, tf.float32)
output, state = cell(x, zero)
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    output, state = cell(x * 0.5, state)
leaves = tf.nest.flatten([output, state])
grads = tf.gradients([tf.reduce_sum(t * t) for t in leaves], [x] + tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run([output, state, [g for g in grads if g is not None]])))
# case: errors of grid cells
from tensorflow.contrib.grid_rnn.python.ops import grid_rnn_cell
for call in (
    lambda: tf.contrib.grid_rnn.GridRNNCell(3, num_dims=0),
    lambda: tf.contrib.grid_rnn.GridRNNCell(3, num_dims=2, input_dims=2),
    lambda: tf.contrib.grid_rnn.GridRNNCell(3, num_dims=2, output_dims=[-1]),
    lambda: tf.contrib.grid_rnn.GridRNNCell(3, cell_fn=lambda n: 3),
    lambda: tf.contrib.grid_rnn.Grid2BasicLSTMCell(3)(tf.ones([2, 3]), (tf.ones([2, 3]),)),
):
    try:
        show(call())
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)
