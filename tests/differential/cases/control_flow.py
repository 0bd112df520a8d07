# case: nodes of cond
x = tf.placeholder(tf.float32, [2], name="x")
p = tf.placeholder(tf.bool, [], name="p")
with tf.control_dependencies([x]):
    y = tf.cond(p, lambda: (x + 1.0, x, 3), lambda: (tf.zeros([2]), x * 2.0, 4))
show(y)
nodes()
graph = tf.get_default_graph()
for op in graph.get_operations():
    context = op._get_control_flow_context()
    show(op.name, context and context.name, graph.is_fetchable(op), [graph.is_feedable(t) for t in op.outputs])
for context in graph.get_collection("cond_context"):
    show(context.name, context.pred, context.pivot, context.branch, context.outer_context)
    show(sorted(str(context.to_proto()).split("\n")))
# case: nodes of a loop
x = tf.placeholder(tf.float32, [2], name="x")
n = tf.constant(3, name="n")
y = tf.identity(x, name="y")
with tf.control_dependencies([y]):
    r = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * x + tf.cond(i > 1, lambda: x, lambda: a)), [0, x])
show(r)
nodes()
graph = tf.get_default_graph()
for op in graph.get_operations():
    context = op._get_control_flow_context()
    show(op.name, context and context.name, graph.is_fetchable(op), [graph.is_feedable(t) for t in op.outputs])
(context,) = graph.get_collection("while_context")
show(context.name, context.pivot, context.loop_enters, context.loop_exits, context.parallel_iterations)
show(sorted(str(context.to_proto()).split("\n")))
# case: nested loops
x = tf.placeholder(tf.float32, [2], name="x")
k = tf.placeholder(tf.int32, [], name="k")
def inner(i, a):
    j, b = tf.while_loop(lambda j, b: j < k, lambda j, b: (j + i, b * x), [0, a], name="inner")
    return i + 1, b + tf.cast(j, tf.float32)
r = tf.while_loop(lambda i, a: i < 3, inner, [1, x], parallel_iterations=5, name="outer")
nodes()
graph = tf.get_default_graph()
(context,) = graph.get_collection("while_context")
show(sorted(str(context.to_proto()).split("\n")))
with tf.Session() as sess:
    show(sess.run(r, {x: [1.0, 2.0], k: 3}))
# case: a loop in a cond
x = tf.placeholder(tf.float32, [2], name="x")
p = tf.placeholder(tf.bool, [], name="p")
r = tf.cond(p, lambda: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x])[1], lambda: x)
nodes()
for context in tf.get_default_graph().get_collection("cond_context"):
    show(sorted(str(context.to_proto()).split("\n")))
with tf.Session() as sess:
    show(sess.run(r, {x: [1.0, 2.0], p: True}), sess.run(r, {x: [1.0, 2.0], p: False}))
# case: nested conds
x = tf.placeholder(tf.float32, [2], name="x")
p = tf.placeholder(tf.bool, [], name="p")
q = tf.placeholder(tf.bool, [], name="q")
r = tf.cond(p, lambda: tf.cond(q, lambda: x * 2.0, lambda: x * 3.0), lambda: tf.cond(q, lambda: x, lambda: x - 1.0))
nodes()
with tf.Session() as sess:
    for a in (True, False):
        for b in (True, False):
            show(sess.run(r, {x: [1.0, 2.0], p: a, q: b}))
# case: mutable variables in branches
v = tf.Variable(1.0, name="v")
p = tf.placeholder(tf.bool, [], name="p")
r = tf.cond(p, lambda: v.assign(3.0), lambda: v + 1.0)
s = tf.cond(p, lambda: v, lambda: tf.constant(5.0))
nodes()
with tf.Session() as sess:
    sess.run(v.initializer)
    show(sess.run(r, {p: False}), sess.run(v), sess.run(s, {p: False}))
    show(sess.run(r, {p: True}), sess.run(v), sess.run(s, {p: True}))
# case: resource variables in branches
v = tf.Variable(1.0, name="v", use_resource=True)
p = tf.placeholder(tf.bool, [], name="p")
r = tf.cond(p, lambda: v.assign(3.0), lambda: v + 1.0)
nodes()
with tf.Session() as sess:
    sess.run(v.initializer)
    show(sess.run(r, {p: False}), sess.run(v))
    show(sess.run(r, {p: True}), sess.run(v))
# case: variables as predicates
v = tf.Variable(True, name="v")
r = tf.Variable(False, name="r", use_resource=True)
a = tf.cond(v, lambda: 1, lambda: 2)
b = tf.cond(r, lambda: 1, lambda: 2)
nodes()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run([a, b]))
# case: ops as results of branches
p = tf.placeholder(tf.bool, [], name="p")
v = tf.Variable(1.0, name="v")
r = tf.cond(p, lambda: tf.group(v.assign(2.0)), lambda: tf.no_op())
show(r)
nodes()
with tf.Session() as sess:
    sess.run(v.initializer)
    show(sess.run(r, {p: False}), sess.run(v))
    show(sess.run(r, {p: True}), sess.run(v))
# case: structures of branches
p = tf.placeholder(tf.bool, [], name="p")
show(tf.cond(p, lambda: [1], lambda: [2]))
show(tf.cond(p, lambda: [1], lambda: [2], strict=True))
show(tf.cond(p, lambda: [1], lambda: 2))
show(tf.cond(p, lambda: ([1], {"a": 2}), lambda: ([1], {"a": tf.constant(3)})))
show(tf.cond(p, fn1=lambda: 1, fn2=lambda: 2))
show(tf.cond(p, lambda: (), lambda: ()))
# case: sparse results of branches
p = tf.placeholder(tf.bool, [], name="p")
a = tf.SparseTensor([[0, 0]], [1.0], [3, 4])
r = tf.cond(p, lambda: a, lambda: tf.SparseTensor([[1, 1], [2, 2]], [2.0, 3.0], [5, 5]))
show(r.indices, r.values, r.dense_shape)
nodes()
with tf.Session() as sess:
    show(sess.run(r, {p: True}), sess.run(r, {p: False}))
# case: slices as results of branches
p = tf.placeholder(tf.bool, [], name="p")
a = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([0], tf.int32), tf.constant([4, 2]))
r = tf.cond(p, lambda: a, lambda: tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([1], tf.int64), tf.constant([4, 2])))
show(r.indices, r.values, r.dense_shape)
nodes()
with tf.Session() as sess:
    show(sess.run(r.indices, {p: True}), sess.run(r.values, {p: False}))
# case: arrays as results of branches
p = tf.placeholder(tf.bool, [], name="p")
array = tf.TensorArray(tf.float32, 2, clear_after_read=False).unstack([1.0, 2.0])
r = tf.cond(p, lambda: array, lambda: array)
show(type(r).__name__)
with tf.Session() as sess:
    show(sess.run(r.stack(), {p: True}))
# case: a Python predicate
tf.cond(True, lambda: 1, lambda: 2)
# case: a branch that is no function
tf.cond(tf.constant(True), 1, lambda: 2)
# case: another branch that is no function
tf.cond(tf.constant(True), lambda: 1, 2)
# case: a branch without a value
tf.cond(tf.constant(True), lambda: None, lambda: 2)
# case: another branch without a value
tf.cond(tf.constant(True), lambda: 1, lambda: None)
# case: branches of different types
tf.cond(tf.constant(True), lambda: 1, lambda: 2.0)
# case: branches of different structures
try:
    tf.cond(tf.constant(True), lambda: 1, lambda: [2, 3])
except ValueError as error:
    show(str(error))
try:
    tf.cond(tf.constant(True), lambda: (1, 2), lambda: [2, 3])
except TypeError as error:
    show(str(error))
try:
    tf.cond(tf.constant(True), lambda: [1, 2], lambda: [2, 3, 4])
except ValueError as error:
    show(str(error))
try:
    tf.cond(tf.constant(True), lambda: [1], lambda: 2, strict=True)
except ValueError as error:
    show(str(error))
# case: a sparse and a dense branch
tf.cond(tf.constant(True), lambda: tf.SparseTensor([[0]], [1.0], [3]), lambda: tf.constant(2.0))
# case: branches without results
tf.cond(tf.constant(True), lambda: [], lambda: [])
# case: an op and a value as results
tf.cond(tf.constant(True), lambda: tf.no_op(), lambda: tf.constant(1))
# case: both names of a branch
tf.cond(tf.constant(True), lambda: 1, fn1=lambda: 1, fn2=lambda: 2)
# case: both names of the other branch
tf.cond(tf.constant(True), lambda: 1, lambda: 2, fn2=lambda: 2)
# case: no branches
tf.cond(tf.constant(True))
# case: a predicate that is a vector
tf.cond(tf.placeholder(tf.bool, [2]), lambda: 1, lambda: 2)
# case: a predicate that is a number
tf.cond(tf.constant(1), lambda: 1, lambda: 2)
# case: no predicate
tf.cond(None, lambda: 1, lambda: 2)
# case: case with a default
p = tf.placeholder(tf.bool, [], name="p")
q = tf.placeholder(tf.bool, [], name="q")
r = tf.case([(p, lambda: tf.constant(1)), (q, lambda: tf.constant(3))], lambda: tf.constant(4))
nodes()
with tf.Session() as sess:
    for a in (True, False):
        for b in (True, False):
            show(sess.run(r, {p: a, q: b}))
# case: case without a default
p = tf.placeholder(tf.bool, [], name="p")
q = tf.placeholder(tf.bool, [], name="q")
r = tf.case([(p, lambda: tf.constant(1)), (q, lambda: tf.constant(3))])
nodes()
with tf.Session() as sess:
    show(sess.run(r, {p: True, q: True}), sess.run(r, {p: False, q: True}))
    sess.run(r, {p: False, q: False})
# case: case with one function
p = tf.placeholder(tf.bool, [], name="p")
show(tf.case([(p, lambda: 1)]))
nodes()
# case: exclusive case
p = tf.placeholder(tf.bool, [], name="p")
q = tf.placeholder(tf.bool, [], name="q")
r = tf.case({p: lambda: tf.constant(1), q: lambda: tf.constant(3)}, lambda: tf.constant(4), exclusive=True)
nodes()
with tf.Session() as sess:
    show(sess.run(r, {p: True, q: False}), sess.run(r, {p: False, q: False}))
    sess.run(r, {p: True, q: True})
# case: case without pairs
tf.case([])
# case: case of something else
tf.case(1)
# case: case with a function alone
tf.case([tf.constant(True)])
# case: case with a Python predicate
tf.case([(True, lambda: 1)])
# case: case with a number as predicate
tf.case([(tf.constant(1), lambda: 1)])
# case: case without a function
tf.case([(tf.constant(True), 1)])
# case: case with a default that is no function
tf.case([(tf.constant(True), lambda: 1)], 3)
# case: guards of assertions
p = tf.placeholder(tf.bool, [], name="p")
show(tf.Assert(p, [tf.constant(1), "a"]))
show(tf.Assert(p, [tf.constant(1.0), "a"], summarize=5, name="check"))
with tf.control_dependencies([tf.Assert(p, [p])]):
    tf.identity(3)
nodes()
with tf.Session() as sess:
    sess.run("check/AssertGuard/Merge", {p: True})
    sess.run("check/AssertGuard/Merge", {p: False})
# case: choices by a predicate that may be known
smart_cond = tf.contrib.framework.smart_cond
v = tf.placeholder_with_default(True, [])
show(smart_cond(True, lambda: 1, lambda: 2), smart_cond(0, lambda: 1, lambda: 2))
show(smart_cond(tf.constant(1) > 2, lambda: 1, lambda: 2), smart_cond(v, lambda: 1, lambda: 2, name="smart"))
show(tf.contrib.framework.smart_constant_value(v), tf.contrib.framework.smart_constant_value(tf.constant(False)))
show(tf.contrib.framework.smart_case([(False, lambda: 1), (v, lambda: 2)], default=lambda: 3))
show(tf.contrib.framework.smart_case([(False, lambda: 1), (tf.constant(False), lambda: 2)], default=lambda: 3))
show(tf.contrib.framework.smart_case([(True, lambda: 1), (v, lambda: 2)], default=lambda: 3, exclusive=True))
nodes()
# case: a choice by a text
tf.contrib.framework.smart_cond("a", lambda: 1, lambda: 2)
# case: a choice of something else
tf.contrib.framework.smart_cond(True, 1, lambda: 2)
# case: loop variables
show(tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0]))
show(tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], return_same_structure=True))
show(tf.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, j), (0, 1.0)))
show(tf.while_loop(lambda i, j: i < 3, lambda i, j: [i + 1, {"a": j["a"] + 1}], [0, {"a": 1}]))
show(tf.while_loop(lambda i, j: True, lambda i, j: [i, j], [[1, 2], 3]))
show(tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], maximum_iterations=2))
show(tf.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, j), (0, 1.0), maximum_iterations=np.int64(2)))
show(tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.Variable(1)]))
show(tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.Variable(1, use_resource=True)]))
nodes()
# case: bounds of iterations
n = tf.placeholder(tf.int32, [], name="n")
a = tf.while_loop(lambda i: i < 10, lambda i: i + 1, [0], maximum_iterations=n)
b = tf.while_loop(lambda i, j: i < 10, lambda i, j: (i + 1, j + i), [0, 0], maximum_iterations=n)
with tf.Session() as sess:
    show(sess.run([a, b], {n: 4}), sess.run([a, b], {n: 40}), sess.run([a, b], {n: 0}))
# case: shapes that change
x = tf.constant([1.0, 2.0])
double = lambda i, x: (i + 1, tf.concat([x, x], 0))
r = tf.while_loop(lambda i, x: i < 3, double, [0, x], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])
show(r)
show(tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x), [0, x], shape_invariants=[tf.TensorShape([]), None]))
with tf.Session() as sess:
    show(sess.run(r))
tf.while_loop(lambda i, x: i < 3, double, [0, x])
# case: an invariant that does not fit
x = tf.constant([1.0, 2.0])
tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x), [0, x], shape_invariants=[tf.TensorShape([]), tf.TensorShape([3])])
# case: an invariant that is no shape
x = tf.constant([1.0, 2.0])
tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x), [0, x], shape_invariants=[tf.TensorShape([]), 5])
# case: invariants of another structure
x = tf.constant([1.0, 2.0])
try:
    tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x), [0, x], shape_invariants=[tf.TensorShape([])])
except ValueError as error:
    show(str(error))
# case: sparse loop variables
s = tf.SparseTensor([[0, 0]], [1.0], [3, 4])
body = lambda i, s: (i + 1, tf.SparseTensor(s.indices + 1, s.values * 2.0, s.dense_shape + 1))
for shape in (None, [2], [None]):
    shapes = None if shape is None else [tf.TensorShape([]), tf.TensorShape(shape)]
    _, r = tf.while_loop(lambda i, s: i < 3, body, [0, s], shape_invariants=shapes)
    show(r.indices, r.values, r.dense_shape)
nodes()
with tf.Session() as sess:
    show(sess.run(r))
try:
    tf.while_loop(lambda i, s: i < 3, body, [0, s], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, None])])
except ValueError as error:
    show(str(error))
tf.while_loop(lambda i, s: i < 3, body, [0, s], shape_invariants=[tf.TensorShape([]), tf.TensorShape([5])])
# case: slices as loop variables
def slices(dense):
    return tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([0]), tf.constant([4, 2]) if dense else None)
for dense in (True, False):
    for shape in (None, tf.TensorShape([None, 2]), tf.TensorShape(None)):
        shapes = None if shape is None else [tf.TensorShape([]), shape]
        _, r = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s), [0, slices(dense)], shape_invariants=shapes)
        show(r.indices, r.values, r.dense_shape)
tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s), [0, slices(True)], shape_invariants=[tf.TensorShape([]), tf.TensorShape([4, 2])])
# case: arrays as loop variables
array = tf.TensorArray(tf.float32, 3)
_, r = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a.write(i, tf.cast(i, tf.float32))), [0, array])
show(type(r).__name__)
out = r.stack()
nodes()
with tf.Session() as sess:
    show(sess.run(out))
# case: a body with too few results
try:
    tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1,), [0, 1.0])
except ValueError as error:
    show(str(error))
try:
    tf.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, {"b": 1}), [0, {"a": 1}])
except ValueError as error:
    show(str(error))
# case: a body without a result
tf.while_loop(lambda i: i < 3, lambda i: None, [0])
# case: a condition that is a number
tf.while_loop(lambda i: i, lambda i: i + 1, [0])
# case: a condition that is a vector
tf.while_loop(lambda i: [i < 3, i < 4], lambda i: i + 1, [0])
# case: no loop variables
tf.while_loop(lambda: True, lambda: 1, [])
# case: a condition that is no function
tf.while_loop(1, lambda i: i, [0])
# case: a body that is no function
tf.while_loop(lambda i: i < 3, 1, [0])
# case: no parallel iterations
tf.while_loop(lambda i: i < 3, lambda i: i, [0], parallel_iterations=0)
# case: half a parallel iteration
tf.while_loop(lambda i: i < 3, lambda i: i, [0], parallel_iterations=2.5)
# case: a bound that is a vector
tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], maximum_iterations=[1, 2])
# case: values from inside of a loop
tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
tf.add(tf.get_default_graph().get_tensor_by_name("while/Identity:0"), 1)
# case: values from inside of another loop
tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
inside = tf.get_default_graph().get_tensor_by_name("while/Identity:0")
tf.while_loop(lambda i: i < 3, lambda i: i + inside, [0])
# case: fetching from inside of a loop
tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
tf.Session().run("while/Identity:0")
# case: feeding inside of a loop
r = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
tf.Session().run(r, {"while/Identity:0": 1})
# case: fetching from a branch
p = tf.placeholder(tf.bool, [], name="p")
tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2))
tf.Session().run("cond/Const:0", {p: True})
# case: control dependencies inside of loops and branches
x = tf.placeholder(tf.float32, [], name="x")
v = tf.Variable(0.0, name="v")
outside = tf.no_op(name="outside")
def body(i):
    with tf.control_dependencies([outside, x]):
        a = tf.constant(1, name="a")
    with tf.control_dependencies([a]):
        b = tf.constant(1, name="b")
    with tf.control_dependencies(None):
        c = tf.constant(1, name="c")
    with tf.control_dependencies([v.assign_add(1.0)]):
        return i + a + b + c
r = tf.while_loop(lambda i: i < 7, body, [0])
nodes()
with tf.Session() as sess:
    sess.run(v.initializer)
    show(sess.run(r, {x: 1.0}), sess.run(v))
# case: leaving contexts
p = tf.placeholder(tf.bool, [], name="p")
graph = tf.get_default_graph()
def branch():
    show(graph._get_control_flow_context().name)
    with tf.control_dependencies(None):
        show(graph._get_control_flow_context())
        c = tf.constant(1.0, name="outer")
    with tf.init_scope():
        show(graph._get_control_flow_context())
        d = tf.constant(1.0, name="other")
    show(graph._get_control_flow_context().name)
    return c + d
tf.cond(p, branch, lambda: 2.0)
show(graph._get_control_flow_context())
nodes()
# case: variables made in a loop
def body(i):
    with tf.variable_scope("scope", reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [], initializer=tf.ones_initializer())
    return i + w
r = tf.while_loop(lambda i: i < 3.0, body, [0.0])
nodes()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run(r))
# case: devices and colocation in contexts
with tf.device("/cpu:0"):
    v = tf.Variable(7.0, name="v")
x = tf.constant(10.0, name="x")
p = tf.placeholder(tf.bool, [], name="p")
with tf.device("/job:ps"):
    tf.cond(p, lambda: tf.add(v, 1.0), lambda: tf.subtract(x, 1.0))
    tf.while_loop(lambda i: i < x, lambda i: i + v, [1.0])
for op in tf.get_default_graph().get_operations():
    show(op.name, op.device, op.colocation_groups())
# case: random numbers in a loop
tf.set_random_seed(3)
r = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + tf.random_uniform([2])), [0, tf.zeros([2])])
q = tf.random_uniform([2])
with tf.Session() as sess:
    show(sess.run(r), sess.run(q), sess.run(r))
# case: importing a loop
graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder(tf.float32, [2], name="x")
    tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.cond(i > 1, lambda: a * x, lambda: a)), [0, x], name="w")
r = tf.import_graph_def(graph.as_graph_def(), name="im", return_elements=["w/Exit_1:0", "x:0"])
nodes()
show(r)
with tf.Session() as sess:
    show(sess.run(r[0], {r[1]: [2.0, 3.0]}))
# case: importing a loop into a branch
graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder_with_default([1.0, 2.0], [2], name="x")
    tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x], name="w")
graph_def = graph.as_graph_def()
p = tf.placeholder(tf.bool, [], name="p")
r = tf.cond(p, lambda: tf.import_graph_def(graph_def, name="im", return_elements=["w/Exit_1:0"])[0], lambda: tf.constant(1.0))
nodes()
show(r)
# case: exporting and importing with contexts
x = tf.placeholder(tf.float32, [2], name="x")
p = tf.placeholder(tf.bool, [], name="p")
r = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.cond(p, lambda: a * x, lambda: a)), [0, x], name="w")
s = tf.cond(p, lambda: x, lambda: x + 1.0)
meta = tf.train.export_meta_graph()
with tf.Graph().as_default() as graph:
    tf.train.import_meta_graph(meta, import_scope="im")
    for key in ("while_context", "cond_context"):
        for context in graph.get_collection(key):
            show(sorted(str(context.to_proto()).split("\n")))
    for op in graph.get_operations():
        context = op._get_control_flow_context()
        show(op.name, context and context.name)
# case: low level nodes
from tensorflow.python.ops import control_flow_ops
v = tf.Variable(7, name="v")
p = tf.constant(True, name="p")
show(control_flow_ops._Identity(v._ref()), control_flow_ops._SwitchRefOrTensor(v._ref(), p))
show(control_flow_ops.merge(control_flow_ops._SwitchRefOrTensor(v._ref(), p)))
show(control_flow_ops._Enter(v._ref(), "f"), control_flow_ops._Enter(v._ref(), "f", use_ref=False))
show(control_flow_ops._Enter(tf.zeros([2]), "f"), control_flow_ops._Enter(tf.zeros([2]), "f", use_input_shape=False))
show(control_flow_ops._NextIteration(tf.zeros([2])), control_flow_ops.exit(tf.zeros([2])))
s = tf.SparseTensor([[0]], [1.0], [3])
a, b = control_flow_ops.switch(s, p)
m, index = control_flow_ops.merge([a, b])
show(m.indices, m.values, m.dense_shape, index)
show(control_flow_ops.with_dependencies([v], p))
nodes()
# case: merge of a tensor and None
from tensorflow.python.ops import control_flow_ops
control_flow_ops.merge([tf.constant(1), None])
# case: merging a sparse and a dense tensor
from tensorflow.python.ops import control_flow_ops
control_flow_ops.merge([tf.SparseTensor([[0]], [1.0], [3]), tf.constant(1.0)])
# case: merging slices and a tensor
from tensorflow.python.ops import control_flow_ops
a = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([0], tf.int64), tf.constant([4, 2]))
m, _ = control_flow_ops.merge([a, tf.zeros([4, 2])])
show(m.indices, m.values, m.dense_shape)
nodes()
# case: a number after an op
from tensorflow.python.ops import control_flow_ops
v = tf.Variable(1, name="v")
r = control_flow_ops.with_dependencies([v.assign(2)], 5)
nodes()
with tf.Session() as sess:
    show(sess.run(r), sess.run(v))
# case: a variable that decides and is assigned
v = tf.Variable(True, name="v")
r = tf.cond(v, lambda: tf.assign(v, False), lambda: True)
nodes()
with tf.Session() as sess:
    sess.run(v.initializer)
    show(sess.run(r), sess.run(v), sess.run(r))
# case: updates in order in a loop
a = tf.Variable(0, name="a")
b = tf.Variable(0, name="b")
def body(i):
    with tf.control_dependencies([tf.assign_add(a, 1)]):
        after = tf.assign_add(b, a)
    with tf.control_dependencies([after]):
        return i + 1
r = tf.while_loop(lambda i: i < 10, body, [0])
nodes()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run(r), sess.run([a, b]))
# case: updates of variables that come in as loop variables
v = tf.Variable([3.0, 4.0, 5.0], name="v")
r = tf.while_loop(lambda j, _: j < 3, lambda j, _: (j + 1, tf.scatter_update(v, j, 10.0)), [0, tf.identity(v)])
nodes()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run(r), sess.run(v))
# case: checks in branches
p = tf.placeholder(tf.bool, [], name="p")
q = tf.placeholder(tf.bool, [], name="q")
def checked():
    with tf.control_dependencies([tf.Assert(q, [q])]):
        return tf.constant(3)
r = tf.cond(p, lambda: tf.constant(1), checked)
nodes()
with tf.Session() as sess:
    show(sess.run(r, {p: True, q: False}), sess.run(r, {p: False, q: True}))
    sess.run(r, {p: False, q: False})
# case: checks in loops
x = tf.placeholder(tf.int32, [], name="x")
def body(i):
    with tf.control_dependencies([tf.assert_less(i, 5, message="too large")]):
        return i + 1
r = tf.while_loop(lambda i: i < x, body, [0])
nodes()
with tf.Session() as sess:
    show(sess.run(r, {x: 3}))
    sess.run(r, {x: 9})
# case: loops of the predicate of a branch
x = tf.placeholder(tf.int32, [], name="x")
r = tf.cond(tf.while_loop(lambda i: i < x, lambda i: i + 2, [0]) > 4, lambda: tf.constant("large"), lambda: tf.constant("small"))
with tf.Session() as sess:
    show(sess.run(r, {x: 3}), sess.run(r, {x: 6}))
# case: strings, Python functions and prints in loops
def f(s):
    return s + b"!"
r = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.py_func(f, [s + "a"], tf.string)), [0, tf.constant("x")],
    shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)])
with tf.Session() as sess:
    show(sess.run(r))
