# case: dense
show(tf.layers.dense(tf.placeholder(tf.float32, [None, 3]), 4))
show(tf.layers.dense(tf.placeholder(tf.float64, [2, 3]), 4, activation=tf.tanh, use_bias=False))
x = tf.placeholder(tf.float32, [None, 5, 3])
ones = tf.ones_initializer()
show(tf.layers.dense(x, 2, name="d", kernel_initializer=ones, bias_initializer=ones))
show(tf.layers.dense(np.ones([2, 3]), 1, kernel_regularizer=tf.nn.l2_loss, bias_regularizer=tf.nn.l2_loss))
show(tf.losses.get_regularization_losses())
nodes()
# case: values of dense
tf.set_random_seed(5)
x = tf.constant(np.arange(12).reshape(2, 2, 3).astype("f"))
y = tf.layers.dense(tf.layers.dense(x, 4, tf.nn.relu), 2)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(session.run(y))
# case: dense in variable scopes
x = tf.placeholder(tf.float32, [None, 3])
with tf.variable_scope("a"):
    x = tf.layers.dense(tf.layers.dense(x, 4), 4)
    with tf.variable_scope("b"):
        x = tf.layers.dense(x, 4, name="x")
    with tf.variable_scope("b", reuse=True):
        x = tf.layers.dense(x, 4, name="x")
show(x, [v.name for v in tf.global_variables()])
with tf.variable_scope("s", initializer=tf.ones_initializer(), regularizer=tf.nn.l2_loss):
    show(tf.layers.dense(x, 2))
nodes()
show(tf.losses.get_regularization_losses())
# case: dense in a partitioned scope
with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2)):
    x = tf.placeholder(tf.float32, [2, 4])
    show(tf.layers.dense(x, 4, name="d", kernel_regularizer=tf.nn.l2_loss))
show(tf.losses.get_regularization_losses(), [v.name for v in tf.global_variables()])
# case: a layer that is called twice
layer = tf.layers.Dense(4, activity_regularizer=tf.reduce_sum)
print(layer.name, layer.built, layer.dtype, layer.variables)
with tf.variable_scope("s") as scope:
    show(layer(tf.placeholder(tf.float32, [None, 3])), layer.scope_name)
show(layer(tf.placeholder(tf.float32, [2, 3])), layer.kernel.name, layer.bias.name)
show(layer(tf.placeholder(tf.float32, [2, 3]), scope=scope))
print(layer.name, layer.built, layer.dtype, layer.units, layer.count_params(), layer.input_spec)
show([v.name for v in layer.variables], [v.name for v in layer.trainable_weights])
show(layer.losses, layer.updates, tf.losses.get_regularization_losses())
show(layer.compute_output_shape([None, 7]))
other = tf.layers.Dense(4)
print(other.name, other(tf.placeholder(tf.float32, [None, 3])).name, tf.layers.Dense(4, name="k").name)
nodes()
# case: names of layers
layers = [tf.layers.Dense(3), tf.layers.Dense(3), tf.layers.Flatten(), tf.layers.Dropout()]
x = tf.placeholder(tf.float32, [None, 3])
for layer in reversed(layers):
    x = layer(x)
    show(layer.name, layer.scope_name, x)
with tf.variable_scope("q"):
    layer = tf.layers.Dense(3)
with tf.variable_scope("r"):
    show(layer(x))
layer = tf.layers.Dense(4, _scope="zz", _reuse=None, name="yy")
show(layer.name, layer.scope_name, layer(x))
# case: a layer of one's own
class Scale(tf.layers.Layer):
    def build(self, input_shape):
        print(input_shape)
        self.w = self.add_weight("w", [3], initializer=tf.ones_initializer())
        self.u = self.add_variable("u", shape=(), dtype=tf.int32, trainable=False)
        super(Scale, self).build(input_shape)

    def call(self, inputs, factor=1, scope=None):
        print(scope.name)
        self.add_update(tf.assign(self.w, self.w))
        self.add_loss(tf.reduce_sum(inputs), inputs=True)
        return inputs * self.w * factor


layer = Scale()
x = tf.placeholder(tf.float32, [2, 3])
show(layer(x), layer.apply(x, factor=3.0), layer.name)
show([v.name for v in layer.variables], [v.name for v in layer.non_trainable_variables])
show(layer.updates, layer.losses, tf.get_collection("update_ops"), layer.count_params())
show(tf.losses.get_regularization_losses(), layer.get_losses_for(None), layer.get_losses_for(x))
layer.trainable = False
show([v.name for v in layer.trainable_weights], [v.name for v in layer.non_trainable_weights])
# case: a layer of several inputs
class Pair(tf.layers.Layer):
    def build(self, input_shape):
        print(input_shape)

    def call(self, inputs):
        with tf.name_scope("z"):
            return [inputs[0] + 1, inputs[1] * 2]


show(Pair(name="h")([tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [5])]))
# case: a layer that is not trained
x = tf.placeholder(tf.float32, [2, 3])
layer = tf.layers.Dense(4, trainable=False)
layer(x)
show(tf.trainable_variables(), layer.trainable_weights, [v.name for v in layer.weights])
layer = tf.layers.Dense(4)
layer.trainable = False
layer(x)
show(tf.trainable_variables(), layer.trainable_weights, [v.name for v in layer.weights])
# case: flatten
show(tf.layers.flatten(tf.placeholder(tf.float32, [None, 2, 3])))
show(tf.layers.flatten(tf.placeholder(tf.float32, [4, 2, 3]), name="w"))
show(tf.layers.flatten(tf.placeholder(tf.float32, [None, None, 3])))
show(tf.layers.flatten(tf.placeholder(tf.float32, [None])))
show(tf.layers.flatten(tf.placeholder(tf.float32, [4, 3, 2, 5]), data_format="channels_first"))
nodes()
show(tf.layers.Flatten().compute_output_shape((None, 3, 4)))
# case: dropout layers
show(tf.layers.dropout(tf.placeholder(tf.float32, [None, 3]), training=True))
show(tf.layers.dropout(tf.placeholder(tf.float32, [4])))
x = tf.placeholder(tf.float32, [4, None, 3])
show(tf.layers.dropout(x, tf.constant(0.3), [None, 1, 3], training=True, seed=3, name="n"))
nodes()
# case: input specs
spec = tf.layers.InputSpec
print(spec(ndim=3), spec(shape=(None, 3)), spec(axes={-1: 2}, min_ndim=2).axes, spec("int32"))
# case: a vector into dense
tf.layers.dense(tf.placeholder(tf.float32, [3]), 4)
# case: an unknown length into dense
tf.layers.dense(tf.placeholder(tf.float32, [2, None]), 4)
# case: an unknown rank into dense
tf.layers.dense(tf.placeholder(tf.float32), 4)
# case: integers into dense
tf.layers.dense(tf.placeholder(tf.int32, [2, 3]), 4)
# case: another length into dense
layer = tf.layers.Dense(4)
layer(tf.placeholder(tf.float32, [2, 3]))
layer(tf.placeholder(tf.float32, [2, 5]))
# case: two layers of one name
tf.layers.dense(tf.placeholder(tf.float32, [2, 3]), 4, name="a")
tf.layers.dense(tf.placeholder(tf.float32, [2, 3]), 4, name="a")
# case: a layer that is reused in another size
tf.layers.dense(tf.placeholder(tf.float32, [2, 3]), 4, name="a")
tf.layers.dense(tf.placeholder(tf.float32, [2, 3]), 5, name="a", reuse=True)
# case: a layer that is reused but does not exist
tf.layers.dense(tf.placeholder(tf.float32, [2, 3]), 4, name="b", reuse=True)
# case: an unknown keyword of a layer
tf.layers.Dense(4, foo=1)
# case: the scope of a layer that was not called
tf.layers.Dense(4).scope_name
# case: the size of a layer that was not called
tf.layers.Dense(4).count_params()
# case: the input of a layer
tf.layers.Dense(4).input
# case: the input shape of a layer
tf.layers.Dense(4).input_shape
# case: a rank that a layer does not take
layer = tf.layers.Layer()
layer.input_spec = tf.layers.InputSpec(ndim=3)
layer(tf.zeros([2]))
# case: a type that a layer does not take
layer = tf.layers.Layer()
layer.input_spec = tf.layers.InputSpec(dtype="int32")
layer(tf.zeros([2]))
# case: a shape that a layer does not take
layer = tf.layers.Layer()
layer.input_spec = tf.layers.InputSpec(shape=(2, 4))
layer(tf.zeros([2, 3]))
# case: too few inputs
layer = tf.layers.Layer()
layer.input_spec = [tf.layers.InputSpec(ndim=2), tf.layers.InputSpec(ndim=2)]
layer([tf.zeros([2, 3])])
# case: batch_normalization
x = tf.placeholder(tf.float32, [None, 3])
show(tf.layers.batch_normalization(x), tf.layers.batch_normalization(x, training=True, name="t"))
x = tf.placeholder(tf.float32, [8, 3, 4])
show(tf.layers.batch_normalization(x, axis=1, training=True, beta_regularizer=tf.nn.l2_loss))
show(tf.layers.batch_normalization(tf.placeholder(tf.float16, [8, 3]), training=True))
nodes()
show(tf.get_collection("update_ops"), [v.name for v in tf.trainable_variables()])
# case: batch_normalization of images
x = tf.placeholder(tf.float32, [None, 4, 4, 3])
show(tf.layers.batch_normalization(x, training=True, name="t"))
show(tf.layers.batch_normalization(x, scale=False, center=False))
show(tf.layers.batch_normalization(x, axis=1, training=True, momentum=0.5))
show(tf.layers.batch_normalization(x, fused=False), tf.layers.batch_normalization(x[:, :, 0], fused=True))
nodes()
show(tf.get_collection("update_ops"))
# case: batch_normalization in other forms
x = tf.placeholder(tf.float32, [8, 3])
clipping = {"rmax": 2.0, "rmin": 0.5, "dmax": 1.0}
show(tf.layers.batch_normalization(x, training=True, renorm=True, renorm_clipping=clipping))
show(tf.layers.batch_normalization(x, training=True, virtual_batch_size=4))
show(tf.layers.batch_normalization(x, training=True, adjustment=lambda s: (tf.ones([3]), tf.zeros([3]))))
show(tf.layers.batch_normalization(tf.placeholder(tf.float32, [8, 3, 4, 5]), axis=[1, -1], training=True))
nodes()
# case: values of batch_normalization
x = tf.constant(np.square(np.arange(24) % 7).reshape(4, 2, 1, 3).astype("f"))
results = [
    tf.layers.batch_normalization(x, training=True, name="a"),
    tf.layers.batch_normalization(x[:, 0, 0], training=True, name="b"),
    tf.layers.batch_normalization(x[:, 0, 0], training=True, renorm=True, name="c"),
    tf.layers.batch_normalization(x[:, 0, 0], training=True, virtual_batch_size=2, name="d"),
]
averages = [tf.layers.batch_normalization(x, name="a", reuse=True)]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(2):
        for value in session.run([results, tf.get_collection("update_ops")])[0]:
            show(value.round(3))
    show(session.run([v for v in tf.global_variables() if "moving" in v.name]))
    show(session.run(averages[0]).round(3))
# case: batch_normalization along an axis out of range
tf.layers.batch_normalization(tf.zeros([8, 3, 4]), axis=5)
# case: batch_normalization along an axis twice
tf.layers.batch_normalization(tf.zeros([8, 3, 4]), axis=[1, 1])
# case: batch_normalization of an unknown length
tf.layers.batch_normalization(tf.placeholder(tf.float32, [8, 3, None]))
# case: batch_normalization of an unknown rank
tf.layers.batch_normalization(tf.placeholder(tf.float32))
# case: batch_normalization with an unknown limit
tf.layers.batch_normalization(tf.zeros([8, 3]), renorm=True, renorm_clipping={"x": 1})
# case: batch_normalization along a string
tf.layers.batch_normalization(tf.zeros([8, 3]), axis="x")
# case: convolution layers
x = tf.placeholder(tf.float32, [None, 8, 8, 3])
show(tf.layers.conv2d(x, 4, 3))
show(tf.layers.conv2d(x, 4, [3, 5], 2, "SAME", activation=tf.nn.relu, use_bias=False, name="q"))
y = tf.placeholder(tf.float32, [None, 3, 8, 8])
show(tf.layers.conv2d(y, 4, 3, strides=(1, 2), padding="same", data_format="channels_first"))
z = tf.placeholder(tf.float32, [None, 8, 3])
show(tf.layers.conv1d(z, 4, 3), tf.layers.conv1d(z, 4, 3, padding="causal"))
show(tf.layers.conv1d(z, 4, 3, strides=2, padding="same", data_format="channels_first"))
nodes()
# case: attributes of a convolution layer
c = tf.layers.Conv2D(4, 3, name="k", bias_initializer=tf.ones_initializer(), trainable=False)
c(tf.placeholder(tf.float32, [None, 8, 8, 3]))
print(c.kernel, c.bias, c.filters, c.kernel_size, c.strides, c.padding, c.data_format)
print(c.dilation_rate, c.use_bias, c.input_spec, c.rank, c.trainable_variables)
print(c.compute_output_shape(tf.TensorShape([None, 9, 9, 3])))
print(tf.layers.Conv1D(4, 3, 2, "same").compute_output_shape(tf.TensorShape([None, 9, 3])))
# case: a convolution layer for another number of channels
c = tf.layers.Conv2D(4, 3, name="k")
c(tf.placeholder(tf.float32, [None, 8, 8, 3]))
c(tf.placeholder(tf.float32, [None, 8, 8, 4]))
# case: transposed convolution layers
x = tf.placeholder(tf.float32, [None, 8, 8, 3])
show(tf.layers.conv2d_transpose(x, 4, 3, strides=2), tf.layers.conv2d_transpose(x, 4, 3))
show(tf.layers.conv2d_transpose(x, 4, [3, 2], (2, 1), "same", use_bias=False, name="n"))
c = tf.layers.Conv2DTranspose(4, 3, 2)
print(c.compute_output_shape(tf.TensorShape([None, 9, None, 3])))
nodes()
# case: pooling layers
x = tf.placeholder(tf.float32, [None, 8, 8, 3])
show(tf.layers.max_pooling2d(x, 2, 2), tf.layers.average_pooling2d(x, [3, 2], 1, "same", name="n"))
y = tf.placeholder(tf.float32, [None, 3, 8, 8])
show(tf.layers.max_pooling2d(y, [3, 2], (2, 1), "same", "channels_first", name="x"))
z = tf.placeholder(tf.float32, [None, 8, 3])
show(tf.layers.max_pooling1d(z, 2, 2), tf.layers.average_pooling1d(z, 3, 1, "same"))
p = tf.layers.MaxPooling2D(2, 2, name="k")
print(p.pool_size, p.strides, p.padding, p.data_format, p.input_spec)
print(p.compute_output_shape(tf.TensorShape([None, 9, 9, 3])))
print(tf.layers.AveragePooling1D(2, 2).compute_output_shape(tf.TensorShape([None, 9, 3])))
nodes()
# case: a convolution of too few dimensions
tf.layers.conv2d(tf.placeholder(tf.float32, [None, 8, 8]), 4, 3)
# case: a convolution of unknown channels
tf.layers.conv2d(tf.placeholder(tf.float32, [None, 8, 8, None]), 4, 3)
# case: a kernel of the wrong rank
tf.layers.conv2d(tf.placeholder(tf.float32, [None, 8, 8, 3]), 4, (3, 3, 3))
# case: an unknown data format
tf.layers.conv2d(tf.placeholder(tf.float32, [None, 8, 8, 3]), 4, 3, data_format="x")
# case: an unknown padding
tf.layers.conv2d(tf.placeholder(tf.float32, [None, 8, 8, 3]), 4, 3, padding="x")
# case: strides that are no numbers
tf.layers.conv2d(tf.placeholder(tf.float32, [None, 8, 8, 3]), 4, 3, strides="a")
# case: strides and dilation
tf.layers.conv2d(tf.placeholder(tf.float32, [None, 8, 8, 3]), 4, 3, strides=2, dilation_rate=2)
# case: pooling of too few dimensions
tf.layers.max_pooling2d(tf.placeholder(tf.float32, [None, 8, 8]), 2, 2)
# case: values of convolution layers
tf.set_random_seed(1)
x = tf.constant(np.arange(96, dtype=np.float32).reshape(2, 4, 4, 3) / 50 - 1)
y = tf.layers.conv2d(x, 2, 3, padding="same", activation=tf.nn.relu)
y = tf.layers.max_pooling2d(y, 2, 2)
y = tf.layers.conv2d_transpose(y, 2, 2, 2)
loss = tf.reduce_sum(y * y)
gradients = tf.gradients(loss, tf.trainable_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(session.run([y, gradients]))

# case: layers that train if Keras does
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
dropped = tf.layers.dropout(x, 0.5, training=None, seed=1)
normalized = tf.layers.batch_normalization(x, training=None)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(session.run([dropped, normalized]))
    phase = tf.keras.backend.learning_phase()
    show(session.run(tf.reduce_mean(normalized), {phase: True}))
