# case: variable store
from tensorflow.python.ops import variable_scope

vs = variable_scope._get_default_variable_store()
v = vs.get_variable("v", [1])
w = vs.get_variable("w", [2], use_resource=True)
show(v, w, v is vs.get_variable("v", [1], reuse=True) if False else "")
for f in (
    lambda: vs.get_variable("v", [1], reuse=False),
    lambda: vs.get_variable("u", [1], reuse=True),
    lambda: vs.get_variable("v", [2], reuse=True),
):
    try:
        show(f())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])
show(sorted(vs._vars.keys()), vs.get_variable("v", [1], reuse=True) is v)
# case: state ops
from tensorflow.python.ops import state_ops, gen_state_ops

p = state_ops.variable_op([1, 2], tf.float32)
show(p, p.get_shape(), p.op.get_attr("container"))
a = tf.assign(p, [[1.0, 2.0]])
q = state_ops.variable_op([], tf.float32, set_shape=False)
show(q, q.get_shape())
b = tf.assign(q, [[1.0, 2.0]], validate_shape=False)
show(a, b)
with tf.Session() as s:
    show(s.run(a))
    show(s.run(b))
    show(s.run(p))
    show(
        s.run(tf.is_variable_initialized(p)),
        s.run(tf.is_variable_initialized(state_ops.variable_op([1], tf.float32))),
    )
    try:
        s.run(state_ops.variable_op([1], tf.float32))
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0][:60])
# case: assign without shape
from tensorflow.python.ops import state_ops

for shapes in (([1, 2], [2, 1]), ([2], [1, 2])):
    v = state_ops.variable_op(shapes[0], tf.float32)
    try:
        show(tf.assign(v, np.ones(shapes[1])))
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])
    show(tf.assign(v, np.ones(shapes[1]), validate_shape=False))
p = state_ops.variable_op([1, 2], tf.float32)
value = tf.placeholder(tf.float32)
show(
    tf.assign(p, value).get_shape(),
    tf.assign_add(p, value).get_shape(),
    tf.assign(p, value, validate_shape=False).get_shape(),
)
with tf.Session() as s:
    s.run(tf.assign(p, [[1.0, 1.0]]))
    for f in (tf.assign, tf.assign_add, tf.assign_sub):
        try:
            show(s.run(f(p, value), {value: [1.0, 2.0, 3.0]}))
        except Exception as e:
            print(type(e).__name__, str(e).splitlines()[0])
# case: temporary variables
from tensorflow.python.ops import gen_state_ops

with tf.Session() as s:
    v = gen_state_ops.temporary_variable([1, 2], tf.float32, var_name="foo")
    v = tf.assign(v, [[4.0, 5.0]])
    v = tf.assign_add(v, [[6.0, 7.0]])
    f = gen_state_ops.destroy_temporary_variable(v, var_name="foo")
    show(s.run(f))
    show(v, f)
    with tf.control_dependencies([f]):
        pass
    d = gen_state_ops.temporary_variable([1], tf.float32, var_name="bar")
    i = tf.assign(d, [1.0])
    x = gen_state_ops.destroy_temporary_variable(i, var_name="bar")
    show(s.run(x))
# case: weights broadcast
from tensorflow.python.ops import weights_broadcast_ops as w

vals = tf.constant(np.arange(24.0).reshape(3, 2, 4))
for x in (
    1.0,
    [[[1.0]]],
    np.ones([3, 1, 4]),
    np.ones([1, 2]),
    np.ones([3, 2, 4, 1]),
    np.ones([3, 3, 4]),
    np.ones(4),
):
    try:
        show(w.assert_broadcastable(weights=x, values=vals), w.broadcast_weights(x, vals))
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])
with tf.Session() as s:
    x = tf.placeholder(tf.float64)
    for v in (1.0, np.ones([1, 2, 1]), np.ones([3, 2]), np.ones([3, 3, 4]), np.ones([2, 4])):
        try:
            show(s.run(w.broadcast_weights(x, vals), {x: v}).shape)
        except Exception as e:
            print(type(e).__name__, str(e).splitlines()[0][:100])
# case: sampled logits
from tensorflow.python.ops import nn_impl

rng = np.random.RandomState(0)
W, B, X = rng.randn(10, 4).astype("f"), rng.randn(10).astype("f"), rng.randn(3, 4).astype("f")
L = np.array([[0, 1], [2, 2], [7, 9]])
sv = (
    tf.constant([1, 0, 2, 3], tf.int64),
    tf.constant(np.full((3, 2), 0.5, "f")),
    tf.constant(np.full(4, 0.5, "f")),
)
with tf.Session() as s:
    for q in (False, True):
        for h in (False, True):
            show(
                s.run(
                    nn_impl._compute_sampled_logits(
                        weights=tf.constant(W),
                        biases=tf.constant(B),
                        labels=tf.constant(L),
                        inputs=tf.constant(X),
                        num_sampled=4,
                        num_classes=10,
                        num_true=2,
                        sampled_values=sv,
                        subtract_log_q=q,
                        remove_accidental_hits=h,
                        partition_strategy="div",
                        name="sampled",
                    )
                )
            )
# case: types and shapes behind handles
from tensorflow.python.ops import resource_variable_ops as r

h = r.var_handle_op(dtype=tf.int32, shape=[1], name="foo")
u = r.var_handle_op(dtype=tf.int32, shape=None, name="foo")
for f in (
    lambda: r.read_variable_op(h, dtype=tf.float32),
    lambda: r.assign_variable_op(h, tf.constant([[1.0]])),
    lambda: r.assign_variable_op(h, tf.constant([[1]])),
    lambda: r.assign_variable_op(u, tf.constant([[1]])),
    lambda: r.assign_variable_op(h, tf.constant([1, 2])),
    lambda: r.assign_add_variable_op(h, tf.constant([1, 2])),
    lambda: r.assign_sub_variable_op(h, tf.constant([[1, 2]])),
    lambda: r.assign_sub_variable_op(h, tf.constant([1.0])),
    lambda: r.assign_add_variable_op(h, tf.placeholder(tf.int32)),
    lambda: r.resource_gather(h, [0], dtype=tf.float32),
    lambda: r.resource_scatter_add(h, [0], [1.0]),
    lambda: r.destroy_resource_op(h),
):
    try:
        show(f())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])
# case: global step
from tensorflow.python.training import training_util

show(training_util.get_global_step())
step = training_util.create_global_step()
show(training_util.get_global_step() is step, step.dtype, step.name)
try:
    training_util.create_global_step()
except Exception as e:
    print(type(e).__name__, e)
show(training_util.get_or_create_global_step() is step)
for bad in (tf.Variable(1.0, name="a"), tf.Variable([1], name="b"), 3):
    try:
        training_util.assert_global_step(bad)
    except Exception as e:
        print(type(e).__name__, str(e)[:70])
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    show(tf.train.global_step(s, step), tf.train.global_step(s, step.name))
# case: reads of the global step
from tensorflow.python.training import training_util

show(training_util._get_or_create_global_step_read())
a = training_util._get_or_create_global_step_read()
show(a)
b = training_util._increment_global_step(3)
show(b)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    show(s.run(a))
    show(s.run(b))
    show(s.run(a))
nodes()
