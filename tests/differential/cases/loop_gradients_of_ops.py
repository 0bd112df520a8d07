# case: tensors of a loop as xs
keep = []
x = tf.placeholder(tf.float32, [2])


def body(i, v):
    w = v * 2.0
    keep.append(w)
    return i + 1, w * w


y = tf.while_loop(lambda i, v: i < 3, body, [0, x])[1]
show(tf.gradients(y, keep))
nodes()
# case: tensors of a loop as ys
keep = []
x = tf.placeholder(tf.float32, [2])


def body(i, v):
    w = v * 2.0
    keep.append(w)
    return i + 1, w * w


y = tf.while_loop(lambda i, v: i < 3, body, [0, x])[1]
show(tf.gradients(keep, x))
nodes()
# case: tensors of a branch as xs and ys
keep = []
x = tf.placeholder(tf.float32, [2])
p = tf.placeholder(tf.bool, [])


def br():
    w = x * 2.0
    keep.append(w)
    return w * w


y = tf.cond(p, br, lambda: x)
show(tf.gradients(y, keep), tf.gradients(keep, x))
nodes()
# case: gradients that stop inside of a loop
keep = []
x = tf.placeholder(tf.float32, [2])


def body(i, v):
    w = v * 2.0
    keep.append(w)
    return i + 1, w * w


y = tf.while_loop(lambda i, v: i < 3, body, [0, x])[1]
show(tf.gradients(y, x, stop_gradients=keep))
nodes()
# case: gradients that stop at an exit
x = tf.placeholder(tf.float32, [2])
i, y, z = tf.while_loop(lambda i, v, u: i < 3, lambda i, v, u: (i + 1, v * u, u * v), [0, x, x])
show(tf.gradients(y * z, x, stop_gradients=[z]))
nodes()
# case: an exit as x
x = tf.placeholder(tf.float32, [2])
i, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * v), [0, x])
z = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * y), [0, y])[1]
show(tf.gradients(z, y), tf.gradients(z, [y, x]))
nodes()
# case: integer loops
x = tf.placeholder(tf.int32, [2])
i, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * v), [0, x])
show(tf.gradients(y, x), tf.gradients(tf.cast(y, tf.float32), x))
nodes()
# case: ops without gradients in a loop
x = tf.placeholder(tf.float32, [2])
i, y = tf.while_loop(
    lambda i, v: i < 3,
    lambda i, v: (i + 1, tf.cast(tf.bitcast(v, tf.int32), tf.float32) + tf.floor(v)),
    [0, x],
)
show(tf.gradients(y, x))
nodes()
# case: ops without a registered gradient
x = tf.placeholder(tf.float32, [2])
i, y = tf.while_loop(
    lambda i, v: i < 3,
    lambda i, v: (i + 1, tf.unique(v)[0]),
    [0, x],
    shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
)
show(tf.gradients(y, x))
nodes()
# case: a predicate that depends on x
x = tf.placeholder(tf.float32, [])
y = tf.while_loop(lambda v: tf.reduce_sum(v * x) < 10.0, lambda v: v * x + 1.0, [x])
show(tf.gradients(y, x))
nodes()
# case: zeros for tensors that are not connected
x = tf.placeholder(tf.float32, [2])
w = tf.placeholder(tf.float32, [3])
i, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * v), [0, x])
show(tf.gradients(y, [x, w], unconnected_gradients="zero"))
nodes()
# case: complex loop variables
x = tf.placeholder(tf.complex64, [2])
i, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * v), [0, x])
show(tf.gradients(y, x, grad_ys=[tf.ones([2], tf.complex64)]))
nodes()
# case: loop variables of half precision
x = tf.placeholder(tf.float16, [None])
i, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * x), [0, x])
show(tf.gradients(y, x))
nodes()
# case: loop variables that change places
x = tf.placeholder(tf.float32, [2])
i, y, z = tf.while_loop(lambda i, v, u: i < 3, lambda i, v, u: (i + 1, u, v * x), [0, x, x])
show(tf.gradients([y, z], x))
nodes()
# case: a loop variable that stays as it is
x = tf.placeholder(tf.float32, [2])
i, y, z = tf.while_loop(lambda i, v, u: i < 3, lambda i, v, u: (i + 1, v * u, u), [0, x, x])
show(tf.gradients([y], x))
nodes()
# case: a branch after a loop
x = tf.placeholder(tf.float32, [2])
i, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * v), [0, x])
z = tf.cond(tf.reduce_sum(y) > 3.0, lambda: y * x, lambda: x)
show(tf.gradients(z, x))
nodes()
# case: tf.case
x = tf.placeholder(tf.float32, [2])
k = tf.placeholder(tf.int32, [])
y = tf.case(
    [(tf.equal(k, 0), lambda: x * x), (tf.equal(k, 1), lambda: tf.exp(x))], default=lambda: x
)
show(tf.gradients(y, x))
nodes()
# case: assertions in a loop
x = tf.placeholder(tf.float32, [2])


def body(i, v):
    with tf.control_dependencies([tf.Assert(tf.reduce_all(v > 0), [v])]):
        return i + 1, v * x


i, y = tf.while_loop(lambda i, v: i < 3, body, [0, x])
show(tf.gradients(y, x))
nodes()
# case: splits in a loop
x = tf.placeholder(tf.float32, [None, 4])


def body(i, v):
    a, b = tf.split(v, 2, axis=1)
    return i + 1, tf.concat([a * b, b], 1)


i, y = tf.while_loop(lambda i, v: i < 3, body, [0, x])
show(tf.gradients(y, x))
nodes()
# case: many ops in a loop
x = tf.placeholder(tf.float32, [3, 4])
w = tf.get_variable("w", [4, 4])


def body(i, v):
    u = tf.matmul(v, w)
    u = tf.nn.softmax(u)
    u = tf.reduce_sum(u, 1, keepdims=True) + v
    u = tf.transpose(tf.reshape(u, [4, 3]))
    u = tf.reshape(u, [3, 4])
    u = tf.stack(tf.unstack(u, axis=1), axis=1)
    u = tf.pad(u, [[0, 0], [0, 1]])[:, 1:]
    u = tf.where(u > 0, u, u * 0.1)
    u = tf.maximum(u, 0.01) / tf.reduce_max(u)
    u = tf.nn.l2_normalize(u, 1) + tf.reduce_mean(u) + tf.tile(u[:, :1], [1, 4])
    u = tf.clip_by_value(u, -1.0, 1.0)
    u = tf.gather(u, [2, 1, 0])
    u = tf.squeeze(tf.expand_dims(u, 0), 0) * tf.pow(tf.abs(u) + 1.0, 2.0) - tf.sqrt(
        tf.abs(u) + 0.1
    )
    u = tf.cumsum(u, 1) + tf.nn.dropout(u, 0.5)
    return i + 1, tf.slice(u, [0, 0], [-1, 4])


i, y = tf.while_loop(lambda i, v: i < 3, body, [0, x])
show(tf.gradients(y, [x, w]))
nodes()
# case: many ops of unknown shapes in a loop
x = tf.placeholder(tf.float32, [None, None])
w = tf.get_variable("w", [4, 4])


def body(i, v):
    u = tf.matmul(v, w)
    u = tf.nn.softmax(u)
    u = tf.reduce_sum(u, 1, keepdims=True) + v
    u = tf.stack(tf.unstack(u, num=4, axis=1), axis=1)
    u = tf.pad(u, [[0, 0], [0, 1]])[:, 1:]
    u = tf.where(u > 0, u, u * 0.1)
    u = tf.maximum(u, 0.01) / tf.reduce_max(u)
    u = u + tf.reduce_mean(u) + tf.tile(u[:, :1], [1, 4])
    u = tf.clip_by_value(u, -1.0, 1.0)
    u = tf.gather(u, [2, 1, 0])
    u = tf.squeeze(tf.expand_dims(u, 0), 0) * tf.pow(tf.abs(u) + 1.0, 2.0) - tf.sqrt(
        tf.abs(u) + 0.1
    )
    u = tf.cumsum(u, 1) + tf.nn.dropout(u, 0.5)
    u = (
        tf.concat([u, u], 0)[: tf.shape(v)[0]]
        + tf.reduce_prod(u, 0)
        + tf.einsum("ij->i", u)[:, None]
    )
    return i + 1, u


i, y = tf.while_loop(
    lambda i, v: i < 3,
    body,
    [0, x],
    shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, None])],
)
show(tf.gradients(y, [x, w]))
nodes()
