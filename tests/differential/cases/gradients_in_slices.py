# case: rows of what an op makes
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
# case: rows of what a loop makes
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
# case: nodes of the gradient of rows of what a loop makes
x = tf.constant([0.3, -0.2, 0.8], name="x")
y = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a * tf.sin(x) + x), [0, x])[1]
show(tf.gradients(tf.gather(y, [1, 2]), x))
nodes()
