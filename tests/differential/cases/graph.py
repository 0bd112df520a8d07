# case: unique names
for name in ["foo", "foo", "Foo", "bar_1", "bar", "bar"]:
    show(tf.constant(1.0, name=name))
with tf.name_scope("a"):
    show(tf.constant(1.0, name="foo"))
    with tf.name_scope("b") as scope:
        print(scope)
        show(tf.identity(tf.constant(1.0), name="foo"))
    with tf.name_scope("b") as scope:
        print(scope)
with tf.name_scope("a") as scope:
    print(scope)
with tf.name_scope("a/") as scope:
    print(scope)
    show(tf.constant(1.0, name="foo"))
with tf.name_scope(None) as scope:
    print(repr(scope))
with tf.name_scope("") as scope:
    print(repr(scope))
print(tf.get_default_graph().unique_name("foo"), tf.get_default_graph().unique_name("foo", False))
# case: a name that is no name
tf.constant(1.0, name="a b")
# case: a name that begins with an underscore
tf.constant(1.0, name="_a")
# case: a scope that is no scope
with tf.name_scope("a b"):
    pass
# case: an inner scope may begin with an underscore
with tf.name_scope("a"):
    with tf.name_scope("_b") as scope:
        print(scope)
# case: name scope with values and default name
a = tf.constant(1.0)
with tf.name_scope(None, "default", [a]) as scope:
    print(scope)
with tf.name_scope("given", "default", [a]) as scope:
    print(scope)
with tf.op_scope([a], None, "older") as scope:
    print(scope)
# case: control dependencies
a = tf.constant(1.0, name="a")
b = tf.constant(2.0, name="b")
c = tf.identity(a, name="c")
with tf.control_dependencies([a, b]):
    show(tf.constant(3.0, name="d").op)
    show(tf.identity(a, name="e").op)
    with tf.control_dependencies([c]):
        show(tf.constant(3.0, name="f").op)
        inner = tf.constant(3.0, name="g")
        show(tf.identity(inner, name="h").op)
    with tf.control_dependencies(None):
        show(tf.constant(3.0, name="i").op)
    show(tf.no_op(name="j"))
# case: control dependency on a string
a = tf.constant(1.0, name="a")
with tf.control_dependencies(["a"]):
    show(tf.no_op(name="j"))
# case: control dependency on nonsense
with tf.control_dependencies([3]):
    pass
# case: collections
g = tf.get_default_graph()
tf.add_to_collection("things", 1)
tf.add_to_collections(["things", "more"], 2)
show(tf.get_collection("things"), tf.get_collection("more"), tf.get_collection("none"))
tf.get_collection_ref("things").append(3)
show(tf.get_collection("things"))
a = tf.constant(1.0, name="scope_a/x")
tf.add_to_collection("tensors", a)
tf.add_to_collection("tensors", tf.constant(1.0, name="other"))
show(tf.get_collection("tensors", "scope_a"))
g.clear_collection("things")
show(tf.get_collection("things"))
print(sorted(g.get_all_collection_keys()))
# case: finalize
g = tf.get_default_graph()
g.finalize()
print(g.finalized)
tf.constant(1.0)
# case: elements of a graph
g = tf.get_default_graph()
a = tf.constant([1.0], name="a")
show(g.get_tensor_by_name("a:0"), g.get_operation_by_name("a"))
show(g.as_graph_element("a"), g.as_graph_element("a:0"), g.as_graph_element(a))
print([op.name for op in g.get_operations()], g.version)
# case: an operation that does not exist
tf.get_default_graph().get_operation_by_name("a")
# case: a tensor that does not exist
tf.get_default_graph().get_tensor_by_name("a:0")
# case: an output that does not exist
tf.constant(1.0, name="a")
tf.get_default_graph().get_tensor_by_name("a:1")
# case: an op name where a tensor name is wanted
tf.constant(1.0, name="a")
tf.get_default_graph().get_tensor_by_name("a")
# case: a tensor name where an op name is wanted
tf.constant(1.0, name="a")
tf.get_default_graph().get_operation_by_name("a:0")
# case: a malformed tensor name
tf.get_default_graph().get_tensor_by_name("a:b:0")
# case: a number as name
tf.get_default_graph().get_tensor_by_name(3)
# case: an element of another graph
a = tf.constant(1.0, name="a")
with tf.Graph().as_default() as g:
    g.as_graph_element(a)
# case: nonsense as element
tf.get_default_graph().as_graph_element(3)
# case: inputs of two graphs
a = tf.constant(1.0, name="a")
with tf.Graph().as_default():
    b = tf.constant(1.0, name="b")
try:
    tf.add(a, b)
except ValueError as e:
    print("ValueError", "must be from the same graph" in str(e))
# case: devices
with tf.device("/cpu:0"):
    a = tf.constant(1.0)
    with tf.device("/gpu:1"):
        b = tf.constant(1.0)
        with tf.device(None):
            c = tf.constant(1.0)
    with tf.device("/job:ps/task:2"):
        d = tf.constant(1.0)
        with tf.device("/device:GPU:0"):
            e = tf.constant(1.0)
    with tf.device(lambda op: "/job:worker" if op.type == "Const" else "/job:ps"):
        f = tf.constant(1.0)
for x in (a, b, c, d, e, f):
    print(repr(x.device), repr(x.op.device))
# case: device specs
spec = tf.DeviceSpec(job="ps", replica=1, task=2, device_type="CPU", device_index=0)
print(spec.to_string())
print(tf.DeviceSpec.from_string("/job:worker/task:1/gpu:3").to_string())
other = tf.DeviceSpec(device_type="GPU", device_index=1)
spec.merge_from(other)
print(spec.to_string(), spec.job, spec.device_type)
print(tf.DeviceSpec.from_string("").to_string() == "")
# case: a bad device
with tf.device("/nonsense:3:4"):
    tf.constant(1.0)
# case: colocation
a = tf.constant(1.0, name="a")
with tf.colocate_with(a):
    b = tf.constant(1.0, name="b")
    with tf.colocate_with(b):
        c = tf.constant(1.0, name="c")
    with tf.colocate_with(tf.constant(1.0, name="d"), ignore_existing=True):
        e = tf.constant(1.0, name="e")
for x in (a, b, c, e):
    print(x.name, x.op.colocation_groups(), x.op.device)
# case: tensors print themselves
a = tf.constant([[1.0, 2.0]], name="a")
p = tf.placeholder(tf.int32, [None, 3], name="p")
u = tf.placeholder(tf.string, name="u")
print(a, p, u)
print(repr(a), repr(p), repr(u), repr(a.op))
with tf.device("/cpu:0"):
    print(tf.constant(1, name="d"))
# case: tensors are no booleans
try:
    bool(tf.constant(True))
except TypeError as e:
    print("TypeError")
try:
    len(tf.constant([1]))
except TypeError as e:
    print("TypeError")
# case: set_shape
p = tf.placeholder(tf.float32, name="p")
p.set_shape([None, 3])
print(p.get_shape())
p.set_shape([2, None])
print(p.get_shape(), p.shape.as_list())
p.set_shape([2, 4])
# case: attrs
c = tf.constant([1, 2], name="c").op
show(c.get_attr("dtype"))
m = tf.matmul([[1.0]], [[2.0]], transpose_a=True).op
show(m.get_attr("transpose_a"), m.get_attr("T"))
p = tf.placeholder(tf.float32, [2, None]).op
print([d.size for d in p.get_attr("shape").dim])
c.get_attr("nothing")
# case: group
a = tf.constant(1.0, name="a")
b = tf.constant(1.0, name="b")
show(tf.group(a, b), tf.group(a.op, [b, [a]], name="named"), tf.group())
tf.group(3)
# case: group of devices
with tf.device("/cpu:0"):
    a = tf.constant(1.0, name="a")
with tf.device("/cpu:1"):
    b = tf.constant(1.0, name="b")
tf.group(a, b, name="g")
nodes()
# case: tuple
a = tf.constant(1.0, name="a")
b = tf.constant(1.0, name="b")
show(tf.tuple([a, None, b], name="t", control_inputs=[tf.no_op(name="n")]))
nodes()
# case: reset inside a graph
with tf.Graph().as_default():
    tf.reset_default_graph()
# case: seeds
print(tf.get_seed(None))
print(tf.get_seed(5))
tf.set_random_seed(3)
print(tf.get_seed(None), tf.get_seed(5))
tf.constant(1.0)
print(tf.get_seed(None))
tf.set_random_seed(0)
print(tf.get_seed(0))
# case: gradient override and registration
@tf.RegisterGradient("CaseTwice")
def _twice(op, grad):
    return 2.0 * grad
x = tf.constant(3.0, name="x")
with tf.get_default_graph().gradient_override_map({"Identity": "CaseTwice"}):
    y = tf.identity(x, name="y")
g, = tf.gradients(y, x)
with tf.Session() as sess:
    show(sess.run(g))
# case: registering twice
@tf.RegisterGradient("CaseOnce")
def _once(op, grad):
    return grad
try:
    tf.RegisterGradient("CaseOnce")(_once)
except KeyError as e:
    print("Registering two gradient with name 'CaseOnce'!" in str(e))
# case: an unregistered gradient
x = tf.constant([3.0, 1.0], name="x")
with tf.get_default_graph().gradient_override_map({"Identity": "CaseNever"}):
    y = tf.identity(x, name="y")
tf.gradients(y, x)
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
# case: seeds of graphs and of ops
print(tf.get_seed(None), tf.get_seed(5))
tf.set_random_seed(7)
print(tf.get_seed(None), tf.get_seed(5), tf.get_seed(0))
tf.constant(1)
print(tf.get_seed(None), tf.get_default_graph().seed)
tf.set_random_seed(0)
print(tf.get_seed(0), tf.get_seed(None))
tf.set_random_seed(2 ** 40 + 3)
print(tf.get_seed(2 ** 33))
