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
