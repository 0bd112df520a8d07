# case: stop_gradient in a loop
x = tf.placeholder(tf.float32, [2], name="x")
y = tf.constant(2.0)
def body(i, v):
    return i + 1, tf.stop_gradient(v * y) + v * 0.5
i, r = tf.while_loop(lambda i, v: i < 3, body, [0, x])
g = tf.gradients(r, [x, y])
i, s = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.stop_gradient(v * y)), [0, x])
h = tf.gradients(s, x)
show(g, h)
nodes()
with tf.Session() as sess:
    show(sess.run(g[:1] + [r], {x: [1.0, 2.0]}))
# case: stop_gradient in a loop with unknown shapes
x = tf.placeholder(tf.float32, name="x")
y = tf.constant(2.0)
def body(v, w):
    u = tf.stop_gradient(v * y)
    return tf.square(v), u + w
v, r = tf.while_loop(lambda v, w: v < 100.0, body, [y, x], shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)])
show(tf.gradients(r, x), tf.gradients(v, [x, y]))
nodes()
# case: a loop over a variable
a = tf.Variable(3.0, name="a")
v = tf.constant(2.0, name="v")
r = tf.while_loop(lambda v: tf.less(v, 100.0), lambda v: tf.multiply(v, a), [v])
g = tf.gradients(r, a)
start = len(tf.get_default_graph().get_operations())
show(g)
nodes()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run([r] + g))
# case: a loop over a resource variable, gradient of the handle
a = tf.get_variable("a", initializer=3.0, use_resource=True)
v = tf.constant(2.0, name="v")
r = tf.while_loop(lambda v: tf.less(v, 100.0), lambda v: tf.multiply(v, a), [v])
g = tf.gradients(r, a)
show(g)
nodes()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run([r] + g))
# case: loops one after the other and side by side
v = tf.constant(2.0, name="v")
w = tf.constant(3.0, name="w")
r = tf.while_loop(lambda v: v < 100.0, tf.square, [v])
s = tf.while_loop(lambda u: u < 1000.0, lambda u: u * w * v, [r])
t = tf.while_loop(lambda u: u < 200.0, lambda u: u * w, [v])
g = tf.gradients(s + t, [v, w])
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([r, s, t] + g))
# case: several uses of one value
v = tf.constant(2.0, name="v")
w = tf.constant(3.0, name="w")
def body(a, b):
    c = a * b
    return a * 1.5, c * c + a * w + b * w
a, b = tf.while_loop(lambda a, b: b < 500.0, body, [v, w])
g = tf.gradients(b, [v, w])
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([a, b] + g))
# case: ys and xs inside and outside of loops
x = tf.constant(3.0, name="x")
y = tf.constant(2.0, name="y")
def body(x, y):
    y1 = x + y
    x1 = x * y1
    return x1, y1
rx, ry = tf.while_loop(lambda x, y: x < 100.0, body, [x, y])
r = tf.gradients([rx, ry], x)
s = tf.gradients([rx], x)
t = tf.gradients([ry], [x, y])
show(r, s, t)
nodes()
with tf.Session() as sess:
    show(sess.run([r, s, t]))
# case: gradients that are None
v = tf.constant(2.0, name="v")
w = tf.constant(3.0, name="w")
i, r = tf.while_loop(lambda i, u: i < 3, lambda i, u: (i + 1, u * 2.0), [0, v])
show(tf.gradients(r, w), tf.gradients(r, [v, w]), tf.gradients(i, v))
k, r = tf.while_loop(lambda k, u: k < 3, lambda k, u: (k + 1, tf.cast(k, tf.float32)), [0, v])
show(tf.gradients(r, v))
r = tf.while_loop(lambda i, u: i < 3, lambda i, u: (i + 1, tf.constant(1.0)), [0, v])[1]
g = tf.gradients(r, v)
show(g)
with tf.Session() as sess:
    show(sess.run([r] + g))
# case: integer and boolean loop variables beside
x = tf.placeholder(tf.float32, [3], name="x")
def body(i, flags, v):
    return i + 1, tf.logical_not(flags), tf.where(flags, v * v, v + 1.0)
i, f, y = tf.while_loop(lambda i, f, v: i < 3, body, [0, tf.constant([True, False, True]), x])
g = tf.gradients(y, x)
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y] + g, {x: [1.0, 2.0, 3.0]}))
# case: IndexedSlices as loop variables
values = tf.constant([2.0, 4.0], name="values")
indices = tf.constant([0, 3], name="indices")
shape = tf.constant([10], name="dense_shape")
i = tf.constant(0)
x = tf.IndexedSlices(values, indices, dense_shape=shape)
_, r = tf.while_loop(lambda i, _: i < 10, lambda i, x: [i + 1, tf.IndexedSlices(x.values * 2.0, x.indices, x.dense_shape)], [i, x])
g = tf.gradients(r.values, values)
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run(g))
# case: sparse tensors as loop variables
values = tf.constant([2.0, 4.0], name="values")
indices = tf.constant([[0], [3]], dtype=tf.int64, name="indices")
shape = tf.constant([10], dtype=tf.int64, name="dense_shape")
x = tf.SparseTensor(indices, values, dense_shape=shape)
_, r = tf.while_loop(lambda i, _: i < 10, lambda i, x: [i + 1, tf.SparseTensor(x.indices, x.values * 2.0, x.dense_shape)], [tf.constant(0), x])
g = tf.gradients(r.values, values)
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run(g))
# case: control dependencies in loops
x = tf.constant(1.0, name="x")
def body(i, v):
    with tf.control_dependencies([v]):
        c = tf.constant(2.0)
    with tf.control_dependencies([c, x]):
        return i + 1, v * c
i, y = tf.while_loop(lambda i, v: i < 3, body, [0, x])
g = tf.gradients(y, x)
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y] + g))
# case: gradients taken in branches and loops
x = tf.placeholder(tf.float32, [2], name="x")
p = tf.placeholder(tf.bool, [], name="p")
def branch():
    y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * v), [0, x])[1]
    return tf.gradients(y, x)[0]
z = tf.cond(p, branch, lambda: x)
show(z)
def body(i, v):
    y = tf.while_loop(lambda j, u: j < 2, lambda j, u: (j + 1, u * x), [0, x])[1]
    return i + 1, v + tf.gradients(y, x)[0]
i, w = tf.while_loop(lambda i, v: i < 2, body, [0, x])
show(w)
nodes()
with tf.Session() as sess:
    show(sess.run([z, w], {x: [1.0, 2.0], p: True}), sess.run([z, w], {x: [1.0, 2.0], p: False}))
# case: gradients of a loop that runs in a cond of a taken gradient
x = tf.placeholder(tf.float32, [2], name="x")
p = tf.placeholder(tf.bool, [], name="p")
def grad_of(u):
    y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.cond(p, lambda: v * u, lambda: v)), [0, u])[1]
    return tf.gradients(y, u)[0]
z = tf.cond(tf.logical_not(p), lambda: grad_of(x), lambda: grad_of(x * 2.0))
show(z)
nodes()
with tf.Session() as sess:
    show(sess.run(z, {x: [1.0, 2.0], p: True}), sess.run(z, {x: [1.0, 2.0], p: False}))
# case: matrix products and biases in a loop
x = tf.placeholder(tf.float32, [None, 2], name="x")
w = tf.get_variable("w", initializer=np.array([[0.5, -0.25], [0.75, 1.5]], np.float32))
b = tf.get_variable("b", initializer=np.array([0.5, -0.5], np.float32))
i, y = tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, tf.tanh(tf.nn.bias_add(tf.matmul(h, w), b))), [0, x])
loss = tf.reduce_mean(tf.square(y))
g = tf.gradients(loss, [x, w, b])
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
show(g)
nodes()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: [[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]]}
    show(sess.run([loss] + g[2:], feed))
    for _ in range(3):
        sess.run(train, feed)
    show(sess.run([loss, w, b], feed))
# case: aggregation methods through a loop
x = tf.placeholder(tf.float32, [2], name="x")
i, y = tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, v * v + x * v + x), [0, x])
for method in (tf.AggregationMethod.ADD_N, tf.AggregationMethod.EXPERIMENTAL_TREE, tf.AggregationMethod.EXPERIMENTAL_ACCUMULATE_N):
    show(tf.gradients(y, x, aggregation_method=method))
nodes()
with tf.Session() as sess:
    show(sess.run(tf.gradients(y, x, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE), {x: [1.0, 2.0]}))
# case: tensors of several dtypes and zeros for exits
x = tf.placeholder(tf.float64, [None], name="x")
i, y, z = tf.while_loop(lambda i, v, u: i < 3, lambda i, v, u: (i + 1, v * u, u + 1.0), [0, x, x])
g = tf.gradients(y, x)
h = tf.gradients(z, x)
show(g, h)
nodes()
with tf.Session() as sess:
    show(sess.run(g + h, {x: [1.0, 2.0]}))
# case: py_func, random ops and prints in loops
x = tf.placeholder(tf.float32, [2], name="x")
def body(i, v):
    v = tf.Print(v, [i], first_n=0)
    return i + 1, v * tf.stop_gradient(tf.py_func(lambda a: a + np.float32(1.0), [v], tf.float32)) * x
i, y = tf.while_loop(lambda i, v: i < 2, body, [0, x], shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)])
g = tf.gradients(y, x)
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y] + g, {x: [1.0, 2.0]}))
# case: arrays through a branch
x = tf.placeholder(tf.float32, [3, 2], name="x")
p = tf.placeholder(tf.bool, [], name="p")
ta = tf.TensorArray(tf.float32, 3).unstack(x)
out = tf.TensorArray(tf.float32, 2, clear_after_read=False)
out = tf.cond(p, lambda: out.write(0, ta.read(1)).write(1, ta.read(2)), lambda: out.write(0, ta.read(0)).write(1, x[0] * 3.0))
y = out.stack() * 2.0
g = tf.gradients(y, x)
show(g)
nodes()
with tf.Session() as sess:
    v = np.arange(6.0, dtype=np.float32).reshape(3, 2)
    show(sess.run([y] + g, {x: v, p: True}), sess.run([y] + g, {x: v, p: False}))
# case: arrays in nested loops
x = tf.placeholder(tf.float32, [3], name="x")
source = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
def outer(i, ta):
    def inner(j, s):
        return j + 1, s + source.read(j) * tf.cast(i + 1, tf.float32)
    s = tf.while_loop(lambda j, s: j <= i, inner, [0, 0.0])[1]
    return i + 1, ta.write(i, s * s)
i, ta = tf.while_loop(lambda i, ta: i < 3, outer, [0, tf.TensorArray(tf.float32, 3)])
y = ta.stack()
g = tf.gradients(y, x)
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y] + g, {x: [1.0, 2.0, 3.0]}))
# case: arrays that grow in a loop
x = tf.placeholder(tf.float32, [2], name="x")
n = tf.placeholder(tf.int32, [], name="n")
ta = tf.TensorArray(tf.float32, 0, dynamic_size=True, infer_shape=False)
def body(i, v, ta):
    return i + 1, v * x, ta.write(i, tf.concat([v, v[:1]], 0))
i, v, ta = tf.while_loop(lambda i, v, ta: i < n, body, [0, x, ta])
y = ta.concat()
y.set_shape([None])
g = tf.gradients([y, v], x)
show(g, ta.size())
nodes()
with tf.Session() as sess:
    for count in (1, 3):
        show(sess.run([y, ta.size()] + g, {x: [1.0, 2.0], n: count}))
# case: arrays that are read in the order of other arrays
x = tf.placeholder(tf.float32, [4, 2], name="x")
order = tf.constant([3, 0, 2])
ta = tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(x)
idx = tf.TensorArray(tf.int32, 3).unstack(order)
def body(i, total, states):
    v = ta.read(idx.read(i))
    return i + 1, {"sum": total["sum"] + v, "last": v}, states.write(i, v * total["last"])
i, total, states = tf.while_loop(lambda i, t, s: i < 3, body, [0, {"sum": tf.zeros([2]), "last": tf.ones([2])}, tf.TensorArray(tf.float32, 3)])
y = states.stack()
g = tf.gradients([y, total["sum"]], x)
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y, total["sum"]] + g, {x: np.arange(8.0).reshape(4, 2)}))
