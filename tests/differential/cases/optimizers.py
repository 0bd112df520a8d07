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
# case: minimize in a graph without variables
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
# case: twenty steps of every optimizer
def steps(make):
    tf.reset_default_graph()
    gs = tf.Variable(np.int64(0), name="gs", trainable=False)
    v = tf.Variable([[1.0, 2.0], [3.0, -4.0]], name="v")
    x = tf.placeholder(tf.float32, [2, 2])
    opt = make(gs)
    train = opt.minimize(tf.reduce_sum(tf.square(v - x)) * 0.5, global_step=gs)
    print(opt.get_slot_names(), [w.name for w in tf.global_variables()])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(20):
            sess.run(train, {x: [[i * 0.1, 1.0], [2.0, -0.1 * i]]})
            if i in (0, 1, 2, 10, 19):
                show(sess.run(v), sess.run([opt.get_slot(v, n) for n in opt.get_slot_names()]))
T = tf.train
for make in [
    lambda gs: T.GradientDescentOptimizer(0.1),
    lambda gs: T.MomentumOptimizer(0.1, 0.9),
    lambda gs: T.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    lambda gs: T.AdagradOptimizer(0.1),
    lambda gs: T.AdadeltaOptimizer(1.0),
    lambda gs: T.AdamOptimizer(0.1, beta1=0.8, epsilon=1e-3),
    lambda gs: T.RMSPropOptimizer(0.1),
    lambda gs: T.RMSPropOptimizer(0.1, 0.8, 0.5, 1e-3),
    lambda gs: T.RMSPropOptimizer(0.1, centered=True),
    lambda gs: T.FtrlOptimizer(0.1),
    lambda gs: T.FtrlOptimizer(0.1, l1_regularization_strength=0.5, l2_regularization_strength=0.3),
    lambda gs: T.FtrlOptimizer(0.1, -0.3, l2_shrinkage_regularization_strength=0.2),
    lambda gs: T.AdagradDAOptimizer(0.1, gs),
    lambda gs: T.AdagradDAOptimizer(0.1, gs, l1_regularization_strength=0.1, l2_regularization_strength=0.2),
    lambda gs: T.ProximalGradientDescentOptimizer(0.1),
    lambda gs: T.ProximalGradientDescentOptimizer(0.1, 0.5, 0.2),
    lambda gs: T.ProximalAdagradOptimizer(0.1),
    lambda gs: T.ProximalAdagradOptimizer(0.1, 0.2, 0.5, 0.2),
]:
    steps(make)
# case: sparse steps of every optimizer
def steps(make, use_resource):
    tf.reset_default_graph()
    gs = tf.Variable(np.int64(0), name="gs", trainable=False)
    v = tf.get_variable("v", initializer=[[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]], use_resource=use_resource)
    i = tf.placeholder(tf.int32, [None])
    opt = make(gs)
    train = opt.minimize(tf.reduce_sum(tf.square(tf.gather(v, i))) * 0.5, global_step=gs)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for rows in [[0, 1, 0], [1], [2, 2], [0, 1, 2], [0, 1, 0], [2]]:
            sess.run(train, {i: rows})
            show(sess.run(v), sess.run([opt.get_slot(v, n) for n in opt.get_slot_names()]))
T = tf.train
for make in [
    lambda gs: T.GradientDescentOptimizer(0.1),
    lambda gs: T.MomentumOptimizer(0.1, 0.9),
    lambda gs: T.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    lambda gs: T.AdagradOptimizer(0.1),
    lambda gs: T.AdadeltaOptimizer(1.0),
    lambda gs: T.AdamOptimizer(0.1),
    lambda gs: T.RMSPropOptimizer(0.1),
    lambda gs: T.RMSPropOptimizer(0.1, centered=True),
    lambda gs: T.FtrlOptimizer(0.1, l1_regularization_strength=0.5, l2_regularization_strength=0.3),
    lambda gs: T.FtrlOptimizer(0.1, -0.3, l2_shrinkage_regularization_strength=0.2),
    lambda gs: T.AdagradDAOptimizer(0.1, gs, l1_regularization_strength=0.1, l2_regularization_strength=0.2),
    lambda gs: T.ProximalGradientDescentOptimizer(0.1, 0.5, 0.2),
    lambda gs: T.ProximalAdagradOptimizer(0.1, 0.2, 0.5, 0.2),
]:
    steps(make, False)
    steps(make, True)
# case: nodes of every optimizer
def built(make):
    tf.reset_default_graph()
    gs = tf.Variable(np.int64(0), name="gs", trainable=False)
    v = tf.Variable([[1.0, 2.0], [3.0, -4.0]], name="v")
    g = tf.ones_like(v)
    start = len(tf.get_default_graph().get_operations())
    make(gs).apply_gradients([(g, v)])
    nodes(start=start)
T = tf.train
for make in [
    lambda gs: T.MomentumOptimizer(0.1, 0.9),
    lambda gs: T.AdagradOptimizer(0.1),
    lambda gs: T.AdadeltaOptimizer(1.0),
    lambda gs: T.RMSPropOptimizer(0.1, centered=True),
    lambda gs: T.FtrlOptimizer(0.1),
    lambda gs: T.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.2),
    lambda gs: T.AdagradDAOptimizer(0.1, gs),
    lambda gs: T.ProximalGradientDescentOptimizer(0.1, 0.5, 0.2),
    lambda gs: T.ProximalAdagradOptimizer(0.1, 0.2, 0.5, 0.2),
]:
    built(make)
# case: numbers out of range
def attempt(f):
    try:
        f()
    except ValueError as e:
        print(e)
attempt(lambda: tf.train.AdagradOptimizer(0.1, 0.0))
attempt(lambda: tf.train.FtrlOptimizer(0.1, 0.5))
attempt(lambda: tf.train.FtrlOptimizer(0.1, initial_accumulator_value=-1.0))
attempt(lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=-1.0))
attempt(lambda: tf.train.ProximalAdagradOptimizer(0.1, -0.5))
# case: adagrad with dual averages takes a step of 64 bits
for use_resource in (False, True):
    gs = tf.get_variable("gs%d" % use_resource, initializer=0, trainable=False, use_resource=use_resource)
    v = tf.get_variable("v%d" % use_resource, initializer=[1.0, 2.0], use_resource=use_resource)
    for grad in (v * 1.0, tf.IndexedSlices(tf.ones([1]), tf.constant([0]), tf.constant([2]))):
        try:
            tf.train.AdagradDAOptimizer(0.1, gs).apply_gradients([(grad, v)])
        except TypeError as e:
            print(e)
nodes()
# case: where slots are placed
for use_resource in (False, True):
    gs = tf.get_variable("gs%d" % use_resource, initializer=np.int64(0), trainable=False)
    v = tf.get_variable("v%d" % use_resource, initializer=[1.0, 2.0], use_resource=use_resource)
    start = len(tf.get_default_graph().get_operations())
    tf.train.AdagradDAOptimizer(0.1, gs).apply_gradients([(tf.ones([2]), v)])
    tf.train.FtrlOptimizer(0.1).apply_gradients([(tf.ones([2]), v)])
    tf.train.AdamOptimizer(0.1).apply_gradients([(tf.ones([2]), v)])
    for op in tf.get_default_graph().get_operations()[start:]:
        if op.type != "AssignVariableOp":
            print(op.name, op.colocation_groups())
# case: variables of 64 bits
v = tf.get_variable("v", initializer=np.array([1.0, 2.0]))
gs = tf.train.get_or_create_global_step()
T = tf.train
losses = tf.reduce_sum(v * v)
trains = [
    T.GradientDescentOptimizer(0.1).minimize(losses, global_step=gs),
    T.MomentumOptimizer(0.1, 0.9).minimize(losses),
    T.AdamOptimizer(0.1).minimize(losses),
    T.FtrlOptimizer(0.1).minimize(losses),
    T.AdagradDAOptimizer(0.1, gs).minimize(losses),
]
nodes()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for train in trains:
        sess.run(train)
        show(sess.run(v))
# case: shapes in ops that apply gradients
from tensorflow.python.training import training_ops
def attempt(name, *more):
    for use_resource in (False, True):
        tf.reset_default_graph()
        f = getattr(training_ops, "resource_" + name if use_resource else name)
        args = []
        for i, x in enumerate(more):
            if isinstance(x, str):
                x = tf.get_variable("v%d" % i, [int(n) for n in x.split()], use_resource=use_resource)
                x = x.handle if use_resource else x
            args.append(x() if callable(x) and not hasattr(x, "dtype") else x)
        try:
            op = f(*args)
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                sess.run(op)
            print("runs")
        except (ValueError, tf.errors.InvalidArgumentError) as e:
            print(str(e).splitlines()[0].split(" for '")[0])
one = lambda *shape: lambda: tf.ones(shape)
late = lambda *shape: lambda: tf.placeholder_with_default(tf.ones(shape), None)
rows = lambda *values: lambda: tf.placeholder_with_default(list(values), [len(values)])
attempt("apply_gradient_descent", "2", 0.1, one(3))
attempt("apply_gradient_descent", "2", [0.1], one(2))
attempt("apply_gradient_descent", "2", 0.1, late(2))
attempt("apply_gradient_descent", "2", 0.1, late(3))
attempt("apply_gradient_descent", "2", late(2), one(2))
attempt("apply_momentum", "2", "3", 0.1, one(2), 0.9)
attempt("apply_momentum", "2", "2", 0.1, one(2), [0.9])
attempt("apply_momentum", "2 3", "2 3", 0.1, late(2, 4), 0.9)
attempt("apply_adam", "2", "2", "1", 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, one(2))
attempt("apply_adam", "2", "2", "2", 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, one())
attempt("apply_adam", "2", "2", "2", 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, late(4))
attempt("sparse_apply_momentum", "2 3", "2 3", 0.1, one(2, 4), [0, 1], 0.9)
attempt("sparse_apply_momentum", "2 3", "2 3", 0.1, one(2, 3), [0, 1, 1], 0.9)
attempt("sparse_apply_momentum", "2 3", "2 3", 0.1, one(2, 3), [[0, 1]], 0.9)
attempt("sparse_apply_momentum", "2 3", "2 3", 0.1, one(2), [0, 1], 0.9)
attempt("sparse_apply_momentum", "2 3", "2 3", 0.1, late(2, 4), [1, 0], 0.9)
attempt("sparse_apply_momentum", "2 3", "2 3", 0.1, one(2, 3), rows(5, 0), 0.9)
attempt("sparse_apply_adagrad", "2 3", "2 3", 0.1, one(2, 3), rows(0, -1))
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
