# case: rows of a variable
def values(init, indices, updates, kinds="update add sub mul div min max"):
    for kind in kinds.split():
        v = tf.Variable(init)
        with tf.Session() as sess:
            sess.run(v.initializer)
            show(sess.run(getattr(tf, "scatter_" + kind)(v, indices, updates)), sess.run(v))
values([1.0, 2.0, 3.0], [0, 2, 0], [1.0, 2.0, 4.0])
values(np.arange(10, 16).reshape(3, 2), [[0, 2], [0, 1]], np.arange(1, 9).reshape(2, 2, 2))
values([1.0, 2.0, 3.0], [0, 2, 0], 3.0)
values([1.0, 2.0, 3.0], 1, 5.0)
values(["a", "b"], [0], ["c"], "update")
values([True, False], [0], [False], "update")
values(np.zeros([0, 2], np.float32), np.zeros([0], np.int32), np.zeros([0, 2], np.float32), "update add")
values([-7, 7], [0, 1], [2, -2], "div")
# case: nodes
v = tf.Variable([1.0, 2.0, 3.0])
for kind in "update add sub mul div min max nd_update nd_add nd_sub".split():
    show(getattr(tf, "scatter_" + kind)(v, [[0]], [1.0] if "nd" in kind else [[1.0]]))
nodes()
print([(op.type, op.get_attr("use_locking")) for op in tf.get_default_graph().get_operations() if "Scatter" in op.type])
# case: row indices out of range
v = tf.Variable([1.0, 2.0, 3.0])
with tf.Session() as sess:
    sess.run(v.initializer)
    for indices in ([0, 3], [[0, -1]], 7):
        for kind in ("update", "add"):
            try:
                sess.run(getattr(tf, "scatter_" + kind)(v, indices, 1.0))
            except tf.errors.InvalidArgumentError as e:
                print(e.message.splitlines()[0])
# case: shapes that do not fit
def attempt(f):
    try:
        show(f())
    except Exception as e:
        # TensorFlow mentions constant shapes in some of these texts.
        print(type(e).__name__, str(e).split(" and with input tensors")[0].rstrip("."))
attempt(lambda: tf.scatter_add(tf.Variable([1.0, 2.0, 3.0]), [0, 1], [1.0, 2.0, 3.0]))
attempt(lambda: tf.scatter_add(tf.Variable([[1.0, 2.0, 3.0]]), [0], [[1.0, 2.0]]))
attempt(lambda: tf.scatter_add(tf.Variable([[1.0, 2.0, 3.0]]), [0], [1.0]))
attempt(lambda: tf.scatter_add(tf.Variable(1.0), [0], [1.0]))
attempt(lambda: tf.scatter_nd_add(tf.Variable([1.0, 2.0, 3.0]), [[0], [1]], [1.0, 2.0, 3.0]))
attempt(lambda: tf.scatter_nd_add(tf.Variable([[1.0, 2.0, 3.0]]), [[0]], [[1.0, 2.0]]))
attempt(lambda: tf.scatter_nd([[0], [1]], [1.0, 2.0, 4.0], [3]))
attempt(lambda: tf.scatter_nd([[0]], 1.0, [3]))
attempt(lambda: tf.scatter_nd([[0]], tf.placeholder(tf.float32), tf.placeholder(tf.int32, [2])))
attempt(lambda: tf.scatter_nd([[0]], [[1.0, 2.0]], tf.placeholder(tf.int32)))
attempt(lambda: tf.tensor_scatter_add([1.0, 2.0], [[0]], [1.0, 2.0]))
attempt(lambda: tf.tensor_scatter_add([[1.0, 2.0]], [[0]], [[1.0]]))
# case: shapes that do not fit at run time
i, u = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
v = tf.Variable([1.0, 2.0, 3.0])
with tf.Session() as sess:
    sess.run(v.initializer)
    def attempt(fetch, indices, updates):
        try:
            show(sess.run(fetch, {i: indices, u: updates}))
        except tf.errors.OpError as e:
            print(type(e).__name__, e.message.splitlines()[0])
    attempt(tf.scatter_add(v, i, u), [0, 1], [1.0, 2.0, 3.0])
    attempt(tf.scatter_nd(i, u, [3]), [[0], [1]], [1.0, 2.0, 3.0])
    attempt(tf.scatter_nd(i, u, [3, 2]), [[0], [1]], [[1.0], [3.0]])
    attempt(tf.scatter_nd(i, u, [3]), [[0], [3]], [1.0, 2.0])
    attempt(tf.scatter_nd(i, u, [2, 2]), [[[0, 1], [1, 2]]], [[1.0, 2.0]])
    attempt(tf.scatter_nd(i, u, [3]), [[0], [2], [0]], [1.0, 2.0, 3.0])
# case: elements of a variable
def values(init, indices, updates):
    for kind in ("update", "add", "sub"):
        v = tf.Variable(init)
        with tf.Session() as sess:
            sess.run(v.initializer)
            show(sess.run(getattr(tf, "scatter_nd_" + kind)(v, indices, updates)), sess.run(v))
values([1.0, 2.0, 3.0], [[0], [2], [0]], [1.0, 2.0, 4.0])
values([[1.0, 2.0], [3.0, 4.0]], [[0, 1], [1, 1], [0, 1]], [1.0, 2.0, 4.0])
values([[1.0, 2.0], [3.0, 4.0]], [[1]], [[5.0, 6.0]])
# case: new and changed tensors
r, u = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 2.0, 4.0])
made = [getattr(tf, "tensor_scatter_" + kind)(r, [[0], [2], [0]], u) for kind in ("update", "add", "sub")]
made += [tf.scatter_nd([[0], [2], [0]], u, [3]), tf.scatter_nd([[0, 1], [1, 0]], [1, 2], [2, 2]), tf.scatter_nd([[1]], [[1, 2]], [2, 2])]
show(made)
grads = [tf.gradients(y * y, [r, u]) for y in made[:4]]
show(grads)
nodes()
with tf.Session() as sess:
    show(sess.run(made), sess.run(grads[1:3]))
# case: a variable without a value
v = tf.Variable([1.0, 2.0])
with tf.Session() as sess:
    sess.run(tf.scatter_add(v, [0], [1.0]))
# case: a type without numbers
tf.scatter_add(tf.Variable([True, False]), [0], [True])
