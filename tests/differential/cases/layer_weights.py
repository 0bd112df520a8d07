# case: attributes of layers
def attempt(f):
    try:
        show(f())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])


d = tf.layers.Dense(3, name="d")
attempt(lambda: d.get_weights())
attempt(
    lambda: (
        d.trainable,
        d.dynamic,
        d.metrics,
        d.input_spec,
        d.inbound_nodes,
        d.outbound_nodes,
        d.name,
        d.updates,
        d.losses,
    )
)
for n in "input output input_shape output_shape input_mask output_mask stateful submodules built dtype".split():
    attempt(lambda: getattr(d, n))
for n in "get_input_at get_output_at get_input_shape_at get_output_shape_at get_input_mask_at get_output_mask_at".split():
    attempt(lambda: getattr(d, n)(0))
x = tf.ones([2, 4])
y = d(x)
for n in "input output input_shape output_shape input_mask output_mask submodules".split():
    attempt(lambda: getattr(d, n))
for n in "get_input_at get_output_at get_input_shape_at get_output_shape_at get_input_mask_at get_output_mask_at".split():
    attempt(lambda: getattr(d, n)(0))
    attempt(lambda: getattr(d, n)(1))
y2 = d(tf.ones([5, 4]))
for n in "input output input_shape output_shape input_mask output_mask".split():
    attempt(lambda: getattr(d, n))
for n in "get_input_at get_output_at get_input_shape_at get_output_shape_at".split():
    attempt(lambda: getattr(d, n)(1))
d.trainable = False
print(
    len(d.trainable_weights),
    len(d.non_trainable_weights),
    len(d.weights),
    len(tf.trainable_variables()),
)
d.trainable = True
print(len(d.trainable_weights), len(d.non_trainable_weights))
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    d.set_weights([np.ones([4, 3]), np.arange(3.0)])
    show(d.get_weights())
    attempt(lambda: d.set_weights([np.ones([4, 3])]))
    attempt(lambda: d.set_weights([np.ones([4, 2]), np.arange(3.0)]))
attempt(lambda: d.count_params())
attempt(lambda: type(d.input_spec).__name__)
d.input_spec = tf.layers.InputSpec(ndim=2)
attempt(lambda: d.input_spec.ndim)


# case: attributes of cells
def attempt(f):
    try:
        show(f())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])


c = tf.nn.rnn_cell.BasicLSTMCell(3)
o, s = c(tf.ones([2, 4]), c.zero_state(2, tf.float32))
attempt(lambda: [w.name for w in c.trainable_weights])
attempt(lambda: [w.name for w in c.weights])
attempt(
    lambda: (
        c.trainable,
        c.dynamic,
        c.metrics,
        c.inbound_nodes,
        c.losses,
        c.updates,
        c.count_params(),
        c.built,
        c.dtype,
    )
)
for n in "input output input_shape output_shape input_mask output_mask submodules".split():
    attempt(lambda: getattr(c, n))
c.trainable = False
attempt(lambda: (len(c.trainable_weights), len(c.non_trainable_weights), len(c.variables)))
m = tf.nn.rnn_cell.MultiRNNCell(
    [tf.nn.rnn_cell.GRUCell(2), tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(2), 0.5)]
)
tf.nn.dynamic_rnn(m, tf.ones([2, 3, 4]), dtype=tf.float32)
attempt(lambda: [w.name for w in m.trainable_weights])
attempt(lambda: [w.name for w in m.non_trainable_weights])
attempt(lambda: [w.name for w in m.weights])
attempt(lambda: len(m.losses))
m.trainable = False
attempt(lambda: (len(m.trainable_weights), len(m.non_trainable_weights), len(m.variables)))
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    show([w.shape for w in c.get_weights()])
    c.set_weights([np.zeros([7, 12]), np.ones([12])])
    show(c.get_weights()[1])
w = tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.BasicRNNCell(4, name="r"))
w(tf.ones([2, 4]), tf.ones([2, 4]))
attempt(lambda: [v.name for v in w.weights])
attempt(lambda: w.get_config())
attempt(lambda: c.get_config())

# case: a built layer has the type of its first weight
class First(tf.layers.Layer):
    def build(self, input_shape):
        self.step = self.add_weight("step", [], tf.int64, tf.zeros_initializer(), trainable=False)
        self.w = self.add_weight("w", [int(input_shape[-1]), 2])


y, x = tf.ones([2, 3]), tf.ones([2, 4, 4, 3])
for layer, value in (
    (tf.layers.Dense(2), y),
    (tf.layers.Conv2D(2, 2), x),
    (tf.layers.BatchNormalization(), y),
    (tf.layers.Dropout(0.5), y),
    (tf.keras.layers.Dense(2), y),
):
    before = layer.dtype
    layer.build(value.shape)
    print(before, layer.dtype, layer.call(value).shape)
cell = tf.nn.rnn_cell.LSTMCell(3)
cell.build(tf.TensorShape([2, 3]))
first = First()
first.build(tf.TensorShape([2, 3]))
print(cell.dtype, first.dtype, first.w.dtype)

# case: the names of moving averages
def averages(layers, resource=None, **options):
    with tf.Graph().as_default(), tf.variable_scope("r", use_resource=resource):
        layers.BatchNormalization(**options)(tf.ones([2, 3]), training=True)
        operations = tf.get_default_graph().get_operations()
        print([op.name for op in operations if op.type.startswith("AssignSub")])


averages(tf.layers)
averages(tf.layers, True)
averages(tf.layers, renorm=True)
averages(tf.keras.layers)
averages(tf.keras.layers, renorm=True)
