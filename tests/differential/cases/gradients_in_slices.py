# case: rows of the result of an op
x = tf.constant([[2.0, 1.0], [0.5, 3.0]])
v = tf.constant([2.0, 3.0])
made = [
    (tf.matrix_inverse(x), x),
    (tf.cholesky(tf.matmul(x, x, transpose_a=True)), x),
    (tf.fill([2, 3], v[0]), v),
    (x * v, v),
    (x + v, v),
    (tf.maximum(x, 1.0), x),
    (tf.nn.softmax(x), x),
    (tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * v), [0, x])[1], v),
    (tf.cond(v[0] > 0.0, lambda: x * v, lambda: x), v),
]
found = [tf.gradients(tf.gather(y, [1, 1]), t)[0] for y, t in made]
with tf.Session() as session:
    for value in session.run([tf.convert_to_tensor(g) for g in found]):
        print(value.round(4).tolist())
# case: rows of the result of a loop
x = tf.constant([0.3, -0.2, 0.8], name="x")
pred = tf.placeholder(tf.bool, [])


def rows(y):
    return tf.gather(y, [1, 2, 2])


def powers(y):
    return tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a * tf.sin(x)), [0, y])[1]


def chosen(y):
    def body(i, a):
        return i + 1, tf.cond(pred, lambda: x * tf.sigmoid(a), lambda: rows(a) * 0.5)

    return tf.while_loop(lambda i, a: i < 3, body, [0, y])[1]


def nested(y):
    return tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, rows(powers(a))), [0, y])[1]


def mapped(y):
    return tf.map_fn(lambda v: v * y[0], rows(y))


made = [rows(powers(x)), rows(chosen(x)), chosen(x), rows(nested(x)), rows(mapped(x)), mapped(powers(x))]
found = [tf.gradients(y * tf.constant([1.0, 2.0, 3.0]), x)[0] for y in made]
with tf.Session() as session:
    for value in (True, False, True):
        for gradient in session.run([tf.convert_to_tensor(g) for g in found], {pred: value}):
            print(gradient.round(4).tolist())
# case: nodes of the gradient of rows of the result of a loop
x = tf.constant([0.3, -0.2, 0.8], name="x")
y = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a * tf.sin(x) + x), [0, x])[1]
show(tf.gradients(tf.gather(y, [1, 2]), x))
nodes()
# case: slices with indices
values, indices = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0, 2])
s = tf.IndexedSlices(values, indices, tf.constant([3, 2]))
print(s.values is values, s.indices is indices, s.dense_shape.name, s.name, s.dtype, repr(s.device), s.op.name, s.graph is tf.get_default_graph())
a = tf.IndexedSlices(tf.constant([[1, 1], [2, 2], [10, 10], [4, 4]]), tf.constant([12, 26, 37, 45]))
b = tf.sparse_mask(a, [12, 45])
with tf.Session() as sess:
    show(sess.run([b.values, b.indices]), sess.run(tf.convert_to_tensor(s)), sess.run(-s), sess.run(s))
    g = tf.gradients(tf.gather(tf.constant([1.0, 2.0, 3.0]), [0, 2, 0]), [])
try:
    tf.convert_to_tensor(a)
except ValueError as error:
    print(error)
# case: gradients
x, y = tf.constant([1.0, 2.0], name="x"), tf.constant(3.0, name="y")
z = x * y
def attempt(call):
    try:
        show(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
for call in (lambda: tf.gradients(z, x), lambda: tf.gradients([z, y], [x, y]), lambda: tf.gradients(z, [y], grad_ys=[tf.constant([1.0, 10.0])]), lambda: tf.gradients(z, tf.constant(1.0)), lambda: tf.gradients(tf.stop_gradient(z) + y, [x, y]),
             lambda: tf.gradients(z, [x], [1.0, 2.0]), lambda: tf.gradients(tf.cast(z, tf.int32), x), lambda: tf.gradients(z, x, stop_gradients=[x]), lambda: tf.gradients(z * z, x, stop_gradients=[z]), lambda: tf.gradients(z, x, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE), lambda: tf.gradients(x + x + x, x, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_ACCUMULATE_N), lambda: tf.gradients(z, x, unconnected_gradients="x"), lambda: tf.gradients(y, x, unconnected_gradients="zero"), lambda: tf.gradients(z, 3), lambda: tf.gradients(z, x, name="other"), lambda: tf.gradients(z, x, gate_gradients=True), lambda: tf.gradients(tf.complex(x, x), x)):
    attempt(call)
with tf.Session() as sess:
    show(sess.run(tf.gradients([z, y], [x, y])), sess.run(tf.gradients(x + x * 2 + tf.identity(x), x)), sess.run(tf.gradients(tf.gather(x, [1, 1]), x)))
attempt(lambda: tf.gradients(tf.py_func(lambda v: v, [x], tf.float32), x))
with tf.Graph().as_default():
    v = tf.constant([1.0])
    try:
        tf.gradients(tf.raw_ops.Bucketize(input=v, boundaries=[1.0]) + 1, v)
        tf.gradients(tf.nn.in_top_k([[1.0]], [0], 1), v)
        tf.gradients(tf.nn.fractional_max_pool(tf.reshape(v, [1, 1, 1, 1]), [1, 1.0, 1.0, 1])[1], v)
    except LookupError as error:
        print(str(error).splitlines()[0])
