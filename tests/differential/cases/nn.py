# case: rectifiers and their gradients
x = tf.placeholder(tf.float32, [2, 3])
for name in "relu relu6 elu selu softplus softsign leaky_relu".split():
    with tf.name_scope(name):
        y = getattr(tf.nn, name)(x)
        first = tf.gradients(y, x)
        if name != "softsign":
            tf.gradients(first, x, name="second")
nodes()
# case: the gradient of SoftsignGrad
x = tf.placeholder(tf.float32, [2, 3])
tf.gradients(tf.gradients(tf.nn.softsign(x), x), x)
# case: values of rectifiers
x = tf.constant([-100.0, -20, -1, -0.5, 0, 0.5, 2, 5.5, 7, 20, 88], tf.float64)
with tf.Session() as session:
    for name in "relu relu6 elu selu softplus softsign leaky_relu".split():
        y = getattr(tf.nn, name)(x)
        print(name)
        show(session.run([y, tf.gradients(y, x)[0]]))
    y = tf.nn.relu(tf.constant([np.nan, np.inf, -np.inf]))
    show(session.run([y, tf.nn.relu([-1, 3]), tf.nn.relu6(np.array([9, -9], np.int8))]))
    show(session.run([tf.nn.leaky_relu([-1.0, 1.0], alpha) for alpha in (2.0, -2.0, 0.0)]))
# case: leaky_relu of integers
show(tf.nn.leaky_relu([1, 2], np.array(0.3)), tf.nn.leaky_relu([1.0], name="k"))
nodes()
# case: leaky_relu with a tensor as slope
tf.nn.leaky_relu([1.0], tf.constant(0.1))
# case: crelu
show(tf.nn.crelu(tf.placeholder(tf.float32, [2, 3])), tf.nn.crelu([[1.0]], axis=0, name="q"))
show(tf.nn.crelu(tf.placeholder(tf.float32)))
nodes()
with tf.Session() as session:
    show(session.run(tf.nn.crelu([[1.0, -2.0]])))
# case: relu of complex numbers
tf.nn.relu(np.array([1], np.complex64))
# case: elu of integers
tf.nn.elu([1, 2])
# case: relu of strings
tf.nn.relu("a")
# case: gradients of different shapes
tf.raw_ops.ReluGrad(
    gradients=tf.placeholder(tf.float32, [2, 3]), features=tf.placeholder(tf.float32, [3, 3])
)
# case: gradients of different shapes at run time
y = tf.raw_ops.ReluGrad(
    gradients=tf.placeholder_with_default(np.zeros([2, 3], "f"), None),
    features=tf.placeholder_with_default(np.zeros([3, 3], "f"), None),
)
tf.Session().run(y)
# case: softmax along axes
x = tf.placeholder(tf.float32, [4, None, 2])
show(tf.nn.softmax(x), tf.nn.softmax(x, axis=0), tf.nn.softmax(x, 2, name="a"))
show(tf.nn.log_softmax(x, axis=-2, name="b"), tf.nn.log_softmax(x, dim=1))
show(tf.nn.softmax(tf.placeholder(tf.float32)))
nodes()
# case: softmax with a tensor as axis
show(tf.nn.softmax(tf.placeholder(tf.float32, [4, 5]), axis=tf.placeholder(tf.int32, [])))
nodes()
# case: gradients of softmax
x = tf.placeholder(tf.float32, [4, 5])
show(tf.gradients(tf.nn.softmax(x), x), tf.gradients(tf.nn.log_softmax(x), x))
nodes()
# case: values of softmax
rows = np.array([[1, 2, 3], [1000, 1001, -1000], [-np.inf, 0, 1], [np.inf, 0, 1], [np.nan, 0, 1]])
with tf.Session() as session:
    for dtype in (np.float32, np.float64):
        x = tf.constant(rows.astype(dtype))
        show(session.run([tf.nn.softmax(x), tf.nn.log_softmax(x), tf.nn.softmax(x, axis=0)]))
    show(session.run([tf.nn.softmax(np.zeros([2, 0], "f")), tf.nn.softmax(np.zeros([0, 2], "f"))]))
# case: softmax of a scalar
tf.nn.softmax(1.0)
# case: softmax of a scalar at run time
tf.Session().run(tf.nn.softmax(tf.placeholder_with_default(np.float32(1), None)))
# case: softmax of integers
tf.nn.softmax([[1, 2]])
# case: softmax along an axis out of range
tf.nn.softmax([1.0, 2.0], axis=1)
# case: softmax with both names of the axis
tf.nn.softmax([1.0, 2.0], axis=0, dim=0)
# case: bias_add
F = tf.float32
show(tf.nn.bias_add(tf.placeholder(F, [None, 3]), tf.placeholder(F, [3])))
show(tf.nn.bias_add(tf.placeholder(F, [4, 5, 3]), [1, 2, 3], name="b"))
show(tf.nn.bias_add(tf.placeholder(F, [4, None, 7, 7]), tf.placeholder(F, [3]), "NCHW"))
show(tf.nn.bias_add(tf.placeholder(F, [2, 3, 4]), tf.placeholder(F, [3]), data_format="NCW"))
show(tf.nn.bias_add(tf.placeholder(F), tf.placeholder(F)))
show(tf.nn.bias_add(np.array([[1.0, 2.0]]), [1, 2]))
nodes()
with tf.Session() as session:
    x = np.arange(24).reshape(2, 3, 4)
    show(session.run([tf.nn.bias_add(x, [1, 2, 3, 4]), tf.nn.bias_add(x, [1, 2, 3], "NCHW")]))
# case: gradients of bias_add
for data_format, shape in (("NHWC", [4, 7, 7, 3]), ("NCHW", [4, 3, 7, 7])):
    with tf.name_scope(data_format):
        x, b = tf.placeholder(tf.float32, shape), tf.placeholder(tf.float32, [3])
        given = tf.placeholder(tf.float32, shape)
        first = tf.gradients(tf.nn.bias_add(x, b, data_format=data_format), [x, b], given)
        show(first, tf.gradients(first[1], given, name="second"))
nodes()
# case: bias_add with a wrong number of biases
tf.nn.bias_add(tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [4]))
# case: bias_add of a vector
tf.nn.bias_add(tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32, [3]))
# case: bias_add of a matrix with channels first
tf.nn.bias_add(tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [3]), "NCHW")
# case: bias_add with an unknown format
tf.nn.bias_add(tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [3]), "XX")
# case: bias_add with too many biases at run time
x = tf.placeholder_with_default(np.array([[1.0, 2.0]]), None)
tf.Session().run(tf.nn.bias_add(x, tf.placeholder_with_default(np.array([1.0, 2.0, 3.0]), None)))
# case: l2_loss
x = tf.placeholder(tf.float32, [2, 3])
y = tf.nn.l2_loss(x)
show(y, tf.gradients(y, x), tf.nn.l2_loss([1.0, 2.0], name="k"))
nodes()
with tf.Session() as session:
    show(session.run([tf.nn.l2_loss(np.array([1.0, -3.0])), tf.nn.l2_loss(np.zeros([0], "f"))]))
# case: l2_loss of integers
tf.nn.l2_loss([1, 2])
# case: top_k
x = tf.placeholder(tf.float32, [None, 5])
show(tf.nn.top_k(x, 3), tf.nn.top_k(x, tf.placeholder(tf.int32, []), sorted=False, name="t"))
show(tf.nn.top_k(tf.placeholder(tf.float32)))
nodes()
with tf.Session() as session:
    rows = np.array([[1, 3, 3, 2, 3], [9, 8, 7, 8, 9]])
    for k in (0, 1, 3, 5):
        show(session.run(tf.nn.top_k(rows.astype("f"), k)))
    show(session.run(tf.nn.top_k(rows.astype(np.int32), 2)))
    show(session.run(tf.nn.top_k(rows.astype(np.uint8), 2)))
    show(session.run(tf.nn.top_k(np.zeros([0, 3], "f"), 2)))
# case: gradients of top_k
x = tf.placeholder(tf.float32, [3, 4, 5])
show(tf.gradients(tf.nn.top_k(x, 2).values, x))
x = tf.placeholder(tf.float32)
show(tf.gradients(tf.nn.top_k(x, name="u").values, x))
nodes()
# case: values of gradients of top_k
x = tf.constant([[1.0, 5.0, 3.0], [9.0, 8.0, 7.0]])
given = tf.constant([[1.0, 2.0], [3.0, 4.0]])
show(tf.Session().run(tf.gradients(tf.nn.top_k(x, 2).values, x, given)))
# case: top_k of a scalar
tf.nn.top_k(tf.placeholder(tf.float32, []))
# case: top_k of a row that is too short
tf.nn.top_k(tf.placeholder(tf.float32, [2]), 3)
# case: top_k with a negative k
tf.nn.top_k(tf.placeholder(tf.float32, [2]), -1)
# case: top_k with a vector k
tf.nn.top_k(tf.placeholder(tf.float32, [2]), [1])
# case: top_k of a row that is too short at run time
tf.Session().run(tf.nn.top_k(tf.placeholder_with_default([1.0, 2.0], None), 3))
# case: top_k with a negative k at run time
tf.Session().run(tf.nn.top_k([1.0, 2.0], tf.placeholder_with_default(-1, None)))
# case: in_top_k
show(tf.nn.in_top_k(tf.placeholder(tf.float32, [3, None]), tf.placeholder(tf.int32, [None]), 2))
show(tf.nn.in_top_k(predictions=[[1.0, 2.0]], targets=np.array([1], np.int64), k=1, name="q"))
nodes()
rows = [[0.1, 0.5, 0.5], [0.3, 0.2, 0.1], [np.nan, 1, 2], [1, np.inf, 2], [1, 2, 3], [1, 1, 1]]
with tf.Session() as session:
    for k in (0, 1, 2, 3, 9):
        show(session.run(tf.nn.in_top_k(np.array(rows, "f"), [1, 1, 1, 1, 7, 2], k)))
# case: in_top_k of a vector
tf.nn.in_top_k(tf.placeholder(tf.float32, [3]), tf.placeholder(tf.int32, [3]), 1)
# case: in_top_k of different batches
tf.nn.in_top_k(tf.placeholder(tf.float32, [3, 1]), tf.placeholder(tf.int32, [4]), 1)
# case: in_top_k of different batches at run time
x = tf.placeholder_with_default(np.array([[1, 2]], "f"), None)
tf.Session().run(tf.nn.in_top_k(x, tf.placeholder_with_default([1, 2], None), 1))
# case: nth_element
x = tf.placeholder(tf.float32, [None, 5])
y = tf.raw_ops.NthElement(input=x, n=2)
show(y, tf.gradients(y, x))
nodes()
rows = np.array([[1, 5, 2], [3, 3, 0]], "f")
with tf.Session() as session:
    show(session.run(tf.raw_ops.NthElement(input=rows, n=1)))
    show(session.run(tf.raw_ops.NthElement(input=rows, n=0, reverse=True)))
    x = tf.constant(rows)
    show(session.run(tf.gradients(tf.raw_ops.NthElement(input=x, n=1), x, tf.constant([1.0, 2.0]))))
# case: nth_element out of range
tf.raw_ops.NthElement(input=tf.placeholder(tf.float32, [3]), n=3)
# case: local_response_normalization
x = tf.placeholder(tf.float32, [None, None, 2, 3])
y = tf.nn.local_response_normalization(x)
show(y, tf.gradients(y, x), tf.nn.lrn(x, 2, 0.1, 0.2, 0.3, name="l"), tf.nn.lrn(tf.placeholder(tf.float32)))
nodes()
x = tf.constant(np.arange(1, 17).reshape(1, 1, 2, 8).astype("f"))
with tf.Session() as session:
    for attrs in ((), (0,), (2, 0.5, 0.1, 0.75), (20,)):
        y = tf.nn.lrn(x, *attrs)
        show([a.round(3) for a in session.run([y, tf.gradients(y, x, tf.cos(x))[0]])])
# case: local_response_normalization of a vector
tf.nn.lrn(tf.placeholder(tf.float32, [3]))
# case: dropout
F = tf.float32
show(tf.nn.dropout(tf.placeholder(F, [2, 3]), 0.5))
show(tf.nn.dropout(tf.placeholder(F, [None, 3]), tf.placeholder(F), [2, 1], seed=4, name="d"))
show(tf.nn.dropout(tf.placeholder(F), rate=0.3, noise_shape=tf.placeholder(tf.int32, [None])))
show(tf.nn.dropout(tf.placeholder(tf.float64, [4, 2]), rate=0.3, noise_shape=[None, 1]))
show(tf.nn.dropout(tf.placeholder(F, [2]), 1.0), tf.nn.dropout([1.0], rate=tf.constant(0.3)))
nodes()
# case: values of dropout
tf.set_random_seed(7)
x = tf.ones([3, 4])
drops = [tf.nn.dropout(x, 0.6), tf.nn.dropout(x, 0.6, seed=3, noise_shape=[3, 1])]
with tf.Session() as session:
    for _ in range(2):
        show(session.run([drops, tf.gradients(drops[0], x)]))
# case: dropout without a rate
tf.nn.dropout(tf.placeholder(tf.float32, [2]))
# case: dropout with two rates
tf.nn.dropout(tf.placeholder(tf.float32, [2]), 0.5, rate=0.5)
# case: dropout of everything
tf.nn.dropout(tf.placeholder(tf.float32, [2]), 0.0)
# case: dropout of more than everything
tf.nn.dropout(tf.placeholder(tf.float32, [2]), rate=-0.5)
# case: dropout of integers
tf.nn.dropout(tf.placeholder(tf.int32, [2]), 0.5)
# case: dropout with a string
tf.nn.dropout(tf.placeholder(tf.float32, [2]), "a")
# case: dropout with an unknown noise shape
tf.nn.dropout(tf.placeholder(tf.float32, [None, 3]), 0.5, noise_shape=[None, 1])
# case: layers of given weights
F = tf.float32
show(tf.nn.xw_plus_b(tf.placeholder(F, [2, 3]), tf.placeholder(F, [3, 4]), tf.placeholder(F, [4])))
show(tf.nn.relu_layer([[1.0, 2.0]], [[2.0], [-3.0]], [3.0], name="r"))
nodes()
show(tf.Session().run(tf.nn.relu_layer([[1.0, 2.0]], [[2.0, 1.0], [-3.0, 1.0]], [3.0, 0.5])))
# case: l2_normalize
x = tf.placeholder(tf.float32, [2, 3])
show(tf.nn.l2_normalize(x, 1), tf.nn.l2_normalize(x), tf.nn.l2_normalize(x, axis=[0, 1]))
show(tf.nn.l2_normalize([1.0, 2.0], dim=0, name="q", epsilon=1e-3))
nodes()
show(tf.Session().run(tf.nn.l2_normalize([[3.0, 4.0], [0.0, 1e-8]], 1)))
# case: l2_normalize with both names of the axis
tf.nn.l2_normalize([1.0], 0, dim=0)
# case: values of zero_fraction
with tf.Session() as session:
    for value in ([0, 1, 0], [[0.0, 0.0, -0.0], [np.nan, 1.0, 2.0]], np.zeros([0])):
        show(session.run(tf.nn.zero_fraction(value)))
    x = tf.placeholder(tf.float32)
    show(session.run(tf.nn.zero_fraction(x), {x: [[1, 0]]}))
# case: swish
x = tf.placeholder(tf.float32, [2, 3])
y = tf.nn.swish(x)
show(y, tf.gradients(y, x))
nodes()
# case: values of swish
x = tf.constant([1.0, -2.0, 0.0, 50.0, -100.0])
y = tf.nn.swish(x)
with tf.Session() as session:
    show(session.run([y, tf.gradients(y, x)]))
