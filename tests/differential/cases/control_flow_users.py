# case: polynomial decay with cycles
gs = tf.Variable(0, trainable=False, name="gs")
show(tf.train.polynomial_decay(0.1, gs, 10, 0.01, cycle=True))
nodes(start=3)
# case: piecewise constant rates
gs = tf.Variable(0, trainable=False, name="gs")
show(tf.train.piecewise_constant(gs, [5, 10], [0.1, 0.2, 0.3]))
show(tf.train.piecewise_constant(gs, [5], [0.1, 0.2], name="rate"))
nodes(start=3)
# case: cosine decay with restarts
gs = tf.Variable(0, trainable=False, name="gs")
show(tf.train.cosine_decay_restarts(0.1, gs, 10))
nodes(start=3)
# case: initialized values
v = tf.Variable(1.0, name="v")
r = tf.Variable(1.0, name="r", use_resource=True)
w = tf.Variable(v.initialized_value() * 2.0, name="w")
x = tf.get_variable("x", initializer=r.initialized_value())
show(v.initialized_value(), r.initialized_value())
nodes()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run([v, r, w, x]))
    sess.run([v.assign(5.0), r.assign(6.0)])
    sess.run([w.initializer, x.initializer])
    show(sess.run([w, x]))
# case: initial values that depend on variables
v = tf.Variable(1.0, name="v")
w = tf.Variable(v + 2.0, name="w")
r = tf.Variable(w * v, name="r", use_resource=True)
nodes()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run([v, w, r]))
# case: initial values in branches
p = tf.placeholder_with_default(True, [], name="p")
v = tf.Variable(1.0, name="v")
w = tf.Variable(tf.cond(p, lambda: v * 2.0, lambda: 3.0), name="w")
nodes()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run([v, w]))
# case: dropout layer with a training tensor
x = tf.ones([2, 3], name="x")
t = tf.placeholder(tf.bool, [], name="t")
y = tf.layers.dropout(x, 0.5, training=t, seed=3)
show(y)
nodes()
with tf.Session() as sess:
    show(sess.run(y, {t: False}), sess.run(y, {t: True}))
# case: dropout layer with a training variable
x = tf.ones([2, 3], name="x")
t = tf.Variable(True, name="t", trainable=False)
show(tf.layers.dropout(x, 0.5, training=t))
nodes()
# case: batch normalization layer with a training tensor
x = tf.placeholder(tf.float32, [4, 3], name="x")
t = tf.placeholder(tf.bool, [], name="t")
y = tf.layers.batch_normalization(x, training=t)
show(y)
nodes()
show(tf.get_collection("update_ops"))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: np.arange(12.0).reshape(4, 3)}
    for training in (False, True, False):
        feed[t] = training
        show(sess.run([y] + tf.get_collection("update_ops"), feed))
# case: fused batch normalization layer with a training tensor
x = tf.placeholder(tf.float32, [2, 2, 2, 3], name="x")
t = tf.placeholder(tf.bool, [], name="t")
y = tf.layers.batch_normalization(x, training=t)
show(y)
nodes()
show(tf.get_collection("update_ops"))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: np.arange(24.0).reshape(2, 2, 2, 3)}
    for training in (False, True, False):
        feed[t] = training
        show(sess.run([y] + tf.get_collection("update_ops"), feed))
# case: batch renormalization with a training tensor
x = tf.placeholder(tf.float32, [4, 3], name="x")
t = tf.placeholder(tf.bool, [], name="t")
y = tf.layers.batch_normalization(x, training=t, renorm=True)
show(y)
nodes()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: np.arange(12.0).reshape(4, 3)}
    for training in (False, True, False):
        feed[t] = training
        show(sess.run([y] + tf.get_collection("update_ops"), feed))
# case: assertions of the public functions
x = tf.placeholder(tf.float32, [None], name="x")
y = tf.placeholder(tf.float32, [None], name="y")
show(tf.assert_equal(x, y), tf.assert_less(x, y), tf.assert_positive(x), tf.assert_rank(tf.placeholder(tf.float32), 2))
nodes()
# case: moving averages without bias
v = tf.Variable(1.0, name="v")
average = tf.train.ExponentialMovingAverage(0.5, zero_debias=True)
show(average.apply([v]))
nodes()
# case: moving averages of tensors
x = tf.placeholder(tf.float32, [], name="x")
average = tf.train.ExponentialMovingAverage(0.5, num_updates=tf.Variable(0, name="n"))
show(average.apply([x * 2.0]))
nodes()
# case: metrics in branches
x = tf.placeholder(tf.float32, [3], name="x")
a, b = tf.metrics.mean(x)
c, d = tf.metrics.mean_cosine_distance(x, x, 0)
nodes()
# case: losses with dynamic weights
x = tf.placeholder(tf.float32, [None, 2], name="x")
w = tf.placeholder(tf.float32, name="w")
show(tf.losses.mean_squared_error(x, x + 1.0, weights=w))
nodes()
with tf.Session() as sess:
    feed = {x: np.ones([3, 2])}
    for weights in (2.0, np.ones([3, 1]), np.ones([3, 2])):
        feed[w] = weights
        show(sess.run("mean_squared_error/value:0", feed))
    feed[w] = np.ones([2, 2])
    sess.run("mean_squared_error/value:0", feed)
# case: squeezed labels of unknown rank
a = tf.placeholder(tf.int64, name="a")
b = tf.placeholder(tf.int64, name="b")
show(tf.confusion_matrix(a, b, 3))
show(tf.metrics.accuracy(a, b))
nodes()
# case: clipping by a global norm
x = tf.placeholder(tf.float32, [2], name="x")
show(tf.clip_by_global_norm([x], 1.0))
nodes()
# case: weights of unknown rank in metrics
x = tf.placeholder(tf.float32, [None, 2], name="x")
w = tf.placeholder(tf.float32, name="w")
show(tf.metrics.mean(x, w), tf.metrics.mean(tf.placeholder(tf.float32), tf.placeholder(tf.float32, [None])))
nodes()
# case: weights of unknown rank in losses
x = tf.placeholder(tf.float32, [None, 2], name="x")
y = tf.placeholder(tf.int64, name="y")
w = tf.placeholder(tf.float32, name="w")
show(tf.losses.sparse_softmax_cross_entropy(y, x, w))
nodes()
