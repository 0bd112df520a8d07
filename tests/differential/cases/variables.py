# case: a variable from a value
v = tf.Variable(1.0)
show(v, v.value(), v.initial_value, v.initializer, v.op, v._ref())
print(v, repr(v), v.name, v.dtype, v.shape, v.get_shape(), v.device, v.trainable, v.graph is tf.get_default_graph())
print(v.constraint, v.synchronization, v.aggregation, v._shared_name, isinstance(v, tf.Variable))
nodes()
# case: names are made unique
show(tf.Variable([1, 2], name="a"), tf.Variable(tf.ones([2]), name="a"))
with tf.name_scope("s"):
    show(tf.Variable(1.0, name="w"), tf.Variable(1.0, name="b/c"))
show(tf.Variable(1.0, name="b/"))
nodes()
# case: a name that is no name
tf.Variable(1.0, name="a b")
# case: an initial value from a function
def describe():
    for op in tf.get_default_graph().get_operations():
        print(op.name, op.type, op.node_def.attr["_class"].list.s, op.device)
with tf.device("/gpu:0"):
    show(tf.Variable(lambda: [1.0, 2.0]), tf.Variable(lambda: tf.zeros([3]), name="z", dtype=tf.float32))
describe()
# case: an initial value of None
tf.Variable(lambda: None)
# case: colocation and devices
def describe():
    for op in tf.get_default_graph().get_operations():
        print(op.name, op.type, op.node_def.attr["_class"].list.s, op.device)
a = tf.constant(1.0, name="a")
with tf.colocate_with(a):
    tf.Variable(tf.zeros([2]))
with tf.device(lambda op: "/job:ps" if op.type == "VariableV2" else "/job:worker"):
    v = tf.Variable(tf.zeros([2]))
    v.assign([1.0, 2.0])
with tf.device("/gpu:1"):
    tf.Variable(1.0, caching_device="/cpu:0")
    tf.Variable(1.0, caching_device=lambda op: "/cpu:0")
describe()
# case: types
for value in ("abc", True, np.float64(3), 1j, [1, 2 ** 40], np.arange(3)):
    show(tf.Variable(value))
show(tf.Variable([1, 2], dtype=tf.float32), tf.Variable(3, dtype="float64"), tf.Variable(np.arange(3), dtype=np.float32))
# case: a tensor of another type
tf.Variable(tf.constant(1), dtype=tf.float32)
# case: shapes that are not known
p = tf.placeholder(tf.float32, [None, 2])
v = tf.Variable(p, validate_shape=False)
print(v.shape)
v.set_shape([3, 2])
print(v.shape, v._ref().shape, v.value().shape)
show(tf.Variable([1.0, 2.0], shape=[None]), tf.Variable([1.0, 2.0], shape=tf.TensorShape(None), validate_shape=False))
nodes()
tf.Variable(p)
# case: no initial value
tf.Variable()
# case: collections
def keys():
    g = tf.get_default_graph()
    return sorted((k, [v.name for v in g.get_collection(k)]) for k in g.get_all_collection_keys())
tf.Variable(1.0)
tf.Variable(1.0, trainable=False)
tf.Variable(1.0, collections=["x"], trainable=True)
tf.Variable(1.0, collections=[])
tf.Variable(1.0, collections=["local_variables", "model_variables", "moving_average_variables"], trainable=False)
tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ)
print(keys())
show(tf.global_variables(), tf.all_variables(), tf.trainable_variables(), tf.local_variables())
show(tf.model_variables(), tf.moving_average_variables(), tf.global_variables("Variable_1"))
tf.Variable(1.0, collections="x")
# case: keys of collections
for name in sorted(n for n in dir(tf.GraphKeys) if not n.startswith("_")):
    print(name, getattr(tf.GraphKeys, name))
# case: a constraint that is no function
tf.Variable(1.0, constraint=3)
# case: dependencies around a variable
c = tf.constant(1.0, name="c")
with tf.control_dependencies([c]):
    v = tf.Variable(1.0)
    v.assign(2.0)
    v.read_value()
with tf.control_dependencies([v]):
    tf.no_op()
nodes()
# case: assignments
v = tf.Variable([1.0, 2.0])
show(v.assign([3.0, 4.0]), v.assign_add([1.0, 1.0]), v.assign_sub([1.0, 2.0]), v.assign([1.0, 2.0], read_value=False))
show(tf.assign(v, [1.0, 2.0]), tf.assign_add(v._ref(), [1.0, 2.0]), tf.assign_sub(v, [0.0, 1.0]))
show(tf.assign(v, v + 1, validate_shape=False, use_locking=False, name="mine"))
print([op.get_attr("use_locking") for op in tf.get_default_graph().get_operations() if op.type == "Assign"])
nodes()
# case: assignments that do not fit
v = tf.Variable([2.0, 3.0])
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
attempt(lambda: v.assign([1.0, 2.0, 3.0]))
attempt(lambda: v.assign(tf.constant([1, 2])))
attempt(lambda: v.assign_add([[1.0, 2.0]]))
attempt(lambda: tf.assign(tf.constant(1.0), 2.0))
# case: values in a session
v = tf.Variable([1.0, 2.0])
w = tf.Variable(3, name="w")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run([v, w, v + 1, v.value(), v.read_value()]))
    show(sess.run(v.assign_add([1.0, 1.0])), v.eval(), sess.run(tf.assign_sub(w, 1)))
    v.load([5.0, 6.0])
    show(v.eval(), v.eval(session=sess))
    show(sess.run(tf.assign(v, [7.0, 8.0, 9.0], validate_shape=False)), sess.run("Variable:0"))
# case: an uninitialized value
v = tf.Variable([1.0, 2.0])
with tf.Session() as sess:
    sess.run(v + 1)
# case: a load without a session
tf.Variable(1.0).load(3.0)
# case: an eval without a session
tf.Variable(1.0).eval()
# case: operators
v = tf.Variable(2.0)
i = tf.Variable([True, False])
show(v + v, v * v, v - 1, v / 2, v // 2, v % 2, v ** 2, -v, abs(v), v < 1, v > 1, v <= 1, v >= 1)
show(1 + v, 1 - v, 2 * v, 2 / v, 2 ** v, i & i, i | i, i ^ i, ~i)
m = tf.Variable([[1.0, 2.0]])
show(tf.matmul(m, [[1.0], [2.0]]), m[0], m[0, 1:], m[:, tf.newaxis])
show(np.ones([1, 2], np.float32) + m, np.float32(2) * m)
print(v == v, v != v, v == m, v in [v], {v: 1}[v], bool(v))
nodes()
# case: a variable is not iterable
for x in tf.Variable([1.0]):
    pass
# case: conversions
v = tf.Variable([1.0, 2.0])
show(tf.identity(v), tf.convert_to_tensor(v), tf.convert_to_tensor([v, 2 * v]), tf.stack([v, v]))
tf.convert_to_tensor(v, dtype=tf.int32)
# case: another type in an op
tf.add(tf.Variable([1.0, 2.0]), tf.constant([1, 2]))
# case: gradients reach the variable
v = tf.Variable([1.0, 2.0])
y = v.read_value() * 2 + v
show(tf.gradients(y, v), tf.gradients(y, v.value()), tf.gradients(v * 2, v._ref()), tf.gradients(v * 2, v.read_value()))
nodes()
# case: protos
v = tf.Variable([1.0, 2.0], name="q")
with tf.name_scope("a"):
    w = tf.Variable(1.0, trainable=False)
print(v.to_proto())
print(w.to_proto("a"), w.to_proto("b"))
again = tf.Variable.from_proto(w.to_proto())
print(again, again.trainable, again.initial_value, again == w, len(tf.global_variables()))
v._set_save_slice_info(tf.Variable.SaveSliceInfo("whole", [4, 3], [2, 0], [2, 3]))
print(v.to_proto().save_slice_info_def, v._save_slice_info.spec, v._save_slice_info.to_proto("other"))
tf.Variable(2, variable_def=v.to_proto())
# case: a proto that names missing ops
p = tf.Variable(1.0).to_proto()
p.variable_name = "foo:0"
tf.Variable.from_proto(p)
# case: initializers
v = tf.Variable([1.0, 2.0])
w = tf.Variable(1.0, collections=["local_variables"])
show(tf.global_variables_initializer(), tf.local_variables_initializer(), tf.variables_initializer([]))
show(tf.variables_initializer([v, w], name="foo"), tf.initialize_all_variables(), tf.initialize_local_variables(), tf.initialize_variables([v]))
# case: which variables have values
v = tf.Variable([1.0, 2.0])
w = tf.Variable(1.0, collections=["local_variables"])
show(tf.is_variable_initialized(v), tf.report_uninitialized_variables(), tf.assert_variables_initialized())
nodes()
report = tf.report_uninitialized_variables()
with tf.Session() as sess:
    show(sess.run(report), sess.run(tf.is_variable_initialized(v)))
    sess.run(v.initializer)
    show(sess.run(report), sess.run(tf.is_variable_initialized(v)))
    sess.run(w.initializer)
    show(sess.run(report))
# case: reports without variables
show(tf.report_uninitialized_variables(), tf.assert_variables_initialized())
v = tf.Variable(1.0)
show(tf.assert_variables_initialized())
nodes()
# case: creators
def log(following, **kwargs):
    print(sorted((k, str(v)) for k, v in kwargs.items()))
    return following(**kwargs)
def rename(following, **kwargs):
    kwargs["name"] = "renamed"
    return following(**kwargs)
with tf.variable_creator_scope(log):
    tf.Variable(1.0)
    with tf.variable_creator_scope(rename):
        show(tf.Variable(1.0))
    with tf.Graph().as_default():
        tf.Variable(2.0)
show(tf.Variable(3.0))
# case: counters
v = tf.Variable(5)
c, d = v.count_up_to(7), tf.count_up_to(v, 7)
show(c, d)
with tf.Session() as sess:
    sess.run(v.initializer)
    show(sess.run(c), sess.run(v), sess.run(d), sess.run(v))
    sess.run(c)
# case: a counter of floats
tf.count_up_to(tf.Variable(5.0), 7)
# case: a counter that is no scalar
tf.count_up_to(tf.Variable([5]), 7)
# case: assignment to parts
v = tf.Variable(np.arange(12.0).reshape(3, 4))
part = v[1, 2]
parts = [part.assign(50.0), v[0].assign([1.0, 2.0, 3.0, 4.0]), v[:, 1:3].assign(tf.zeros([3, 2], tf.float64))]
parts += [v[::-1, ::2].assign(np.arange(6.0).reshape(3, 2)), v[..., 0].assign([7.0, 8.0, 9.0])]
parts += [v[tf.newaxis, 1].assign([[1.0, 1.0, 1.0, 1.0]])]
nodes()
with tf.Session() as sess:
    sess.run(v.initializer)
    for p in parts:
        show(sess.run(p))
# case: a part of another shape
v = tf.Variable([1.0, 2.0])
a = v[0:1].assign([1.0, 2.0])
with tf.Session() as sess:
    sess.run(v.initializer)
    sess.run(a)
# case: methods that scatter
v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
s = tf.IndexedSlices([[1.0, 1.0]], [0])
show(v.scatter_sub(s), v.scatter_add(s), v.scatter_update(s))
show(v.scatter_nd_sub([[0, 1]], [1.0]), v.scatter_nd_add([[0]], [[1.0, 2.0]]), v.scatter_nd_update([[0, 0]], [1.0]))
show(v.batch_scatter_update(tf.IndexedSlices([[5.0], [6.0]], [[1], [0]])))
nodes()
v.scatter_sub([1.0])
# case: rows below shared dimensions
v = tf.Variable(np.zeros([2, 3, 2], np.float32))
b = tf.batch_scatter_update(v, [[0, 2], [1, 1]], np.arange(8.0, dtype=np.float32).reshape(2, 2, 2))
with tf.Session() as sess:
    sess.run(v.initializer)
    show(sess.run(b))
# case: variables
v = tf.Variable(tf.zeros([2]), name="v")
print([x.name for x in tf.global_variables()], [x.name for x in tf.all_variables()], [x.name for x in tf.trainable_variables()], tf.local_variables(), tf.moving_average_variables(), tf.model_variables())
w = tf.Variable(v.initialized_value() + 1.0, trainable=False, name="w")
l = tf.Variable(3, collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False, name="l")
with tf.Session() as sess:
    print(sess.run(tf.report_uninitialized_variables()), sess.run(tf.is_variable_initialized(v)))
    try:
        sess.run(tf.assert_variables_initialized())
    except tf.errors.FailedPreconditionError:
        print("uninitialized")
    try:
        sess.run(v)
    except tf.errors.FailedPreconditionError as error:
        print(str(error).splitlines()[0])
    print(sess.run(tf.initialize_variables([])), sess.run(tf.variables_initializer([])), sess.run(tf.global_variables_initializer()), sess.run(tf.local_variables_initializer()))
    print(sess.run(tf.report_uninitialized_variables()), [x.tolist() for x in sess.run([v, w, l])], v.eval(), sess.run(tf.assert_variables_initialized()))
    print(sess.run(v.assign([1.0, 2.0])), sess.run(v.assign_add([1.0, 1.0])), sess.run(v.assign_sub([0.5, 0.5])), sess.run(v.initial_value), sess.run(v + 1), sess.run(v[0]), sess.run(-v * 2))
    print(sess.run(tf.scatter_sub(v, [0, 0], [1.0, 1.0])), sess.run(v.scatter_sub(tf.IndexedSlices(tf.constant([1.0]), tf.constant([1])))))
    count = l.count_up_to(5)
    print(sess.run(count), sess.run(count), sess.run(l))
    try:
        sess.run(count)
    except tf.errors.OutOfRangeError as error:
        print(error.message.splitlines()[0])
try:
    v.assign([1.0, 2.0, 3.0])
except ValueError as error:
    print(str(error).splitlines()[0])
show(tf.assign(v, [1.0, 2.0, 3.0], validate_shape=False), v.value(), v._ref())
for call in (lambda: v.scatter_sub(3), lambda: tf.Variable(), lambda: tf.Variable(tf.placeholder(tf.float32)), lambda: tf.Variable(1, variable_def=v.to_proto())):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
print(tf.Variable.from_proto(v.to_proto()).name, " ".join(str(v.to_proto()).split()))
tf.reset_default_graph()
print(tf.assert_variables_initialized(), tf.report_uninitialized_variables().op.type)
# case: initial values that depend on feeds and on each other
ph = tf.placeholder(tf.float32, [2])
v = tf.Variable(ph, trainable=False, collections=[])
print(tf.trainable_variables(), tf.global_variables())
with tf.Session() as sess:
    sess.run(v.initializer, feed_dict={ph: [1.0, 2.0]})
    show(sess.run(v))
w = tf.Variable(tf.random_normal([3]), name="w")
x = tf.Variable(w.initialized_value() * 2.0, name="x")
with tf.Session() as sess:
    sess.run(tf.initialize_all_variables())
    print(np.array_equal(sess.run(w) * 2, sess.run(x)))
