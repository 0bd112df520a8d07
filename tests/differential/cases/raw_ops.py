# case: ordered maps
key, indices = tf.placeholder(tf.int64, []), tf.placeholder(tf.int32, [None])
options = dict(dtypes=[tf.float32, tf.int32], shared_name="ordered")
x, y = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
put_x = tf.raw_ops.OrderedMapStage(key=key, indices=[0], values=[x], **options)
put_y = tf.raw_ops.OrderedMapStage(key=key, indices=[1], values=[y], **options)
peek = tf.raw_ops.OrderedMapPeek(key=key, indices=[0, 1], **options)
take = tf.raw_ops.OrderedMapUnstage(key=key, indices=[1, 0][::-1], **options)
sizes = [tf.raw_ops.OrderedMapSize(**options), tf.raw_ops.OrderedMapIncompleteSize(**options)]
with tf.Session() as sess:
    for k in (5, 2):
        sess.run(put_x, {key: k, x: k + 0.5})
        show(sess.run(sizes))
        sess.run(put_y, {key: k, y: k * 10})
    show(sess.run(sizes), sess.run(peek, {key: 5}), sess.run(take, {key: 2}), sess.run(sizes))
    sess.run(tf.raw_ops.OrderedMapClear(**options))
    show(sess.run(sizes))
# case: maps that are emptied
options = dict(dtypes=[tf.float32], shared_name="map")
put = tf.raw_ops.MapStage(key=tf.constant(1, tf.int64), indices=[0], values=[tf.constant(2.0)], **options)
size, clear = tf.raw_ops.MapSize(**options), tf.raw_ops.MapClear(**options)
with tf.Session() as sess:
    sess.run(put)
    before = sess.run(size)
    sess.run(clear)
    show(before, sess.run(size))
# case: conditional accumulators with reference handles
for reduction in ("MEAN", "SUM"):
    handle = tf.raw_ops.ConditionalAccumulator(dtype=tf.float32, shape=[2], reduction_type=reduction, shared_name=reduction)
    gradient, step = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int64, [])
    put = tf.raw_ops.AccumulatorApplyGradient(handle=handle, local_step=step, gradient=gradient)
    take = tf.raw_ops.AccumulatorTakeGradient(handle=handle, num_required=2, dtype=tf.float32)
    count = tf.raw_ops.AccumulatorNumAccumulated(handle=handle)
    with tf.Session() as sess:
        for values in ([1.0, 2.0], [3.0, 8.0]):
            sess.run(put, {gradient: values, step: 0})
        show(sess.run(count), sess.run(take), sess.run(count))
        sess.run(put, {gradient: [1.0, 1.0], step: 0})
        show(sess.run(count))
        try:
            sess.run(put, {gradient: [1.0, 1.0, 1.0], step: 5})
        except tf.errors.InvalidArgumentError as error:
            print(str(error).splitlines()[0])
# case: functional branches and loops without state
from tensorflow.python.framework import function
@function.Defun(tf.float32)
def double(x):
    return x * 2.0
@function.Defun(tf.float32)
def negate(x):
    return -x
@function.Defun(tf.float32)
def small(x):
    return x < 100.0
x, which = tf.constant(3.0), tf.placeholder(tf.int32, [])
branches = tf.raw_ops.StatelessIf(cond=which > 0, input=[x], Tout=[tf.float32], then_branch=double, else_branch=negate)
cases = tf.raw_ops.Case(branch_index=which, input=[x], Tout=[tf.float32], branches=[double, negate, double])
loop = tf.raw_ops.StatelessWhile(input=[x], cond=small, body=double)
call = tf.raw_ops.StatefulPartitionedCall(args=[x], Tout=[tf.float32], f=negate)
with tf.Session() as sess:
    for number in (-1, 0, 1, 2):
        show(sess.run([branches, cases, call], {which: number}))
    show(sess.run(loop))
# case: a constant in a file
import os, tempfile
path = os.path.join(tempfile.mkdtemp(), "numbers")
np.arange(6, dtype=np.float32).tofile(path)
with tf.Session() as sess:
    show(sess.run(tf.raw_ops.ImmutableConst(dtype=tf.float32, shape=[2, 3], memory_region_name=path)))
    show(sess.run(tf.raw_ops.ImmutableConst(dtype=tf.int32, shape=[1], memory_region_name=path)))
# case: a table with a reference handle filled from a file
import os, tempfile
path = os.path.join(tempfile.mkdtemp(), "words")
with open(path, "w") as file:
    file.write("a\nb\nc\n")
table = tf.raw_ops.HashTable(key_dtype=tf.string, value_dtype=tf.int64)
fill = tf.raw_ops.InitializeTableFromTextFile(table_handle=table, filename=path, key_index=-2, value_index=-1)
find = tf.raw_ops.LookupTableFind(table_handle=table, keys=["c", "z", "a"], default_value=tf.constant(-1, tf.int64))
with tf.Session() as sess:
    sess.run(fill)
    show(sess.run(find), sess.run(tf.raw_ops.LookupTableSize(table_handle=table)))
# case: concatenation of lists of tensors
handle = tf.raw_ops.TensorListReserve(element_shape=tf.constant(-1), num_elements=2, element_dtype=tf.float32)
for i, rows in enumerate(([[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]])):
    handle = tf.raw_ops.TensorListSetItem(input_handle=handle, index=i, item=tf.constant(rows))
joined = tf.raw_ops.TensorListConcat(input_handle=handle, element_dtype=tf.float32, element_shape=[None, 2])
with tf.Session() as sess:
    show(sess.run(list(joined)))
