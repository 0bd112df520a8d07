# case: nodes of averages of tensors
for zero_debias in (False, True):
    w = tf.get_variable("w%d" % zero_debias, initializer=[3.0, 4.0])
    t = tf.identity(w * 2.0, name="sc/tt%d" % zero_debias)
    ema = tf.train.ExponentialMovingAverage(0.9, zero_debias=zero_debias, name="my")
    with tf.variable_scope("vs"), tf.name_scope("ns"):
        show(ema.apply([t]))
    show(ema.name, ema.average(t).op, ema.average(w), ema.average_name(w), ema.average_name(t))
    print(sorted((k, v.name) for k, v in ema.variables_to_restore([w]).items()))
print([v.name for v in tf.global_variables()], tf.moving_average_variables())
nodes()
# case: averages of variables
for use_resource in (False, True):
    name = "v%d" % use_resource
    v = tf.get_variable(name, initializer=[1.0, 2.0], use_resource=use_resource)
    ema = tf.train.ExponentialMovingAverage(0.9)
    show(ema.average_name(v))
    start = len(tf.get_default_graph().get_operations())
    op = ema.apply([v])
    show(op, ema.average_name(v), ema.average(v).op)
    for node in tf.get_default_graph().get_operations()[start:]:
        if node.name.startswith("ExponentialMovingAverage"):
            show(node)
    print(sorted((k, v.name) for k, v in ema.variables_to_restore().items()))
print([v.name for v in tf.moving_average_variables()])
# case: values of averages
v = tf.Variable([1.0, 2.0], name="v")
w = tf.Variable(5.0, name="w")
n = tf.Variable(0, name="n", trainable=False)
x = tf.placeholder(tf.float32, [2])
step = tf.group(v.assign_add(x), w.assign(w * 0.5), n.assign_add(1))
emas = [
    tf.train.ExponentialMovingAverage(0.9, name="a"),
    tf.train.ExponentialMovingAverage(0.9, num_updates=n, name="b"),
    tf.train.ExponentialMovingAverage(0.9, zero_debias=True, name="c"),
]
square = x * x
with tf.control_dependencies([step]):
    updates = [emas[0].apply(), emas[1].apply([v]), emas[2].apply([v, square])]
shown = [emas[0].average(v), emas[0].average(w), emas[1].average(v), emas[2].average(v), emas[2].average(square)]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run(shown))
    for i in range(5):
        sess.run(updates, {x: [1.0, i]})
        show(sess.run(shown))
# case: averages of resource variables
v = tf.get_variable("v", initializer=np.array([1.0, 2.0]), use_resource=True)
ema = tf.train.ExponentialMovingAverage(tf.constant(0.5, tf.float64))
with tf.control_dependencies([v.assign(v * 2)]):
    update = ema.apply([v])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(update)
        show(sess.run([v, ema.average(v)]))
# case: applied twice
v = tf.get_variable("v", initializer=[1.0, 2.0])
ema = tf.train.ExponentialMovingAverage(0.9)
show(ema.apply([v]), ema.apply(), ema.apply([v, v]), ema.apply([]))
print([x.name for x in tf.global_variables()], len(tf.moving_average_variables()))
# case: averages of integers
v = tf.get_variable("v", initializer=1)
tf.train.ExponentialMovingAverage(0.9).apply([v])
# case: nodes of assign_moving_average
from tensorflow.python.training import moving_averages
for zero_debias in (False, True):
    for use_resource in (False, True):
        name = "v%d%d" % (zero_debias, use_resource)
        with tf.variable_scope("s"):
            v = tf.get_variable(name, initializer=[1.0, 2.0], use_resource=use_resource)
        for i in range(2):
            moved = moving_averages.assign_moving_average(v, tf.constant([3.0, 4.0]), 0.9, zero_debias)
print([x.name for x in tf.global_variables()])
nodes()
# case: values of assign_moving_average
from tensorflow.python.training import moving_averages
x = tf.placeholder(tf.float32, [2])
variables = [tf.get_variable("v%d" % i, initializer=[1.0, 2.0], use_resource=i > 1) for i in range(4)]
moved = [moving_averages.assign_moving_average(v, x, tf.constant(0.8), i % 2 == 1, name="m") for i, v in enumerate(variables)]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        show(sess.run(moved, {x: [i, -i]}), sess.run(variables))
# case: weighted moving averages
from tensorflow.python.training import moving_averages
x = tf.placeholder(tf.float32, [2])
weight = tf.placeholder(tf.float32, [])
average = moving_averages.weighted_moving_average(x, 0.9, weight)
other = moving_averages.weighted_moving_average(x, 0.5, tf.ones([2]), truediv=False, collections=["c", "variables"], name="foo")
nodes()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        show(sess.run([average, other], {x: [i, -i], weight: i + 1}))
moving_averages.weighted_moving_average([1.0, 2.0], 0.9, weight)
# case: moving averages and decay
step = tf.Variable(0, trainable=False)
v = tf.Variable(1.0, name="v")
ema = tf.train.ExponentialMovingAverage(0.9, step)
apply = ema.apply([v])
show(ema.average(v), ema.average_name(v), sorted(ema.variables_to_restore()), apply)
rate = tf.train.exponential_decay(0.1, step, 10, 0.5, staircase=True)
inverse = tf.train.inverse_time_decay(0.1, step, 10, 0.5)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for k in (0, 9, 10, 25):
        sess.run([step.assign(k), v.assign(float(k))])
        sess.run(apply)
        show(sess.run([ema.average(v), rate, inverse]))
