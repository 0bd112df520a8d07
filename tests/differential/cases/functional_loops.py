
# case: nodes of map_fn
x = tf.placeholder(tf.float32, [None, 3], name="x")
show(tf.map_fn(lambda v: v * 2, x))
show(tf.map_fn(lambda v: (v * 2, tf.size(v)), tf.ones([4, 2]), dtype=(tf.float32, tf.int32), name="pair"))
nodes()
# case: nodes of folds
x = tf.placeholder(tf.float32, [None, 3], name="x")
show(tf.foldl(lambda a, v: a + v, x), tf.foldr(lambda a, v: a + v, x))
y = tf.ones([4, 2])
show(tf.foldl(lambda a, v: a + tf.reduce_sum(v), y, initializer=1.0), tf.foldr(lambda a, v: a * v, y, initializer=tf.ones([2])))
nodes()
# case: nodes of scan
x = tf.placeholder(tf.float32, [None, 3], name="x")
show(tf.scan(lambda a, v: a + v, x))
show(tf.scan(lambda a, v: a + tf.reduce_sum(v), tf.ones([4, 2]), initializer=1.0))
show(tf.scan(lambda a, v: a + v, x, reverse=True))
show(tf.scan(lambda a, v: a + v, tf.ones([4, 2]), initializer=tf.zeros([2]), reverse=True, infer_shape=False))
nodes()
# case: values of functional loops
x = tf.constant([[1., 2.], [3., 4.], [5., 6.]])
n = tf.constant([1, 2, 3])
results = [
    tf.map_fn(lambda v: v * v, x),
    tf.map_fn(lambda p: p[0] * tf.cast(p[1], tf.float32), (x, n), dtype=tf.float32),
    tf.map_fn(lambda v: (v, -v), n, dtype=(tf.int32, tf.int32)),
    tf.map_fn(lambda d: {"b": d["a"] + 1}, {"a": n}, dtype={"b": tf.int32}),
    tf.foldl(lambda a, v: a * v, x), tf.foldr(lambda a, v: a - v, x),
    tf.foldl(lambda a, v: a - tf.reduce_sum(v), x, initializer=2.0), tf.foldr(lambda a, v: a * 2 + v, n, initializer=1),
    tf.foldl(lambda a, p: (a[0] + p[0], a[1] * p[1]), (x, n)),
    tf.scan(lambda a, v: a + v, x), tf.scan(lambda a, v: a * v, n, initializer=2), tf.scan(lambda a, v: a + v, x, reverse=True),
    tf.scan(lambda a, v: a * 2 + v, n, initializer=0, reverse=True),
    tf.scan(lambda a, v: (a[1], a[0] + a[1]), n, initializer=(0, 1)),
    tf.scan(lambda a, v: (a[0] + v[0], a[1] - v[1]), (n, x)),
]
with tf.Session() as session:
    for result in session.run(results):
        show(result)
# case: gradients of functional loops
x = tf.constant([[1., 2.], [3., 4.], [5., 6.]])
w = tf.constant(2.0)
results = [
    tf.gradients(tf.map_fn(lambda v: v * v * w, x), [x, w]),
    tf.gradients(tf.foldl(lambda a, v: a * v * w, x), [x, w]), tf.gradients(tf.foldr(lambda a, v: a * v + w, x), [x, w]),
    tf.gradients(tf.scan(lambda a, v: a * v * w, x), [x, w]), tf.gradients(tf.scan(lambda a, v: a * v, x, initializer=tf.stack([w, w]), reverse=True), [x, w]),
]
with tf.Session() as session:
    for result in session.run(results):
        show(result)
# case: errors of functional loops
x = tf.ones([3, 2])
for call in (
    lambda: tf.map_fn(3, x),
    lambda: tf.map_fn(lambda v: v, tf.constant(1.0)),
    lambda: tf.map_fn(lambda v: v, (tf.constant(1.0), tf.constant(2.0))),
    lambda: tf.map_fn(lambda v: v, tf.SparseTensor([[0]], [1], [1])),
    lambda: tf.map_fn(lambda v: (v, v), x),
    lambda: tf.map_fn(lambda v: v, x, dtype=(tf.float32, tf.float32)),
    lambda: tf.map_fn(lambda v: v, x, dtype=tf.int32),
    lambda: tf.foldl(3, x), lambda: tf.foldr(3, x), lambda: tf.scan(3, x),
    lambda: tf.foldl(lambda a, v: tf.reduce_sum(v), x),
    lambda: tf.scan(lambda a, v: (a, v), x),
    lambda: tf.scan(lambda a, v: a, x, initializer=(1, 2)),
    lambda: tf.scan(lambda a, v: a, (x, tf.ones([4]))),
    lambda: tf.map_fn(lambda v: v[0], (x, tf.ones([4])), dtype=tf.float32),
):
    try:
        show(call())
    except (TypeError, ValueError) as error:
        print(type(error).__name__, str(error).split("\n")[0])
# case: variables in functional loops
def dense(v):
    w = tf.get_variable("w", [2, 2], initializer=tf.ones_initializer())
    return tf.squeeze(tf.matmul(v[None], w), 0)
x = tf.constant([[1., 2.], [3., 4.]])
with tf.variable_scope("s"):
    y = tf.map_fn(dense, x)
    show(tf.get_variable_scope().caching_device)
show(tf.global_variables())
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    show(session.run([y, tf.gradients(y, tf.global_variables() + [x])]))
