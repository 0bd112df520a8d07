# case: a variable by name
v = tf.get_variable("a", [2, 3])
show(v, v.initial_value)
nodes()
for op in tf.get_default_graph().get_operations():
    print(op.name, op.node_def.attr["_class"].list.s)
# case: default initializers
show(tf.get_variable("a", [2], tf.int32).initial_value.op, tf.get_variable("b", [2], tf.bool).initial_value.op)
show(tf.get_variable("c", [2], tf.string).initial_value, tf.get_variable("d", [], tf.float64).initial_value.op)
show(tf.get_variable("e", [2], tf.float16))
tf.get_variable("f", [2], tf.complex64)
# case: forms of shape and type
show(tf.get_variable("a", [1], dtype=np.float64), tf.get_variable("b", [1], dtype="int64"), tf.get_variable("c", 1))
show(tf.get_variable("d", tf.TensorShape([2])), tf.get_variable("e", (2, 3)), tf.get_variable(name="f", shape=[], dtype=tf.int32))
# case: initial values
show(tf.get_variable("a", initializer=tf.constant([1.0, 2.0])), tf.get_variable("b", initializer=[1, 2, 3]))
show(tf.get_variable("c", initializer=np.float32(3)), tf.get_variable("d", initializer=2.0))
show(tf.get_variable("e", initializer=lambda: tf.ones([3])), tf.get_variable("f", [2], initializer=tf.ones_initializer))
show(tf.get_variable("g", [2], initializer=lambda shape, dtype=None, partition_info=None: tf.ones(shape, dtype)))
nodes()
# case: an initial value and a shape
tf.get_variable("a", initializer=tf.constant([1.0, 2.0]), shape=[2])
# case: an initial value of another type
tf.get_variable("a", initializer=[1, 2], dtype=tf.float32)
# case: no shape
tf.get_variable("a")
# case: half a shape
tf.get_variable("a", [None, 2])
# case: a placeholder as initial value
show(tf.get_variable("a", initializer=tf.placeholder(tf.float32), validate_shape=False))
tf.get_variable("b", initializer=tf.placeholder(tf.float32, [None]))
# case: made twice
tf.get_variable("a", [2])
tf.get_variable("a", [2])
# case: not made before
with tf.variable_scope("s", reuse=True):
    tf.get_variable("a", [2])
# case: sharing
with tf.variable_scope("s"):
    a = tf.get_variable("a", [2])
with tf.variable_scope("s", reuse=True):
    b = tf.get_variable("a", [2])
    c = tf.get_variable("a")
with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
    d = tf.get_variable("a", [2])
    show(tf.get_variable("e", [1]))
print(a is b, a is c, a is d)
tf.get_variable_scope().reuse_variables()
print(tf.get_variable("s/a") is a, tf.get_variable_scope().reuse, repr(tf.get_variable_scope().name))
# case: sharing with another shape
with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
    tf.get_variable("a", [2])
    tf.get_variable("a", [3])
# case: sharing with another type
with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
    tf.get_variable("a", [2], tf.float64)
    tf.get_variable("a", [2])
# case: how reuse is inherited
with tf.variable_scope("s") as s:
    print(s.reuse)
    s.reuse_variables()
    with tf.variable_scope("t") as t:
        print(t.reuse)
with tf.variable_scope(s) as t:
    print(t.reuse)
with tf.variable_scope(s, reuse=False) as t:
    print(t.reuse)
with tf.variable_scope("s") as t:
    print(t.reuse)
with tf.variable_scope(s, reuse=tf.AUTO_REUSE) as t:
    print(t.reuse)
    with tf.variable_scope("u") as u:
        print(u.reuse)
    with tf.variable_scope("u", reuse=True) as u:
        print(u.reuse)
    with tf.variable_scope("u", reuse=False) as u:
        print(u.reuse)
with tf.variable_scope("q", reuse=True):
    with tf.variable_scope(tf.VariableScope(False, name="z")) as t:
        print(t.reuse)
    with tf.variable_scope("r", reuse=tf.AUTO_REUSE) as t:
        print(t.reuse)
# case: reuse that is no such thing
with tf.variable_scope("a", reuse="x"):
    pass
# case: reuse without a name
with tf.variable_scope(None, "d", reuse=True):
    pass
# case: no name at all
with tf.variable_scope(None):
    pass
# case: a scope that is no scope
with tf.variable_scope(3):
    pass
# case: an auxiliary name scope that is no truth value
with tf.variable_scope("s", auxiliary_name_scope=3):
    pass
# case: names in scopes
def where(scope):
    print(repr(scope.name), repr(scope.original_name_scope), tf.constant(1.0).name, tf.Variable(1.0).name)
with tf.variable_scope("s") as s:
    where(s)
    show(tf.get_variable("a", [1]))
    with tf.variable_scope("t") as t:
        where(t)
        show(tf.get_variable("b", [1]))
    with tf.variable_scope("t") as t:
        where(t)
with tf.variable_scope(s, reuse=True) as again:
    where(again)
    print(again is s)
with tf.variable_scope(s):
    with tf.variable_scope("t") as t:
        where(t)
with tf.variable_scope("u"):
    with tf.variable_scope(s) as t:
        where(t)
        show(tf.get_variable("d", [1]))
    with tf.variable_scope(s) as t:
        where(t)
with tf.name_scope(s.original_name_scope):
    print(tf.constant(3.0).name)
# case: default names
def where(scope):
    print(repr(scope.name), repr(scope.original_name_scope), tf.constant(1.0).name, tf.get_variable("v", [1]).name)
for _ in range(2):
    with tf.variable_scope(None, "def") as s:
        where(s)
with tf.variable_scope("x", "def") as s:
    where(s)
with tf.variable_scope("x"):
    for _ in range(2):
        with tf.variable_scope(None, "def") as s:
            where(s)
with tf.variable_scope("x", reuse=True):
    with tf.variable_scope(None, "def") as s:
        where(s)
with tf.variable_scope("y") as y:
    with tf.variable_scope(None, "def") as s:
        where(s)
with tf.variable_scope(y):
    with tf.variable_scope(None, "def") as s:
        where(s)
# case: empty names and slashes
def where(scope):
    print(repr(scope.name), repr(scope.original_name_scope), tf.constant(1.0).name)
root = tf.get_variable_scope()
with tf.variable_scope("") as s:
    where(s)
    show(tf.get_variable("a", [1]))
with tf.variable_scope("x"):
    with tf.variable_scope("") as s:
        where(s)
    with tf.variable_scope(root) as s:
        where(s)
        show(tf.get_variable("b", [1]))
    show(tf.get_variable("w/q", [1]))
show(tf.get_variable("y/z", [1]))
with tf.variable_scope("y/z") as s:
    where(s)
with tf.variable_scope("x/") as s:
    where(s)
# case: name scopes around
def where(scope):
    print(repr(scope.name), repr(scope.original_name_scope), tf.constant(1.0).name)
with tf.name_scope("n"):
    show(tf.get_variable("a", [1]))
    with tf.variable_scope("s") as s:
        show(tf.get_variable("b", [1]))
        where(s)
with tf.name_scope("n"):
    with tf.variable_scope(s) as t:
        where(t)
    with tf.variable_scope("s", auxiliary_name_scope=False) as t:
        where(t)
    with tf.variable_scope(s, auxiliary_name_scope=False) as t:
        where(t)
    with tf.variable_scope(None, "d", auxiliary_name_scope=False) as t:
        where(t)
with tf.variable_scope("k", auxiliary_name_scope=False) as t:
    where(t)
# case: values and older forms
x = tf.constant(1.0)
with tf.variable_scope(None, "foo", [x]) as s:
    print(s.name, tf.constant(1.0).name)
with tf.variable_op_scope([x], None, "foo") as s:
    print(s.name, tf.constant(1.0).name)
other = tf.Graph()
with other.as_default():
    y = tf.constant(2.0)
with tf.variable_scope(None, "d", [y]):
    print(tf.get_default_graph() is other)
with tf.variable_scope(tf.VariableScope(False, name="foo")) as s:
    print(s.name, repr(s.original_name_scope), tf.constant(1.0).name)
block = tf.variable_scope("q")
for _ in range(2):
    with block:
        print(tf.constant(1.0).name, tf.get_variable_scope().name)
# case: attributes that scopes inherit
one = lambda x: x
with tf.variable_scope("s", initializer=tf.constant_initializer(3.0), dtype=tf.float64, caching_device="/cpu:0", constraint=one) as s:
    show(tf.get_variable("a", [2]).constraint is one)
    with tf.variable_scope("t") as t:
        v = tf.get_variable("a", [2])
        show(v, v.initial_value, v.value().device)
        print(v.constraint, t.dtype, t.caching_device, t.constraint, t.partitioner, t.custom_getter, t.regularizer, t.use_resource)
with tf.variable_scope(s, initializer=tf.ones_initializer()) as t:
    print(type(t.initializer).__name__, t.dtype, t.caching_device, t.constraint)
with tf.variable_scope("x", initializer=2.5):
    show(tf.get_variable("a"))
    tf.get_variable("b", [2])
# case: setters of scopes
with tf.variable_scope("s") as s:
    s.set_initializer(tf.ones_initializer())
    s.set_dtype(tf.int32)
    s.set_regularizer(None)
    s.set_caching_device("/cpu:0")
    s.set_custom_getter(None)
    s.set_partitioner(None)
    s.set_use_resource(False)
    v = tf.get_variable("a", [2])
    show(v, v.initial_value, v.value().device, s.use_resource)
# case: regularizers
double = lambda w: w * 2
with tf.variable_scope("s", regularizer=double):
    tf.get_variable("a", [2])
    tf.get_variable("b", [2], regularizer=tf.no_regularizer)
    tf.get_variable("c", [2], regularizer=lambda w: None)
    tf.get_variable("d", [2], regularizer=lambda w: -w)
with tf.variable_scope("s", regularizer=double, reuse=True):
    tf.get_variable("a", [2])
show(tf.get_collection("regularization_losses"))
for op in tf.get_default_graph().get_operations():
    if "Regularizer" in op.name:
        show(op)
        print(op.node_def.attr["_class"].list.s)
# case: custom getters
def log(getter, name, *args, **kwargs):
    print(name, args, sorted((k, str(v)) for k, v in kwargs.items()))
    return tf.identity(getter(name, *args, **kwargs), name="wrapped")
with tf.variable_scope("s", custom_getter=log):
    show(tf.get_variable("a", [2]))
show(tf.get_variable("b", [2], trainable=False, custom_getter=log))
def named(text):
    def getter(getter, *args, **kwargs):
        print(text)
        return getter(*args, **kwargs)
    return getter
with tf.variable_scope("t", custom_getter=named("outer")):
    with tf.variable_scope("u", custom_getter=named("inner")):
        tf.get_variable("a", [2])
        tf.get_variable("b", [2], custom_getter=named("own"))
tf.get_variable("c", [2], custom_getter=3)
# case: collections of scopes
with tf.variable_scope("s") as s:
    tf.get_variable("a", [1])
    tf.get_variable("b", [1], trainable=False)
    tf.get_local_variable("c", [1])
    tf.get_local_variable("d", [1], collections=["z"])
tf.get_variable("sx", [1])
show(s.global_variables(), s.trainable_variables(), s.local_variables(), s.get_collection("z"), tf.get_collection("z"))
show(tf.local_variables(), tf.trainable_variables())
# case: variables ignore control dependencies
c = tf.constant(1.0)
with tf.control_dependencies([c]), tf.device("/gpu:0"):
    v = tf.get_variable("a", [2], initializer=tf.zeros_initializer())
nodes()
print(v.device, repr(v.initial_value.device))
# case: threads begin at the root
import threading
found = []
with tf.variable_scope("s"):
    thread = threading.Thread(target=lambda: found.append(tf.get_variable_scope().name))
    thread.start()
    thread.join()
print(found)
# case: every graph has its own variables
with tf.Graph().as_default() as g:
    a = tf.get_variable("a", [1])
print(tf.get_variable("a", [1]) is a, a.graph is g)
# case: a name that is no name
tf.get_variable("a b", [1])
# case: kinds of variables
show(tf.get_variable("a", [1], use_resource=True))
with tf.variable_scope("s", use_resource=True):
    show(tf.get_variable("b", [1]), tf.Variable(1.0), tf.get_variable("c", [1], use_resource=False))
nodes()
# case: synchronization
print(tf.get_variable("a", [1], synchronization=tf.VariableSynchronization.ON_READ).trainable)
print(tf.get_variable("b", [1], aggregation=tf.VariableAggregation.MEAN).aggregation)
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
# case: scopes of names and variables
with tf.name_scope("my_scope"):
    v1, v2 = tf.get_variable("var1", [1]), tf.Variable(1.0, name="var2")
    a = tf.add(v1, v2)
    print(v1.name, v2.name, a.name)
with tf.variable_scope("my_scope"):
    v1, v2 = tf.get_variable("var1", [1]), tf.Variable(1.0, name="var2")
    print(v1.name, v2.name, tf.add(v1, v2).name)
with tf.variable_scope("foo") as foo:
    x = 1.0 + tf.get_variable("v", [1])
    with tf.name_scope("bar"):
        v, y = tf.get_variable("b", [1]), 1.0 + tf.get_variable("c", [1])
    print(x.op.name, v.name, y.op.name)
with tf.variable_scope("bar"):
    with tf.variable_scope("baz") as other:
        print(other.name)
        with tf.variable_scope(foo) as again:
            print(again.name, (1.0 + tf.get_variable("d", [1])).op.name, tf.constant(1.0).name)
with tf.variable_scope(foo, reuse=True):
    print(tf.get_variable("v", [1]).name, tf.get_variable_scope().reuse)
with tf.variable_scope("root"):
    print(tf.get_variable_scope().reuse)
    with tf.variable_scope("foo"):
        tf.get_variable_scope().reuse_variables()
        with tf.variable_scope("deep"):
            print(tf.get_variable_scope().reuse, tf.get_variable_scope().name)
    print(tf.get_variable_scope().reuse)
with tf.variable_scope("init", initializer=tf.constant_initializer(0.4)):
    values = [tf.get_variable("v", [1]), tf.get_variable("w", [1], initializer=tf.constant_initializer(0.3))]
    with tf.variable_scope("bar"):
        values.append(tf.get_variable("v", [1]))
    with tf.variable_scope("baz", initializer=tf.constant_initializer(0.2)):
        values.append(tf.get_variable("v", [1]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run(values))
