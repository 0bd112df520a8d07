# case: sparse_reorder 1
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
r = tf.sparse_reorder(s)
tf.gradients(r.values * 2, v)
nodes()
# case: sparse_reorder 2
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_reorder(u)
nodes()
# case: sparse_merge 3
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_merge(u, u, 7)
nodes()
# case: sparse_merge 4
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_merge([s, u], s, [7, 8], name="m", already_sorted=True)
nodes()
# case: sparse_concat 5
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_concat(1, [s, u])
nodes()
# case: sparse_concat 6
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_concat(-1, [s, s], expand_nonconcat_dim=True)
nodes()
# case: sparse_concat 7
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_concat(tf.constant(1), [s, s])
nodes()
# case: sparse_concat 8
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_concat(1, s)
nodes()
# case: sparse_concat 9
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_concat(1, [3])
nodes()
# case: sparse_split 10
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_split(sp_input=s, num_split=2)
nodes()
# case: sparse_split 11
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_split(sp_input=s, axis=1)
nodes()
# case: sparse_split 12
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_split(sp_input=3, axis=1, num_split=2)
nodes()
# case: sparse_slice 13
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
r = tf.sparse_slice(s, [0, 1], [2, 2])
tf.gradients(r.values * 2, v)
nodes()
# case: sparse_add 14
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
r = tf.sparse_add(s, s)
tf.gradients(r.values * 2, v)
nodes()
# case: sparse_add 15
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
r = tf.sparse_add(s, tf.ones([3, 4]))
tf.gradients(r, v)
nodes()
# case: sparse_add 16
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_add(tf.ones([3, 4]), s, thresh=1)
nodes()
# case: sparse_add 17
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_add(s, s, 0.5)
nodes()
# case: sparse_add 18
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_add(tf.ones([2]), tf.ones([2]))
nodes()
# case: sparse_add 19
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_add(s, u, threshold=tf.constant(0.5))
nodes()
# case: sparse_tensor_dense_matmul 20
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
b = tf.placeholder_with_default(np.ones([4, 5], np.float32), [4, 5])
r = tf.sparse_tensor_dense_matmul(s, b)
tf.gradients(r, [v, b])
nodes()
# case: sparse_tensor_dense_matmul 21
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
b = tf.placeholder_with_default(np.ones([5, 3], np.float32), [5, 3])
r = tf.sparse_tensor_dense_matmul(s, b, True, True)
tf.gradients(r, [v, b])
nodes()
# case: sparse_tensor_dense_matmul 22
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
b = tf.placeholder_with_default(np.ones([3, 3], np.float32), [3, 3])
r = tf.sparse_tensor_dense_matmul(s, b, adjoint_a=True)
tf.gradients(r, [v, b])
nodes()
# case: sparse_reduce_sum 23
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
r = tf.sparse_reduce_sum(s, 1)
tf.gradients(r, v)
nodes()
# case: sparse_reduce_sum 24
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_reduce_sum(s)
nodes()
# case: sparse_reduce_sum 25
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_reduce_sum(u, [-1], True)
nodes()
# case: sparse_reduce_sum 26
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_reduce_sum(u, keepdims=True)
nodes()
# case: sparse_reduce_max 27
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_reduce_max(s, 0)
nodes()
# case: sparse_reduce_sum_sparse 28
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_reduce_sum_sparse(s, 1)
nodes()
# case: sparse_reduce_sum 29
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_reduce_sum(s, reduction_axes=1, keep_dims=True)
nodes()
# case: sparse_softmax 30
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
r = tf.sparse_softmax(s)
tf.gradients(r.values * 2, v)
nodes()
# case: sparse_minimum 31
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
r = tf.sparse_minimum(s, u)
nodes()
# case: sparse_mask 32
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_mask(tf.IndexedSlices(tf.ones([3, 2]), tf.constant([1, 2, 3])), [1, 2])
nodes()
# case: sparse_mask 33
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_mask(
    tf.IndexedSlices(tf.ones([3, 2]), tf.constant([1, 2, 3]), tf.constant([5, 2])),
    tf.constant([1]),
    "nm",
)
nodes()
# case: sparse_reset_shape 34
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_reset_shape(s)
nodes()
# case: sparse_reset_shape 35
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_reset_shape(u)
nodes()
# case: sparse_reset_shape 36
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_reset_shape(s, [3, 5])
nodes()
# case: sparse_reset_shape 37
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_reset_shape(s, [3, 2])
nodes()
# case: sparse_reset_shape 38
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_reset_shape(s, [3])
nodes()
# case: sparse_reset_shape 39
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_reset_shape(s, tf.placeholder(tf.int64))
nodes()
# case: sparse_reset_shape 40
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_reset_shape(s, [[3]])
nodes()
# case: sparse_tensor_to_dense 41
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_tensor_to_dense(s)
nodes()
# case: sparse_tensor_to_dense 42
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
r = tf.sparse_tensor_to_dense(s, 5.0, False, name="q")
tf.gradients(r, v)
nodes()
# case: sparse.to_dense 43
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse.to_dense(tf.SparseTensor([[0]], ["a"], [2]))
nodes()
# case: sparse_tensor_to_dense 44
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_tensor_to_dense(3)
nodes()
# case: sparse_to_indicator 45
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_to_indicator(tf.SparseTensor([[0, 1]], [4], [3, 3]), 7)
nodes()
# case: sparse_to_indicator 46
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_to_indicator(tf.SparseTensor([[0, 1]], tf.constant([4], tf.int64), [3, 3]), 7, "nm")
nodes()
# case: sparse_transpose 47
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_transpose(s)
nodes()
# case: sparse_transpose 48
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_transpose(u)
nodes()
# case: sparse_transpose 49
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_transpose(s, [1, 0], "nm")
nodes()
# case: sparse_transpose 50
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_transpose(s, tf.constant([1, 0]))
nodes()
# case: sparse_transpose 51
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_transpose(u, [0, 1])
nodes()
# case: sparse.expand_dims 52
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse.expand_dims(s)
nodes()
# case: sparse.expand_dims 53
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse.expand_dims(s, 0, "n")
nodes()
# case: sparse.expand_dims 54
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse.expand_dims(s, 5)
nodes()
# case: sparse.expand_dims 55
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse.expand_dims(s, -2)
nodes()
# case: sparse.eye 56
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse.eye(3)
nodes()
# case: sparse.eye 57
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse.eye(3, 4, tf.int32, "n")
nodes()
# case: sparse.from_dense 58
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse.from_dense(tf.constant([[0.0, 1], [2, 0]]))
nodes()
# case: sparse.from_dense 59
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse.from_dense(tf.placeholder(tf.string, [2, None]))
nodes()
# case: sparse_placeholder 60
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_placeholder(tf.float32)
nodes()
# case: sparse_placeholder 61
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_placeholder(tf.float32, [3, 4], "n")
nodes()
# case: sparse_placeholder 62
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_placeholder(tf.float32, [None, 4])
nodes()
# case: sparse_placeholder 63
v = tf.placeholder_with_default(np.array([1.0, 2.0, 3.0], np.float32), [3])
s = tf.SparseTensor([[0, 1], [1, 2], [2, 0]], v, [3, 4])
u = tf.SparseTensor(
    tf.placeholder(tf.int64, [None, 2]), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
)
tf.sparse_placeholder(tf.float32, tf.placeholder(tf.int64, [2]))
nodes()


# case: values
def S(indices, values, shape):
    rows = np.array(indices, np.int64).reshape(
        len(indices), len(indices[0]) if indices else len(shape)
    )
    parts = rows, np.array(values), np.array(shape, np.int64)
    return tf.SparseTensor(*[tf.placeholder_with_default(part, None) for part in parts])


def attempt(function):
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            show(session.run(function()))
        except Exception as error:
            print(type(error).__name__, str(error).split("\n")[0])


attempt(lambda: tf.sparse_reorder(S([[3, 0], [0, 0]], [1.0, 2.0], [2, 2])))
attempt(lambda: tf.sparse_reorder(S([[0, 0, 0], [0, 0, 1]], [1.0, 2.0], [2, 2])))
attempt(lambda: tf.sparse_reorder(S([[0, 0]], [1.0, 2.0], [2, 2])))
attempt(
    lambda: tf.sparse_concat(
        1, [S([[0, 0]], [1.0], [2, 2]), S([[1, 0], [0, 1]], [1.0, 3.0], [2, 3])]
    )
)
attempt(lambda: tf.sparse_concat(0, [S([[0, 0]], [1.0], [2, 2]), S([[1, 0]], [1.0], [2, 3])]))
attempt(lambda: tf.sparse_concat(0, [S([[0, 0]], [1.0], [2, 2]), S([[1]], [1.0], [2])]))
attempt(lambda: tf.sparse_concat(5, [S([[0, 0]], [1.0], [2, 2]), S([[1, 0]], [1.0], [2, 2])]))
attempt(
    lambda: tf.sparse_concat(
        -1, [S([[1, 0], [0, 0]], [1.0, 5.0], [2, 2]), S([[1, 0]], [1.0], [2, 2])]
    )
)
attempt(
    lambda: tf.sparse_concat(
        0, [S([[0, 0]], [1.0], [2, 2]), S([[1, 2]], [1.0], [2, 3])], expand_nonconcat_dim=True
    )
)
attempt(
    lambda: tf.sparse_split(
        sp_input=S([[0, 1], [1, 3], [1, 6]], [1.0, 2.0, 3.0], [2, 7]), num_split=2, axis=1
    )
)
attempt(
    lambda: tf.sparse_split(
        sp_input=S([[0, 1], [1, 3], [1, 6]], [1.0, 2.0, 3.0], [2, 7]), num_split=3, axis=-1
    )
)
attempt(
    lambda: tf.sparse_split(
        sp_input=S([[0, 1], [1, 3], [1, 6]], [1.0, 2.0, 3.0], [2, 7]), num_split=3, axis=0
    )
)
attempt(
    lambda: tf.sparse_split(
        sp_input=S([[0, 1], [1, 3], [1, 6]], [1.0, 2.0, 3.0], [2, 7]), num_split=3, axis=2
    )
)
attempt(
    lambda: tf.sparse_slice(S([[0, 1], [1, 3], [1, 6]], [1.0, 2.0, 3.0], [2, 7]), [0, 2], [2, 3])
)
attempt(
    lambda: tf.sparse_slice(S([[0, 1], [1, 3], [1, 6]], [1.0, 2.0, 3.0], [2, 7]), [0, 2], [5, 30])
)
attempt(
    lambda: tf.sparse_slice(S([[0, 1], [1, 3], [1, 6]], [1.0, 2.0, 3.0], [2, 7]), [0, -1], [5, 30])
)
attempt(lambda: tf.sparse_slice(S([[0, 1], [1, 3], [1, 6]], [1.0, 2.0, 3.0], [2, 7]), [0], [5, 30]))
attempt(
    lambda: tf.sparse_add(
        S([[0, 1], [1, 3]], [1.0, 2.0], [2, 7]), S([[0, 1], [1, 6]], [-1.0, 5.0], [2, 7])
    )
)
attempt(
    lambda: tf.sparse_add(
        S([[0, 1], [1, 3]], [1.0, 2.0], [2, 7]), S([[0, 1], [1, 6]], [-1.0, 5.0], [2, 7]), 0.1
    )
)
attempt(
    lambda: tf.sparse_add(
        S([[0, 1], [1, 3]], [1.0, 2.0], [2, 7]), S([[0, 1], [1, 6]], [-1.0, 5.0], [2, 6])
    )
)
attempt(lambda: tf.sparse_add(S([[0, 1], [1, 3]], [1.0, 2.0], [2, 7]), S([[0]], [-1.0], [2])))
attempt(
    lambda: tf.sparse_add(
        S([[0, 1], [1, 3]], [1, 2], [2, 7]), S([[0, 1], [1, 6]], [-1, 5], [2, 7]), 2
    )
)
attempt(
    lambda: tf.sparse_add(
        S([[0, 1]], [1 + 1j], [2, 7]), S([[0, 1], [1, 6]], [-1.0 + 1j, 5.0], [2, 7]), 2.0
    )
)
attempt(lambda: tf.sparse_add(S([[0, 1]], ["a"], [2, 7]), S([[0, 1], [1, 6]], ["a", "b"], [2, 7])))
attempt(
    lambda: tf.sparse_add(
        S([[0, 1], [1, 3]], [1.0], [2, 7]), S([[0, 1], [1, 6]], [-1.0, 5.0], [2, 7])
    )
)
attempt(
    lambda: tf.sparse_tensor_dense_matmul(
        S([[0, 1], [1, 3]], [1.0, 2.0], [2, 4]), np.arange(12.0).reshape(4, 3)
    )
)
attempt(
    lambda: tf.sparse_tensor_dense_matmul(
        S([[0, 1], [1, 3]], [1.0, 2.0], [2, 4]),
        tf.placeholder_with_default(np.arange(9.0).reshape(3, 3), None),
    )
)
attempt(
    lambda: tf.sparse_tensor_dense_matmul(
        S([[0, 1], [1, 5]], [1.0, 2.0], [2, 4]), np.arange(12.0).reshape(4, 3)
    )
)
attempt(
    lambda: tf.sparse_tensor_dense_matmul(
        S([[0, 1], [4, 1]], [1.0, 2.0], [2, 4]), np.arange(12.0).reshape(4, 3)
    )
)
attempt(
    lambda: tf.sparse_tensor_dense_matmul(
        S([[0, 1], [1, 3]], [1.0 + 1j, 2.0], [2, 4]),
        np.arange(12.0).reshape(3, 4) + 1j,
        adjoint_b=True,
    )
)
attempt(
    lambda: tf.sparse_tensor_dense_matmul(
        S([[0, 1], [1, 1]], [1.0, 2.0], [2, 4]), np.arange(6.0).reshape(2, 3), adjoint_a=True
    )
)
attempt(
    lambda: tf.sparse_tensor_dense_matmul(
        S([[0], [1]], [1.0, 2.0], [2]), np.arange(6.0).reshape(2, 3), adjoint_a=True
    )
)
attempt(
    lambda: tf.sparse_tensor_dense_matmul(
        S([[0, 1], [1, 1]], [1.0], [2, 4]), np.arange(12.0).reshape(4, 3)
    )
)
attempt(lambda: tf.sparse_reduce_sum(S([[0, 1], [1, 3], [1, 1]], [1.0, 2.0, 4.0], [2, 4]), 0))
attempt(
    lambda: tf.sparse_reduce_sum(S([[0, 1], [1, 3], [1, 1]], [1.0, 2.0, 4.0], [2, 4]), [-1], True)
)
attempt(lambda: tf.sparse_reduce_sum(S([[0, 1], [1, 3], [1, 1]], [1.0, 2.0, 4.0], [2, 4]), 5))
attempt(lambda: tf.sparse_reduce_max(S([[0, 1], [1, 3], [1, 1]], [1.0, -2.0, -4.0], [3, 4]), 1))
attempt(lambda: tf.sparse_reduce_max(S([[0, 1], [1, 3], [1, 1]], [1, -2, -4], [3, 4]), 1))
attempt(lambda: tf.sparse_reduce_max(S([[0, 1], [1, 3], [1, 1]], [1, -2, -4], [3, 4])))
attempt(
    lambda: tf.sparse_reduce_max_sparse(S([[0, 1], [1, 3], [1, 1]], [1.0, -2.0, -4.0], [3, 4]), 1)
)
attempt(
    lambda: tf.sparse_reduce_sum_sparse(
        S([[0, 1], [1, 3], [1, 1]], [1.0, -2.0, -4.0], [3, 4]), 1, keepdims=True
    )
)
attempt(lambda: tf.sparse_reduce_sum_sparse(S([[0, 1], [1, 3], [1, 1]], [1.0, -2.0, -4.0], [3, 4])))
attempt(
    lambda: tf.sparse_reduce_sum_sparse(
        S([[0, 1], [1, 3], [1, 1]], [1.0, -2.0, -4.0], [3, 4]), keepdims=True
    )
)
attempt(
    lambda: tf.sparse_reduce_sum(S([[0, 1], [1, 3], [1, 1]], [1.0, -2.0, -4.0], [3, 4]), [0, 1])
)
attempt(
    lambda: tf.sparse_reduce_sum(S([[0, 1], [1, 3], [1, 1]], [1.0, -2.0, -4.0], [3, 4]), [0, 0])
)
attempt(lambda: tf.sparse_reduce_sum(S([[0, 9], [1, 3]], [1.0, -2.0], [3, 4]), [0]))
attempt(lambda: tf.sparse_softmax(S([[0, 1], [1, 1], [1, 3]], [1.0, -2.0, -4.0], [3, 4])))
attempt(lambda: tf.sparse_softmax(S([[0], [1]], [1.0, -2.0], [3])))
attempt(
    lambda: tf.sparse_softmax(S([[0, 0, 1], [0, 0, 2], [1, 0, 0]], [1.0, -2.0, -4.0], [3, 4, 5]))
)
attempt(lambda: tf.sparse_softmax(S([[1, 0], [0, 0]], [1.0, -2.0], [3, 4])))
attempt(lambda: tf.sparse_softmax(S([[1, 0]], [1.0, -2.0], [3, 4])))
attempt(
    lambda: tf.sparse_maximum(
        S([[0, 1], [1, 3]], [1.0, -2.0], [2, 7]), S([[0, 1], [1, 6]], [3.0, -5.0], [2, 7])
    )
)
attempt(
    lambda: tf.sparse_minimum(
        S([[0, 1], [1, 3]], [1.0, -2.0], [2, 7]), S([[0, 1], [1, 6]], [3.0, -5.0], [2, 7])
    )
)
attempt(
    lambda: tf.sparse_minimum(
        S([[0, 1], [1, 3]], [1.0, -2.0], [2, 7]), S([[0, 1], [1, 6]], [3.0, -5.0], [2, 6])
    )
)
attempt(lambda: tf.sparse_minimum(S([[0, 1], [1, 3]], [1.0, -2.0], [2, 7]), S([[0]], [3.0], [2])))
attempt(lambda: tf.sparse_minimum(S([[0, 1], [1, 3]], [1.0], [2, 7]), S([[0, 0]], [3.0], [2, 7])))
attempt(lambda: tf.sparse_reset_shape(S([[0, 1], [1, 3]], [1.0, -2.0], [2, 7])))
attempt(lambda: tf.sparse_reset_shape(S([], [], [2, 7])))
attempt(
    lambda: tf.sparse_reset_shape(
        S([[0, 1], [1, 3]], [1.0, -2.0], [2, 7]),
        tf.placeholder_with_default(np.array([2, 3]), None),
    )
)
attempt(lambda: tf.sparse_transpose(S([[0, 1], [1, 3]], [1.0, -2.0], [2, 7])))
attempt(lambda: tf.sparse.expand_dims(tf.SparseTensor([[0, 1], [1, 0]], [2, 1], [2, 3]), 1))
attempt(lambda: tf.sparse.expand_dims(tf.SparseTensor([[0, 1], [1, 0]], [2, 1], [2, 3])))
