# case: axes in a matrix
tf.reduce_sum(tf.zeros([2, 3]), [[0], [1]])
# case: the gradient of the product of a scalar
x = tf.constant(3.0)
with tf.Session() as session:
    show(session.run(tf.gradients(tf.reduce_prod(x), x)))
# case: a product of matrices of different types
tf.matmul(np.zeros([2, 3], np.float32), np.zeros([3, 3]))
# case: a product of a matrix and a list of integers
tf.matmul(tf.zeros([2, 3]), [[1], [2], [3]])
# case: a vector as the axis of a running sum
with tf.Session() as session:
    try:
        session.run(tf.cumsum(tf.zeros([2, 3]), [0, 1]))
    except tf.errors.InvalidArgumentError as error:
        print(error.message.splitlines()[0])
# case: incomplete beta functions of vectors that do not fit
a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
with tf.Session() as session:
    try:
        session.run(tf.betainc(a, b, 0.5), {a: [1.0, 2.0], b: [1.0, 2.0, 3.0]})
    except tf.errors.InvalidArgumentError as error:
        print(error.message.splitlines()[0])
# case: ranges of histograms
tf.histogram_fixed_width([1.0, 2.0], [1.0], nbins=5)
# case: rows set, added and subtracted
from tensorflow.python.ops import inplace_ops
x = tf.ones([3, 2])
results = [
    inplace_ops.inplace_update(x, [0, 2], [[2, 3], [4, 5.0]]),
    inplace_ops.inplace_add(x, 1, [7.0, 8]),
    inplace_ops.inplace_sub(x, None, tf.ones([3, 2])),
    inplace_ops.alias_inplace_add(x, [1, 1], [[1.0, 1], [2, 2]]),
    inplace_ops.empty([2], tf.float32, init=True),
    inplace_ops.empty_like(x, init=True),
]
nodes()
with tf.Session() as session:
    for result in results:
        show(session.run(result))
