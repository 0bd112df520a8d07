# case: sessions
a, b = tf.constant(5.0), tf.constant(6.0)
c = a * b
sess = tf.Session()
print(sess.graph is tf.get_default_graph(), tf.get_default_session(), type(sess.run(c)).__name__, sess.run(tf.no_op()))
show(sess.run([a, c]), sess.run({"x": a, "y": [c, (b,)]}))
with sess.as_default():
    print(tf.get_default_session() is sess, c.eval())
with sess.as_default():
    print(c.eval({a: 2.0}), sess.run(c, {c: 7.0}), sess.run(c, {"Const:0": 1}), sess.run(c, {a.op.outputs[0]: np.float64(3)}))
def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
p = tf.placeholder(tf.float32, [None, 2], name="p")
q = tf.placeholder_with_default([1.0, 2.0], [2], name="q")
print(sess.run(q), sess.run(q, {q: [3, 4]}), sess.run(p * 2, {p: [[1, 2]]}))
attempt(lambda: sess.run(p))
attempt(lambda: sess.run(p, {p: [1.0]}))
attempt(lambda: sess.run(p, {p: [["a", "b"]]}))
attempt(lambda: sess.run(p, {p: tf.constant([[1.0, 2.0]])}))
attempt(lambda: sess.run(p, {"p": [[1.0, 2.0]]}))
attempt(lambda: sess.run(p, {"nothing:0": 1}))
attempt(lambda: sess.run(p, {3: 1}))
attempt(lambda: sess.run(p, 3))
attempt(lambda: sess.run(None))
attempt(lambda: sess.run(3))
attempt(lambda: sess.run("nothing:0"))
attempt(lambda: sess.run([a, None]))
attempt(lambda: sess.run([a, 3.5]))
with tf.Graph().as_default():
    other = tf.constant(1.0)
attempt(lambda: sess.run(other))
attempt(lambda: sess.run(c, {other: 1.0}))
s = tf.sparse_placeholder(tf.float32, name="s")
fed = (np.array([[0, 1]]), np.array([2.0], np.float32), np.array([2, 2]))
show(sess.run(s, {s: fed}), sess.run(s, {s: tf.SparseTensorValue(*fed)}))
sess.close()
attempt(lambda: sess.run(c))
sess.close()
with tf.Session() as sess:
    print(tf.get_default_session() is sess)
try:
    with tf.Session() as sess:
        raise KeyError("x")
except KeyError:
    attempt(lambda: sess.run(c))
print(tf.get_default_session())
inter = tf.InteractiveSession()
print(tf.get_default_session() is inter, c.eval())
inter.close()
print(tf.get_default_session())
attempt(lambda: tf.Session(graph=3))
attempt(lambda: tf.Session(config=3))
attempt(lambda: tf.Session(target=3))
# case: default sessions and threads
import threading
found = []
with tf.Session() as sess:
    thread = threading.Thread(target=lambda: found.append(tf.get_default_session()))
    thread.start()
    thread.join()
print(found)
# case: classes of errors
E = tf.errors
for name in "Cancelled Unknown InvalidArgument DeadlineExceeded NotFound AlreadyExists PermissionDenied Unauthenticated ResourceExhausted FailedPrecondition Aborted OutOfRange Unimplemented Internal Unavailable DataLoss".split():
    kind = getattr(E, name + "Error")
    error = kind(None, None, "text")
    print(name, error.error_code, error.message, error.op, error.node_def, isinstance(error, tf.OpError), isinstance(error, E.OpError), str(error))
print(E.UnknownError(None, None, "m", 77).error_code, E.OpError(None, None, "m", 5).error_code, E.OK, E.CANCELLED, E.DATA_LOSS)
x = tf.placeholder(tf.float32, name="x")
v = tf.Variable(1.0, name="v")
bad = {"matmul": tf.matmul(x, x, name="product"), "reshape": tf.reshape(x, [3], name="shaped"), "variable": v.value()}
with tf.Session() as sess:
    for key in sorted(bad):
        try:
            sess.run(bad[key], {x: [1.0, 2.0]})
        except tf.OpError as error:
            print(key, type(error).__name__, error.error_code, error.op.name == error.node_def.name, error.message.splitlines()[0])
try:
    tf.reshape(tf.zeros([4]), [3])
except ValueError as error:
    print(str(error).splitlines()[0])
# case: optimizers
v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3.0, name="w")
u = tf.Variable(1.0, name="u")
step = tf.Variable(0, trainable=False, name="step")
loss = tf.reduce_sum(v * v) * w
optimizer = tf.train.GradientDescentOptimizer(0.1)
pairs = optimizer.compute_gradients(loss, [v, w, u])
print([(g if g is None else g.name, x.name) for g, x in pairs])
train = optimizer.apply_gradients(pairs, global_step=step)
show(train, optimizer.minimize(loss, var_list=[w], name="named").name, optimizer.get_slot_names(), optimizer.get_slot(v, "x"), optimizer.get_name())
momentum = tf.train.MomentumOptimizer(tf.constant(0.25), 0.9)
op = momentum.minimize(loss, global_step=step, grad_loss=tf.constant(2.0), gate_gradients=momentum.GATE_GRAPH)
print(momentum.get_slot_names(), momentum.get_slot(v, "momentum").name, momentum.get_slot(u, "momentum"), momentum.GATE_NONE, momentum.GATE_OP, momentum.GATE_GRAPH)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run(train), [np.asarray(x) for x in sess.run([v, w, step])])
    sess.run(op)
    show([np.asarray(x) for x in sess.run([v, w, step])])
def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
attempt(lambda: optimizer.minimize(tf.constant(1.0)))
attempt(lambda: optimizer.minimize(tf.constant(1.0), var_list=[u]))
attempt(lambda: optimizer.compute_gradients(loss, [v], gate_gradients=7))
attempt(lambda: optimizer.apply_gradients([]))
attempt(lambda: optimizer.apply_gradients([(None, v)]))
attempt(lambda: optimizer.apply_gradients([(tf.constant([1.0, 1.0]), 3)]))
attempt(lambda: optimizer.apply_gradients([(v, w, u)]))
attempt(lambda: optimizer.apply_gradients(3))
attempt(lambda: optimizer.minimize(tf.constant(1)))
attempt(lambda: tf.train.Optimizer(False, ""))
attempt(lambda: tf.train.AdagradOptimizer(0.1, initial_accumulator_value=0.0).minimize(loss))
attempt(lambda: tf.train.FtrlOptimizer(0.1, learning_rate_power=1.0))
attempt(lambda: tf.train.FtrlOptimizer(0.1, initial_accumulator_value=-1.0))
attempt(lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=-1.0))
attempt(lambda: tf.train.FtrlOptimizer(0.1, l2_regularization_strength=-1.0))
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
# case: scopes of names and variables
with tf.name_scope("my_scope"):
    v1, v2 = tf.get_variable("var1", [1]), tf.Variable(1.0, name="var2")
    a = tf.add(v1, v2)
    print(v1.name, v2.name, a.name)
with tf.variable_scope("my_scope"):
    v1, v2 = tf.get_variable("var1", [1]), tf.Variable(1.0, name="var2")
    print(v1.name, v2.name, tf.add(v1, v2).name)
with tf.variable_scope("foo") as foo:
    x = 1.0 + tf.get_variable("v", [1])
    with tf.name_scope("bar"):
        v, y = tf.get_variable("b", [1]), 1.0 + tf.get_variable("c", [1])
    print(x.op.name, v.name, y.op.name)
with tf.variable_scope("bar"):
    with tf.variable_scope("baz") as other:
        print(other.name)
        with tf.variable_scope(foo) as again:
            print(again.name, (1.0 + tf.get_variable("d", [1])).op.name, tf.constant(1.0).name)
with tf.variable_scope(foo, reuse=True):
    print(tf.get_variable("v", [1]).name, tf.get_variable_scope().reuse)
with tf.variable_scope("root"):
    print(tf.get_variable_scope().reuse)
    with tf.variable_scope("foo"):
        tf.get_variable_scope().reuse_variables()
        with tf.variable_scope("deep"):
            print(tf.get_variable_scope().reuse, tf.get_variable_scope().name)
    print(tf.get_variable_scope().reuse)
with tf.variable_scope("init", initializer=tf.constant_initializer(0.4)):
    values = [tf.get_variable("v", [1]), tf.get_variable("w", [1], initializer=tf.constant_initializer(0.3))]
    with tf.variable_scope("bar"):
        values.append(tf.get_variable("v", [1]))
    with tf.variable_scope("baz", initializer=tf.constant_initializer(0.2)):
        values.append(tf.get_variable("v", [1]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run(values))
# case: devices of variables
with tf.device("/job:ps/task:7"):
    v = tf.Variable([1.0], name="v")
with tf.device("/gpu:0"):
    a = v.assign([2.0])
    t = tf.train.GradientDescentOptimizer(0.1).minimize(v * v, var_list=[v])
    q = v + 1.0
print(v.device, a.device, q.device)
for op in tf.get_default_graph().get_operations():
    print(op.name, op.type, op.device)
# case: initial values that depend on feeds and on each other
ph = tf.placeholder(tf.float32, [2])
v = tf.Variable(ph, trainable=False, collections=[])
print(tf.trainable_variables(), tf.global_variables())
with tf.Session() as sess:
    sess.run(v.initializer, feed_dict={ph: [1.0, 2.0]})
    show(sess.run(v))
w = tf.Variable(tf.random_normal([3]), name="w")
x = tf.Variable(w.initialized_value() * 2.0, name="x")
with tf.Session() as sess:
    sess.run(tf.initialize_all_variables())
    print(np.array_equal(sess.run(w) * 2, sess.run(x)))
# case: formatting and comparing graph defs
def made(value):
    with tf.Graph().as_default() as g:
        tf.add(tf.constant(value, name="a"), 2, name="b")
    return g.as_graph_def()
tf.test.assert_equal_graph_def(made(1), made(1))
for other in (made(3), tf.GraphDef()):
    try:
        tf.test.assert_equal_graph_def(made(1), other)
    except AssertionError as error:
        print("differ")
try:
    tf.test.assert_equal_graph_def(made(1), 3)
except TypeError as error:
    print(error)
