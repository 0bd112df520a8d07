# case: values that the graph tells
from tensorflow.python.framework import tensor_util
x = tf.placeholder(tf.float32, [3, None], name="x")
known = tf.placeholder(tf.float32, [3, 4])
s = tf.placeholder(tf.int32, [])
def tell(t):
    value = tensor_util.constant_value(t)
    show(value if value is None else np.asarray(value))
for t in (tf.constant([1, 2]), tf.constant("a"), tf.shape(known), tf.shape(x), tf.size(known), tf.size(x), tf.rank(x), tf.rank(tf.placeholder(tf.float32)), tf.range(3), tf.range(1, 10, 3), tf.range(s),
          tf.cast(tf.constant([1.5, 2.5]), tf.int32), tf.cast(s, tf.int64), tf.concat([[1], [2, 3]], 0), tf.concat([[1], [s]], 0), tf.stack([1, 2]), tf.stack([1, s]), tf.fill([2], 3), tf.fill([s], 3), tf.equal(1, 2), tf.equal([1, 2], [1, 3]), tf.not_equal(1, 2), tf.equal(s, 1),
          tf.identity([1]), tf.constant(2) + 3, tf.zeros([2]), tf.ones_like([1.0, 2.0]), tf.gather([1, 2], 0), tf.reshape([1, 2], [2, 1]), tf.constant([1, 2, 3])[1:], tf.shape(known)[0], tf.Variable(1.0), tf.placeholder_with_default(1, [])):
    tell(t)
show(tensor_util.constant_value(tf.stack([1, s]), partial=True) is not None)
# case: tensor protos
values = [3.0, [1, 2], "abc", [b"a", u"b"], np.arange(4, dtype=np.int64).reshape(2, 2), True, 1j, np.float16(0.5), np.uint8([1]), [], np.array(["x", "yz"]), np.float64(2.5)]
for value in values:
    proto = tf.make_tensor_proto(value)
    show(tf.as_dtype(proto.dtype), [d.size for d in proto.tensor_shape.dim], tf.make_ndarray(proto))
for args in ((3, tf.float32), ([1, 2], tf.int64, [2, 2]), (7, None, [2, 3]), ([1.0, 2.0], tf.float32, [2])):
    show(tf.make_ndarray(tf.make_tensor_proto(*args)))
for args, kw in ((([1, 2, 3],), {"shape": [2]}), (([1, 2, 3],), {"shape": [5], "verify_shape": True}), ((None,), {}), (("a", tf.int32), {}), ((1.5, tf.int32), {}), (([1, "a"],), {}), (([[1], [2, 3]],), {}), ((tf.constant(1),), {})):
    try:
        show(tf.make_ndarray(tf.make_tensor_proto(*args, **kw)))
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0][:120])
print(tf.contrib.util.constant_value(tf.constant(3)), tf.is_tensor(tf.constant(1)) if hasattr(tf, "is_tensor") else None)

# case: what a constant with fewer values than its shape is written as
for values, dtype, shape in (
    ([1, 2], tf.int32, [4]),
    ([1, 2], tf.float32, [2, 2]),
    ([1, 2, 3], tf.int8, [2, 3]),
    ([True, False], tf.bool, [3]),
    ([1, 2j], tf.complex64, [4]),
    ([1, 2], tf.float16, [4]),
    (["a", "b"], tf.string, [4]),
    ([1, 2, 2], tf.int64, [3]),
    ([1, 2], tf.uint64, [1]),
    (7, tf.int32, [2, 2]),
):
    try:
        op = tf.constant(values, dtype, shape).op
    except ValueError as error:
        print(error)
        continue
    written = op.node_def.attr["value"].tensor.SerializeToString()
    print(op.outputs[0].dtype, written.hex())
    with tf.Graph().as_default():
        tf.import_graph_def(op.graph.as_graph_def(), name="")
        again = tf.get_default_graph().get_operation_by_name(op.name)
        print(again.node_def.attr["value"].tensor.SerializeToString() == written)
        value = tf.Session().run(again.outputs[0])
        print(value.tolist())
