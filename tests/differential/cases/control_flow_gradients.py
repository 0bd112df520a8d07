# case: cond outside of loops
x = tf.placeholder(tf.float32, [2], name="x")
p = tf.placeholder(tf.bool, [], name="p")
w = tf.placeholder(tf.float32, [2], name="w")
y = tf.cond(p, lambda: x * w, lambda: x + 1.0)
show(tf.gradients(y, [x, w]))
nodes()
# case: cond with unknown shapes and several results
x = tf.placeholder(tf.float32, name="x")
p = tf.placeholder(tf.bool, [], name="p")
a, b = tf.cond(p, lambda: (x * x, x), lambda: (x, tf.exp(x)))
show(tf.gradients(a, x), tf.gradients([a, b], x), tf.gradients(tf.gradients(a, x), x))
nodes()
# case: nested conds
x = tf.placeholder(tf.float32, [2], name="x")
p = tf.placeholder(tf.bool, [], name="p")
q = tf.placeholder(tf.bool, [], name="q")
y = tf.cond(p, lambda: tf.cond(q, lambda: x * x, lambda: tf.sin(x)), lambda: x)
show(tf.gradients(y, x))
nodes()
# case: cond values
x = tf.placeholder(tf.float32, [2], name="x")
p = tf.placeholder(tf.bool, [], name="p")
q = tf.placeholder(tf.bool, [], name="q")
y = tf.cond(p, lambda: tf.cond(q, lambda: x * x * x, lambda: tf.sin(x)), lambda: 3.0 * x)
g = tf.gradients(y, x)[0]
gg = tf.gradients(g, x)[0]
with tf.Session() as sess:
    for pv in (True, False):
        for qv in (True, False):
            show(sess.run([y, g], {x: [1.0, 2.0], p: pv, q: qv}))
            if pv:
                show(sess.run(gg, {x: [1.0, 2.0], p: pv, q: qv}))
# case: gather in a cond gives slices
params = tf.placeholder(tf.float32, [4, 2], name="params")
p = tf.placeholder(tf.bool, [], name="p")
y = tf.cond(p, lambda: tf.gather(params, [0, 1]), lambda: tf.gather(params, [2, 3]))
g = tf.gradients(y, params)[0]
show(type(g).__name__)
nodes()
with tf.Session() as sess:
    show(sess.run(tf.convert_to_tensor(g), {params: np.ones([4, 2]), p: True}))
# case: variables in a cond
v = tf.Variable([1.0, 2.0], name="v")
r = tf.get_variable("r", initializer=[3.0, 4.0], use_resource=True)
p = tf.placeholder(tf.bool, [], name="p")
y = tf.cond(p, lambda: v * r, lambda: v + 1.0)
start = len(tf.get_default_graph().get_operations())
g = tf.gradients(y, [v, r])
show(g)
nodes(start=start)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run(g, {p: True}), sess.run(g, {p: False}))
# case: a counted loop
x = tf.placeholder(tf.float32, [2], name="x")
i, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * v), [0, x])
show(tf.gradients(y, x))
nodes()
# case: a loop over captured tensors
x = tf.placeholder(tf.float32, [2], name="x")
w = tf.placeholder(tf.float32, [], name="w")
i, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.tanh(v * w) + x), [0, x], parallel_iterations=1, swap_memory=True)
show(tf.gradients(y, [x, w]))
nodes()
# case: a loop with unknown shapes
x = tf.placeholder(tf.float32, name="x")
i, y, z = tf.while_loop(lambda i, v, u: i < 3, lambda i, v, u: (i + 1, v * u, u + 1.0), [0, x, x])
show(tf.gradients(y, x), tf.gradients(z, x), tf.gradients([y, z], x))
nodes()
# case: loop values
x = tf.placeholder(tf.float32, [2], name="x")
w = tf.placeholder(tf.float32, [], name="w")
n = tf.placeholder(tf.int32, [], name="n")
i, y, z = tf.while_loop(lambda i, v, u: i < n, lambda i, v, u: (i + 1, tf.tanh(v * w) + u, u * w), [0, x, x])
g = tf.gradients(y, [x, w])
h = tf.gradients([y, z], [x, w])
k = tf.gradients(z, [x, w])
with tf.Session() as sess:
    for count in (0, 1, 4):
        feed = {x: [0.5, -1.0], w: 0.7, n: count}
        show(sess.run([y, z], feed))
        show(sess.run([g, h, k], feed))
# case: nested loops
x = tf.placeholder(tf.float32, [2], name="x")
w = tf.placeholder(tf.float32, [], name="w")
def inner(j, u):
    return tf.while_loop(lambda j, u: j < 2, lambda j, u: (j + 1, u * w), [j, u])
def body(i, v):
    return i + 1, inner(0, v)[1] + x
i, y = tf.while_loop(lambda i, v: i < 3, body, [0, x])
show(tf.gradients(y, [x, w]))
nodes()
# case: nested loops, values
x = tf.placeholder(tf.float32, [2], name="x")
w = tf.placeholder(tf.float32, [], name="w")
def body(i, v):
    j, u = tf.while_loop(lambda j, u: j < i, lambda j, u: (j + 1, tf.sin(u * w)), [0, v])
    return i + 1, u + x * tf.cast(j, tf.float32)
i, y = tf.while_loop(lambda i, v: i < 4, body, [0, x])
g = tf.gradients(y, [x, w])
with tf.Session() as sess:
    show(sess.run([y] + g, {x: [0.5, -1.0], w: 0.7}))
# case: cond in a loop
x = tf.placeholder(tf.float32, [2], name="x")
def body(i, v):
    return i + 1, tf.cond(tf.less(i, 2), lambda: v * v, lambda: v + x)
i, y = tf.while_loop(lambda i, v: i < 4, body, [0, x])
g = tf.gradients(y, x)
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y] + g, {x: [0.5, -1.0]}))
# case: cond in a loop with unknown shapes
x = tf.placeholder(tf.float32, name="x")
def body(i, v):
    a, b = tf.cond(tf.equal(i % 2, 0), lambda: (tf.exp(v), v), lambda: (v, x * v))
    return i + 1, a * 0.5 + b
i, y = tf.while_loop(lambda i, v: i < 4, body, [0, x], shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)])
g = tf.gradients(y, x)
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y] + g, {x: [0.5, -1.0]}))
# case: nested cond in a loop
x = tf.placeholder(tf.float32, [2], name="x")
def body(i, v):
    return i + 1, tf.cond(tf.less(i, 2), lambda: tf.cond(tf.less(i, 1), lambda: v * v, lambda: tf.sin(v)), lambda: v + x)
i, y = tf.while_loop(lambda i, v: i < 4, body, [0, x])
g = tf.gradients(y, x)
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y] + g, {x: [0.5, -1.0]}))
# case: loop in a cond
x = tf.placeholder(tf.float32, [2], name="x")
p = tf.placeholder(tf.bool, [], name="p")
def loop():
    return tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * v * x), [0, x])[1]
y = tf.cond(p, loop, lambda: 2.0 * x)
g = tf.gradients(y, x)
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y] + g, {x: [0.5, -1.0], p: True}), sess.run([y] + g, {x: [0.5, -1.0], p: False}))
# case: slices of a tensor that a loop captures
params = tf.placeholder(tf.float32, [4, 2], name="params")
i, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v + tf.reduce_sum(tf.gather(params, [i, i + 1]))), [0, 0.0])
g = tf.gradients(y, params)[0]
show(type(g).__name__)
nodes()
with tf.Session() as sess:
    show(sess.run(tf.convert_to_tensor(g), {params: np.ones([4, 2])}))
# case: variables in a loop
v = tf.Variable([1.0, 2.0], name="v")
r = tf.get_variable("r", initializer=[3.0, 4.0], use_resource=True)
i, y = tf.while_loop(lambda i, u: i < 3, lambda i, u: (i + 1, u * r + v), [0, v])
e = tf.get_variable("e", initializer=[[3.0, 4.0], [5.0, 6.0]], use_resource=True)
i, z = tf.while_loop(lambda i, u: i < 2, lambda i, u: (i + 1, u * tf.nn.embedding_lookup(e, i)), [0, v])
start = len(tf.get_default_graph().get_operations())
g = tf.gradients(y, [v, r])
h = tf.gradients(z, [v, e])
show(g, type(h[1]).__name__)
nodes(start=start)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run(g), sess.run([h[0], tf.convert_to_tensor(h[1])]))
# case: arrays in a loop
x = tf.placeholder(tf.float32, [3, 2], name="x")
w = tf.placeholder(tf.float32, [2], name="w")
source = tf.TensorArray(tf.float32, 3).unstack(x)
target = tf.TensorArray(tf.float32, 3)
def body(i, v, ta):
    v = tf.tanh(v * w + source.read(i))
    return i + 1, v, ta.write(i, v)
i, v, target = tf.while_loop(lambda i, v, ta: i < 3, body, [0, tf.zeros([2]), target])
y = target.stack()
g = tf.gradients(y, [x, w])
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y] + g, {x: [[0.5, -1.0], [0.1, 0.2], [1.0, 0.3]], w: [0.7, -0.3]}))
# case: an array written before the loop and read in it, gradients twice
x = tf.placeholder(tf.float32, [3], name="x")
ta = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
i, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v + ta.read(i) * ta.read(0)), [0, 0.0])
g = tf.gradients(y, x)[0]
h = tf.gradients(y * 2.0, x)[0]
show(g, h)
with tf.Session() as sess:
    show(sess.run([y, g, h], {x: [1.0, 2.0, 3.0]}))
# case: map_fn, scan and folds
x = tf.placeholder(tf.float32, [3], name="x")
w = tf.placeholder(tf.float32, [], name="w")
m = tf.map_fn(lambda v: v * v * w, x)
s = tf.scan(lambda a, v: a * v + w, x)
f = tf.foldl(lambda a, v: a * v + w, x)
r = tf.foldr(lambda a, v: a * v + w, x)
g = [tf.gradients(t, [x, w]) for t in (m, s, f, r)]
show(g)
with tf.Session() as sess:
    show(sess.run(g, {x: [1.0, 2.0, 3.0], w: 0.5}))
# case: back_prop, stop_gradients, grad_ys
x = tf.placeholder(tf.float32, [2], name="x")
i, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * v), [0, x], back_prop=False)
show(tf.gradients(y, x))
i, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * x), [0, x])
show(tf.gradients(y, x, stop_gradients=[x]))
show(tf.gradients(y, x, grad_ys=[[1.0, 2.0]]))
show(tf.gradients(i, x))
nodes()
# case: gates and placement
x = tf.placeholder(tf.float32, [2], name="x")
w = tf.placeholder(tf.float32, [2], name="w")
i, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * w), [0, x])
show(tf.gradients(y, [x, w], gate_gradients=True))
start = len(tf.get_default_graph().get_operations())
show(tf.gradients(y, [x, w], colocate_gradients_with_ops=True))
nodes()
for op in tf.get_default_graph().get_operations()[start:]:
    show(op.name, op.colocation_groups())
# case: gradients of gradients of loops
x = tf.placeholder(tf.float32, [], name="x")
i, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * x), [0, x])
g = tf.gradients(y, x)[0]
h = tf.gradients(g, x)[0]
show(g, h)
nodes()
# case: gradients of gradients of a map
x = tf.placeholder(tf.float32, [3], name="x")
y = tf.map_fn(lambda v: v * v * v, x)
g = tf.gradients(y, x)[0]
h = tf.gradients(g, x)[0]
show(g, h)
# case: gradients inside of loops
x = tf.placeholder(tf.float32, [], name="x")
w = tf.placeholder(tf.float32, [], name="w")
def body(i, v):
    y = v * v * w
    g = tf.gradients(y, [v, w])
    return i + 1, v - 0.1 * g[0] + 0.5 * g[1]
i, y = tf.while_loop(lambda i, v: i < 3, body, [0, x])
show(y)
nodes()
with tf.Session() as sess:
    show(sess.run(y, {x: 0.5, w: 2.0}))
# case: gradients inside of loops with respect to initial values
x = tf.constant(2.0)
def attempt(f):
    try:
        tf.while_loop(lambda i, v: i < 3, f, [0, x])
    except ValueError as e:
        show(str(e))
attempt(lambda i, v: (i + 1, tf.gradients(v * x, x)[0]))
attempt(lambda i, v: (i + 1, tf.gradients(v * 3.0, x)[0]))
# case: values that do not depend on themselves
x = tf.placeholder(tf.float32, [2], name="x")
u = tf.placeholder(tf.float32, name="u")
i, y, z = tf.while_loop(lambda i, v, s: i < 3, lambda i, v, s: (i + 1, x * 2.0, u * 3.0), [0, x, u], shape_invariants=[tf.TensorShape([]), tf.TensorShape([2]), tf.TensorShape(None)])
show(tf.gradients([y, z], [x, u]))
nodes()
with tf.Session() as sess:
    show(sess.run(tf.gradients([y, z], [x, u]), {x: [1.0, 2.0], u: 3.0}))
# case: unused exits in nested loops
x = tf.placeholder(tf.float32, name="x")
w = tf.placeholder(tf.float32, [2], name="w")
def body(i, v):
    j, a, b, c = tf.while_loop(lambda j, a, b, c: j < 2, lambda j, a, b, c: (j + 1, a * b, b + c, c * 1.5), [0, v, v, w])
    return i + 1, a
i, y = tf.while_loop(lambda i, v: i < 2, body, [0, x], shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)])
g = tf.gradients(y, [x, w])
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y] + g, {x: [0.5, -1.0], w: [1.0, 2.0]}))
# case: switch and merge without contexts
raw = tf.raw_ops
x = tf.placeholder(tf.float32, [2], name="x")
p = tf.placeholder(tf.bool, [], name="p")
f, t = raw.Switch(data=x, pred=p)
y = raw.Merge(inputs=[f * 2.0, t * t])[0]
g = tf.gradients(y, x)
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y] + g, {x: [1.0, 2.0], p: True}), sess.run([y] + g, {x: [1.0, 2.0], p: False}))
# case: loops with maximum_iterations
x = tf.placeholder(tf.float32, [2], name="x")
y = tf.while_loop(lambda v: tf.reduce_sum(v) < 10.0, lambda v: v * v, [x], maximum_iterations=3)
g = tf.gradients(y, x)
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y] + g, {x: [0.5, 1.5]}))
# case: loops that are compiled
from tensorflow.core.framework import attr_value_pb2
x = tf.placeholder(tf.float32, [2], name="x")
bound = tf.placeholder(tf.int32, [], name="bound")
def attempt(n):
    with tf.get_default_graph()._attr_scope({"_XlaCompile": attr_value_pb2.AttrValue(b=True)}):
        y = tf.while_loop(lambda v: tf.reduce_sum(v) < 10.0, lambda v: v * v, [x], maximum_iterations=n)
        try:
            show(tf.gradients(y, x))
        except ValueError as e:
            show(str(e))
attempt(3)
attempt(bound)
attempt(None)
nodes()
# case: a nested loop with unknown shapes and a constant of both
x = tf.placeholder(tf.float32, name="x")
w = tf.placeholder(tf.float32, name="w")
def body(i, v):
    u = tf.while_loop(lambda j, u: j < i, lambda j, u: (j + 1, tf.sin(u * w)), [0, v], shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)])[1]
    return i + 1, u * w
i, y = tf.while_loop(lambda i, v: i < 3, body, [0, x], shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)])
g = tf.gradients(y, [x, w])
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y] + g, {x: [0.5, -1.0], w: [1.5, 2.0]}))
# case: a cond in a nested loop
x = tf.placeholder(tf.float32, [2], name="x")
w = tf.placeholder(tf.float32, [], name="w")
def inner(j, u):
    return j + 1, tf.cond(tf.equal(j, 1), lambda: u * w, lambda: tf.sin(u))
def body(i, v):
    u = tf.while_loop(lambda j, u: j < 2, inner, [0, v])[1]
    return i + 1, tf.cond(i > 0, lambda: u * u, lambda: u + x)
i, y = tf.while_loop(lambda i, v: i < 3, body, [0, x])
g = tf.gradients(y, [x, w])
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y] + g, {x: [0.5, -1.0], w: 1.5}))
# case: a loop in a cond in a loop
x = tf.placeholder(tf.float32, [2], name="x")
def body(i, v):
    def loop():
        return tf.while_loop(lambda j, u: j < 2, lambda j, u: (j + 1, u * x), [0, v])[1]
    return i + 1, tf.cond(i > 0, loop, lambda: tf.exp(v))
i, y = tf.while_loop(lambda i, v: i < 3, body, [0, x])
g = tf.gradients(y, x)
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y] + g, {x: [0.5, -1.0]}))
# case: two loops in a row and a loop that is used twice
x = tf.placeholder(tf.float32, [2], name="x")
i, y = tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, v * v), [0, x])
i, z = tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, v * y), [i - 2, y])
g = tf.gradients(z + y, x)
show(g)
nodes()
with tf.Session() as sess:
    show(sess.run([y, z] + g, {x: [0.5, -1.0]}))
# case: slices through loop variables, of unknown shape
params = tf.placeholder(tf.float32, [None, 2], name="params")
i, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v + tf.gather(params, [i])), [0, tf.zeros([1, 2])])
g = tf.gradients(y, params)[0]
show(type(g).__name__)
nodes()
with tf.Session() as sess:
    show(sess.run(tf.convert_to_tensor(g), {params: np.ones([4, 2])}))
# case: gradients of loops of several types
x = tf.placeholder(tf.float64, [2], name="x")
k = tf.constant([1, 2])
def body(i, v, c):
    return i + 1, v * tf.cast(c, tf.float64), c + k
i, y, c = tf.while_loop(lambda i, v, c: i < 3, body, [0, x, k])
g = tf.gradients(y, x)
show(g)
with tf.Session() as sess:
    show(sess.run([y] + g, {x: [0.5, -1.0]}))
# case: given gradients
x = tf.placeholder(tf.float32, [2], name="x")
y = x * 2.0
def attempt(f):
    try:
        show(f())
    except (TypeError, ValueError) as e:
        show(type(e).__name__, str(e))
attempt(lambda: tf.gradients(y, x, grad_ys=[[1.0, 2.0]]))
attempt(lambda: tf.gradients(y, x, grad_ys=[1.0, 2.0]))
attempt(lambda: tf.gradients([y], x, grad_ys=[tf.constant([True])]))
attempt(lambda: tf.gradients([y], x, grad_ys=[np.ones(2, np.float32)]))
attempt(lambda: tf.gradients([y, y], x, grad_ys=[None, tf.constant([1.0, 2.0])]))
attempt(lambda: tf.gradients([tf.cast(y, tf.complex64)], x, grad_ys=[tf.constant([1.0, 2.0])]))
attempt(lambda: tf.gradients([y], x, grad_ys=[tf.Variable([1.0, 2.0])]))
nodes()
