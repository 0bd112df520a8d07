# case: steps of all optimizers
from tensorflow.contrib.optimizer_v2 import optimizer_v2_symbols as o

made = (
    lambda: o.AdamOptimizer(0.1, beta2=0.9),
    lambda: o.GradientDescentOptimizer(lambda: 0.1),
    lambda: o.MomentumOptimizer(0.1, 0.9),
    lambda: o.MomentumOptimizer(0.1, tf.constant(0.9), use_nesterov=True, name="n"),
    lambda: o.RMSPropOptimizer(0.1, epsilon=0.1),
    lambda: o.RMSPropOptimizer(0.1, momentum=0.5, centered=True, epsilon=0.5),
    lambda: o.AdagradOptimizer(0.1, 0.5),
    lambda: o.AdadeltaOptimizer(0.5, epsilon=0.1),
)
for resource in (False, True):
    for optimizer in made:
        with tf.Graph().as_default() as graph, tf.Session() as session:
            w = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=resource)
            v = tf.get_variable("v", initializer=[3.0, -1.0, 2.0], use_resource=resource)
            loss = tf.reduce_sum(w * w) + tf.reduce_sum(tf.gather(v, [1, 1, 2]) ** 2)
            opt = optimizer()
            step = opt.minimize(loss, global_step=tf.train.get_or_create_global_step())
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(step)
            show(step.name, opt.get_name(), session.run([w, v]))
            print(sorted(x.op.name for x in tf.global_variables()))
            for name in opt.get_slot_names():
                show(name, opt.get_slot(w, name).name, session.run(opt.get_slot(v, name)))
            print(opt.get_slot(w, "none"), [x.name for x in opt.variables()])

# case: accumulators of Adam
from tensorflow.contrib.optimizer_v2 import adam

opt = adam.AdamOptimizer(0.1)
w = tf.get_variable("w", initializer=[1.0, 2.0])
step = opt.minimize(tf.reduce_sum(w), name="go")
session = tf.Session()
session.run(tf.global_variables_initializer())
session.run(step)
show(session.run(opt._get_beta_accumulators()), step.name, step.type)
print([n for n in (x.name for x in tf.get_default_graph().get_operations()) if n.startswith("Adam")])

# case: an optimizer of a program
from tensorflow.contrib.optimizer_v2 import optimizer_v2


class Mine(optimizer_v2.OptimizerV2):
    def __init__(self, rate, name="Mine"):
        super(Mine, self).__init__(False, name)
        self._set_hyper("rate", rate)

    def _create_vars(self, var_list, state):
        for v in var_list:
            show(state.zeros_slot(v, "acc"), state.create_slot(v, tf.ones([2]), "one", "other"))
        state.create_non_slot(1.0, "count", colocate_with=var_list[0])

    def _apply_dense(self, grad, var, state):
        show(state.get_hyper("rate", tf.float64).dtype, state.get_slot(var, "acc"), state.get_slot_names())
        return var.assign_sub(grad * state.get_hyper("rate", var.dtype.base_dtype))

    def _finish(self, state):
        return state.get_non_slot("count").assign_add(1.0)


w = tf.get_variable("w", initializer=[1.0, 2.0])
u = tf.get_variable("u", initializer=[1.0, 2.0])
opt = Mine(lambda: tf.constant(0.5))
step = opt.minimize(tf.reduce_sum(w * w), name="go")
session = tf.Session()
session.run(tf.global_variables_initializer())
session.run(step)
show(session.run([w] + opt.variables()), [v.name for v in opt.variables()])
again = opt.minimize(tf.reduce_sum(w), var_list=[w])
print(again.name)
for call in (
    lambda: Mine(0.1).apply_gradients([]),
    lambda: Mine(0.1).apply_gradients([(None, w)]),
    lambda: Mine(0.1, name=""),
    lambda: Mine(0.1).minimize(tf.reduce_sum(w), var_list=[u]),
    lambda: opt.minimize(tf.reduce_sum(tf.gather(w, [0]))),
):
    try:
        call()
    except (ValueError, NotImplementedError) as e:
        print(type(e).__name__, e)
