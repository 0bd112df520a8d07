# case: functions of arrays
y = tf.numpy_function(lambda a, b: a + b, [tf.constant(1.0), tf.constant(2.0)], tf.float32)
z = tf.numpy_function(lambda a: (a, a + a), [y], [tf.float32, tf.float32], name="pair")
show(y, z, tf.Session().run([y, z]))
nodes()
# case: functions of tensors with values
def attempt(build):
    with tf.Graph().as_default():
        try:
            made = build()
            show(made)
            with tf.Session() as sess:
                show(sess.run(made))
            nodes()
        except tf.errors.OpError as error:
            print(type(error).__name__, error.message.splitlines()[0].split(":")[0])
one = lambda: tf.constant(1.0)
attempt(lambda: tf.py_function(lambda a: a + 1, [one()], tf.float32))
attempt(lambda: tf.py_function(lambda a: [a + 1, a], [one()], [tf.float32, tf.float32], name="q"))
attempt(lambda: tf.py_function(lambda a: None, [one()], []))
attempt(lambda: tf.py_function(lambda a: "x", [one()], tf.string))
attempt(lambda: tf.py_function(lambda a: 1, [one()], tf.float32))
attempt(lambda: tf.py_function(lambda a: [int(a), float(a), len(tf.stack([a, a]))], [one()], [tf.int32, tf.float32, tf.int32]))
# case: gradients of functions of tensors
def huber(x, d):
    return d * (tf.abs(x) - d / 2) if tf.abs(x) <= d else x * x / 2
x = tf.placeholder(tf.float32, [])
y = tf.py_function(huber, [x, tf.constant(2.0)], tf.float32)
dx, = tf.gradients(y, x)
with tf.Session() as sess:
    for value in (1.0, 3.0):
        show(sess.run([y, dx], {x: value}))
nodes()
# case: values in functions of tensors
def f(x):
    assert bool(x[0] > 0) and x.numpy().tolist() == [1.0, 2.0] and [float(v) for v in x] == [1.0, 2.0]
    return x * x.numpy().sum()
x = tf.constant([1.0, 2.0])
y = tf.py_function(f, [x], tf.float32)
show(tf.Session().run([y] + tf.gradients(y, x)))
