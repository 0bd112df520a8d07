# case: reads and updates in one run
def run(build):
    tf.reset_default_graph()
    v = tf.Variable(1.0, name="v")
    fetches = build(v)
    with tf.Session() as sess:
        for _ in range(3):
            sess.run(v.initializer)
            show(sess.run(fetches))
def after(update, result):
    with tf.control_dependencies([update]):
        return result()
run(lambda v: v + tf.assign_add(v, 1.0))
run(lambda v: v.read_value() + tf.assign_add(v, 1.0))
run(lambda v: after(tf.assign_add(v, 1.0), lambda: v * 10.0))
run(lambda v: after(tf.assign(v, 5.0), lambda: v * 10.0))
run(lambda v: after(tf.assign(v, 5.0), lambda: tf.identity(v)))
def identity_before(v):
    y = tf.identity(tf.identity(v))
    with tf.control_dependencies([y]):
        a = tf.assign(v, 5.0)
    return after(a, lambda: y * 10.0)
run(identity_before)
def sum_before(v):
    y = v + 0.0
    with tf.control_dependencies([y]):
        a = tf.assign(v, 5.0)
    return after(a, lambda: y * 10.0)
run(sum_before)
def stopped(v):
    y = tf.stop_gradient(v)
    with tf.control_dependencies([y]):
        a = tf.assign_add(v, 5.0)
    return after(a, lambda: y * 10.0)
run(stopped)
def fetched(v):
    y = tf.identity(v)
    with tf.control_dependencies([y]):
        a = tf.assign(v, 5.0)
    return [y, a]
run(fetched)
run(lambda v: [v, tf.assign_add(v, 5.0), v.value()])
# case: a chain of updates
v = tf.Variable(1.0, name="v")
a = tf.assign_add(v, 1.0)
with tf.control_dependencies([a]):
    b = tf.assign(v, v * 10.0)
with tf.control_dependencies([b]):
    c = tf.assign_add(v, 3.0)
with tf.Session() as sess:
    for _ in range(3):
        sess.run(v.initializer)
        show(sess.run(c), sess.run(v))
# case: a fed read stands for itself
v = tf.Variable(1.0, name="v")
y = v.value()
z = y * 2.0
with tf.Session() as sess:
    sess.run(v.initializer)
    show(sess.run(z, {y: 5.0}), sess.run([y, z], {y: 5.0}), sess.run(v))
