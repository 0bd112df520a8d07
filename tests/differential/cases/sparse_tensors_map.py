# case: kept and taken in one run
from tensorflow.python.ops import sparse_ops
a = tf.SparseTensorValue(np.array([[0, 0], [1, 3], [4, 5]], np.int64), np.array([1, 2, 3], np.int32), np.array([5, 6], np.int64))
b = tf.SparseTensorValue(np.array([[1, 0], [2, 3]], np.int64), np.array([4, 5], np.int32), np.array([3, 7], np.int64))
first = sparse_ops._add_sparse_to_tensors_map(a, shared_name="kept")
with tf.control_dependencies([first]):
    second = sparse_ops._add_sparse_to_tensors_map(b, shared_name="kept")
taken = sparse_ops._take_many_sparse_from_tensors_map(first.op, tf.stack([second, first]), rank=2)
show(first, taken.indices, taken.values, taken.dense_shape)
nodes()
with tf.Session() as s:
    show(s.run([taken, first, second]))
    show(s.run([taken, first, second]))
# case: rows
from tensorflow.python.ops import sparse_ops
a = tf.SparseTensorValue(np.array([[0, 0], [0, 1], [2, 0]], np.int64), np.array([b"a", b"b", b"c"], object), np.array([4, 5], np.int64))
handles = sparse_ops._add_many_sparse_to_tensors_map(a)
taken = sparse_ops._take_many_sparse_from_tensors_map(handles.op, handles)
show(handles, taken.indices, taken.values, taken.dense_shape)
with tf.Session() as s:
    show(s.run([handles, taken]))
    kept = s.run(handles)
    show(kept, s.run(taken, {handles: kept}))
    try:
        s.run(taken, {handles: kept})
    except tf.errors.InvalidArgumentError as e:
        print(e.message.splitlines()[0][:31])
# case: refused
from tensorflow.python.ops import sparse_ops
x = tf.sparse_placeholder(tf.int32)
handle = sparse_ops._add_sparse_to_tensors_map(x)
a = tf.SparseTensorValue(np.array([[0, 0]], np.int64), np.array([1], np.int32), np.array([5, 6], np.int64))
b = tf.SparseTensorValue(np.array([[0, 0, 0]], np.int64), np.array([1], np.int32), np.array([5, 6, 7], np.int64))
handles = tf.placeholder(tf.int64, [None])
taken = sparse_ops._take_many_sparse_from_tensors_map(handle.op, handles)
with tf.Session() as s:
    numbers = [s.run(handle, {x: v}) for v in (a, b)]
    show(numbers)
    try:
        s.run(taken, {handles: numbers})
    except tf.errors.InvalidArgumentError as e:
        print(e.message.splitlines()[0])
for op in (tf.no_op(), tf.constant(1)):
    try:
        sparse_ops._take_many_sparse_from_tensors_map(op, handles)
    except TypeError as e:
        print(e)
