
# case: basic cells
x = tf.placeholder(tf.float32, [None, 3], name="x")
for make in (tf.nn.rnn_cell.BasicRNNCell, tf.nn.rnn_cell.GRUCell, tf.nn.rnn_cell.BasicLSTMCell, tf.nn.rnn_cell.LSTMCell):
    cell = make(4)
    state = cell.zero_state(2, tf.float32)
    show(cell.name, cell.state_size, cell.output_size, cell.built, state)
    show(cell(x, state), cell.built)
    show(cell(x, state, scope="again"))
    show([v.name for v in cell.variables], [v.name for v in cell.trainable_weights])
nodes()
# case: state that is not a tuple
x = tf.placeholder(tf.float32, [None, 3], name="x")
for make in (tf.nn.rnn_cell.BasicLSTMCell, tf.nn.rnn_cell.LSTMCell):
    cell = make(4, state_is_tuple=False)
    show(cell.state_size, cell.output_size)
    show(cell(x, cell.zero_state(tf.shape(x)[0], tf.float32)))
cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(4, state_is_tuple=False) for _ in range(2)], state_is_tuple=False)
show(cell.state_size, cell.output_size)
show(cell(x, cell.zero_state(2, tf.float32)))
nodes()
# case: activations and types
x = tf.placeholder(tf.float64, [2, 3], name="x")
for cell in (
    tf.nn.rnn_cell.BasicRNNCell(4, activation=tf.nn.relu, name="a"),
    tf.nn.rnn_cell.GRUCell(4, tf.nn.relu, kernel_initializer=tf.ones_initializer(), bias_initializer=tf.ones_initializer()),
    tf.nn.rnn_cell.BasicLSTMCell(4, forget_bias=0.5, activation=tf.sigmoid, dtype=tf.float64),
    tf.nn.rnn_cell.BasicLSTMCell(4, activation="relu"),
):
    show(cell.name, cell.dtype, cell(x, cell.zero_state(2, tf.float64)), cell.dtype)
nodes()
# case: peepholes, projection and clipping
x = tf.placeholder(tf.float32, [None, 3], name="x")
cell = tf.nn.rnn_cell.LSTMCell(4, use_peepholes=True, cell_clip=2.0, num_proj=2, proj_clip=0.5, initializer=tf.zeros_initializer())
show(cell.state_size, cell.output_size)
show(cell(x, cell.zero_state(2, tf.float32)))
cell = tf.nn.rnn_cell.LSTMCell(4, use_peepholes=True, num_proj=2, state_is_tuple=False, name="k")
show(cell.state_size, cell.output_size)
show(cell(x, cell.zero_state(2, tf.float32)))
nodes()
# case: shards
x = tf.placeholder(tf.float32, [None, 4], name="x")
cell = tf.nn.rnn_cell.LSTMCell(4, num_unit_shards=2, num_proj=4, num_proj_shards=2)
show(cell(x, cell.zero_state(2, tf.float32)))
show([v.name for v in tf.global_variables()])
nodes()
# case: partitioned cells
with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2)):
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    cell = tf.nn.rnn_cell.GRUCell(4)
    show(cell(x, cell.zero_state(2, tf.float32)))
nodes()
# case: values of cells
tf.set_random_seed(3)
x = tf.constant(np.linspace(-1, 1, 6).reshape(2, 3).astype("f"))
results = []
for cell in (
    tf.nn.rnn_cell.BasicRNNCell(4), tf.nn.rnn_cell.GRUCell(4), tf.nn.rnn_cell.BasicLSTMCell(4),
    tf.nn.rnn_cell.LSTMCell(4, use_peepholes=True, cell_clip=0.3, num_proj=2, proj_clip=0.1, forget_bias=0.3),
    tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(3), tf.nn.rnn_cell.GRUCell(2)]),
):
    with tf.variable_scope(None, "cell"):
        output, state = cell(x, cell.zero_state(2, tf.float32))
        output, state = cell(x * 2, state)
    results.append([output, state, tf.gradients(output, [x] + cell.trainable_variables)])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for result in results:
        show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run(result)))
# case: one cell in many scopes
x = tf.placeholder(tf.float32, [2, 3], name="x")
cell = tf.nn.rnn_cell.BasicLSTMCell(4)
zero = cell.zero_state(2, tf.float32)
with tf.variable_scope("a"):
    show(cell(x, zero)[0])
with tf.variable_scope("b"):
    show(cell(x, zero)[0])
with tf.variable_scope("c") as scope:
    other = tf.nn.rnn_cell.BasicLSTMCell(4)
    show(other(x, zero)[0])
    scope.reuse_variables()
    third = tf.nn.rnn_cell.BasicLSTMCell(4)
    show(third(x, zero)[0])
with tf.variable_scope("d"):
    show(tf.nn.rnn_cell.GRUCell(4, reuse=tf.AUTO_REUSE)(x, zero[0])[0])
    show(tf.nn.rnn_cell.GRUCell(4, reuse=True)(x, zero[0])[0])
show([v.name for v in tf.global_variables()])
tf.nn.rnn_cell.GRUCell(4, reuse=True, name="no")(x, zero[0])
# case: a second cell of the same name
x = tf.placeholder(tf.float32, [2, 3], name="x")
with tf.variable_scope("c"):
    show(tf.nn.rnn_cell.GRUCell(4)(x, x[:, :1] + tf.zeros([2, 4]))[0])
    show(tf.nn.rnn_cell.GRUCell(4)(x, x[:, :1] + tf.zeros([2, 4]))[0])
with tf.variable_scope("c"):
    show(tf.nn.rnn_cell.GRUCell(4)(x, x[:, :1] + tf.zeros([2, 4]))[0])
# case: many layers
x = tf.placeholder(tf.float32, [None, 3], name="x")
cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(n) for n in (4, 5)])
show(cell.name, cell.state_size, cell.output_size)
zero = cell.zero_state(2, tf.float32)
show(zero)
show(cell(x, zero))
show([v.name for v in cell.variables], [v.name for v in cell.trainable_weights], cell.non_trainable_weights)
with tf.variable_scope("other"):
    show(cell(x, zero)[0])
nodes()
# case: dropout, residual and device
x = tf.placeholder(tf.float32, [None, 4], name="x")
cell = tf.nn.rnn_cell.GRUCell(4)
dropout = tf.nn.rnn_cell.DropoutWrapper(cell, input_keep_prob=0.9, output_keep_prob=0.5, seed=3)
show(dropout.state_size, dropout.output_size)
zero = dropout.zero_state(2, tf.float32)
show(dropout(x, zero))
residual = tf.nn.rnn_cell.ResidualWrapper(dropout)
show(residual(x, zero))
device = tf.nn.rnn_cell.DeviceWrapper(residual, "/cpu:0")
show(device(x, device.zero_state(2, tf.float32)))
show([o.name for o in tf.get_default_graph().get_operations() if o.device])
show(device.output_size, device.state_size, [v.name for v in device.variables], device.name, residual.name, dropout.name)
nodes()
# case: dropout of states
x = tf.placeholder(tf.float32, [None, 4], name="x")
cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(4), 0.5, 0.6, 0.7, seed=5)
show(cell(x, cell.zero_state(2, tf.float32)))
cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(4), 0.5, 0.6, 0.7, variational_recurrent=True, input_size=4, dtype=tf.float32)
show(cell(x, cell.zero_state(2, tf.float32)))
nodes()
# case: dropout by a tensor; only the type of a division differs, which gives 0 instead of NaN
x = tf.placeholder(tf.float32, [None, 4], name="x")
keep = tf.placeholder(tf.float32, [])
cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(4), output_keep_prob=keep)
show(cell(x, cell.zero_state(2, tf.float32)))
print([op.name for op in tf.get_default_graph().get_operations()])
print([op.type for op in tf.get_default_graph().get_operations() if op.name != "dropout/truediv"])
# case: values of dropout
x = tf.ones([2, 4])
tf.set_random_seed(1)
cells = [
    tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(4), 0.5, 0.6, seed=5),
    tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(4), 0.5, 0.6, 0.7),
    tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.LSTMCell(4), 0.5, 0.6, 0.7, True, 4, tf.float32),
]
results = []
for cell in cells:
    output, state = cell(x, cell.zero_state(2, tf.float32))
    results.append([output, state, cell(x, state)])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run(results)))
    show(tf.nest.map_structure(lambda a: np.round(a, 3), session.run(results)))
# case: errors of dropout
cell = tf.nn.rnn_cell.GRUCell(4)
for arguments in ((1.5,), (0.5, -0.1), (0.5, 0.5, 2)):
    try:
        tf.nn.rnn_cell.DropoutWrapper(cell, *arguments)
    except ValueError as error:
        print(error)
for keywords in ({}, {"dtype": tf.float32}):
    try:
        tf.nn.rnn_cell.DropoutWrapper(cell, 0.5, variational_recurrent=True, **keywords)
    except ValueError as error:
        print(error)
for wrong in (3, None, "cell", tf.nn.rnn_cell.GRUCell):
    try:
        tf.nn.rnn_cell.DropoutWrapper(wrong)
    except TypeError as error:
        print(str(error)[:100])
tf.nn.rnn_cell.DropoutWrapper(cell, dropout_state_filter_visitor=3)
# case: errors of cells
x = tf.placeholder(tf.float32, [None, None], name="x")
for make in (tf.nn.rnn_cell.BasicRNNCell, tf.nn.rnn_cell.GRUCell, tf.nn.rnn_cell.BasicLSTMCell, tf.nn.rnn_cell.LSTMCell):
    try:
        make(4)(x, make(4).zero_state(2, tf.float32))
    except ValueError as error:
        print(error)
for call in (
    lambda: tf.nn.rnn_cell.MultiRNNCell([]),
    lambda: tf.nn.rnn_cell.MultiRNNCell(3),
    lambda: tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(2)], state_is_tuple=False),
    lambda: tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(2), tf.nn.rnn_cell.GRUCell(2)])(tf.ones([2, 3]), tf.ones([2, 4])),
    lambda: tf.nn.rnn_cell.GRUCell(2).zero_state(None, tf.float32),
    lambda: tf.nn.rnn_cell.GRUCell(2).zero_state(tf.ones([2, 2], tf.int32), tf.float32),
    lambda: tf.nn.rnn_cell.GRUCell(2)(tf.ones([2]), tf.ones([2, 2])),
    lambda: tf.nn.rnn_cell.GRUCell(2)(tf.ones([2, 3]), tf.ones([2, 3])),
    lambda: tf.nn.rnn_cell.GRUCell(2)(tf.ones([2, 3]), tf.ones([3, 2])),
    lambda: tf.nn.rnn_cell.RNNCell().state_size,
    lambda: tf.nn.rnn_cell.RNNCell().output_size,
    lambda: tf.nn.rnn_cell.RNNCell().zero_state(3, tf.float32),
    lambda: tf.nn.rnn_cell.LSTMStateTuple(tf.ones([2]), tf.ones([2], tf.int32)).dtype,
    lambda: tf.nn.rnn_cell.GRUCell(2, wrong=3),
    lambda: tf.nn.rnn_cell.GRUCell(2)(tf.ones([2, 3]), tf.ones([2, 2], tf.float64)),
    lambda: tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.GRUCell(2))(tf.ones([2, 3]), tf.ones([2, 2])),
):
    try:
        show(call())
    except (TypeError, ValueError, NotImplementedError) as error:
        text = str(error).strip().split("\n")[-1].strip().replace(type(error).__name__ + ": ", "")
        print(type(error).__name__, text.split("<")[0].split(" with input shapes")[0])
# case: a cell of one's own
class Cell(tf.nn.rnn_cell.RNNCell):
    @property
    def state_size(self):
        return 3
    @property
    def output_size(self):
        return 3
    def call(self, inputs, state):
        w = tf.get_variable("w", [3, 3])
        out = tf.matmul(inputs, w) + state
        return out, out
class Old(tf.nn.rnn_cell.RNNCell):
    state_size = 3
    output_size = 3
    def __call__(self, inputs, state, scope=None):
        with tf.variable_scope(scope or type(self).__name__):
            out = tf.matmul(inputs, tf.get_variable("w", [3, 3])) + state
            return out, out
x = tf.placeholder(tf.float32, [2, 3], name="x")
cell = Cell()
with tf.variable_scope("s"):
    out, state = cell(x, cell.zero_state(2, tf.float32))
    show(cell(x, state))
    show(cell(x, state, "scope"))
show([v.name for v in cell.weights], cell.name, cell.scope_name, cell.built)
cell = Old()
show(cell(x, state))
show(cell.zero_state(2, tf.float32), cell.get_initial_state(x), cell.get_initial_state(batch_size=4, dtype=tf.float64))
nodes()
# case: states of many kinds
class Cell(tf.nn.rnn_cell.RNNCell):
    def __init__(self, size):
        super(Cell, self).__init__()
        self._size = size
    @property
    def state_size(self):
        return self._size
    @property
    def output_size(self):
        return 3
for size in (3, tf.TensorShape([2, 3]), [2, 3], (2, (3, tf.TensorShape([4, 5]))), tf.TensorShape([]), tf.nn.rnn_cell.LSTMStateTuple(2, 3)):
    show(Cell(size).zero_state(2, tf.float32))
    show(Cell(size).zero_state(tf.placeholder(tf.int32, []), tf.float32))
    show(Cell(size).zero_state(tf.constant([2, 3]), tf.float32))
    show(Cell(size).zero_state(tf.TensorShape([4]), tf.int32))
nodes()
# case: configurations of cells
for cell in (tf.nn.rnn_cell.BasicRNNCell(4, activation=tf.nn.relu), tf.nn.rnn_cell.GRUCell(4), tf.nn.rnn_cell.BasicLSTMCell(4), tf.nn.rnn_cell.LSTMCell(4)):
    print(sorted((k, str(v)) for k, v in cell.get_config().items()))
# case: cells made of configurations
for cell in (tf.nn.rnn_cell.BasicRNNCell(4), tf.nn.rnn_cell.GRUCell(4, activation="relu"), tf.nn.rnn_cell.BasicLSTMCell(4), tf.nn.rnn_cell.LSTMCell(4, num_proj=2)):
    print(sorted((k, str(v)) for k, v in type(cell).from_config(cell.get_config()).get_config().items()))
wrapper = tf.nn.rnn_cell.DeviceWrapper(tf.nn.rnn_cell.GRUCell(4), "/cpu:0")
config = wrapper.get_config()
print(sorted(config), config["cell"]["class_name"], config["device"])
config["cell"] = cell
print(type(wrapper).from_config(config).output_size)
type(wrapper).from_config(wrapper.get_config())
