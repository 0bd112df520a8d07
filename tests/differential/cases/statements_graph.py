# case: operations and tensors
a, b = tf.constant([[1.0, 2.0]], name="a"), tf.constant([[1.0], [1.0]], name="b")
c = tf.matmul(a, b, name="c")
print(c.op.type, [t.name for t in c.op.inputs], [t.name for t in c.op.outputs], c.op.control_inputs, repr(c.op.device), c.op.name, c.op.graph is tf.get_default_graph())
print([op.name for op in a.consumers()], [op.name for op in c.consumers()], c.value_index, c.graph is c.op.graph)
with tf.Session() as sess:
    print(c.eval(), sess.run(c), type(c.eval()), c.op.run(), c.eval(feed_dict={a: [[2.0, 3.0]]}), c.eval(session=sess))
for call in (c.eval, c.op.run):
    try:
        call()
    except ValueError as error:
        print(error)
print(c.op.get_attr("transpose_a"), c.op.get_attr("T"), c.op.node_def.op, c.op.op_def.name, c.op.values())
print(tf.constant([[1, 2, 3], [4, 5, 6]]).get_shape(), repr(tf.zeros([2, 3]).get_shape()), repr(tf.placeholder(tf.float32, [None, 2]).get_shape()))
# case: shapes that are inferred
x = tf.placeholder(tf.float32, [2, 3]); y = tf.placeholder(tf.float32, [4, 2])
try:
    tf.matmul(x, y)
except ValueError as error:
    print(str(error).splitlines()[0])
print(tf.matmul(x, y, transpose_a=True, transpose_b=True).get_shape())
image = tf.placeholder(tf.float32, [None, None, 3])
print(image.get_shape())
image.set_shape([28, 28, 3])
image.set_shape([None, 28, None])
print(image.get_shape())
for shape in ([28, 28, 4], [28, 28], 3):
    try:
        image.set_shape(shape)
    except ValueError as error:
        print(error)
# case: types
names = "float16 float32 float64 bfloat16 complex64 complex128 int8 uint8 uint16 int16 int32 int64 bool string qint8 quint8 qint16 quint16 qint32".split()
for name in names:
    d = getattr(tf, name)
    print(d.name, repr(d), d.as_datatype_enum, d._as_ref.name, d._as_ref.base_dtype is d, d._as_ref._is_ref_dtype, d.is_floating, d.is_complex, d.is_integer, d.is_quantized, d.is_unsigned, d.real_dtype.name, d.size)
    for what in ("min", "max"):
        try:
            print(what, float(getattr(d, what)))
        except TypeError as error:
            print(error)
t = tf.float32
print(t.is_compatible_with(t), t.is_compatible_with(t._as_ref), t._as_ref.is_compatible_with(t), t._as_ref.is_compatible_with(t._as_ref), t.is_compatible_with("float32"), t == "float32", t != tf.int32, t == np.float32, hash(t) == hash(tf.float32))
for value in (tf.float32, 1, "float32", "float32_ref", np.float32, np.dtype("int64"), "int", float, bool, int, object, np.dtype("S1"), 101, "half", "double"):
    print(tf.as_dtype(value))
for value in ("x", 9999, [3], None, np.dtype("M8")):
    try:
        print(tf.as_dtype(value))
    except TypeError as error:
        print(error)
try:
    tf.DType(5000)
except TypeError as error:
    print(error)
# case: conversions to tensors
show(tf.convert_to_tensor([[1.0, 2.0]]), tf.convert_to_tensor(np.array([1, 2])), tf.convert_to_tensor(3), tf.convert_to_tensor("a"), tf.convert_to_tensor(1, dtype=tf.float32, name="n"))
x = tf.constant(1.0)
print(tf.convert_to_tensor(x, name="other") is x, tf.convert_to_tensor(x, tf.float32) is x)
class A(object):
    pass
class B(A):
    pass
for call in (lambda: tf.convert_to_tensor(x, tf.int32), lambda: tf.convert_to_tensor(None), lambda: tf.convert_to_tensor([1, "a"]), lambda: tf.convert_to_tensor([[1], [2, 3]]), lambda: tf.convert_to_tensor("a", tf.int32), lambda: tf.convert_to_tensor(1.5, tf.int32)):
    try:
        show(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
order = []
def declines(value, dtype=None, name=None, as_ref=False):
    order.append("declines")
    return NotImplemented
def wrong(value, dtype=None, name=None, as_ref=False):
    order.append("wrong")
    return 3
def right(value, dtype=None, name=None, as_ref=False):
    order.append(("right", dtype, name, as_ref))
    return tf.constant(5.0)
tf.register_tensor_conversion_function(B, wrong, 101)
tf.register_tensor_conversion_function((A,), declines, 99)
try:
    tf.convert_to_tensor(B())
except RuntimeError as error:
    print("RuntimeError", order)
tf.register_tensor_conversion_function(A, right)
del order[:]
show(tf.convert_to_tensor(B(), name="b"), tf.add(B(), 1.0), order)
try:
    tf.convert_to_tensor(B(), tf.int32)
except RuntimeError as error:
    print("RuntimeError")
for args in ((3, right), (A, 3), ((A, 3), right), ((), right) if False else ("x", right)):
    try:
        tf.register_tensor_conversion_function(*args)
    except TypeError as error:
        print(error)
s = tf.SparseTensor([[0]], [1.0], [2])
i = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]))
print(tf.convert_to_tensor_or_indexed_slices(i) is i, tf.convert_to_tensor_or_sparse_tensor(s) is s)
for call in (lambda: tf.convert_to_tensor_or_indexed_slices(i, tf.int32), lambda: tf.convert_to_tensor_or_sparse_tensor(s, tf.int32)):
    try:
        call()
    except Exception as error:
        print(type(error).__name__)
# case: algebra of shapes
S, D = tf.TensorShape, tf.Dimension
def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)
print(S([1, None]).merge_with([None, 2]), S(None).merge_with([1]), S([1]).concatenate([2, None]), S([1]).concatenate(None), S([1, None]).ndims, S(None).ndims, S([1, None]).dims, S(None).dims, S([1, None]).as_list(), S(7).as_list())
print(" ".join(str(S([1, None]).as_proto()).split()), S(S([3]).as_proto()), S([2, 3]).num_elements(), S([None, 3]).num_elements(), S(None).num_elements())
for a in (None, [None, None], [32, None], [32, 784]):
    print([S(a).is_compatible_with(b) for b in (None, [None, None], [32, None], [None, 784], [32, 784], [None], [32], [None, None, None], [32, None, 1], [64, None], [32, 1, 784])])
attempt(lambda: S(None).as_list())
attempt(lambda: S([1]).merge_with([2]))
attempt(lambda: S([1]).merge_with([1, 2]))
attempt(lambda: S(None).with_rank(2))
attempt(lambda: S([1]).with_rank(2))
attempt(lambda: S([1]).with_rank_at_least(2))
attempt(lambda: S([1, 2]).with_rank_at_most(1))
attempt(lambda: S([1]).assert_has_rank(2))
attempt(lambda: S([1]).assert_same_rank([1, 2]))
attempt(lambda: S([1]).assert_is_compatible_with([2]))
attempt(lambda: S([None]).assert_is_fully_defined())
attempt(lambda: S("x"))
attempt(lambda: S([-1]))
attempt(lambda: S([1, None])[0])
attempt(lambda: S([1, None, 3])[1:])
attempt(lambda: S([1, 2])[5])
attempt(lambda: S(None)[0])
attempt(lambda: S(None)[1:])
attempt(lambda: S(None)[1:3])
attempt(lambda: len(S([1, 2])))
attempt(lambda: len(S(None)))
attempt(lambda: list(S([1, 2])))
attempt(lambda: list(S(None)))
attempt(lambda: bool(S(None)) or bool(S([])))
attempt(lambda: [S([1]) == S([1]), S([1]) == [1], S([None]) == S([None]), S([1]) != S([2]), S(None) == S(None)])
attempt(lambda: S([None]) != S([1]))
attempt(lambda: [repr(S([1, None])), str(S([1, None])), repr(S(None)), str(S(None)), str(S([])), str(S([3]))])
for x in (D(3), D(None)):
    for y in (D(3), D(4), D(None), 3):
        attempt(lambda: [x + y, x - y, x * y, x // y, x % y, x < y, x >= y, x == y, x != y, x.is_compatible_with(y)])
        attempt(lambda: x.merge_with(y))
attempt(lambda: [D(3).value, D(None).value, int(D(3)), repr(D(3)), str(D(None)), hash(D(3)) == hash(3), range(D(3)), 2 + D(3), 2 * D(3), D(12) / 5 if False else None, 7 - D(3), 7 // D(2), 7 % D(4)])
attempt(lambda: D(3).assert_is_compatible_with(4))
attempt(lambda: D("x"))
attempt(lambda: D(-1))
attempt(lambda: D(1.5))
attempt(lambda: int(D(None)))
# case: seeds
print(tf.get_seed(None), tf.get_seed(5))
tf.set_random_seed(7)
print(tf.get_seed(None), tf.get_seed(5), tf.get_seed(0))
tf.constant(1)
print(tf.get_seed(None), tf.get_default_graph().seed)
tf.set_random_seed(0)
print(tf.get_seed(0), tf.get_seed(None))
tf.set_random_seed(2 ** 40 + 3)
print(tf.get_seed(2 ** 33))
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
# case: sharing variables
with tf.variable_scope("foo"):
    with tf.variable_scope("bar"):
        v = tf.get_variable("v", [1])
        print(v.name)
with tf.variable_scope("foo/bar", reuse=True):
    print(tf.get_variable("v", [1]) is v)
with tf.variable_scope("foo/bar") as scope:
    scope.reuse_variables()
    print(tf.get_variable("v", [1]) is v, scope.reuse, tf.get_variable_scope() is scope)
    with tf.variable_scope("inner"):
        print(tf.get_variable_scope().reuse)
def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).split(" Originally")[0])
def get(scope, name, *args, **kw):
    reuse = kw.pop("reuse", None)
    with tf.variable_scope(scope, reuse=reuse):
        return tf.get_variable(name, *args, **kw).name
attempt(lambda: get("foo/bar", "v", [1]))
attempt(lambda: get("foo/bar", "new", [1], reuse=True))
attempt(lambda: get("foo", "no_shape"))
attempt(lambda: get("foo/bar", "v", [2], reuse=True))
attempt(lambda: get("foo/bar", "v", [1], tf.int32, reuse=True))
attempt(lambda: get(3, "v", [1]))
attempt(lambda: get(None, "v", [1]))
attempt(lambda: get("q", "from_value", initializer=tf.constant([1.0, 2.0])))
attempt(lambda: get("q", "from_value_and_shape", [2], initializer=tf.constant([1.0, 2.0])))
attempt(lambda: get("q", "int", [2], tf.int32))
attempt(lambda: get("q", "string", [2], tf.string))
for _ in range(3):
    with tf.variable_scope(None, "default") as scope:
        print(scope.name, scope.original_name_scope, tf.get_variable("v", [1]).name, tf.constant(1).name)
with tf.variable_op_scope([v], None, "default"):
    print(tf.get_variable("v", [1]).name)
with tf.variable_op_scope([v], "given", "default"):
    print(tf.get_variable("v", [1]).name)
with tf.variable_scope("reg", regularizer=lambda w: tf.reduce_sum(w), initializer=tf.constant_initializer(3.0), caching_device="/cpu:0") as scope:
    w = tf.get_variable("w", [2])
    print(w.initializer.inputs[1].op.type, tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES), scope.caching_device)
    w = tf.get_variable("none", [2], regularizer=tf.no_regularizer)
    print(len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)))
with tf.variable_scope("parts", partitioner=tf.variable_axis_size_partitioner(16)):
    p = tf.get_variable("p", [4, 3])
    print(type(p).__name__, [(x.name, x.shape) for x in p], tf.convert_to_tensor(p))
for args in ((0,), (-1,), (10, 0, 0)):
    attempt(lambda: tf.variable_axis_size_partitioner(*args))
attempt(lambda: tf.variable_axis_size_partitioner(16, max_shards=2)(shape=tf.TensorShape([8, 3]), dtype=tf.float32))
attempt(lambda: tf.variable_axis_size_partitioner(17, axis=1)(shape=tf.TensorShape([2, 9]), dtype=tf.string))
# case: templates
def scale(x, name="w"):
    return x * tf.get_variable(name, shape=[], initializer=tf.ones_initializer())
one, two = tf.make_template("scale", scale), tf.make_template("scale", scale)
show(one(1.0), one(2.0), two(3.0))
print([v.name for v in tf.global_variables()], one.var_scope.name if hasattr(one, "var_scope") else None)
def attempt(call):
    try:
        show(call())
    except Exception as error:
        print(type(error).__name__, str(error).split(", originally")[0].splitlines()[0][:60])
names = iter("abc")
changing = tf.make_template("changing", lambda x: scale(x, next(names)))
attempt(lambda: changing(1.0))
attempt(lambda: changing(1.0))
plain = tf.make_template("plain", lambda: tf.Variable(1.0))
attempt(lambda: plain())
attempt(lambda: plain())
attempt(lambda: tf.make_template(None, scale))
early = tf.make_template("early", scale, create_scope_now_=True)
show(early(1.0), early(1.0), tf.make_template("early", scale, create_scope_now_=True)(1.0))
print([v.name for v in tf.global_variables()])
# case: meta graphs
import os, tempfile
folder = tempfile.mkdtemp()
with tf.name_scope("scope"):
    v = tf.Variable([1.0, 2.0], name="v")
    w = tf.get_variable("w", [2])
x = tf.placeholder(tf.float32, [2], name="x")
with tf.device("/cpu:0"):
    y = tf.add(v * x, w, name="y")
tf.add_to_collection("numbers", 3)
tf.add_to_collection("floats", 2.5)
tf.add_to_collection("texts", "abc")
tf.add_to_collection("tensors", y)
saver = tf.train.Saver()
for as_text in (False, True):
    meta = tf.train.export_meta_graph(os.path.join(folder, "m"), as_text=as_text)
    print(type(meta).__name__, sorted(meta.collection_def), [n.name for n in meta.graph_def.node][:4], sorted(op.name for op in meta.meta_info_def.stripped_op_list.op), os.path.exists(os.path.join(folder, "m")))
    for key in sorted(meta.collection_def):
        if key in ("numbers", "floats", "texts", "tensors"):
            print(key, " ".join(str(meta.collection_def[key]).split()))
    with tf.Graph().as_default() as g:
        read = tf.train.import_meta_graph(os.path.join(folder, "m"))
        print(type(read).__name__, [t.name for t in tf.global_variables()], tf.get_collection("numbers"), tf.get_collection("floats"), tf.get_collection("texts"), tf.get_collection("tensors"), g.get_tensor_by_name("y:0").device)
    with tf.Graph().as_default() as g:
        tf.train.import_meta_graph(meta, clear_devices=True, import_scope="in")
        print([t.name for t in tf.global_variables()], tf.get_collection("tensors"), repr(g.get_tensor_by_name("in/y:0").device))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    path = saver.save(sess, os.path.join(folder, "model"), global_step=10000)
    print(sorted(f for f in os.listdir(folder) if "index" not in f and "data" not in f), sess.run(w).shape)
with tf.Graph().as_default() as g, tf.Session() as sess:
    saver = tf.train.import_meta_graph(path + ".meta")
    saver.restore(sess, path)
    print(sess.run("scope/v:0"), tf.train.latest_checkpoint(folder) == path)
with tf.Graph().as_default():
    tf.constant(1)
    meta = tf.train.export_meta_graph()
with tf.Graph().as_default():
    print(tf.train.import_meta_graph(meta))
meta = tf.train.export_meta_graph(export_scope="scope", clear_devices=True)
print([n.name for n in meta.graph_def.node], sorted(meta.collection_def))
# case: meta graphs of scopes
a = tf.placeholder(tf.float32, [2], name="a")
with tf.device("/cpu:0"), tf.name_scope("scope"):
    v = tf.Variable([1.0, 2.0], name="v")
    w = tf.get_variable("w", [2])
    with tf.name_scope("in"):
        y = tf.add(a, v, name="y")
    with tf.control_dependencies([a]):
        z = tf.add(y, w, name="z")
    tf.add_to_collection("t", y)
    tf.add_to_collection("t", a)
    tf.add_to_collection("n", 3)
meta = tf.train.export_meta_graph(export_scope="scope")
for n in meta.graph_def.node:
    print(n.name, n.op, list(n.input), n.device, n.attr["_class"].list.s)
for k in sorted(meta.collection_def):
    print(k, str(meta.collection_def[k]).split())
with tf.Graph().as_default():
    try:
        tf.train.import_meta_graph(meta, import_scope="q")
    except ValueError as error:
        print(error)
# case: slices with indices
values, indices = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0, 2])
s = tf.IndexedSlices(values, indices, tf.constant([3, 2]))
print(s.values is values, s.indices is indices, s.dense_shape.name, s.name, s.dtype, repr(s.device), s.op.name, s.graph is tf.get_default_graph())
a = tf.IndexedSlices(tf.constant([[1, 1], [2, 2], [10, 10], [4, 4]]), tf.constant([12, 26, 37, 45]))
b = tf.sparse_mask(a, [12, 45])
with tf.Session() as sess:
    show(sess.run([b.values, b.indices]), sess.run(tf.convert_to_tensor(s)), sess.run(-s), sess.run(s))
    g = tf.gradients(tf.gather(tf.constant([1.0, 2.0, 3.0]), [0, 2, 0]), [])
try:
    tf.convert_to_tensor(a)
except ValueError as error:
    print(error)
# case: freezing graphs
from tensorflow.python.framework import graph_util
x = tf.placeholder(tf.float32, [None, 2], name="x")
v = tf.Variable([[1.0], [2.0]], name="v")
r = tf.get_variable("r", initializer=[3.0], use_resource=True)
with tf.control_dependencies([tf.no_op(name="before")]):
    i = tf.identity(tf.matmul(x, v), name="i")
y = tf.add(i, r, name="y")
tf.constant(4.0, name="unused")
sub = graph_util.extract_sub_graph(tf.get_default_graph().as_graph_def(), ["y"])
print([n.name for n in sub.node])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    frozen = graph_util.convert_variables_to_constants(sess, tf.get_default_graph().as_graph_def(), ["y"])
    kept = graph_util.convert_variables_to_constants(sess, tf.get_default_graph().as_graph_def(), ["y"], variable_names_blacklist=["v"])
for graph_def in (frozen, kept, graph_util.remove_training_nodes(frozen), graph_util.remove_training_nodes(frozen, ["v/read"])):
    print([(n.name, n.op, list(n.input)) for n in graph_def.node])
with tf.Graph().as_default(), tf.Session() as sess:
    print(sess.run(tf.import_graph_def(graph_util.remove_training_nodes(frozen), {"x": tf.constant([[1.0, 1.0]])}, ["y:0"])))
for call in (lambda: graph_util.extract_sub_graph(3, ["y"]), lambda: graph_util.extract_sub_graph(frozen, "y"), lambda: graph_util.extract_sub_graph(frozen, ["nothing"])):
    try:
        call()
    except (TypeError, AssertionError) as error:
        print(type(error).__name__, error)
# case: write_graph
import os, tempfile
folder = tempfile.mkdtemp()
tf.constant(1.0, name="c")
from google.protobuf import text_format
path = tf.train.write_graph(tf.get_default_graph(), os.path.join(folder, "new"), "g.pbtxt")
with open(path) as file:
    print(os.path.relpath(path, folder), [n.name for n in text_format.Parse(file.read(), tf.GraphDef()).node])
path = tf.train.write_graph(tf.get_default_graph().as_graph_def(), folder, "g.pb", as_text=False)
with open(path, "rb") as file:
    print([n.name for n in tf.GraphDef.FromString(file.read()).node])
# case: clipping
t = tf.constant([[-3.0, 0.5], [4.0, 2.0]])
i = tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([1]))
with tf.Session() as sess:
    for r in (tf.clip_by_value(t, -1.0, 1.0), tf.clip_by_norm(t, 1.0), tf.clip_by_norm(t, 1.0, axes=[1]), tf.clip_by_average_norm(t, 1.0), tf.global_norm([t, None, i])):
        show(r, sess.run(r))
    clipped, norm = tf.clip_by_global_norm([t, None, i], 2.0)
    show(type(clipped).__name__, clipped[1], sess.run([clipped[0], clipped[2], norm]))
    clipped, norm = tf.clip_by_global_norm([t], 2.0, use_norm=tf.constant(1.0))
    show(sess.run([clipped, norm]))
nodes()
for call in (lambda: tf.clip_by_global_norm(t, 1.0), lambda: tf.global_norm(t), lambda: tf.clip_by_global_norm(3, 1.0)):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
# case: moving averages and decay
step = tf.Variable(0, trainable=False)
v = tf.Variable(1.0, name="v")
ema = tf.train.ExponentialMovingAverage(0.9, step)
apply = ema.apply([v])
show(ema.average(v), ema.average_name(v), sorted(ema.variables_to_restore()), apply)
rate = tf.train.exponential_decay(0.1, step, 10, 0.5, staircase=True)
inverse = tf.train.inverse_time_decay(0.1, step, 10, 0.5)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for k in (0, 9, 10, 25):
        sess.run([step.assign(k), v.assign(float(k))])
        sess.run(apply)
        show(sess.run([ema.average(v), rate, inverse]))
# case: Python functions
import re

def double(x):
    return x * 2
x = tf.constant([1.0, 2.0])
y, = tf.py_func(double, [x], [tf.float32])
z = tf.py_func(lambda a, b: (a + b, a - b), [x, x], [tf.float32, tf.float32], stateful=False, name="both")
s = tf.py_func(lambda: b"text", [], tf.string)
bad = tf.py_func(double, [x], tf.float64)
fail = tf.py_func(lambda: 1 // 0, [], tf.int64)
show(y, z, s)
with tf.Session() as sess:
    show(sess.run([y, z, s]))
    for t in (bad, fail):
        try:
            sess.run(t)
        except tf.errors.OpError as error:
            text = re.sub("pyfunc_[0-9]+", "pyfunc", error.message.splitlines()[0])
            print(type(error).__name__, text[:90])
# case: the shape of a sparse tensor
s = tf.SparseTensor([[0, 0]], [1], [2, 3])
show(tf.shape(s), tf.shape(s, out_type=tf.int64), tf.rank(s), tf.size(s), tf.size(s, out_type=tf.int64, name="n"))
nodes()
with tf.Session() as sess:
    show(sess.run([tf.shape(s), tf.rank(s), tf.size(s), tf.rank(tf.SparseTensorValue([[0]], [1.0], np.array([4], np.int64)))]))
