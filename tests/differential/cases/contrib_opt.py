# case: nodes of dense updates
C = tf.contrib.opt
def built(make, use_resource):
    tf.reset_default_graph()
    gs = tf.train.create_global_step()
    v = tf.get_variable("v", initializer=[[1.0, 2.0], [3.0, 4.0]], use_resource=use_resource)
    grad = tf.ones_like(v)
    start = len(tf.get_default_graph().get_operations())
    opt = make(gs, v)
    show(opt.apply_gradients([(grad, v)], global_step=gs))
    nodes(start=start)
    print(opt.get_name(), opt.get_slot_names(), [x.name for x in opt.variables()])
for make in [
    lambda gs, v: C.AdaMaxOptimizer(),
    lambda gs, v: C.NadamOptimizer(),
    lambda gs, v: C.LazyAdamOptimizer(),
    lambda gs, v: C.AdamGSOptimizer(gs),
    lambda gs, v: C.AdamWOptimizer(0.01),
    lambda gs, v: C.MomentumWOptimizer(0.01, 0.1, 0.9),
    lambda gs, v: C.LARSOptimizer(0.1),
    lambda gs, v: C.LARSOptimizer(0.1, skip_list=["v"], use_nesterov=True),
    lambda gs, v: C.PowerSignOptimizer(),
    lambda gs, v: C.AddSignOptimizer(),
    lambda gs, v: C.AddSignOptimizer(sign_decay_fn=lambda step: 1.0 / (1.0 + tf.cast(step, tf.float32))),
    lambda gs, v: C.VariableClippingOptimizer(tf.train.GradientDescentOptimizer(0.1), {v: [1]}, 2.0),
    lambda gs, v: C.RegAdagradOptimizer(0.1),
]:
    built(make, False)
    built(make, True)
# case: nodes of sparse updates
C = tf.contrib.opt
def built(make, use_resource):
    tf.reset_default_graph()
    gs = tf.train.create_global_step()
    v = tf.get_variable("v", initializer=[[1.0, 2.0], [3.0, 4.0]], use_resource=use_resource)
    grad = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]), tf.constant([2, 2]))
    start = len(tf.get_default_graph().get_operations())
    try:
        show(make(gs, v).apply_gradients([(grad, v)]))
    except NotImplementedError:
        print("not implemented")
    nodes(start=start)
for make in [
    lambda gs, v: C.AdaMaxOptimizer(),
    lambda gs, v: C.NadamOptimizer(),
    lambda gs, v: C.LazyAdamOptimizer(),
    lambda gs, v: C.AdamGSOptimizer(gs),
    lambda gs, v: C.LazyAdamGSOptimizer(gs),
    lambda gs, v: C.AdamWOptimizer(0.01),
    lambda gs, v: C.MomentumWOptimizer(0.01, 0.1, 0.9),
    lambda gs, v: C.LARSOptimizer(0.1),
    lambda gs, v: C.PowerSignOptimizer(),
    lambda gs, v: C.AddSignOptimizer(),
    lambda gs, v: C.VariableClippingOptimizer(tf.train.GradientDescentOptimizer(0.1), {v: [1]}, 2.0),
]:
    built(make, False)
    built(make, True)
# case: values of dense updates
C = tf.contrib.opt
def steps(make, use_resource):
    tf.reset_default_graph()
    gs = tf.train.create_global_step()
    v = tf.get_variable("v", initializer=[[1.0, 2.0], [3.0, -4.0]], use_resource=use_resource)
    x = tf.placeholder(tf.float32, [2, 2])
    opt = make(gs, v)
    train = opt.minimize(tf.reduce_sum(tf.square(v - x)) * 0.5, global_step=gs)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(5):
            sess.run(train, {x: [[i * 0.1, 1.0], [2.0, -0.1 * i]]})
            show(sess.run(v), sess.run([opt.get_slot(v, n) for n in opt.get_slot_names()]))
for make in [
    lambda gs, v: C.AdaMaxOptimizer(0.1),
    lambda gs, v: C.NadamOptimizer(0.1),
    lambda gs, v: C.LazyAdamOptimizer(0.1),
    lambda gs, v: C.AdamGSOptimizer(gs, 0.1),
    lambda gs, v: C.LARSOptimizer(0.1, eeta=0.5),
    lambda gs, v: C.PowerSignOptimizer(base=2.0),
    lambda gs, v: C.AddSignOptimizer(0.1, 0.8),
    lambda gs, v: C.VariableClippingOptimizer(tf.train.MomentumOptimizer(0.05, 0.9), {v: [1]}, 2.0),
    lambda gs, v: C.RegAdagradOptimizer(0.1),
]:
    steps(make, False)
    steps(make, True)
# case: values of sparse updates
C = tf.contrib.opt
def steps(make, use_resource):
    tf.reset_default_graph()
    gs = tf.train.create_global_step()
    v = tf.get_variable("v", initializer=[[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]], use_resource=use_resource)
    i = tf.placeholder(tf.int32, [None])
    opt = make(gs, v)
    train = opt.minimize(tf.reduce_sum(tf.square(tf.gather(v, i))) * 0.5, global_step=gs)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for rows in [[0, 1, 0], [1], [2, 2], [0, 1, 2], [2]]:
            sess.run(train, {i: rows})
            show(sess.run(v), sess.run([opt.get_slot(v, n) for n in opt.get_slot_names()]))
for make in [
    lambda gs, v: C.AdaMaxOptimizer(0.1),
    lambda gs, v: C.NadamOptimizer(0.1),
    lambda gs, v: C.LazyAdamOptimizer(0.1),
    lambda gs, v: C.LazyAdamGSOptimizer(gs, 0.1),
    lambda gs, v: C.LARSOptimizer(0.1),
    lambda gs, v: C.VariableClippingOptimizer(tf.train.GradientDescentOptimizer(0.1), {v: [1]}, 2.0),
]:
    steps(make, False)
    steps(make, True)
steps(lambda gs, v: C.PowerSignOptimizer(), False)
steps(lambda gs, v: C.AddSignOptimizer(), False)
# case: moving averages of trained variables
C = tf.contrib.opt
gs = tf.train.create_global_step()
v = tf.get_variable("v", initializer=[1.0, 2.0])
w = tf.get_variable("w", initializer=[1.0, 2.0])
opt = C.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.1), 0.5)
train = opt.minimize(tf.reduce_sum(v * v), global_step=gs)
show(train)
print([x.name for x in tf.global_variables()])
other = C.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.1), 0.5, gs, False).minimize(tf.reduce_sum(w))
show(other)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        sess.run(train)
        show(sess.run(tf.global_variables()[1:4]))
# case: values with weight decay
C = tf.contrib.opt
for use_resource in (False, True):
    for opt in (C.AdamWOptimizer(0.01, 0.1), C.MomentumWOptimizer(0.01, 0.1, 0.9, use_nesterov=True)):
        for sparse in (False, True):
            v = tf.Variable([[1.0, 2.0], [3.0, -4.0]], use_resource=use_resource)
            x = tf.placeholder(tf.float32, [None, 2])
            i = tf.placeholder(tf.int32, [None])
            grad = tf.IndexedSlices(x, i, tf.constant([2, 2])) if sparse else x
            train = opt.apply_gradients([(grad, v)])
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                for step in range(5):
                    rows = [step % 2, 1] if sparse else [0, 1]
                    sess.run(train, {x: [[step * 0.1, 1.0], [2.0, -0.1 * step]], i: rows})
                    show(sess.run(v), sess.run([opt.get_slot(v, n) for n in opt.get_slot_names()]))
# case: which variables decay
C = tf.contrib.opt
v = tf.get_variable("v", initializer=[1.0, 2.0])
w = tf.get_variable("w", initializer=[1.0, 2.0])
Made = C.extend_with_decoupled_weight_decay(tf.train.GradientDescentOptimizer)
print(Made.__name__)
train = [
    Made(0.1, learning_rate=0.1).minimize(tf.reduce_sum(v + w), decay_var_list=[v]),
    Made(weight_decay=tf.constant(0.1), learning_rate=0.1).minimize(tf.reduce_sum(v + w)),
    C.AdamWOptimizer(0.1).apply_gradients([(tf.ones([2]), v), (tf.ones([2]), w)], decay_var_list=[w]),
]
nodes(start=8)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for op in train:
        sess.run(op)
        show(sess.run([v, w]))
# case: steps that leave the slots alone
opt = tf.contrib.opt.RegAdagradOptimizer(0.1)
v = tf.get_variable("v", initializer=[[1.0, 2.0], [3.0, 4.0]])
w = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=True)
with opt.avoid_updating_slots():
    quiet = opt.minimize(tf.reduce_sum(tf.gather(v, [0])) + tf.reduce_sum(w))
loud = opt.minimize(tf.reduce_sum(v) + tf.reduce_sum(w))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for op in (quiet, loud, quiet):
        sess.run(op)
        show(sess.run([v, w, opt.get_slot(v, "accumulator"), opt.get_slot(w, "accumulator")]))
# case: ops of Keras
from tensorflow.python.training import training_ops
v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
slots = [tf.get_variable("s%d" % i, initializer=[0.1, 0.2], use_resource=True) for i in range(3)]
h = [s.handle for s in slots]
g = tf.constant([0.5, -0.3])
steps = [
    training_ops.resource_apply_adam_with_amsgrad(v.handle, h[0], h[1], h[2], 0.9, 0.99, 0.1, 0.9, 0.99, 1e-3, g),
    training_ops.resource_apply_keras_momentum(v.handle, h[0], 0.1, g, 0.9),
    training_ops.resource_apply_keras_momentum(v.handle, h[0], 0.1, g, 0.9, use_nesterov=True),
    training_ops.resource_sparse_apply_keras_momentum(v.handle, h[0], 0.1, g[:1], [1], 0.9),
    training_ops.resource_apply_adagrad_v2(v.handle, h[0], 0.1, 1e-3, g),
]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for op in steps:
        sess.run(op)
        show(sess.run([v] + slots))
# case: numbers out of range
def attempt(f):
    try:
        f()
    except ValueError as e:
        print(e)
C = tf.contrib.opt
attempt(lambda: C.LARSOptimizer(0.1, momentum=-1.0))
attempt(lambda: C.LARSOptimizer(0.1, weight_decay=-1.0))
attempt(lambda: C.PowerSignOptimizer(base=-1.0))
attempt(lambda: C.RegAdagradOptimizer(0.1, -1.0))
# case: gradients that are too old
step = tf.train.get_or_create_global_step()
v = tf.Variable(1.0, name="v")
opt = tf.contrib.opt.DropStaleGradientOptimizer(tf.train.GradientDescentOptimizer(0.1), 3)
pairs = opt.compute_gradients(v * v)
update = opt.apply_gradients(pairs, global_step=step)
nodes()
noted = [op for op in tf.get_default_graph().get_operations() if op.name == "add"][0].outputs[0]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for feed in ({}, {noted: -5}, {noted: -2}):
        show(sess.run(update, feed), sess.run([step, v]))
print(tf.get_collection(tf.GraphKeys.SUMMARIES), opt.get_slot_names())
# case: values of full matrices of the last gradients
for dtype in ("float32", "float64"):
    tf.reset_default_graph()
    v = tf.Variable(np.arange(4).astype(dtype), name="b")
    w = tf.Variable(np.ones([2, 2], dtype), name="a", use_resource=True)
    opt = tf.contrib.opt.GGTOptimizer(0.1, 0.8, window=2, eps=1e-8, svd_eps=1e-5)
    x = tf.placeholder(dtype, [4])
    update = opt.apply_gradients([(x, v), (tf.reshape(x * 2, [2, 2]), w)])
    random = np.random.RandomState(0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(5):
            sess.run(update, {x: random.randn(4)})
        print(np.round(sess.run(v), 2), np.round(sess.run(w), 2))
    print([(z.name, z.shape.as_list()) for z in opt.variables()])
# case: values of preconditioned tensors
def trained(shape, options, steps=4, rows=None, resource=False):
    tf.reset_default_graph()
    random = np.random.RandomState(0)
    step = tf.Variable(0, dtype=tf.int64, use_resource=resource)
    v = tf.Variable(np.zeros(shape, "f"), name="v", use_resource=resource)
    given = [len(rows)] + list(shape[1:]) if rows else shape
    x = tf.placeholder(tf.float32, given)
    gradient = tf.IndexedSlices(x, tf.constant(rows), tf.constant(shape)) if rows else x
    opt = tf.contrib.opt.ShampooOptimizer(step, **options)
    update = opt.apply_gradients([(gradient, v)], global_step=step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            sess.run(update, {x: random.rand(*given)})
        print(["%.1f" % (round(q, 1) + 0.0) for q in sess.run(v).ravel()[:8].tolist()], opt.get_slot_names(), [(z.name, z.shape.as_list()) for z in opt.variables()])
trained([4, 3], {})
trained([2, 3, 4], {}, resource=True)
trained([5], dict(max_matrix_size=2))
trained([5, 2], dict(max_matrix_size=3))
trained([4, 3], dict(gbar_decay=0.9, gbar_weight=0.1))
trained([4, 3], dict(mat_gbar_decay=0.9, mat_gbar_weight=0.2))
trained([3, 2], dict(precond_update_interval=2), 3)
trained([4, 3], {}, rows=[1, 3])
trained([5, 3], dict(max_matrix_size=3), rows=[1, 3])
trained([4, 3], dict(alpha=1.0, epsilon=0.1, learning_rate=lambda t: 1.0 / (t + 1.0)))
# case: steps counted by a resource variable
step = tf.Variable(0, dtype=tf.int64, use_resource=True, name="step")
v = tf.Variable(1.0, use_resource=True, name="v")
update = tf.train.GradientDescentOptimizer(0.1).minimize(v * v, global_step=step)
nodes(start=-3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(update)
    show(sess.run([step, v]))
