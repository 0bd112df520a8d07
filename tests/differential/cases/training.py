# case: minimize a sparse resource variable
for make in (
    lambda: tf.train.AdagradOptimizer(1.0),
    lambda: tf.train.AdadeltaOptimizer(1.0, 1.0, 1.0),
    lambda: tf.train.FtrlOptimizer(1.0),
    lambda: tf.train.GradientDescentOptimizer(1.0),
    lambda: tf.train.MomentumOptimizer(1.0, 0.0),
    lambda: tf.train.ProximalAdagradOptimizer(1.0),
    lambda: tf.train.ProximalGradientDescentOptimizer(1.0),
    lambda: tf.train.RMSPropOptimizer(1.0, decay=0.0, momentum=0.0, epsilon=0.0),
    lambda: tf.train.AdamOptimizer(1.0),
    lambda: tf.train.RMSPropOptimizer(1.0, decay=0.0, momentum=0.0, epsilon=1.0, centered=True),
):
    for dtype in (tf.float32, tf.float64):
        with tf.Graph().as_default(), tf.Session() as session:
            v = tf.Variable([[1.0, 2.0]], dtype=dtype, use_resource=True)
            x = tf.constant([[4.0], [5.0]], dtype=dtype)
            pred = tf.matmul(tf.nn.embedding_lookup([v], [0]), x)
            op = make().minimize(pred * pred)
            session.run(tf.global_variables_initializer())
            op.run()
            show(np.round(v.eval(), 4) + 0.0)
# case: sharing of accumulators
for dtype in (tf.float32,):
    v0 = tf.Variable([1.0, 2.0], dtype=dtype)
    v1 = tf.Variable([3.0, 4.0], dtype=dtype)
    g = tf.constant([0.1, 0.1]), tf.constant([0.01, 0.01])
    opt = tf.train.AdagradOptimizer(3.0)
    u1 = opt.apply_gradients(zip(g, [v0, v1]))
    u2 = opt.apply_gradients(zip(g, [v0, v1]))
    show(
        opt.get_slot_names(),
        opt.get_slot(v0, "accumulator").get_shape(),
        opt.get_slot(v1, "accumulator"),
    )
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        u1.run()
        u2.run()
        u1.run()
        show(v0.eval(), v1.eval())
# case: grad loss and global step
gs = tf.Variable(0, trainable=False)
v = tf.Variable([1.0, 2.0])
w = tf.Variable([3.0, 4.0])
cost = 5 * v + 3 * w
grad_loss = tf.constant([42, -42], dtype=tf.float32)
op = tf.train.GradientDescentOptimizer(3.0).minimize(cost, gs, [v, w], grad_loss=grad_loss)
show(op)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    op.run()
    show(v.eval(), w.eval(), gs.eval())
# case: gradients as variables
v = tf.Variable([1.0, 2.0], use_resource=True)
w = tf.Variable([3.0, 4.0], use_resource=True)
cost = 5 * v + 3 * w
opt = tf.train.GradientDescentOptimizer(3.0)
gv = opt.compute_gradients(cost, [v, w])
grads = [tf.Variable(tf.zeros([2]), use_resource=True) for _ in gv]
conv = [tf.assign(a, g[0]) for a, g in zip(grads, gv)]
op = opt.apply_gradients(list(zip(grads, [v, w])))
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    s.run(conv)
    s.run(op)
    show(s.run([v, w]))
# case: gradients of tensors
x = tf.constant(1.0)
y = x * x
opt = tf.train.GradientDescentOptimizer(3.0)
gv = opt.compute_gradients(y, [x])
show(gv[0][0], gv[0][1])
try:
    opt.apply_gradients(gv)
except Exception as e:
    print(type(e).__name__, str(e).splitlines()[0])
# case: update with constraints
cl = lambda x: tf.clip_by_value(x, -1.0, 1.0)
for resource in (False, True):
    v = tf.Variable(
        [1.0, 2.0], constraint=lambda x: tf.clip_by_value(x, -0.1, 0.0), use_resource=resource
    )
    w = tf.Variable(
        [3.0, 4.0], constraint=lambda x: tf.clip_by_value(x, 0.0, 0.1), use_resource=resource
    )
    op = tf.train.GradientDescentOptimizer(3.0).minimize(5 * v + 3 * w)
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        s.run(op)
        show(s.run([v, w]))


# case: stop gradients in a custom optimizer
class Mine(tf.train.Optimizer):
    def __init__(self, lr, name="Mine"):
        super(Mine, self).__init__(False, name)
        self._lr = lr

    def _create_slots(self, vs):
        for v in vs:
            self._zeros_slot(v, "acc", self._name)

    def _prepare(self):
        self._lr_t = tf.convert_to_tensor(self._call_if_callable(self._lr), name="lr")

    def _apply_dense(self, g, v):
        acc = self.get_slot(v, "acc")
        a = acc.assign_add(g * g)
        return tf.group(v.assign_sub(self._lr_t * g / (tf.sqrt(a) + 1e-8)))

    def _resource_apply_dense(self, g, v):
        return self._apply_dense(g, v)

    def _apply_sparse(self, g, v):
        return tf.scatter_sub(v, g.indices, self._lr_t * g.values)

    def _resource_apply_sparse(self, g, v, i):
        return tf.scatter_sub(v, i, self._lr_t * g)


for resource in (False, True):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=resource)
    e = tf.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=resource)
    loss = tf.reduce_sum(tf.square(v)) + tf.reduce_sum(tf.nn.embedding_lookup(e, [0, 0]))
    op = Mine(0.1).minimize(loss)
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        s.run(op)
        s.run(op)
        show(s.run([v, e]))
# case: direct training ops
from tensorflow.python.training import training_ops


def var(x, d=np.float32):
    return tf.Variable(np.array(x, d))


with tf.Session() as s:
    for d in (np.float16, np.float32, np.float64):
        x = var(np.arange(4), d)
        a = var(np.arange(1, 5), d)
        l = var(np.arange(1, 5), d)
        g = np.arange(4).astype(d)
        s.run(tf.global_variables_initializer())
        show(s.run(training_ops.apply_gradient_descent(x, d(2), g)))
        show(s.run(training_ops.apply_adagrad(x, a, d(2), g)))
        show(s.run(training_ops.apply_ftrl(x, a, l, g, d(3), d(0.0), d(0.0), lr_power=d(-0.5))))
        show(s.run(training_ops.sparse_apply_adagrad(x, a, d(2), g[:2], np.array([0, 3]))))
        show(
            s.run(
                training_ops.sparse_apply_ftrl(
                    x, a, l, g[:2], np.array([1, 2], "i4"), d(3), d(0.1), d(0.2), lr_power=d(-0.5)
                )
            )
        )
        show(
            s.run(
                training_ops.apply_adam(
                    x, a, l, d(0.9), d(0.99), d(0.1), d(0.9), d(0.99), d(1e-4), g
                )
            )
        )
        show(x.eval(), a.eval(), l.eval())
        s.run(tf.global_variables_initializer())
# case: slots of parts
from tensorflow.python.training import slot_creator

with tf.variable_scope("a", partitioner=tf.fixed_size_partitioner(2)):
    v = tf.get_variable("var", [4, 2])
    for p in v:
        sl = slot_creator.create_zeros_slot(p, name="slot")
        si = sl._get_save_slice_info()
        show(sl.name, si.full_name, si.spec, sl.get_shape())
# case: sign decay
from tensorflow.contrib.opt.python.training import sign_decay

for f in (
    sign_decay.get_linear_decay_fn(1000),
    sign_decay.get_cosine_decay_fn(1000, 3, zero_after=2),
    sign_decay.get_restart_decay_fn(1000, 3),
    sign_decay.get_cosine_decay_fn(1000),
    sign_decay.get_restart_decay_fn(1000),
):
    with tf.Session() as s:
        show([float(s.run(f(tf.constant(i)))) for i in (0, 100, 499, 700, 999)])
# case: multitask
from tensorflow.contrib.opt.python.training import multitask_optimizer_wrapper as mw

v0 = tf.Variable([1.0, 2.0])
v1 = tf.Variable([3.0, 4.0])
g0 = tf.constant([0.1, 0.1])
g1 = tf.constant([0.01, 0.01])
gz = tf.constant([0.0, 0.0])
opt = mw.MultitaskOptimizerWrapper(tf.train.MomentumOptimizer(2.0, 0.9))
u = opt.apply_gradients(zip([g0, g1], [v0, v1]))
u_partial = opt.apply_gradients(zip([gz, g1], [v0, v1]))
show(opt.get_slot_names())
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    s.run(u)
    show(s.run([v0, v1, opt.get_slot(v0, "momentum"), opt.get_slot(v1, "momentum")]))
    s.run(u_partial)
    show(s.run([v0, v1, opt.get_slot(v0, "momentum"), opt.get_slot(v1, "momentum")]))
    grads = [tf.constant([3.0, 4.0]), tf.constant([0.0, 0.0]), None]
    cl, norm = mw.clip_gradients_by_global_norm(zip(grads, [v0, v1, v1]), 1.0)
    show(s.run([cl[0][0], cl[1][0], norm]), cl[2][0])
# case: variable clipping
with tf.Session() as s:
    v0 = tf.Variable([[0.0, 1.0], [2.0, 3.0]])
    v1 = tf.Variable([4.0, 5.0])
    opt = tf.contrib.opt.VariableClippingOptimizer(
        tf.train.GradientDescentOptimizer(3.0), {v0: [1], v1: [0]}, 2.0
    )
    op = opt.apply_gradients(
        [(tf.constant([[0.1, 0.1], [0.1, 0.1]]), v0), (tf.constant([0.01, 0.01]), v1)]
    )
    op2 = opt.apply_gradients([(tf.IndexedSlices([[0.1, 0.1]], [1], [2, 2]), v0)])
    s.run(tf.global_variables_initializer())
    op.run()
    show(v0.eval(), v1.eval())
    op2.run()
    show(v0.eval())
# case: moving average of parts
p0 = tf.get_variable(
    "p", [4, 2], partitioner=tf.fixed_size_partitioner(2), initializer=tf.ones_initializer()
)
opt = tf.contrib.opt.MovingAverageOptimizer(
    tf.train.GradientDescentOptimizer(2.0), average_decay=0.5
)
op = opt.minimize(tf.reduce_sum(p0.as_tensor()))
sv = opt.swapping_saver()
import tempfile, os

p = os.path.join(tempfile.mkdtemp(), "m")
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    for _ in range(3):
        s.run(op)
    f = sv.save(s, p)
    r = tf.train.NewCheckpointReader(f)
    show(
        sorted(r.get_variable_to_shape_map()),
        r.get_tensor("p"),
        r.get_tensor("p/ExponentialMovingAverage"),
    )
# case: moving average optimizer and its saver
v0 = tf.Variable([1.0, 2.0], name="v0")
v1 = tf.Variable([3.0, 4.0], name="v1")
opt = tf.contrib.opt.MovingAverageOptimizer(
    tf.train.GradientDescentOptimizer(2.0), average_decay=0.5
)
op = opt.apply_gradients(zip([tf.constant([0.1, 0.1]), tf.constant([0.01, 0.01])], [v0, v1]))
sv = opt.swapping_saver([v0, v1])
import tempfile, os

p = os.path.join(tempfile.mkdtemp(), "m")
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    for _ in range(3):
        s.run(op)
    show(s.run([v0, v1]))
    f = sv.save(s, p)
    r = tf.train.NewCheckpointReader(f)
    show(
        sorted(r.get_variable_to_shape_map()),
        r.get_tensor("v0"),
        r.get_tensor("v0/ExponentialMovingAverage"),
    )
# case: polynomial decay after its end
step = tf.placeholder(tf.int32, [])
decay = tf.train.polynomial_decay(0.05, step, 10, 0.01, 0.5)
with tf.Session() as s:
    for i in (5, 10, 99, 100):
        show(s.run(decay, {step: i}))
# case: clipping
t = tf.constant([[-3.0, 0.5], [4.0, 2.0]])
i = tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([1]))
with tf.Session() as sess:
    for r in (tf.clip_by_value(t, -1.0, 1.0), tf.clip_by_norm(t, 1.0), tf.clip_by_norm(t, 1.0, axes=[1]), tf.clip_by_average_norm(t, 1.0), tf.global_norm([t, None, i])):
        show(r, sess.run(r))
    clipped, norm = tf.clip_by_global_norm([t, None, i], 2.0)
    show(type(clipped).__name__, clipped[1], sess.run([clipped[0], clipped[2], norm]))
    clipped, norm = tf.clip_by_global_norm([t], 2.0, use_norm=tf.constant(1.0))
    show(sess.run([clipped, norm]))
nodes()
for call in (lambda: tf.clip_by_global_norm(t, 1.0), lambda: tf.global_norm(t), lambda: tf.clip_by_global_norm(3, 1.0)):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
