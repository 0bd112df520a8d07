# case: gradient descent nodes
v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="v")
w = tf.Variable([1.0, 2.0], name="w")
gs = tf.Variable(0, name="gs", trainable=False)
op = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(v * w), global_step=gs)
show(op)
nodes()
# case: adam nodes
v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="v")
w = tf.Variable([1.0, 2.0], name="w")
opt = tf.train.AdamOptimizer()
op = opt.minimize(tf.reduce_sum(v * w))
nodes(start=8)
print(opt.get_slot_names(), opt.get_name())
show(opt.get_slot(v, "m").op, opt.get_slot(w, "v").op, opt.get_slot(w, "z"))
print([x.name for x in opt.variables()])
print([x.name for x in tf.global_variables()], [x.name for x in tf.trainable_variables()])
# case: adam values
v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="v")
x = tf.placeholder(tf.float32, [2, 2])
train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(tf.square(v - x)))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(20):
        sess.run(train, {x: [[i, 1.0], [2.0, -i]]})
        show(sess.run(v))
# case: adam with repeated rows
v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], name="v")
i = tf.placeholder(tf.int32, [None])
train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(tf.square(tf.gather(v, i))))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for rows in [[0, 1, 0], [1], [2, 2], [0, 1, 2], [0, 1, 0]]:
        sess.run(train, {i: rows})
        show(sess.run(v))
# case: gradient descent with repeated rows
v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], name="v")
i = tf.placeholder(tf.int32, [None])
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(tf.square(tf.gather(v, i))))
nodes(start=4)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for rows in [[0, 1, 0], [1], [2, 2], [0, 1, 2], [0, 1, 0]]:
        sess.run(train, {i: rows})
        show(sess.run(v))
# case: nothing to optimize
tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))
# case: no gradient
v = tf.Variable(1.0, name="v")
try:
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))
except ValueError as e:
    print(str(e)[:100])
# case: a loss of integers
v = tf.Variable(1, name="v")
try:
    tf.train.GradientDescentOptimizer(0.1).minimize(v * 2)
except ValueError as e:
    print(str(e)[:40])
# case: gradients are checked
v = tf.Variable(1.0, name="v")
tf.train.GradientDescentOptimizer(0.1).apply_gradients([(None, v)])
# case: no pairs
tf.train.GradientDescentOptimizer(0.1).apply_gradients([])
# case: a wrong gate
v = tf.Variable(1.0, name="v")
tf.train.GradientDescentOptimizer(0.1).compute_gradients(v * 2.0, gate_gradients=5)
# case: the gates
v = tf.Variable(1.0, name="v")
w = tf.Variable(2.0, name="w")
opt = tf.train.GradientDescentOptimizer(0.1)
for gate in (tf.train.Optimizer.GATE_NONE, tf.train.Optimizer.GATE_OP, tf.train.Optimizer.GATE_GRAPH):
    show(opt.compute_gradients(v * w, gate_gradients=gate)[0][0].op)
nodes(start=8)
# case: gradients by hand
v = tf.Variable([1.0, 2.0], name="v")
opt = tf.train.GradientDescentOptimizer(tf.constant(0.5))
pairs = opt.compute_gradients(tf.reduce_sum(v * 3.0), [v])
train = opt.apply_gradients([(g * 2.0, x) for g, x in pairs], name="step")
show(train)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train)
    show(sess.run(v))
# case: a constraint
v = tf.Variable([1.0, 2.0], name="v", constraint=lambda x: tf.maximum(x, 0.0))
train = tf.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(v * 1.5))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train)
    show(sess.run(v))
