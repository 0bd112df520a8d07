# case: gradients inside a function with a loop
from tensorflow.python.framework import function


@function.Defun(tf.float32)
def f(x):
    _, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, a * x], [0, x])
    return tf.gradients(y, x)[0]


with tf.Session() as s:
    for _ in range(3):
        show(s.run(f(2.0)))

# case: gradients inside a function with a cond
from tensorflow.python.framework import function


@function.Defun(tf.float32)
def f(x):
    return tf.gradients(tf.cond(x > 1.0, lambda: x * x, lambda: x * 3.0), x)[0]


x = tf.placeholder(tf.float32, [])
y = f(x)
with tf.Session() as s:
    for v in [2.0, 0.5, 2.0, 0.5]:
        show(s.run(y, {x: v}))

# case: function called in a loop, gradient outside
from tensorflow.python.framework import function


@function.Defun(tf.float32, tf.float32)
def f(x, w):
    return tf.tanh(x * w)


w = tf.Variable(0.5)
_, y = tf.while_loop(lambda i, a: i < 4, lambda i, a: [i + 1, f(a, w)], [0, tf.constant(1.0)])
g = tf.gradients(y, w)
with tf.Session() as s:
    s.run(w.initializer)
    for _ in range(3):
        show(s.run([y, g]))

# case: function called in a loop, python gradient
from tensorflow.python.framework import function


@function.Defun(tf.float32, tf.float32)
def bp(x, dy):
    return dy * 10.0 * x


@function.Defun(tf.float32, grad_func=bp)
def f(x):
    return x * x


w = tf.Variable(0.5)
_, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, f(a) + w], [0, tf.constant(0.1)])
g = tf.gradients(y, w)
with tf.Session() as s:
    s.run(w.initializer)
    for _ in range(3):
        show(s.run([y, g]))

# case: function called in a loop, graph gradient
from tensorflow.python.framework import function


def pg(op, dy):
    return [dy * 10.0 * op.inputs[0]]


@function.Defun(tf.float32, python_grad_func=pg)
def f(x):
    return x * x


w = tf.Variable(0.5)
_, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, f(a) + w], [0, tf.constant(0.1)])
g = tf.gradients(y, w)
with tf.Session() as s:
    s.run(w.initializer)
    for _ in range(3):
        show(s.run([y, g]))

# case: function called in a cond
from tensorflow.python.framework import function


@function.Defun(tf.float32)
def f(x):
    return tf.exp(x)


x = tf.placeholder(tf.float32, [])
y = tf.cond(x > 0.0, lambda: f(x), lambda: x)
g = tf.gradients(y, x)
with tf.Session() as s:
    for v in [1.0, -1.0, 1.0, -1.0]:
        show(s.run([y, g], {x: v}))

# case: functional If gradient
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops


@function.Defun(tf.float32)
def a(x):
    return x * x


@function.Defun(tf.float32)
def b(x):
    return x * 3.0


x = tf.placeholder(tf.float32, [])
y = functional_ops.If(x > 0.0, [x], a, b)[0]
g = tf.gradients(y, x)
with tf.Session() as s:
    for v in [1.0, -1.0, 1.0, -1.0]:
        show(s.run([y, g], {x: v}))

# case: functional While gradient
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops


@function.Defun(tf.int32, tf.float32)
def c(i, x):
    return i < 3


@function.Defun(tf.int32, tf.float32)
def b(i, x):
    return i + 1, x * x


x = tf.placeholder(tf.float32, [])
y = functional_ops.While([0, x], c, b)[1]
with tf.Session() as s:
    show(s.run(y, {x: 1.1}))
g = tf.gradients(y, x)
with tf.Session() as s:
    for v in [1.1, -1.2, 1.0, -1.0]:
        show(s.run([y, g], {x: v}))

# case: functional For gradient
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops


@function.Defun(tf.int32, tf.float32)
def b(i, x):
    return x * x + tf.cast(i, tf.float32)


x = tf.placeholder(tf.float32, [])
y = functional_ops.For(0, 3, 1, [x], b)[0]
with tf.Session() as s:
    show(s.run(y, {x: 1.1}))
g = tf.gradients(y, x)
with tf.Session() as s:
    for v in [1.1, -1.2, 1.0, -1.0]:
        show(s.run([y, g], {x: v}))

# case: functional For rewritten gradient
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops


@function.Defun(tf.int32, tf.float32)
def b(i, x):
    return x * x + tf.cast(i, tf.float32)


x = tf.placeholder(tf.float32, [])
y = functional_ops.For(0, 3, 1, [x], b, rewrite_with_while=True)[0]
with tf.Session() as s:
    show(s.run(y, {x: 1.1}))
g = tf.gradients(y, x)

# case: functional Gradient
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops


@function.Defun(tf.float32, tf.float32)
def b(i, x):
    return x * x + i * x


x = tf.placeholder(tf.float32, [])
g = functional_ops.Gradient([x, x, 1.0], b)
with tf.Session() as s:
    for v in [1.1, -1.2, 1.0, -1.0]:
        show(s.run([g], {x: v}))

# case: function with map_fn and gradients inside
from tensorflow.python.framework import function


@function.Defun(tf.float32)
def f(x):
    x.set_shape([3])
    y = tf.map_fn(lambda v: v * v, x)
    return y, tf.gradients(y, x)[0]


with tf.Session() as s:
    for _ in range(3):
        show(s.run(f(np.array([1, 2, 3], np.float32))))

# case: nested function in loop in function
from tensorflow.python.framework import function


@function.Defun(tf.float32)
def g(x):
    return tf.sin(x)


@function.Defun(tf.float32)
def f(x):
    _, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, g(a) * x], [0, x])
    return y, tf.gradients(y, x)[0]


with tf.Session() as s:
    for _ in range(3):
        show(s.run(f(0.5)))

# case: gradient of captured variable in function in loop
from tensorflow.python.framework import function

w = tf.Variable(0.5, use_resource=True)
w2 = tf.constant(0.5)


@function.Defun(tf.float32)
def g(x):
    return tf.sin(x) * w2


_, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, g(a)], [0, tf.constant(0.3)])
gr = tf.gradients(y, w2)
with tf.Session() as s:
    s.run(w.initializer)
    for _ in range(3):
        show(s.run([y, gr]))

# case: gradient in a loop of a function
from tensorflow.python.framework import function


@function.Defun(tf.float32)
def g(x):
    return tf.sin(x)


def body(i, a):
    return [i + 1, a - 0.1 * tf.gradients(g(a), a)[0]]


_, y = tf.while_loop(lambda i, a: i < 3, body, [0, tf.constant(0.3)])
with tf.Session() as s:
    for _ in range(3):
        show(s.run(y))

# case: a function of known shape called in a loop
from tensorflow.python.framework import function


@function.Defun(tf.float32, tf.float32, shape_func=lambda op: [op.inputs[0].get_shape()])
def f(x, w):
    return tf.tanh(x * w)


w = tf.Variable(0.5)
_, y = tf.while_loop(lambda i, a: i < 4, lambda i, a: [i + 1, f(a, w)], [0, tf.constant(1.0)])
g = tf.gradients(y, w)
with tf.Session() as s:
    s.run(w.initializer)
    for _ in range(3):
        show(s.run([y, g]))

# case: a function with a gradient function called in a loop
from tensorflow.python.framework import function


@function.Defun(tf.float32, tf.float32)
def bp(x, dy):
    return dy * 10.0 * x


@function.Defun(tf.float32, grad_func=bp, shape_func=lambda op: [op.inputs[0].get_shape()])
def f(x):
    return x * x


w = tf.Variable(0.5)
_, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, f(a) + w], [0, tf.constant(0.1)])
g = tf.gradients(y, w)
with tf.Session() as s:
    s.run(w.initializer)
    for _ in range(3):
        show(s.run([y, g]))

# case: a function with a Python gradient called in a loop
from tensorflow.python.framework import function


def pg(op, dy):
    return [dy * 10.0 * op.inputs[0]]


@function.Defun(tf.float32, python_grad_func=pg, shape_func=lambda op: [op.inputs[0].get_shape()])
def f(x):
    return x * x


w = tf.Variable(0.5)
_, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, f(a) + w], [0, tf.constant(0.1)])
g = tf.gradients(y, w)
with tf.Session() as s:
    s.run(w.initializer)
    for _ in range(3):
        show(s.run([y, g]))

# case: a function that captures, in a loop
from tensorflow.python.framework import function

w = tf.constant(0.5)


@function.Defun(tf.float32)
def g(x):
    return tf.sin(x) * w


def body(i, a):
    b = g(a)
    b.set_shape([])
    return [i + 1, b]


_, y = tf.while_loop(lambda i, a: i < 3, body, [0, tf.constant(0.3)])
gr = tf.gradients(y, w)
with tf.Session() as s:
    for _ in range(3):
        show(s.run([y, gr]))

# case: a function in a map
from tensorflow.python.framework import function


@function.Defun(tf.float32)
def g(x):
    return tf.sin(x) * x


x = tf.constant([0.1, 0.2, 0.3])
y = tf.map_fn(g, x)
gr = tf.gradients(y, x)
with tf.Session() as s:
    for _ in range(3):
        show(s.run([y, gr]))
# case: a group of ops on several devices
from tensorflow.python.ops import control_flow_ops

g = tf.get_default_graph()
with g.device("/task:0"):
    a = tf.constant(0, name="a")
with g.device("/task:1"):
    c = tf.constant(0, name="c")
with g.device("/task:2"):
    control_flow_ops.group(a.op, c.op, name="root")
print([(n.name, n.op, list(n.input), n.device) for n in g.as_graph_def().node if n.op == "NoOp"])

# case: tapes inside of functions
v = tf.get_variable("v", initializer=3.0, use_resource=True)
frozen = tf.get_variable("frozen", initializer=2.0, use_resource=True, trainable=False)
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
layer.build((None, 2))
x = tf.constant([[1.0, 2.0]])


def gradients(loss, sources, watched=None):
    with tf.GradientTape() as tape:
        if watched is not None:
            tape.watch(watched)
        y = loss()
    print([w.name for w in tape.watched_variables()])
    return [tf.zeros([]) if g is None else g for g in tape.gradient(y, sources)]


def inner():
    return gradients(lambda: v * frozen, [v, frozen])


losses = [
    lambda: gradients(lambda: v * v * frozen, [v, frozen]),
    lambda: gradients(lambda: tf.reduce_sum(layer(x)), layer.trainable_weights),
    lambda: gradients(lambda: tf.reduce_sum(layer(x)), [x]),
    lambda: gradients(lambda: tf.reduce_sum(layer(x)), [x], x),
    lambda: tf.function(inner, autograph=False)(),
]
found = [tf.function(loss, autograph=False)() for loss in losses]
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    for each in found:
        show(s.run(each))

# case: optimizers inside of functions
v = tf.get_variable("v", initializer=3.0, use_resource=True)
count = tf.get_variable("count", initializer=tf.constant(0, tf.int64), use_resource=True)


def made_by(optimizer):
    def step():
        with tf.GradientTape() as tape:
            y = v * v
        pairs = zip(tape.gradient(y, [v]), [v])
        with tf.control_dependencies([optimizer.apply_gradients(pairs, global_step=count)]):
            return tf.identity(y)

    return tf.function(step, autograph=False)()


optimizers = [
    tf.train.GradientDescentOptimizer(0.1),
    tf.train.AdamOptimizer(0.1),
    tf.train.MomentumOptimizer(0.1, 0.9),
    tf.train.RMSPropOptimizer(0.1),
    tf.train.FtrlOptimizer(0.1),
]
steps = [made_by(optimizer) for optimizer in optimizers]
print([sorted(x.name for x in optimizer.variables()) for optimizer in optimizers])
with tf.Session() as s:
    for step in steps:
        s.run(tf.global_variables_initializer())
        print([round(float(s.run(step)), 4) for _ in range(3)], s.run(count))


@tf.function
def doubled():
    return v.assign(v * 2.0) + v.assign_add(v)


result = doubled()
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    s.run(result)
    print(s.run(v))
