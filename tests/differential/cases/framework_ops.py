# case: operations by their constructor
from tensorflow.python.framework import ops, test_ops, dtypes, device as pydev
def attempt(call):
    try:
        show(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0][:160])
show(" ".join(str(ops._NodeDef("None", "bar")).split()), " ".join(str(ops._NodeDef("foo", "bar", device="/device:baz:*")).split()))
op = ops.Operation(ops._NodeDef("FloatOutput", "myop"), ops.Graph(), [], [dtypes.float32])
t = op.outputs[0]
print(t.get_shape())
t.set_shape([1, 2, 3])
print(t.get_shape(), len(op.values()), len(op.inputs), op.name, t._value_index, len(t.consumers()), t._as_node_def_input())
g = ops.Graph()
one = ops.Operation(ops._NodeDef("FloatOutput", "one"), g, [], [dtypes.float32])
two = ops.Operation(ops._NodeDef("FloatInput", "two"), g, [one.outputs[0]], [], control_inputs=[one])
show(two, two.control_inputs, one.outputs[0].consumers(), g.get_operations(), " ".join(str(two.node_def).split()))
op = ops.Operation(ops._NodeDef("None", "op2"), ops.Graph(), [], [])
op._set_device(pydev.DeviceSpec(job="muu", device_type="CPU", device_index=0))
print(op.device, op.node_def.device)
for name in ("", "_invalid", "-invalid", "/invalid", "a b"):
    attempt(lambda: ops.Operation(ops._NodeDef("None", name), ops.Graph()))
attempt(lambda: ops.Operation(3, ops.Graph()))
attempt(lambda: ops.Operation(ops._NodeDef("None", "x"), 3))
attempt(lambda: ops.Operation(ops._NodeDef("None", "x"), ops.Graph(), [3]))
attempt(lambda: ops.Operation(ops._NodeDef("None", "x"), ops.Graph(), control_inputs=[3]))
attempt(lambda: ops.Operation(ops._NodeDef("FloatInput", "x"), ops.Graph(), [tf.constant(1.0)], input_types=[tf.int32]))
attempt(lambda: ops.Tensor(3, 0, tf.float32))
attempt(lambda: ops.Tensor(one, 0, tf.float32).name)
# case: methods that change operations
from tensorflow.python.framework import ops, test_ops
def attempt(call):
    try:
        show(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0][:160])
x, y, z = tf.constant(1, name="x"), tf.constant(2, name="y"), tf.add(1, 2, name="z")
z.op._add_control_input(x.op)
show(z.op.control_inputs, " ".join(z.op.node_def.input))
z.op._add_control_inputs([x.op, y.op, y.op])
show(z.op.control_inputs)
z.op._remove_all_control_inputs()
show(z.op.control_inputs, z.op.node_def.input)
z.op._update_input(0, x)
z.op._update_input(1, x)
show(z.op, x.op.outputs[0].consumers(), list(z.op.inputs))
with tf.Session() as sess:
    show(sess.run(z))
attempt(lambda: z.op._update_input(5, x))
attempt(lambda: z.op._add_control_input(x))
attempt(lambda: z.op._add_control_inputs([x]))
with tf.Graph().as_default():
    other = tf.constant(1)
attempt(lambda: z.op._update_input(0, other))
attempt(lambda: tf.add(x, other))
attempt(lambda: z.op.get_attr("nothing"))
z.op._set_attr("_a", ops.attr_value_pb2.AttrValue(i=7)) if hasattr(ops, "attr_value_pb2") else None
show(z.op.get_attr("T"), x.op.get_attr("dtype"), [d for d in z.op._input_types], [d for d in z.op._output_types] if hasattr(z.op, "_output_types") else None)
try:
    z.op.inputs.append(None)
except Exception as error:
    print(type(error).__name__)
show(z.op.op_def.name, [a.name for a in z.op.op_def.attr])
print(z.op == x.op, z.op == z.op, x == x, x != y, len({x, y, x}))
print(str(x.op).split()[:2], repr(x.op), str(x), repr(x))
# case: names
g = tf.Graph()
def attempt(call):
    try:
        show(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0][:160])
for mark in (False, True):
    show(g.unique_name("foo", mark_as_used=mark))
show(g.unique_name("foo"), g.unique_name("foo", mark_as_used=False), g.unique_name("foo"), g.unique_name("foo_1"), g.unique_name("foo_1"), g.unique_name("FOO"), g.unique_name("Foo_3"))
with g.name_scope("bar"):
    show(g.unique_name("foo"), g.unique_name("foo"), g.get_name_scope())
    with g.name_scope(None):
        show(g.unique_name("foo"))
    with g.name_scope("baz") as scope:
        show(scope, g.unique_name("foo"))
    with g.name_scope("baz") as scope:
        show(scope, g.unique_name("foo"))
    with g.name_scope("/baz/"[1:]) as scope:
        show(scope, g.unique_name("foo"))
with g.name_scope("Bar") as scope:
    show(scope)
with g.name_scope("trailing/") as scope:
    show(scope, g.unique_name("a"))
with g.name_scope("") as scope:
    show(scope)
with g.name_scope("") as scope, g.name_scope("in") as inner:
    show(scope, inner)
with g.name_scope("a"):
    with g.name_scope("-bad_for_root"):
        show(g.unique_name("x"))
for name in ("-bad", "/a", "a b", "_a", "a?", "0a", ".a", "a>b"):
    def enter():
        with g.name_scope(name) as scope:
            return scope
    attempt(enter)
with g.as_default():
    for name in ("_a", "-a", "a b", "0", ".", "a/b", "a//b", "A.b-c/d\\e", "a:0"):
        attempt(lambda: tf.constant(1, name=name))
    with tf.name_scope("s"):
        for name in ("_a", "-a", "a b", "a:0"):
            attempt(lambda: tf.constant(1, name=name))
    attempt(lambda: tf.constant(1, name="taken/"))
    attempt(lambda: tf.constant(1, name="taken/"))
    attempt(lambda: g.create_op("FloatOutput", [], [tf.float32], None, name="myop"))
# case: name scopes around values
def attempt(call):
    try:
        show(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0][:160])
a, b = tf.constant(1, name="a"), tf.constant(2, name="b")
with tf.Graph().as_default() as g2:
    c = tf.constant(3, name="c")
def scoped(*args, **kw):
    with tf.name_scope(*args, **kw) as scope:
        return scope, tf.constant(1).name, tf.get_default_graph() is g2
attempt(lambda: scoped("x", "default", [a, b]))
attempt(lambda: scoped(None, "default", [a, b]))
attempt(lambda: scoped(None, "default", [c]))
attempt(lambda: scoped("y", values=[c, None, 3, [4]]))
attempt(lambda: scoped("x", "default", [a, c]))
attempt(lambda: scoped(None, None, [a]))
attempt(lambda: scoped(None))
attempt(lambda: scoped("x", 3))
attempt(lambda: scoped("", "d"))
def old(*args):
    with tf.op_scope(*args) as scope:
        return scope
attempt(lambda: old([a], "n", "d"))
attempt(lambda: old([a], None, "d"))
attempt(lambda: old([c, a], None, "d"))
attempt(lambda: old([a], None))
scope = tf.name_scope("again")
for _ in range(2):
    with scope as s:
        show(s)
print(tf.name_scope("q").name)
# case: devices
from tensorflow.python.framework import device as pydev
g = tf.Graph()
def made():
    op = g.create_op("FloatOutput", [], [tf.float32])
    return op.device
print(repr(made()))
with g.device("/job:worker/replica:2"):
    print(made())
    with g.device("/job:worker/replica:3/task:0"):
        print(made())
    with g.device("/job:ps"):
        print(made())
    with g.device(pydev.DeviceSpec(device_type="gpu", device_index=1)):
        print(made())
        with g.device(None):
            print(repr(made()))
            with g.device("/cpu:0"):
                print(made())
    with g.device(pydev.merge_device("/device:GPU:0")):
        print(made())
        with g.device(lambda op: "/job:fn" if op.name.endswith("7") else "/task:5"):
            print(made())
    with g.device(lambda op: op.device + "/task:3" if op.type == "FloatOutput" else ""):
        print(made())
with g.device(""):
    print(repr(made()))
with g.device("/GPU:3"):
    print(made())
with g.device("/device:cpu:*"):
    print(made())
for bad in ("/foo:1", "gpu", "/gpu:x", "/job:a/job:b", 3, "/cpu:0/gpu:0"):
    try:
        with g.device(bad):
            print(bad, made())
    except Exception as error:
        print(bad, type(error).__name__, error)
# case: device specs
D = tf.DeviceSpec
def attempt(call):
    try:
        show(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0][:160])
for text in ("", "/job:w", "/job:w/replica:0/task:1/device:GPU:2", "/gpu:0", "/cpu:*", "/device:cpu:3", "/replica:4", "/job:foo/task:3", "/device:TPU:1", "/device:XLA_CPU:0", "job:a", "/CPU:1"):
    spec = D.from_string(text)
    print(repr(text), spec.to_string(), spec.job, spec.replica, spec.task, spec.device_type, spec.device_index)
for text in ("foobar", "/job:j/job:k", "/gpu:0/cpu:1", "/replica:x", "/gpu:a", "/device:GPU", "/job", "/device:GPU:0:1"):
    attempt(lambda: D.from_string(text).to_string())
a = D(job="worker", task=1)
a.merge_from(D(task=2, device_type="GPU"))
print(a.to_string(), D(device_type="gpu").to_string(), D(device_type="foo", device_index=2).to_string(), D(replica="3").replica)
print(D(job="a") == D(job="a"), D(job="a") == D(job="b"), D(job="a") == "/job:a", len({D(job="a"), D(job="a")}))
a.job = "x"; a.device_type = "CPU"; a.device_index = None; a.task = None
print(a.to_string(), a.parse_from_string("/job:q").to_string(), a is a.parse_from_string("/job:q"))
attempt(lambda: D(task="x"))
# case: collections
g = tf.get_default_graph()
class Named(object):
    def __init__(self, name):
        self.name = name
g.add_to_collection("key", 12)
g.add_to_collection("other", "foo")
g.add_to_collection("key", 34)
print(g.get_collection("nothing"), g.get_collection("key"), g.get_collection("other"), g.get_all_collection_keys())
a, b = Named("prefix/foo"), Named("prefixbar/foo")
for x in (a, b, 27):
    g.add_to_collection("scoped", x)
print([x.name for x in g.get_collection("scoped", "prefix")], [x.name for x in g.get_collection("scoped", "prefix/")], [x.name for x in g.get_collection("scoped", ".*bar")], g.get_collection("scoped", "foo"))
ref = g.get_collection_ref("key")
ref.append(56)
print(g.get_collection("key"), g.get_collection("key") is ref, g.get_collection_ref("new"), sorted(k for k in g.get_all_collection_keys()))
g.add_to_collections(["a", "b", "a"], 1)
g.add_to_collections("ab", 2)
g.add_to_collections({"c"}, 3)
g.add_to_collections(("d", ("e", "f")), 4)
print(g.get_collection("a"), g.get_collection("b"), g.get_collection("ab"), g.get_collection("c"), g.get_collection(("e", "f")))
g.clear_collection("a")
g.clear_collection("never")
print(g.get_collection("a"), sorted(g.collections, key=str))
print(tf.get_collection("key") == g.get_collection("key"), tf.add_to_collection("key", 1), tf.add_to_collections(["key"], 2), tf.get_collection_ref("key"))
g.finalize()
try:
    g.add_to_collection("key", 1)
except RuntimeError as error:
    print(error)
# case: graph keys
keys = tf.GraphKeys
print(sorted((k, getattr(keys, k)) for k in dir(keys) if k.isupper() and k[0] != "_"))
# case: control dependencies
from tensorflow.python.framework import ops
a = tf.constant(1.0, name="a"); b = tf.constant(1.0, name="b"); c = tf.constant(1.0, name="c"); d = tf.constant(1.0, name="d")
class Convertible(object):
    def _as_graph_element(self):
        return a
with tf.control_dependencies([a]):
    show(tf.identity(b), tf.identity(b).op, tf.identity(a).op, tf.constant(2.0).op)
    with tf.control_dependencies([b, c.op]):
        with tf.control_dependencies([d]):
            show(tf.constant(1.0).op, tf.no_op())
        with tf.control_dependencies(None):
            show(tf.constant(1.0).op)
            with tf.control_dependencies([d]):
                show(tf.constant(1.0).op)
            show(tf.constant(1.0).op)
        show(tf.constant(1.0).op)
    x = tf.identity(a, name="x")
    show(tf.add(x, x).op, tf.add(x, d).op)
with tf.control_dependencies([Convertible()]):
    show(tf.no_op())
with tf.control_dependencies([]):
    show(tf.no_op())
with tf.control_dependencies([a, a, a.op, "b:0", "c"]):
    show(tf.no_op())
v = tf.Variable(1.0, name="v")
with tf.control_dependencies([v, v.initializer, tf.IndexedSlices(a, b)]):
    show(tf.no_op())
for wrong in ([3], 3, [None], [tf.Graph()], ["nothing"]):
    try:
        with tf.control_dependencies(wrong):
            show(tf.no_op())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0][:100])
with tf.Graph().as_default():
    try:
        with tf.control_dependencies([a]):
            pass
    except ValueError as error:
        print(error)
# case: elements of graphs
g = tf.get_default_graph()
c = tf.constant(3.0, name="c")
sp = tf.split([1, 2], 2, name="s")
class Convertible(object):
    def _as_graph_element(self):
        return c
class Wrong(object):
    def _as_graph_element(self):
        return 3
for obj in (c, c.op, "c", "c:0", u"c:0", b"c", "s:1", Convertible(), Wrong(), None, 3, [], "nothing", "nothing:0", "c:1", "c:x", "c:0:1", ":0", "^c", "", "s:-1", 1.5):
    for tensor, operation in ((True, True), (True, False), (False, True)):
        try:
            show(g.as_graph_element(obj, allow_tensor=tensor, allow_operation=operation))
        except Exception as error:
            print(type(error).__name__, str(error)[:150])
try:
    g.as_graph_element(c, False, False)
except ValueError as error:
    print(error)
for name in ("c", "c:0", 3, None, c, "x", b"c"):
    for get in (g.get_operation_by_name, g.get_tensor_by_name):
        try:
            show(get(name))
        except Exception as error:
            print(type(error).__name__, str(error)[:150])
with tf.Graph().as_default() as other:
    try:
        other.as_graph_element(c)
    except ValueError as error:
        print(error)
    try:
        other.as_graph_element(c.op)
    except ValueError as error:
        print(type(error), str(error)[:20])
# case: default graphs
import threading
g0 = tf.get_default_graph()
g1, g2 = tf.Graph(), tf.Graph()
with g1.as_default() as entered:
    print(entered is g1, tf.get_default_graph() is g1)
    with g2.as_default():
        print(tf.get_default_graph() is g2)
        found = []
        def work():
            found.append(tf.get_default_graph() is g0)
            with g1.as_default():
                found.append(tf.get_default_graph() is g1)
                with tf.name_scope("inner"):
                    found.append(tf.constant(1).name)
        thread = threading.Thread(target=work)
        with g1.as_default(), tf.name_scope("outer"):
            thread.start()
            thread.join()
        print(found)
    print(tf.get_default_graph() is g1)
    try:
        tf.reset_default_graph()
    except AssertionError as error:
        print(error)
print(tf.get_default_graph() is g0)
tf.reset_default_graph()
print(tf.get_default_graph() is g0, tf.get_default_graph().get_operations())
# case: finalized graphs
g = tf.get_default_graph()
a = tf.constant(1.0)
print(g.finalized, g.version)
g.finalize()
print(g.finalized)
for call in (lambda: tf.constant(2.0), lambda: a + a, lambda: g.create_op("None", [], []), lambda: tf.Variable(1.0), lambda: tf.import_graph_def(g.as_graph_def())):
    try:
        call()
    except RuntimeError as error:
        print(error)
with tf.Session() as sess:
    print(sess.run(a))
g._unsafe_unfinalize()
show(tf.constant(3.0), g.version)
# case: attr scopes and labels
from tensorflow.core.framework import attr_value_pb2
from tensorflow.python.framework import test_ops
g = tf.get_default_graph()
def attrs(op):
    found = {}
    for key in ("_A", "_B"):
        try:
            found[key] = op.get_attr(key)
        except ValueError as error:
            found[key] = str(error)
    return sorted(found.items())
a1 = tf.no_op()
with g._attr_scope({"_A": attr_value_pb2.AttrValue(s=b"foo")}):
    a2 = tf.no_op()
    with g._attr_scope({"_A": None, "_B": attr_value_pb2.AttrValue(s=b"bar")}):
        a3 = tf.no_op()
        with g._attr_scope({"_B": lambda node: attr_value_pb2.AttrValue(s=b"x") if hasattr(node, "name") else None}):
            a5 = tf.no_op()
    a4 = tf.no_op()
for op in (a1, a2, a3, a4, a5):
    print(attrs(op))
default = test_ops.kernel_label()
with g._kernel_label_map({"KernelLabel": "overload_1"}):
    over1 = test_ops.kernel_label()
    with g._kernel_label_map({"KernelLabel": "overload_2"}):
        over2 = test_ops.kernel_label()
        with g._kernel_label_map({"KernelLabel": ""}):
            none = test_ops.kernel_label()
    again = test_ops.kernel_label()
with tf.Session() as sess:
    print([bytes(v) for v in sess.run([default, over1, over2, none, again])])
# case: gradients registered and overridden
@tf.RegisterGradient("CopyOverride0")
def _foo(op, grad):
    return 7.0 * grad
g = tf.get_default_graph()
x = tf.constant(2.0)
y = tf.identity(x)
with g.gradient_override_map({"Identity": "CopyOverride0"}):
    z = tf.identity(x)
    show(z.op.get_attr("_gradient_op_type"))
    with g.gradient_override_map({"Square": "CopyOverride0"}):
        show(tf.identity(x).op.get_attr("_gradient_op_type"))
show(tf.gradients(z, x), tf.gradients(y, x))
with tf.Session() as sess:
    show(sess.run(tf.gradients([y, z, z * z], x)))
for wrong in ([], {"a": 1}, {1: "a"}, "x"):
    try:
        with g.gradient_override_map(wrong):
            pass
    except TypeError as error:
        print(error)
for call in (lambda: tf.RegisterGradient(3), lambda: tf.NoGradient(3), lambda: tf.RegisterGradient("CopyOverride0")(_foo)):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).split(" (Previous")[0].strip('"'))
# case: colocation groups
a = tf.constant([2.0], name="a")
with tf.colocate_with(a.op):
    b = tf.constant(3.0, name="b")
c = tf.constant(4.0)
show(a.op.colocation_groups(), b.op.colocation_groups(), c.op.colocation_groups())
with tf.device("/gpu:0"):
    d = tf.constant([2.0], name="d")
with tf.colocate_with(d.op):
    e = tf.constant(3.0)
    with tf.device("/cpu:0"):
        f = tf.constant(3.0)
with tf.device("/cpu:0"):
    with tf.colocate_with(d):
        h = tf.constant(1.0)
        with tf.colocate_with(a):
            i = tf.constant(1.0)
            with tf.colocate_with(None, ignore_existing=True):
                j = tf.constant(1.0)
            with tf.colocate_with(b, ignore_existing=True):
                k = tf.constant(1.0)
for t in (d, e, f, h, i, j, k):
    print(t.op.name, repr(t.device), t.op.colocation_groups())
v = tf.Variable([1.0], name="v")
with tf.colocate_with(v):
    show(tf.constant(1.0).op.colocation_groups())
with tf.colocate_with(v.value()):
    show(tf.constant(1.0).op.colocation_groups())
with tf.colocate_with(tf.IndexedSlices(a, b)):
    show(tf.constant(1.0).op.colocation_groups())
try:
    with tf.get_default_graph().colocate_with(None):
        pass
except ValueError as error:
    print(error)
# case: containers
with tf.Graph().as_default() as g:
    with g.container("a"):
        v0 = tf.Variable(1.0)
        with tf.container("b"):
            v1 = tf.Variable(1.0)
        v2 = tf.Variable(1.0, name="x")
        q = tf.zeros([2])
    v3 = tf.Variable(1.0)
    show([v.op.get_attr("container") for v in (v0, v1, v2, v3)])
    with tf.container("") as name:
        show(name, tf.Variable(1.0).op.get_attr("container"))
# case: graph defs
g = tf.get_default_graph()
a = tf.constant(1.0, name="a")
version = g.version
b = tf.placeholder(tf.float32, [None, 3], name="b")
with tf.control_dependencies([a]), tf.device("/cpu:0"):
    c = tf.add(a, b, name="c")
tf.unstack(tf.placeholder(tf.int32, [2, 4]))
for graph_def in (g.as_graph_def(), g.as_graph_def(add_shapes=True)):
    print(" ".join(str(graph_def.versions).split()))
    for node in graph_def.node:
        print(node.name, node.op, list(node.input), node.device, sorted(node.attr), " ".join(str(node.attr["_output_shapes"]).split()))
from google.protobuf import text_format
print(" ".join(text_format.MessageToString(g.as_graph_def(add_shapes=True).node[2]).split()))
show(g.graph_def_versions.producer)
tf.constant(2.0)
show(g.version, g._last_id if hasattr(g, "_last_id") else None)
# case: feeding and fetching prevented
g = tf.get_default_graph()
a = tf.constant(1.0, name="a")
print(g.is_feedable(a), g.is_fetchable(a), g.is_fetchable(a.op))
g.prevent_feeding(a)
g.prevent_fetching(a.op)
print(g.is_feedable(a), g.is_fetchable(a), g.is_fetchable(a.op))
with tf.Session() as sess:
    for call in (lambda: sess.run(a), lambda: sess.run(a.op), lambda: sess.run(a + 1, {a: 2.0})):
        try:
            print(call())
        except ValueError as error:
            print(error)
# case: tensors in Python
x = tf.placeholder(tf.float32, [2, 3])
def attempt(call):
    try:
        show(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0][:200])
import copy
for call in (lambda: bool(x), lambda: list(x), lambda: len(x), lambda: x in [1, x], lambda: [1][x], lambda: np.array(x),
             lambda: x < 3, lambda: x == 3, lambda: x != x, lambda: not x, lambda: x and 3, lambda: x if x else 1,
             lambda: x + "a", lambda: x + None, lambda: x + [1.0, 2.0, 3.0], lambda: np.ones([2, 3], np.float32) * x, lambda: 2 ** x, lambda: x // 2, lambda: x % 2, lambda: -x, lambda: abs(x), lambda: ~x, lambda: x & x, lambda: x @ tf.transpose(x), lambda: round(x), lambda: divmod(x, 2), lambda: x.shape[0], lambda: x.foo, lambda: x.numpy(), lambda: x._shape_as_list(), lambda: x._rank(), lambda: x.value_index, lambda: x.shape.as_list(), lambda: x.set_shape([3, None]), lambda: x.set_shape([2]), lambda: x.set_shape(None), lambda: x.eval(), lambda: x.op.run(), lambda: x[0], lambda: x[0, 1], lambda: x[..., tf.newaxis], lambda: x["a"], lambda: x[1.5], lambda: x[x > 0]):
    attempt(call)
print(sorted(set(tf.Tensor.OVERLOADABLE_OPERATORS) - {"__eq__", "__ne__"}))
# case: scopes of initialization
from tensorflow.python.framework import ops
g = tf.get_default_graph()
a = tf.constant(1, name="a")
with tf.name_scope("outer"), tf.control_dependencies([a]):
    with tf.init_scope():
        show(tf.constant(2).op, tf.get_default_graph() is g)
    show(tf.constant(2).op)
