# case: concat along a vector
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.concat([[1.0], [2.0]], a), {a: [0]}))
# case: fill of a scalar shape
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.fill(a, 3.0), {a: 2}))
# case: fill of a matrix of sizes
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.fill(a, 3.0), {a: [[2]]}))
# case: fill with a vector
a = tf.placeholder(tf.float32)
show(tf.Session().run(tf.fill([2], a), {a: [3.0]}))
# case: sparse_to_dense with a scalar shape
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.sparse_to_dense(1, a, 7), {a: 4}))
# case: sparse_to_dense with a matrix as shape
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.sparse_to_dense(1, a, 7), {a: [[4]]}))
# case: unsorted_segment_sum with a vector of numbers
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.unsorted_segment_sum([7.0], [1], a), {a: [4]}))
# case: unsorted_segment_max with a vector of numbers
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.unsorted_segment_max([7.0], [1], a), {a: [4, 5]}))
# case: tile by a scalar
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.tile([7], a), {a: 2}))
# case: one_hot of a vector of depths
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.one_hot([0], a), {a: [3]}))
# case: transpose by a scalar
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.transpose([0.0], a), {a: 0}))
# case: split along a vector
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.split([1.0, 2.0], 2, a), {a: [0]}))
# case: split into sizes along a vector
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.split([1.0, 2.0], [1, 1], a), {a: [0]}))
# case: split into sizes along two axes
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.split([1.0, 2.0], [1, 1], a), {a: [0, 1]}))
# case: gather along a vector
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.gather([1.0, 2.0], [0], axis=a), {a: [0]}))
# case: argmax along a vector
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.argmax([1.0], a), {a: [0]}))
# case: argmin along a vector
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.argmin([1.0], a), {a: [0]}))
# case: roll by a matrix
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.roll([1.0], a, [0]), {a: [[0]]}))
# case: roll along a matrix
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.roll([1.0], [0], a), {a: [[0]]}))
# case: roll along two axes by one
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.roll([1.0], [0], a), {a: [0, 0]}))
# case: pad of a scalar
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.pad(a, [[1, 2]]), {a: 7}))
# case: pad with a vector
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.pad([7], [[1, 2]], constant_values=a), {a: [1]}))
# case: reverse along a matrix
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.reverse([1.0], a), {a: [[0]]}))
# case: scatter_nd into a scalar shape
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.scatter_nd([[0]], [1.0], a), {a: 3}))
# case: matrix_band_part of a vector of numbers
a = tf.placeholder(tf.int64)
show(tf.Session().run(tf.matrix_band_part([[1.0]], a, 0), {a: [1]}))
# case: invert_permutation of a matrix
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.invert_permutation(a), {a: [[0]]}))
# case: broadcast_to a scalar shape
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.broadcast_to([1.0], a), {a: 3}))
# case: scatter_nd into an empty shape
tf.scatter_nd(tf.zeros([2, 1], tf.int32), tf.placeholder(tf.float32), [0, 3])
# case: scatter_nd of updates into an empty shape
tf.scatter_nd(tf.placeholder(tf.int32), tf.zeros([2, 3]), [0, 3])
# case: scatter_nd_non_aliasing_add to an empty tensor
from tensorflow.python.ops import array_ops

array_ops.scatter_nd_non_aliasing_add(tf.zeros([0, 3]), tf.zeros([2, 1], tf.int32), tf.zeros([2, 3]))
# case: scatter_nd_update of an empty variable
tf.scatter_nd_update(tf.Variable(tf.zeros([0, 3])), tf.zeros([2, 1], tf.int32), tf.zeros([2, 3]))
# case: scatter_nd of no updates into an empty shape
show(tf.scatter_nd(tf.zeros([0, 1], tf.int32), tf.zeros([0, 3]), [0, 3]))
# case: segments with a last number of -1
show(tf.Session().run(tf.segment_sum([1.0, 2.0], [0, -1])))
# case: segments with a number of -1
show(tf.Session().run(tf.segment_sum([1.0, 2.0], [-1, 0])))
# case: sparse segments of a given number with -1
show(tf.Session().run(tf.sparse_segment_sum([1.0, 2.0], [0, 0], [-1, 0], num_segments=3)))
# case: sparse segments of a given number with a last number of -1
show(tf.Session().run(tf.sparse_segment_sum([1.0, 2.0], [0, 0], [0, -1], num_segments=3)))
# case: gradient of a mean of sparse segments with too many segments
from tensorflow.python.ops import gen_math_ops

show(tf.Session().run(gen_math_ops.sparse_segment_mean_grad([[1.0]], [0, 0], [0, 1], 3)))
# case: gradient of a mean of sparse segments with fewer segments
from tensorflow.python.ops import gen_math_ops

show(tf.Session().run(gen_math_ops.sparse_segment_mean_grad([[1.0], [2.0]], [0, 2], [0, 0], 3)))
# case: scatter_nd_update of a scalar
v, a = tf.Variable(1.0), tf.placeholder(tf.float32)
session = tf.Session()
session.run(v.initializer)
show(session.run(tf.scatter_nd_update(v, [[0]], a), {a: [0.2]}))
# case: scatter_nd_update with other numbers of indices and updates
v, a = tf.Variable([1.0, 2.0]), tf.placeholder(tf.float32)
session = tf.Session()
session.run(v.initializer)
show(session.run(tf.scatter_nd_update(v, [[0], [1]], a), {a: [0.2]}))
# case: scatter_nd_update with updates of a wrong rank
v, a = tf.Variable([1.0, 2.0]), tf.placeholder(tf.float32)
session = tf.Session()
session.run(v.initializer)
show(session.run(tf.scatter_nd_update(v, [[0], [1]], a), {a: [[0.2], [0.3]]}))
# case: scatter_nd of a scalar of indices
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.scatter_nd(a, [1.0], [2]), {a: 0}))
# case: scatter_nd of a scalar of updates
a = tf.placeholder(tf.float32)
show(tf.Session().run(tf.scatter_nd([0], a, [2]), {a: 1.0}))
# case: scatter_nd into no dimensions
a = tf.placeholder(tf.int32)
show(tf.Session().run(tf.scatter_nd([[0]], [1.0], a), {a: []}))
# case: tensor_scatter_update of a scalar
a = tf.placeholder(tf.float32)
show(tf.Session().run(tf.tensor_scatter_update(a, [[0]], [1.0]), {a: 1.0}))
# case: names of generated functions
from tensorflow.python.ops import gen_array_ops, gen_nn_ops, gen_spectral_ops

for function in (gen_nn_ops.max_pool_v2, gen_array_ops.scatter_nd, gen_spectral_ops.batch_fft2d):
    print(function.__name__)
# case: internal names of crosses of sparse features
from tensorflow.python.ops import sparse_ops

inputs = [tf.constant([["a"]]), tf.constant([["b"]])]
key = sparse_ops._DEFAULT_HASH_KEY + 1
session = tf.Session()
show(session.run(sparse_ops._sparse_cross(inputs)).values)
show(session.run(sparse_ops._sparse_cross_hashed(inputs, num_buckets=100, hash_key=key)).values)
