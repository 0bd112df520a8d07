# case: structures of fetches
import collections
a = tf.constant(1.0, name="a")
b = tf.constant([2, 3], name="b")
Pair = collections.namedtuple("Pair", "x y")
with tf.Session() as sess:
    show(sess.run(a), sess.run([a]), sess.run((a, b)), sess.run({"k": a, "l": [b, a.op]}))
    show(sess.run(Pair(a, b)), sess.run([]), sess.run(["a:0", "b"]), sess.run([[a, [b]], a]))
    print(type(sess.run(a)).__name__, type(sess.run(b)).__name__, type(sess.run(Pair(a, b))).__name__)
    show(sess.run(collections.OrderedDict([("z", a), ("y", b)])))
# case: strings
a = tf.constant("abc")
b = tf.constant(["x", b"yz"])
p = tf.placeholder(tf.string, [None])
with tf.Session() as sess:
    show(sess.run(a), sess.run(b))
    show(sess.run(tf.identity(p), {p: ["u", b"v"]}))
# case: feeding
x = tf.placeholder(tf.float32, [None, 2], name="x")
c = tf.constant([1.0, 2.0], name="c")
y = tf.identity(x)
with tf.Session() as sess:
    show(sess.run(y, {x: [[1, 2]]}), sess.run(y, {"x:0": np.zeros([1, 2])}))
    show(sess.run(tf.identity(c), {c: [5, 6]}), sess.run(c, feed_dict={c: [7, 8]}))
    show(y.eval({x: [[3, 4]]}), y.eval(feed_dict={x: [[3, 4]]}, session=sess))
# case: feed of a wrong shape
x = tf.placeholder(tf.float32, [None, 2], name="x")
tf.Session().run(x, {x: [1.0, 2.0, 3.0]})
# case: feed of a tensor
x = tf.placeholder(tf.float32, [], name="x")
tf.Session().run(x, {x: tf.constant(1.0)})
# case: feed of a wrong kind
x = tf.placeholder(tf.float32, [], name="x")
tf.Session().run(x, {x: "abc"})
# case: feed of a number as key
x = tf.placeholder(tf.float32, [], name="x")
tf.Session().run(x, {3: 1.0})
# case: feed of an unknown name
x = tf.placeholder(tf.float32, [], name="x")
tf.Session().run(x, {"y:0": 1.0})
# case: feed of an integer that does not fit
x = tf.placeholder(tf.int32, [], name="x")
tf.Session().run(x, {x: 2 ** 40})
# case: floats are cut to integers
x = tf.placeholder(tf.int32, [2], name="x")
show(tf.Session().run(tf.identity(x), {x: [1.7, -2.5]}))
# case: fetch of nonsense
tf.constant(1.0)
tf.Session().run(3)
# case: fetch of None
tf.constant(1.0)
tf.Session().run(None)
# case: fetch of an unknown op
tf.constant(1.0)
tf.Session().run("nope")
# case: fetch of an unknown tensor
tf.constant(1.0)
tf.Session().run("nope:0")
# case: fetch of another graph
a = tf.constant(1.0)
with tf.Graph().as_default():
    b = tf.constant(1.0)
    sess = tf.Session()
sess.run(a)
# case: empty graph
tf.Session().run([])
# case: closed session
a = tf.constant(1.0)
sess = tf.Session()
sess.close()
sess.run(a)
# case: a placeholder that is not fed
x = tf.placeholder(tf.float32, [None, 2], name="x")
tf.Session().run(tf.identity(x))
# case: a placeholder without a shape that is not fed
x = tf.placeholder(tf.float64, name="x")
tf.Session().run(tf.identity(x))
# case: a variable without a value
v = tf.Variable(1.0, name="v")
tf.Session().run(tf.identity(v))
# case: no default session
tf.constant(1.0).eval()
# case: no default session for an op
tf.no_op().run()
# case: the default session has another graph
a = tf.constant(1.0)
with tf.Graph().as_default():
    tf.constant(1.0)
    with tf.Session():
        a.eval()
# case: default sessions nest
a = tf.constant(1.0)
print(tf.get_default_session())
with tf.Session() as one:
    print(tf.get_default_session() is one)
    with tf.Session() as two:
        print(tf.get_default_session() is two)
    print(tf.get_default_session() is one)
sess = tf.InteractiveSession()
print(tf.get_default_session() is sess)
show(a.eval())
sess.close()
# case: counter
state = tf.Variable(0, name="counter")
one = tf.constant(1)
update = tf.assign(state, tf.add(state, one))
with tf.Session() as sess:
    sess.run(tf.initialize_all_variables())
    show(sess.run(state))
    for _ in range(3):
        show(sess.run(update), sess.run(state))
# case: ops give None
v = tf.Variable([1.0, 2.0])
with tf.Session() as sess:
    show(sess.run(v.initializer), sess.run([v.initializer, v]))
# case: wrong arguments of a session
tf.Session(3)
# case: a graph of a wrong type
tf.Session(graph="g")
# case: make_callable
x = tf.placeholder(tf.float32, [], name="x")
y = x * 2.0
with tf.Session() as sess:
    f = sess.make_callable([y, {"k": x}], [x])
    show(f(3.0), f(4.0))
# case: make_callable of an op
v = tf.Variable(1.0)
with tf.Session() as sess:
    sess.make_callable(v.initializer)()
    show(sess.run(v))
# case: partial runs
a = tf.placeholder(tf.float32, [], name="a")
b = tf.placeholder(tf.float32, [], name="b")
c = tf.placeholder(tf.float32, [], name="c")
r1 = tf.add(a, b, name="r1")
r2 = tf.multiply(r1, c, name="r2")
v = tf.Variable(0.0, name="v")
inc = tf.assign_add(v, r1)
sess = tf.Session()
sess.run(v.initializer)
def attempt(f):
    try:
        show(f())
    except tf.errors.InvalidArgumentError as e:
        print(e.message.splitlines()[0])
h = sess.partial_run_setup([r1, r2, inc], [a, b, c])
attempt(lambda: sess.partial_run(h, r1, {a: 1, b: 2}))
attempt(lambda: sess.partial_run(h, r1, {a: 1, b: 2}))
attempt(lambda: sess.partial_run(h, inc))
attempt(lambda: sess.partial_run(h, {"k": [r2]}, {c: 17}))
attempt(lambda: sess.partial_run(h, r2, {c: 17}))
show(sess.run(v))
h = sess.partial_run_setup([r1], [a, b])
attempt(lambda: sess.partial_run(h, r2, {a: 1}))
attempt(lambda: sess.partial_run(h, r1, {c: 1}))
attempt(lambda: sess.partial_run_setup([], []))
attempt(lambda: sess.partial_run("nope", r1))
# case: sessions
a, b = tf.constant(5.0), tf.constant(6.0)
c = a * b
sess = tf.Session()
print(sess.graph is tf.get_default_graph(), tf.get_default_session(), type(sess.run(c)).__name__, sess.run(tf.no_op()))
show(sess.run([a, c]), sess.run({"x": a, "y": [c, (b,)]}))
with sess.as_default():
    print(tf.get_default_session() is sess, c.eval())
with sess.as_default():
    print(c.eval({a: 2.0}), sess.run(c, {c: 7.0}), sess.run(c, {"Const:0": 1}), sess.run(c, {a.op.outputs[0]: np.float64(3)}))
def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
p = tf.placeholder(tf.float32, [None, 2], name="p")
q = tf.placeholder_with_default([1.0, 2.0], [2], name="q")
print(sess.run(q), sess.run(q, {q: [3, 4]}), sess.run(p * 2, {p: [[1, 2]]}))
attempt(lambda: sess.run(p))
attempt(lambda: sess.run(p, {p: [1.0]}))
attempt(lambda: sess.run(p, {p: [["a", "b"]]}))
attempt(lambda: sess.run(p, {p: tf.constant([[1.0, 2.0]])}))
attempt(lambda: sess.run(p, {"p": [[1.0, 2.0]]}))
attempt(lambda: sess.run(p, {"nothing:0": 1}))
attempt(lambda: sess.run(p, {3: 1}))
attempt(lambda: sess.run(p, 3))
attempt(lambda: sess.run(None))
attempt(lambda: sess.run(3))
attempt(lambda: sess.run("nothing:0"))
attempt(lambda: sess.run([a, None]))
attempt(lambda: sess.run([a, 3.5]))
with tf.Graph().as_default():
    other = tf.constant(1.0)
attempt(lambda: sess.run(other))
attempt(lambda: sess.run(c, {other: 1.0}))
s = tf.sparse_placeholder(tf.float32, name="s")
fed = (np.array([[0, 1]]), np.array([2.0], np.float32), np.array([2, 2]))
show(sess.run(s, {s: fed}), sess.run(s, {s: tf.SparseTensorValue(*fed)}))
sess.close()
attempt(lambda: sess.run(c))
sess.close()
with tf.Session() as sess:
    print(tf.get_default_session() is sess)
try:
    with tf.Session() as sess:
        raise KeyError("x")
except KeyError:
    attempt(lambda: sess.run(c))
print(tf.get_default_session())
inter = tf.InteractiveSession()
print(tf.get_default_session() is inter, c.eval())
inter.close()
print(tf.get_default_session())
attempt(lambda: tf.Session(graph=3))
attempt(lambda: tf.Session(config=3))
attempt(lambda: tf.Session(target=3))
# case: default sessions and threads
import threading
found = []
with tf.Session() as sess:
    thread = threading.Thread(target=lambda: found.append(tf.get_default_session()))
    thread.start()
    thread.join()
print(found)
# case: classes of errors
E = tf.errors
for name in "Cancelled Unknown InvalidArgument DeadlineExceeded NotFound AlreadyExists PermissionDenied Unauthenticated ResourceExhausted FailedPrecondition Aborted OutOfRange Unimplemented Internal Unavailable DataLoss".split():
    kind = getattr(E, name + "Error")
    error = kind(None, None, "text")
    print(name, error.error_code, error.message, error.op, error.node_def, isinstance(error, tf.OpError), isinstance(error, E.OpError), str(error))
print(E.UnknownError(None, None, "m", 77).error_code, E.OpError(None, None, "m", 5).error_code, E.OK, E.CANCELLED, E.DATA_LOSS)
x = tf.placeholder(tf.float32, name="x")
v = tf.Variable(1.0, name="v")
bad = {"matmul": tf.matmul(x, x, name="product"), "reshape": tf.reshape(x, [3], name="shaped"), "variable": v.value()}
with tf.Session() as sess:
    for key in sorted(bad):
        try:
            sess.run(bad[key], {x: [1.0, 2.0]})
        except tf.OpError as error:
            print(key, type(error).__name__, error.error_code, error.op.name == error.node_def.name, error.message.splitlines()[0])
try:
    tf.reshape(tf.zeros([4]), [3])
except ValueError as error:
    print(str(error).splitlines()[0])
