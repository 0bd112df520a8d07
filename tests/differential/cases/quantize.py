# case: nodes of a training graph with folded and quantized layers
L = tf.contrib.layers
norm = dict(normalizer_fn=L.batch_norm, normalizer_params=dict(is_training=True, scale=True))
x = tf.placeholder(tf.float32, [4, 8, 8, 3])
a = L.conv2d(x, 4, 3, activation_fn=tf.nn.relu6, scope="a", **norm)
b = L.separable_conv2d(a, None, 3, 1, activation_fn=tf.nn.relu6, scope="b", **norm)
c = L.conv2d(b, 4, 1, activation_fn=None, scope="c", **norm)
L.fully_connected(L.flatten(tf.nn.relu(a + c)), 3, activation_fn=None, scope="d")
tf.contrib.quantize.create_training_graph(quant_delay=7)
nodes(tf.get_default_graph())
print([v.name for v in tf.global_variables()])
# case: nodes of an evaluation graph
L = tf.contrib.layers
norm = dict(normalizer_fn=L.batch_norm, normalizer_params=dict(is_training=False, fused=False))
x = tf.placeholder(tf.float32, [4, 8, 8, 3])
a = L.conv2d(x, 4, 3, activation_fn=tf.nn.relu, scope="a", **norm)
b = L.conv2d(a, 4, 3, rate=2, activation_fn=None, scope="b")
s = tf.add(a, b, name="u/sum")
c = L.conv2d(tf.nn.avg_pool(s, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), 2, 1, scope="c")
tf.tanh(c * 2.0), tf.nn.relu(tf.reshape(c, [-1]) + 1.0)
tf.contrib.quantize.experimental_create_eval_graph(weight_bits=4, activation_bits=6)
nodes(tf.get_default_graph())
# case: frozen batch norms and symmetric ranges in a scope
L = tf.contrib.layers
norm = dict(normalizer_fn=L.batch_norm, normalizer_params=dict(is_training=True, fused=False))
x = tf.placeholder(tf.float32, [4, 5])
with tf.variable_scope("in"):
    a = L.fully_connected(x, 4, scope="a", **norm)
b = L.fully_connected(a, 4, scope="b")
tf.contrib.quantize.experimental_create_training_graph(
    weight_bits=5, activation_bits=6, symmetric=True, freeze_bn_delay=3, scope="in"
)
nodes(tf.get_default_graph())
# case: training with quantization, then evaluation of the checkpoint
L = tf.contrib.layers


def net(x, is_training):
    norm = dict(
        normalizer_fn=L.batch_norm,
        normalizer_params=dict(is_training=is_training, scale=True, decay=0.9),
    )
    a = L.conv2d(x, 4, 3, activation_fn=tf.nn.relu6, scope="a", **norm)
    b = L.conv2d(a, 4, 1, activation_fn=None, scope="b", **norm)
    return L.fully_connected(tf.reduce_mean(tf.nn.relu(a + b), [1, 2]), 3, None, scope="d")


tf.set_random_seed(3)
images = np.linspace(-1.0, 1.0, 8 * 6 * 6 * 2).reshape(8, 6, 6, 2).astype(np.float32)
x = tf.placeholder(tf.float32, [None, 6, 6, 2])
y = tf.placeholder(tf.int64, [None])
loss = tf.losses.sparse_softmax_cross_entropy(y, net(x, True))
tf.contrib.quantize.create_training_graph(quant_delay=2)
v = tf.trainable_variables()
gradients = tf.gradients(loss, v)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    feeds = {x: images, y: np.arange(8) % 3}
    for gradient in session.run(gradients, feeds):
        print(np.round(np.abs(gradient).sum(), 3))
    values = {v.op.name: v.eval() for v in tf.global_variables()}
with tf.Graph().as_default(), tf.Session() as session:
    x = tf.placeholder(tf.float32, [None, 6, 6, 2])
    logits = net(x, False)
    tf.contrib.quantize.create_eval_graph()
    for variable in tf.global_variables():
        variable.load(values[variable.op.name], session)
    print(np.round(session.run(logits, {x: images[:2]}), 2))
