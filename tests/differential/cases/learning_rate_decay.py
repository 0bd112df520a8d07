# case: nodes of exponential and inverse decay
gs = tf.Variable(0, trainable=False, name="gs")
T = tf.train
show(T.exponential_decay(0.1, gs, 100, 0.96))
show(T.exponential_decay(0.1, gs, 100, 0.96, staircase=True, name="x"))
show(T.exponential_decay(tf.constant(0.1, tf.float64), 5, tf.constant(100), 0.96, True))
show(T.natural_exp_decay(0.1, gs, 100, 0.96))
show(T.natural_exp_decay(0.1, gs, 100, 0.96, True, "y"))
show(T.inverse_time_decay(0.1, gs, 100, 0.96))
show(T.inverse_time_decay(0.1, gs, 100, 0.96, staircase=True))
nodes()
# case: nodes of polynomial and cosine decay
gs = tf.Variable(0, trainable=False, name="gs")
T = tf.train
show(T.polynomial_decay(0.1, gs, 100, 0.01, 2.0))
show(T.polynomial_decay(0.1, gs, 100.0, power=0.5, name="p"))
show(T.cosine_decay(0.1, gs, 100, 0.1))
show(T.linear_cosine_decay(0.1, gs, 100))
show(T.noisy_linear_cosine_decay(0.1, gs, 100))
nodes()
# case: nodes with a resource variable
gs = tf.get_variable("gs", initializer=np.int64(3), trainable=False, use_resource=True)
show(tf.train.exponential_decay(0.1, gs, 100, 0.96))
show(tf.train.polynomial_decay(0.1, gs, 100))
show(tf.train.cosine_decay(0.1, gs, 100))
nodes()
# case: values of all decays
tf.set_random_seed(5)
gs = tf.placeholder(tf.int64, [])
T = tf.train
rates = [
    T.exponential_decay(0.1, gs, 10, 0.5),
    T.exponential_decay(0.1, gs, 10, 0.5, staircase=True),
    T.natural_exp_decay(0.1, gs, 10, 0.5),
    T.natural_exp_decay(0.1, gs, 10, 0.5, staircase=True),
    T.inverse_time_decay(0.1, gs, 10, 0.5),
    T.inverse_time_decay(0.1, gs, 10, 0.5, staircase=True),
    T.polynomial_decay(0.1, gs, 10, 0.01),
    T.polynomial_decay(0.1, gs, 10, 0.01, power=2.0),
    T.polynomial_decay(0.1, gs, 10, 0.01, power=0.5, cycle=True),
    T.piecewise_constant(gs, [5], [0.1, 0.2]),
    T.piecewise_constant(gs, [5, 10, 20], [0.1, 0.2, 0.3, 0.4]),
    T.piecewise_constant_decay(tf.cast(gs, tf.float32), [5.0, 10.5], [1, 2, 3]),
    T.cosine_decay(0.1, gs, 10),
    T.cosine_decay(0.1, gs, 10, 0.2),
    T.cosine_decay_restarts(0.1, gs, 10),
    T.cosine_decay_restarts(0.1, gs, 3, 1.5, 0.8, 0.1),
    T.cosine_decay_restarts(0.1, gs, 3, 1.0, 0.8, 0.1),
    T.linear_cosine_decay(0.1, gs, 10),
    T.linear_cosine_decay(0.1, gs, 10, 2.0, 0.3, 0.1),
]
with tf.Session() as sess:
    for step in (0, 1, 5, 6, 10, 11, 20, 21, 35):
        show(sess.run(rates, {gs: step}))
# case: a noisy decay draws the numbers of its seed
tf.set_random_seed(5)
gs = tf.placeholder(tf.int64, [])
rate = tf.train.noisy_linear_cosine_decay(0.1, gs, 10, 0.5, 0.3)
with tf.Session() as sess:
    show([sess.run(rate, {gs: step}) for step in (0, 1, 5, 10, 20)])
# case: decays in half and double precision
gs = tf.constant(7)
T = tf.train
for dtype in (tf.float16, tf.float64):
    rate = tf.constant(0.1, dtype)
    show(*[x.eval(session=tf.Session()) for x in (
        T.exponential_decay(rate, gs, 10, 0.5),
        T.polynomial_decay(rate, gs, 10, 0.01),
        T.natural_exp_decay(0.1, gs, 10, 0.5),
        T.inverse_time_decay(rate, gs, 10, 0.5),
    )])
# case: wrong arguments of decays
def attempt(f):
    try:
        show(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
T = tf.train
gs = tf.constant(7)
attempt(lambda: T.piecewise_constant(gs, [10, 20.0], [0.1, 0.2, 0.3]))
attempt(lambda: T.piecewise_constant(gs, [10, 20], [0.1, 0.2]))
attempt(lambda: T.piecewise_constant(gs, [10, 20], [0.1, 0.2, 3]))
attempt(lambda: T.piecewise_constant(None, [10, 20], [0.1, 0.2, 0.3]))
attempt(lambda: T.exponential_decay(0.1, None, 100, 0.96))
attempt(lambda: T.natural_exp_decay(0.1, None, 100, 0.96))
attempt(lambda: T.inverse_time_decay(0.1, None, 100, 0.96))
attempt(lambda: T.polynomial_decay(0.1, None, 100))
attempt(lambda: T.cosine_decay(0.1, None, 100))
attempt(lambda: T.cosine_decay_restarts(0.1, None, 100))
attempt(lambda: T.linear_cosine_decay(0.1, None, 100))
attempt(lambda: T.noisy_linear_cosine_decay(0.1, None, 100))
# case: training with a falling rate
gs = tf.train.create_global_step()
v = tf.Variable([1.0, 2.0])
rate = tf.train.exponential_decay(0.5, gs, 2, 0.5, staircase=True)
train = tf.train.GradientDescentOptimizer(rate).minimize(tf.reduce_sum(v * v), global_step=gs)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(6):
        sess.run(train)
        show(sess.run([v, rate, gs]))
