# case: matmul of wrong inner sizes
tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
# case: matmul of vectors
tf.matmul(tf.ones([3]), tf.ones([3]))
# case: matmul of different types
tf.matmul(tf.ones([2, 3]), tf.ones([3, 2], tf.float64))
# case: sum of different types
tf.constant(1.0) + tf.constant(1)
# case: add of different types
tf.add(tf.constant(1.0), tf.constant(1))
# case: sum with a string
tf.constant(1.0) + "x"
# case: sum of an integer and a float
tf.constant(1) + 1.5
# case: sum of wrong shapes
tf.ones([2]) + tf.ones([3])
# case: sum with None
tf.constant(1.0) + None
# case: concat of wrong shapes
tf.concat([tf.ones([2, 3]), tf.ones([3, 2])], 0)
# case: concat of different types
tf.concat([tf.ones([2]), tf.ones([2], tf.int32)], 0)
# case: concat along an axis out of range
tf.concat([tf.ones([2]), tf.ones([2])], 1)
# case: reshape to a wrong size
tf.reshape(tf.ones([6]), [4])
# case: reshape to a size that -1 cannot complete
tf.reshape(tf.ones([7]), [2, -1])
# case: reshape with two rests
tf.reshape(tf.ones([6]), [-1, -1])
# case: reduce along an axis out of range
tf.reduce_sum(tf.ones([2, 3]), 2)
# case: transpose with a wrong permutation
tf.transpose(tf.ones([2, 3]), [0, 1, 2])
# case: stack of wrong shapes
tf.stack([tf.ones([2]), tf.ones([3])])
# case: unstack of an unknown size
tf.unstack(tf.placeholder(tf.float32, [None]))
# case: unstack of a wrong size
tf.unstack(tf.ones([3]), 2)
# case: split that does not divide
tf.split(tf.ones([5]), 2)
# case: split of wrong sizes
tf.split(tf.ones([5]), [2, 2])
# case: squeeze of a size that is not one
tf.squeeze(tf.ones([2, 3]), [0])
# case: expand_dims at an axis out of range
tf.expand_dims(tf.ones([2]), 3)
# case: slice beyond the end
tf.slice(tf.ones([2]), [1], [2])
# case: index beyond the end
tf.ones([2])[3]
# case: too many indices
tf.ones([2])[0, 0]
# case: index of a wrong kind
tf.ones([2])["a"]
# case: iterate over a scalar
for _ in tf.constant(1.0):
    pass
# case: iterate over an unknown size
for _ in tf.placeholder(tf.float32, [None]):
    pass
# case: truth of a tensor
bool(tf.constant(True))
# case: len of a tensor
len(tf.ones([2]))
# case: gather of wrong types
tf.gather(tf.ones([2]), [0.5])
# case: one_hot of floats
tf.one_hot([0.5], 3)
# case: conv2d of wrong channels
tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([3, 3, 2, 8]), [1, 1, 1, 1], "SAME")
# case: conv2d of a wrong rank
tf.nn.conv2d(tf.ones([4, 4, 3]), tf.ones([3, 3, 3, 8]), [1, 1, 1, 1], "SAME")
# case: conv2d with a wrong padding
tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([3, 3, 3, 8]), [1, 1, 1, 1], "OTHER")
# case: conv2d with a window that is too large
tf.nn.conv2d(tf.ones([1, 2, 2, 3]), tf.ones([3, 3, 3, 8]), [1, 1, 1, 1], "VALID")
# case: bias of a wrong size
tf.nn.bias_add(tf.ones([2, 3]), tf.ones([2]))
# case: softmax cross entropy of wrong shapes
tf.nn.softmax_cross_entropy_with_logits(labels=tf.ones([2, 3]), logits=tf.ones([2, 4]))
# case: sparse softmax cross entropy of wrong ranks
tf.nn.sparse_softmax_cross_entropy_with_logits(
    labels=tf.zeros([2, 3], tf.int32), logits=tf.ones([2, 3])
)
# case: sparse softmax cross entropy of floats
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.ones([2]), logits=tf.ones([2, 3]))
# case: dropout of a wrong rate
tf.nn.dropout(tf.ones([2]), 1.5)
# case: cast to an unknown type
tf.cast(tf.ones([2]), "nope")
# case: constant of a wrong shape
tf.constant([1, 2, 3], shape=[2])
# case: constant of a wrong type
tf.constant("a", tf.float32)
# case: constant of floats as integers
tf.constant(1.5, tf.int32)
# case: constant of a ragged list
tf.constant([[1, 2], [3]])
# case: constant that does not fit
tf.constant(300, tf.uint8)
# case: placeholder of a wrong type
tf.placeholder("nope")
# case: name with a space
tf.constant(1.0, name="a b")
# case: name with a colon
tf.constant(1.0, name="a:0")
# case: scope with a wrong name
tf.name_scope("a b").__enter__()
# case: variable without a value
tf.Variable()
# case: variable with an initial value of unknown shape
tf.Variable(tf.placeholder(tf.float32))
# case: assign of a wrong shape
tf.Variable(tf.ones([2])).assign(tf.ones([3]))
# case: assign of a wrong type
tf.Variable(tf.ones([2])).assign(tf.constant([1, 2]))
# case: assign to a tensor
tf.assign(tf.ones([2]), tf.ones([2]))
# case: get_variable twice
tf.get_variable("v", [1])
tf.get_variable("v", [1])
# case: get_variable with reuse of a missing variable
with tf.variable_scope("s", reuse=True):
    tf.get_variable("v", [1])
# case: get_variable of another shape
tf.get_variable("v", [1])
tf.get_variable_scope().reuse_variables()
tf.get_variable("v", [2])
# case: get_variable without a shape
tf.get_variable("v")
# case: gradient of an integer
print(tf.gradients(tf.constant(2) * 3, tf.constant(2)))
# case: gradient of a tensor that is not connected
print(tf.gradients(tf.constant(2.0), tf.constant(3.0)))
# case: gradient with wrong grad_ys
x = tf.constant([1.0, 2.0])
tf.gradients(x * x, x, grad_ys=[tf.ones([3])])
# case: minimize without variables
tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))
# case: minimize of a loss that depends on no variable
v = tf.Variable(1.0)
tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))
# case: tensors of two graphs
a = tf.constant(1.0)
with tf.Graph().as_default():
    b = tf.constant(1.0)
    a + b
# case: import of a value that is not a GraphDef
tf.import_graph_def(3)
# case: a graph that is final
tf.get_default_graph().finalize()
tf.constant(1.0)
# case: fill of a wrong shape
tf.fill([[2]], 1.0)
# case: tile of a wrong length
tf.tile(tf.ones([2, 2]), [1])
# case: pad of a wrong shape
tf.pad(tf.ones([2, 2]), [[1, 1]])
# case: matrix inverse of a vector
tf.matrix_inverse(tf.ones([2]))
# case: top_k of too many
tf.nn.top_k(tf.ones([2]), 3)
# case: where of wrong shapes
tf.where([True, False], tf.ones([3]), tf.ones([3]))
# case: embedding_lookup of floats
tf.nn.embedding_lookup(tf.ones([3, 2]), [1.0])
# case: control dependency on a number
tf.control_dependencies([3]).__enter__()
# case: max_pool with a window that is too large
tf.nn.max_pool(tf.ones([1, 2, 2, 1]), [1, 3, 3, 1], [1, 1, 1, 1], "VALID")
# case: string to arithmetic
tf.constant("a") * tf.constant("b")
# case: logical_and of integers
tf.logical_and(tf.constant(1), tf.constant(0))
# case: argmax along an axis out of range
tf.argmax(tf.ones([2, 3]), 5)
# case: reduce_sum of strings
tf.reduce_sum(tf.constant(["a"]))
# case: batch_normalization of a wrong shape
tf.nn.batch_normalization(tf.ones([2, 3]), tf.ones([4]), tf.ones([4]), None, None, 0.1)
# case: layers.dense of an unknown size
tf.layers.dense(tf.placeholder(tf.float32, [None, None]), 3)
# case: layers.conv2d of a wrong rank
tf.layers.conv2d(tf.ones([2, 3]), 3, 3)
# case: eval without a session
tf.constant(1.0).eval()
# case: conversion of an object
tf.convert_to_tensor(object())
# case: conversion of None
tf.convert_to_tensor(None)
# case: conversion to another type
tf.convert_to_tensor(tf.constant(1.0), dtype=tf.int32)
# case: set_shape that does not fit
tf.ones([2]).set_shape([3])
# case: shape of a wrong rank
tf.placeholder(tf.float32, [None, 2]).get_shape().assert_has_rank(3)
# case: as_graph_element of another graph
a = tf.constant(1.0)
tf.Graph().as_graph_element(a)
# case: get_tensor_by_name of an op
tf.constant(1.0, name="a")
tf.get_default_graph().get_tensor_by_name("a")
# case: get_operation_by_name of a missing name
tf.get_default_graph().get_operation_by_name("nope")
# case: matmul at run time
x = tf.placeholder(tf.float32)
y = tf.matmul(x, tf.ones([2, 3]))
show(tf.Session().run(y, {x: np.ones([4, 3])}))
# case: sum of wrong shapes at run time
x = tf.placeholder(tf.float32)
y = x + tf.ones([3])
show(tf.Session().run(y, {x: np.ones([2])}))
# case: concat at run time
x = tf.placeholder(tf.float32)
y = tf.concat([x, tf.ones([2, 2])], 0)
show(tf.Session().run(y, {x: np.ones([2, 3])}))
# case: reshape at run time
x = tf.placeholder(tf.float32)
y = tf.reshape(x, [4])
show(tf.Session().run(y, {x: np.ones([6])}))
# case: reshape with a rest at run time
x = tf.placeholder(tf.float32)
y = tf.reshape(x, [4, -1])
show(tf.Session().run(y, {x: np.ones([6])}))
# case: gather beyond the end
x = tf.placeholder(tf.int32)
y = tf.gather(tf.ones([3]), x, name="g")
show(tf.Session().run(y, {x: [0, 3]}))
# case: gather before the start
x = tf.placeholder(tf.int32)
y = tf.gather(tf.ones([3]), x)
show(tf.Session().run(y, {x: [-1]}))
# case: gather_nd beyond the end
x = tf.placeholder(tf.int32)
y = tf.gather_nd(tf.ones([3, 2]), x)
show(tf.Session().run(y, {x: [[0, 1], [2, 5]]}))
# case: embedding_lookup beyond the end
x = tf.placeholder(tf.int32)
y = tf.nn.embedding_lookup(tf.ones([3, 2]), x)
show(tf.Session().run(y, {x: [7]}))
# case: integer division by zero
x = tf.placeholder(tf.int32)
y = tf.constant([4, 6]) // x
show(tf.Session().run(y, {x: [2, 0]}))
# case: integer modulo by zero
x = tf.placeholder(tf.int32)
y = tf.constant([4, 6]) % x
show(tf.Session().run(y, {x: [2, 0]}))
# case: tf.div by zero
x = tf.placeholder(tf.int32)
y = tf.div(tf.constant([4, 6]), x)
show(tf.Session().run(y, {x: [2, 0]}))
# case: slice at run time
x = tf.placeholder(tf.int32)
y = tf.slice(tf.ones([3]), x, [2])
show(tf.Session().run(y, {x: [2]}))
# case: strided slice at run time
x = tf.placeholder(tf.int32, [])
y = tf.ones([3])[x]
show(tf.Session().run(y, {x: 5}))
# case: transpose at run time
x = tf.placeholder(tf.int32)
y = tf.transpose(tf.ones([2, 3]), x)
show(tf.Session().run(y, {x: [0, 0]}))
# case: reduce at run time
x = tf.placeholder(tf.int32)
y = tf.reduce_sum(tf.ones([2, 3]), x)
show(tf.Session().run(y, {x: [3]}))
# case: squeeze at run time
x = tf.placeholder(tf.float32)
y = tf.squeeze(x, [0])
show(tf.Session().run(y, {x: np.ones([2])}))
# case: split at run time
x = tf.placeholder(tf.float32)
y = tf.split(x, 2, 0)[0]
show(tf.Session().run(y, {x: np.ones([5])}))
# case: unstack at run time
x = tf.placeholder(tf.float32)
y = tf.unstack(x, 2)[0]
show(tf.Session().run(y, {x: np.ones([5])}))
# case: stack at run time
x = tf.placeholder(tf.float32)
y = tf.stack([x, tf.ones([2])])
show(tf.Session().run(y, {x: np.ones([5])}))
# case: expand_dims at run time
x = tf.placeholder(tf.int32)
y = tf.expand_dims(tf.ones([2]), x)
show(tf.Session().run(y, {x: 5}))
# case: one_hot of a negative depth
x = tf.placeholder(tf.int32)
y = tf.one_hot([0], x)
show(tf.Session().run(y, {x: -1}))
# case: fill of a negative size
x = tf.placeholder(tf.int32)
y = tf.fill(x, 1.0)
show(tf.Session().run(y, {x: [-1]}))
# case: range with a wrong step
x = tf.placeholder(tf.int32)
y = tf.range(0, 3, x)
show(tf.Session().run(y, {x: 0}))
# case: tile at run time
x = tf.placeholder(tf.int32)
y = tf.tile(tf.ones([2, 2]), x)
show(tf.Session().run(y, {x: [1]}))
# case: pad at run time
x = tf.placeholder(tf.int32)
y = tf.pad(tf.ones([2]), x)
show(tf.Session().run(y, {x: [[1, -1]]}))
# case: sparse softmax cross entropy of a wrong label
x = tf.placeholder(tf.int32)
y = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=x, logits=tf.ones([1, 3]))
show(tf.Session().run(y, {x: [5]}))
# case: softmax cross entropy at run time
x = tf.placeholder(tf.float32)
y = tf.nn.softmax_cross_entropy_with_logits(labels=x, logits=tf.ones([2, 3]))
show(tf.Session().run(y, {x: np.ones([2, 4])}))
# case: top_k at run time
x = tf.placeholder(tf.int32)
y = tf.nn.top_k(tf.ones([2]), x)[0]
show(tf.Session().run(y, {x: 5}))
# case: segment_sum of ids that fall
x = tf.placeholder(tf.int32)
y = tf.segment_sum(tf.ones([3]), x)
show(tf.Session().run(y, {x: [1, 0, 0]}))
# case: unsorted_segment_sum of a wrong id
x = tf.placeholder(tf.int32)
y = tf.unsorted_segment_sum(tf.ones([2]), x, 2)
show(tf.Session().run(y, {x: [0, 7]}))
# case: scatter_nd beyond the end
x = tf.placeholder(tf.int32)
y = tf.scatter_nd(x, [1.0], [3])
show(tf.Session().run(y, {x: [[5]]}))
# case: dynamic_partition of a wrong part
x = tf.placeholder(tf.int32)
y = tf.dynamic_partition([1.0, 2.0], x, 2)[0]
show(tf.Session().run(y, {x: [0, 5]}))
# case: conv2d at run time
x = tf.placeholder(tf.float32)
y = tf.nn.conv2d(x, tf.ones([3, 3, 2, 1]), [1, 1, 1, 1], "SAME")
show(tf.Session().run(y, {x: np.ones([1, 4, 4, 3])}))
# case: check_numerics
x = tf.placeholder(tf.float32)
y = tf.check_numerics(x, "bad")
show(tf.Session().run(y, {x: [1.0, float("nan")]}))
# case: assert
x = tf.placeholder(tf.int32)
y = tf.Assert(x > 3, [x])
show(tf.Session().run(y, {x: 1}))
# case: assert_equal
x = tf.placeholder(tf.int32)
y = tf.assert_equal(x, 3)
show(tf.Session().run(y, {x: 1}))
# case: cholesky of a matrix that is not positive definite
x = tf.placeholder(tf.float32)
y = tf.cholesky(x)
show(tf.Session().run(y, {x: [[1.0, 2.0], [2.0, 1.0]]}))
# case: inverse of a singular matrix
x = tf.placeholder(tf.float32)
y = tf.matrix_inverse(x)
show(tf.Session().run(y, {x: [[1.0, 1.0], [1.0, 1.0]]}))
# case: where at run time
x = tf.placeholder(tf.float32)
y = tf.where([True, False], x, tf.ones([2]))
show(tf.Session().run(y, {x: np.ones([3])}))
# case: bias_add at run time
x = tf.placeholder(tf.float32)
y = tf.nn.bias_add(tf.ones([2, 3]), x)
show(tf.Session().run(y, {x: np.ones([2])}))
# case: broadcast_to at run time
x = tf.placeholder(tf.int32)
y = tf.broadcast_to(tf.ones([2]), x)
show(tf.Session().run(y, {x: [3]}))
# case: cumsum at run time
x = tf.placeholder(tf.int32)
y = tf.cumsum(tf.ones([2]), x)
show(tf.Session().run(y, {x: 5}))
# case: argmax at run time
x = tf.placeholder(tf.int32)
y = tf.argmax(tf.ones([2, 3]), x)
show(tf.Session().run(y, {x: 5}))
# case: reverse at run time
x = tf.placeholder(tf.int32)
y = tf.reverse(tf.ones([2]), x)
show(tf.Session().run(y, {x: [5]}))
# case: add_n at run time
x = tf.placeholder(tf.float32)
y = tf.add_n([x, tf.ones([2])])
show(tf.Session().run(y, {x: np.ones([3])}))
# case: select of a row
x = tf.placeholder(tf.float32)
y = tf.nn.in_top_k(x, [1], 1)
show(tf.Session().run(y, {x: np.ones([2, 2])}))
# case: sparse to dense beyond the end
x = tf.placeholder(tf.int32)
y = tf.sparse_to_dense(x, [3], 1.0)
show(tf.Session().run(y, {x: [5]}))
# case: integer power
x = tf.placeholder(tf.int32)
y = tf.pow(tf.constant(2), x)
show(tf.Session().run(y, {x: -1}))
# case: batch matmul at run time
x = tf.placeholder(tf.float32)
y = tf.matmul(x, tf.ones([2, 3, 4]))
show(tf.Session().run(y, {x: np.ones([3, 2, 3])}))
# case: pool at run time
x = tf.placeholder(tf.float32)
y = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
show(tf.Session().run(y, {x: np.ones([2, 2])}))
# case: placeholder_with_default of a wrong shape
x = tf.placeholder_with_default([1.0, 2.0], [2])
y = x * 2.0
show(tf.Session().run(y, {x: [1.0]}))
# case: uninitialized variable
v = tf.Variable(1.0, name="v")
tf.Session().run(v * 2.0)
# case: uninitialized variable fetched
v = tf.Variable(1.0, name="v")
tf.Session().run(v)
# case: uninitialized resource variable
v = tf.Variable(1.0, name="v", use_resource=True)
tf.Session().run(v * 2.0)
# case: uninitialized resource variable fetched
v = tf.get_variable("v", [], use_resource=True)
tf.Session().run(v)
# case: uninitialized variable updated
v = tf.Variable(1.0, name="v")
tf.Session().run(v.assign_add(1.0))
# case: uninitialized resource variable updated
v = tf.Variable(1.0, name="v", use_resource=True)
tf.Session().run(v.assign_add(1.0).op)
# case: uninitialized variable scattered
v = tf.Variable([1.0], name="v")
tf.Session().run(tf.scatter_update(v, [0], [1.0]))
# case: uninitialized variable in training
v = tf.Variable(1.0, name="v")
tf.Session().run(tf.train.GradientDescentOptimizer(0.1).minimize(v * v))
# case: initializer that needs another variable
v = tf.Variable(1.0, name="v")
w = tf.Variable(v * 2.0, name="w")
tf.Session().run(w.initializer)
# case: scatter beyond the end
v = tf.Variable([1.0, 2.0], name="v")
s = tf.Session()
s.run(v.initializer)
s.run(tf.scatter_add(v, [5], [1.0]))
# case: scatter of a resource beyond the end
v = tf.Variable([1.0, 2.0], name="v", use_resource=True)
s = tf.Session()
s.run(v.initializer)
s.run(tf.scatter_update(v, [5], [1.0]))
# case: a failed run leaves variables unchanged
v = tf.Variable([1, 2], name="v")
x = tf.placeholder(tf.int32)
with tf.control_dependencies([v.assign_add([1, 1])]):
    y = 6 // x
s = tf.Session()
s.run(v.initializer)
for d in (2, 0, 3):
    try:
        show(s.run(y, {x: d}))
    except tf.errors.InvalidArgumentError as e:
        print(type(e).__name__, e.message.splitlines()[0], e.op.name, e.error_code)
# case: assign of a wrong shape at run time
v = tf.Variable([1.0, 2.0], name="v")
x = tf.placeholder(tf.float32)
s = tf.Session()
s.run(v.initializer)
s.run(v.assign(x), {x: [1.0]})
# case: gradient step of a wrong shape
v = tf.Variable([1.0, 2.0], name="v")
x = tf.placeholder(tf.float32)
s = tf.Session()
s.run(v.initializer)
s.run(tf.train.GradientDescentOptimizer(0.1).apply_gradients([(x, v)]), {x: [1.0]})
# case: the op of an error
x = tf.placeholder(tf.int32, name="x")
y = tf.floordiv(6, x, name="y")
try:
    tf.Session().run(y, {x: 0})
except tf.errors.OpError as e:
    print(
        e.op is y.op,
        e.node_def.name,
        e.error_code,
        type(e).__name__,
        isinstance(e, tf.errors.InvalidArgumentError),
    )
# case: the op of an unfed placeholder
x = tf.placeholder(tf.int32, [3], name="x")
try:
    tf.Session().run(x + 1)
except tf.errors.OpError as e:
    print(e.op is x.op, e.node_def.op, e.error_code, e.message.splitlines()[0])
# case: a placeholder that is fetched and not fed
x = tf.placeholder(tf.int32, [None, 3], name="x")
tf.Session().run(x)
