# case: parts of a variable
with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2)):
    a = tf.get_variable("a", [5, 2])
    b = tf.get_variable("b", [3], partitioner=tf.fixed_size_partitioner(3))
    show(tf.get_variable("scalar", []))
show(list(a), list(b), a.name, a.get_shape(), a.shape, a.dtype, len(a), a._get_partitions(), type(a).__name__)
print([v._save_slice_info.spec for v in a])
show(tf.convert_to_tensor(a), a.as_tensor(), tf.identity(b))
nodes()
# case: one part
with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(1)):
    show(tf.convert_to_tensor(tf.get_variable("a", [5, 2])))
nodes()
# case: parts along another axis
with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2, axis=1)):
    a = tf.get_variable("a", [5, 3])
show(list(a), tf.identity(a))
# case: parts of a tensor
a = tf.get_variable("a", initializer=tf.reshape(tf.range(8.0), [4, 2]), partitioner=tf.fixed_size_partitioner(2))
nodes()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run(list(a)), sess.run(tf.identity(a)))
# case: no operators
tf.get_variable("a", [5, 2], partitioner=tf.fixed_size_partitioner(2)) + 1
# case: assignments to all parts
a = tf.get_variable("a", [5, 2], initializer=tf.zeros_initializer(), partitioner=tf.fixed_size_partitioner(2))
ops = a.assign(tf.ones([5, 2])), a.assign_add(tf.ones([5, 2])), a.assign_sub(3 * tf.ones([5, 2]))
show(ops)
nodes()
with tf.Session() as sess:
    for op in ops:
        sess.run(op) if op is ops[0] else sess.run(op)
        show(sess.run(list(a)))
# case: sharing of parts
two = tf.fixed_size_partitioner(2)
with tf.variable_scope("s", partitioner=two):
    a = tf.get_variable("a", [5, 2])
with tf.variable_scope("s", reuse=True):
    print(tf.get_variable("a", [5, 2]) is a)
with tf.variable_scope("s", reuse=True, partitioner=two):
    print(tf.get_variable("a", [5, 2]) is a)
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
def get(reuse, shape=[5, 2], dtype=tf.float32, partitioner=None, name="a"):
    with tf.variable_scope("s", reuse=reuse, partitioner=partitioner):
        return tf.get_variable(name, shape, dtype)
attempt(lambda: get(True, partitioner=tf.fixed_size_partitioner(3)))
attempt(lambda: get(False, partitioner=two))
attempt(lambda: get(False))
attempt(lambda: get(tf.AUTO_REUSE))
attempt(lambda: get(True, [6, 2], partitioner=two))
attempt(lambda: get(True, dtype=tf.int32, partitioner=two))
attempt(lambda: get(True, name="b", partitioner=two))
with tf.variable_scope("s"):
    tf.get_variable("c", [5, 2])
attempt(lambda: get(True, name="c", partitioner=two))
# case: partitioners that answer nonsense
def attempt(partitioner, shape=[5, 2]):
    try:
        tf.get_variable("a", shape, partitioner=partitioner)
    except Exception as e:
        print(type(e).__name__, e)
attempt(lambda shape, dtype: [2, 2])
attempt(lambda shape, dtype: 2)
attempt(lambda shape, dtype: [2])
attempt(lambda shape, dtype: [0, 1])
attempt(3)
attempt(tf.fixed_size_partitioner(2), None)
# case: partitioners
shape = tf.TensorShape([5, 2])
print(tf.fixed_size_partitioner(3)(shape=tf.TensorShape([2, 2]), dtype=tf.float32))
print(tf.fixed_size_partitioner(3, 1)(shape=tf.TensorShape([2, 7]), dtype=tf.float32))
print(tf.variable_axis_size_partitioner(16)(shape, tf.float32))
print(tf.variable_axis_size_partitioner(16, max_shards=2)(shape, tf.float32))
print(tf.variable_axis_size_partitioner(16, axis=1)(tf.TensorShape([5, 9]), tf.float32))
print(tf.variable_axis_size_partitioner(3)(shape, tf.float32))
print(tf.variable_axis_size_partitioner(64)(tf.TensorShape([50]), tf.string))
print(tf.min_max_variable_partitioner(max_partitions=3, min_slice_size=8)(shape, tf.float32))
print(tf.min_max_variable_partitioner(max_partitions=100, min_slice_size=1)(tf.TensorShape([10, 10]), tf.float32))
print(tf.min_max_variable_partitioner(max_partitions=7, min_slice_size=40)(tf.TensorShape([10, 10]), tf.float32))
tf.variable_axis_size_partitioner(0)
# case: parts in a list
show(tf.create_partitioned_variables([5, 2], [2, 1], tf.ones([5, 2])))
show(tf.create_partitioned_variables([5, 2], [2, 1], tf.zeros_initializer(), name="q", collections=["c"], trainable=False))
show(tf.get_collection("c"), tf.trainable_variables())
nodes()
def attempt(slicing):
    try:
        tf.create_partitioned_variables([5, 2], slicing, tf.zeros_initializer())
    except Exception as e:
        print(type(e).__name__, e)
attempt([3, 2])
attempt([3])
attempt([7, 1])
# case: losses of parts
a = tf.get_variable("a", [5, 2], partitioner=tf.fixed_size_partitioner(2), regularizer=lambda w: -w)
show(tf.get_collection("regularization_losses"))
# case: parts of at least a size
for count, shape in ((1, [2049, 2]), (100, [2048, 100]), (3, [7, 3]), (5, [10]), (4, [11, 5])):
    for size in (10, 16, 100, 256 << 10):
        floats = tf.min_max_variable_partitioner(50, 0, size)
        strings = tf.min_max_variable_partitioner(count, 0, size, 8)
        shape = tf.TensorShape(shape)
        print(floats(shape=shape, dtype=tf.float32), strings(shape=shape, dtype=tf.string))
