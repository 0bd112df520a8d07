# case: a resource variable
v = tf.Variable(1.0, use_resource=True)
show(v, v.handle, v.value(), v.read_value(), v._as_graph_element(), v.initializer, v.create, v.initial_value)
print(v, v.name, v.op.name, v.op.type, v.dtype, v.shape, v._shared_name, repr(v.device), v.trainable, isinstance(v, tf.Variable))
nodes()
# case: initial values
def describe():
    for op in tf.get_default_graph().get_operations():
        print(op.name, op.type, op.node_def.attr["_class"].list.s, op.device)
with tf.device("/gpu:0"):
    tf.Variable(lambda: tf.zeros([2]), name="w", use_resource=True)
    tf.Variable([1, 2], dtype=tf.float32, name="w", use_resource=True)
with tf.name_scope("a"):
    tf.Variable(1.0, use_resource=True, caching_device="/cpu:0")
p = tf.placeholder(tf.float32, [None])
show(tf.Variable(p, use_resource=True), tf.Variable([1.0], shape=[None], use_resource=True))
describe()
# case: assignments
v = tf.Variable([1.0, 2.0], use_resource=True)
made = [v.assign([3.0, 4.0]), v.assign_add([1.0, 1.0]), v.assign_sub([1.0, 1.0]), v.assign_add([1.0, 2.0], name="foo")]
made += [tf.assign(v, [1.0, 2.0]), tf.assign_add(v, [1.0, 2.0]), tf.assign_sub(v, [1.0, 1.0])]
show(made)
show(v.assign([1.0, 2.0], read_value=False), tf.identity(made[0]), made[0].op, made[0].handle is v.handle)
nodes()
v.assign([1.0, 2.0, 3.0])
# case: reads
v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=True)
show(v + 1, tf.identity(v), v[0], 2 * v, -v, tf.convert_to_tensor(v), v.sparse_read([0]), v.gather_nd([[0, 1]]))
show(tf.shape(v), tf.size(v), tf.rank(v), v.get_shape())
nodes()
tf.convert_to_tensor(v, dtype=tf.int32)
# case: order of reads
c = tf.constant(1.0)
with tf.control_dependencies([c]):
    v = tf.Variable(1.0, use_resource=True)
    v.assign(2.0)
    v.read_value()
    v + 1
with tf.control_dependencies([v]):
    tf.no_op()
with tf.control_dependencies([v.assign(3.0)]):
    tf.no_op()
nodes()
# case: values in a session
v = tf.Variable([1.0, 2.0], use_resource=True)
with tf.Session() as sess:
    show(sess.run([v.is_initialized(), tf.is_variable_initialized(v)]))
    sess.run(tf.global_variables_initializer())
    show(sess.run(v.is_initialized()), sess.run([v, v + 1]))
    add = tf.assign_add(v, [1.0, 1.0])
    show(sess.run(add), sess.run(add.op), sess.run(v), sess.run(v.assign([5.0, 5.0])))
    v.load([5.0, 6.0])
    show(v.eval(), sess.run("Variable/Read/ReadVariableOp:0"))
# case: an uninitialized value
v = tf.Variable([1.0, 2.0], use_resource=True)
with tf.Session() as sess:
    sess.run(tf.assign_add(v, [1.0, 1.0]))
# case: gradients
v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=True)
show(tf.gradients(v * v, v), tf.gradients(v.gather_nd([[0, 1]]), v))
g = tf.gradients(v.sparse_read([1, 0, 1]), v)[0]
show(g.values, g.indices, g.dense_shape)
u = tf.Variable(tf.placeholder(tf.float32), use_resource=True, validate_shape=False)
g = tf.gradients(u.sparse_read(tf.placeholder(tf.int32)), u)[0]
show(g.values, g.indices, g.dense_shape)
nodes()
# case: scatter methods
v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=True)
s = tf.IndexedSlices([[2.0, 2.0]], [1])
made = [v.scatter_sub(s), v.scatter_add(s), v.scatter_update(s), v.scatter_max(s), v.scatter_min(s), v.scatter_mul(s), v.scatter_div(s)]
made += [v.scatter_nd_add([[0]], [[1.0, 2.0]]), v.scatter_nd_sub([[0, 1]], [1.0]), v.scatter_nd_update([[0, 0]], [9.0])]
print(made)
nodes()
with tf.Session() as sess:
    for change in made:
        sess.run(v.initializer)
        show(sess.run(change))
# case: rows below shared dimensions
v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=True)
change = v.batch_scatter_update(tf.IndexedSlices([[5.0], [6.0]], [[1], [0]]))
print(change)
nodes()
with tf.Session() as sess:
    sess.run(v.initializer)
    show(sess.run(change))
# case: scatter functions
v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=True)
made = [getattr(tf, "scatter_" + kind)(v, [0, 0], [[2.0, 3.0], [4.0, 5.0]]) for kind in "update add sub mul div min max".split()]
made += [getattr(tf, "scatter_nd_" + kind)(v, [[0, 1], [1, 1]], [7.0, 8.0]) for kind in "update add sub".split()]
show(made)
nodes()
with tf.Session() as sess:
    for change in made:
        sess.run(v.initializer)
        show(sess.run(change))
tf.scatter_add(v, [0], [[1.0]])
# case: row indices out of range
v = tf.Variable([[1.0, 2.0]], use_resource=True)
with tf.Session() as sess:
    sess.run(v.initializer)
    for f in (lambda: v.sparse_read([1]), lambda: tf.scatter_add(v, [1], [[1.0, 2.0]]), lambda: v.gather_nd([[0, 5]])):
        try:
            sess.run(f())
        except tf.errors.InvalidArgumentError as e:
            print(e.message.splitlines()[0])
# case: protos
v = tf.Variable([1.0, 2.0], name="q", use_resource=True)
print(v.to_proto())
# case: counters
v = tf.Variable(1, use_resource=True)
show(v.count_up_to(2), tf.count_up_to(v, 2))
with tf.Session() as sess:
    sess.run(v.initializer)
    c = v.count_up_to(2)
    show(sess.run(c), sess.run(v))
    sess.run(c)
# case: the default kind
tf.enable_resource_variables()
try:
    show(tf.Variable(1.0), tf.get_variable("a", [1]), tf.Variable(2.0, use_resource=False), tf.resource_variables_enabled())
finally:
    tf.disable_resource_variables()
show(tf.Variable(1.0))
# case: assignment to parts
v = tf.Variable([1.0, 2.0], use_resource=True)
a = v[0].assign(3.0)
show(a)
nodes()
with tf.Session() as sess:
    sess.run(v.initializer)
    show(sess.run(a))

# case: shapes of variables in functions
variable = tf.get_variable("held", [10, 3], use_resource=True)


def rows(index):
    found = variable.sparse_read(tf.stack([index, index + 1]))
    print(found.shape, variable.read_value().shape, tf.gather(variable, [[1]]).shape)
    return found


def inner(index):
    return tf.data.Dataset.from_tensors(index).map(rows)


print(tf.data.Dataset.range(3).map(rows))
print(tf.data.Dataset.range(3).flat_map(inner))
