# case: session handles
def attempt(f):
    try: show(f())
    except Exception as e: print(type(e).__name__, str(getattr(e, "message", None) or e).splitlines()[0])
a = tf.placeholder(tf.float32, [], name="a")
b = tf.constant(5.0, name="b")
c = a * b
h = tf.get_session_handle(c)
show(h)
s = tf.Session()
held = s.run(h, {a: 2})
print(type(held).__name__, held.handle.split(";")[0], held.handle.split(";")[2], held._dtype)
holder, x = tf.get_session_tensor(held.handle, tf.float32)
show(holder, x)
print(x.device, holder.device)
attempt(lambda: s.run(x * 10.0, {holder: held.handle}))
attempt(lambda: s.run(c * c, {c: held}))
attempt(lambda: s.run(x * 1.0, {holder: held}))
p = tf.placeholder(tf.int32)
attempt(lambda: s.run(tf.identity(p), {p: held}))
attempt(lambda: tf.get_session_handle(3.0))
attempt(lambda: tf.get_session_tensor("nope", tf.float32))
attempt(held.eval)
attempt(held.delete)
for again in (held.eval, held.delete):
    try: again()
    except TypeError as e: print("may have already been deleted." in str(e))
other = s.run({"k": [h, c]}, {a: 3})
raw = other["k"][0].get_raw_handle()
holder, delete = tf.delete_session_tensor(raw)
print(delete.type)
attempt(lambda: s.run(delete, {holder: raw}))
# case: keys of feeds
def attempt(f):
    try: show(f())
    except Exception as e: print(type(e).__name__, str(getattr(e, "message", None) or e).splitlines()[0])
a = tf.placeholder(tf.float32, [], name="a")
b = tf.constant(5.0, name="b")
c = a * b
s = tf.Session()
attempt(lambda: s.run(c, {(a, a): (1, 2)}))
attempt(lambda: s.run(c, {(a, b): (1, 2, 3)}))
attempt(lambda: s.run(c, {(a, (b,)): (1, (2,))}))
attempt(lambda: s.run(c, {a: 1.0, "a:0": 2.0}))
attempt(lambda: s.run(c, [(a, 1)]))
attempt(lambda: s.run(c, 3))
attempt(lambda: s.run(c, {a.op: 1}))
attempt(lambda: s.run(c, {"a": 1}))
attempt(lambda: s.run(c, {a: "x"}))
attempt(lambda: s.run(b"b:0"))
attempt(lambda: s.run(c, {a: None}))
s.graph.prevent_feeding(b)
attempt(lambda: s.run(c, {b: 1.0}))
s.graph.prevent_fetching(c.op)
attempt(lambda: s.run(c, {a: 1.0}))
attempt(lambda: s.run(c.op, {a: 1.0}))
# case: kinds of fetches
def attempt(f):
    try: show(f())
    except Exception as e: print(type(e).__name__, str(getattr(e, "message", None) or e).splitlines()[0])
a = tf.constant(1.0, name="a")
s = tf.Session()
for fetch in (3, {a.op.name: None}, [a, [None]], "zz", "a:7", "a:x", np.ones(2), (a, ("a", ["a:0"])), {"x": {"y": a}}, [], {}, ()):
    attempt(lambda: s.run(fetch))
sp = tf.SparseTensor([[0, 1]], [2.0], [3, 4])
show(s.run(sp), s.run([sp, {"k": sp}]))
g = tf.IndexedSlices(tf.constant([1.0]), tf.constant([3]), tf.constant([5]))
show(s.run(g), s.run(tf.IndexedSlices(tf.constant([1.0]), tf.constant([3]))))
with tf.Graph().as_default():
    o = tf.constant(1.0, name="o")
    sp = tf.SparseTensor([[0]], [1.0], [1])
    v = tf.Variable(1.0)
for fetch in (o, sp, v, [a, o]):
    attempt(lambda: s.run(fetch))
attempt(lambda: s.run(a, {o: 1.0}))
# case: integers that do not fit
def attempt(f):
    try: show(f())
    except Exception as e: print(type(e).__name__, str(getattr(e, "message", None) or e).splitlines()[0])
s = tf.Session()
for dtype, value in ((tf.int32, 2 ** 40), (tf.uint8, -1), (tf.uint8, 1.7), (tf.int32, True), (tf.bool, 5), (tf.bool, 1), (tf.float32, 2 ** 24 + 1), (tf.float16, 3), (tf.string, 1), (tf.int64, 2 ** 40), (tf.float32, np.int64(2 ** 24 + 1))):
    x = tf.placeholder(dtype, [])
    attempt(lambda: s.run(tf.identity(x), {x: value}))
# case: the life of sessions
def attempt(f):
    try: show(f())
    except Exception as e: print(type(e).__name__, str(getattr(e, "message", None) or e).splitlines()[0])
a = tf.constant(1.0)
s = tf.Session()
attempt(s.close)
attempt(s.close)
attempt(lambda: s.run(a))
attempt(lambda: s.partial_run_setup([a], []))
attempt(s.list_devices)
s = tf.Session()
call = s.make_callable(a)
s.close()
attempt(call)
def nested():
    with s:
        with s: pass
attempt(nested)
def closed():
    with s: return a.eval()
attempt(closed)
with tf.Session() as s:
    s.close()
    attempt(a.eval)
v = tf.Variable(1.0)
s = tf.Session()
s.run(v.initializer)
tf.Session.reset("")
attempt(lambda: s.run(v))
attempt(lambda: tf.Session(config=3))
print(tf.Session().sess_str)
# case: callables
def attempt(f):
    try: show(f())
    except Exception as e: print(type(e).__name__, str(getattr(e, "message", None) or e).splitlines()[0])
a = tf.constant(1.0, name="a")
s = tf.Session()
attempt(lambda: s.make_callable(a * 2.0, [a])())
attempt(lambda: s.make_callable(a * 2.0, [a])(3.0))
attempt(lambda: s.make_callable(a * 2.0, [a])(3.0, 4.0))
attempt(lambda: s.make_callable(a * 2.0, a))
attempt(lambda: s.make_callable(a * 2.0, [a])([1.0, 2.0]))
attempt(lambda: s.make_callable([a * 2.0], ["a:0"])(3.0))
# case: time limits
def attempt(f):
    try: show(f())
    except Exception as e: print(type(e).__name__, str(getattr(e, "message", None) or e).splitlines()[0])
import time
def sleep():
    time.sleep(0.2)
    return np.float32(1)
x = tf.py_func(sleep, [], tf.float32) * 2.0
attempt(lambda: tf.Session().run(x, options=tf.RunOptions(timeout_in_ms=50)))
attempt(lambda: tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=50)).run(x))
attempt(lambda: tf.Session().run(x, options=tf.RunOptions(timeout_in_ms=50000)))
w = tf.while_loop(lambda i: i >= 0, lambda i: i + 1, [0])
attempt(lambda: tf.Session().run(w, options=tf.RunOptions(timeout_in_ms=100)))
# case: metadata of runs
def attempt(f):
    try: show(f())
    except Exception as e: print(type(e).__name__, str(getattr(e, "message", None) or e).splitlines()[0])
x = tf.placeholder(tf.float32, [None, 2], name="x")
y = tf.matmul(x, tf.transpose(x), name="y")
s = tf.Session()
feed = {x: [[1.0, 2.0]]}
def run(options, **config):
    m = tf.RunMetadata()
    tf.Session(config=tf.ConfigProto(**config)).run(y, feed, options=options, run_metadata=m)
    names = sorted(n.node_name for d in m.step_stats.dev_stats for n in d.node_stats if d.device.endswith("device:CPU:0"))
    print([n for n in names if n in ("_arg_x_0_0", "y", "_retval_y_0_0")], m.HasField("cost_graph"), [n.name for g in m.partition_graphs for n in g.node if n.name[0] in "_y"])
run(None)
run(tf.RunOptions(trace_level=tf.RunOptions.SOFTWARE_TRACE))
run(tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE))
run(tf.RunOptions(output_partition_graphs=True))
run(None, graph_options=tf.GraphOptions(build_cost_model=1))
run(None, graph_options=tf.GraphOptions(build_cost_model=2))
# case: feeds and fetches are numbered in the order of their names
fed = {name: tf.placeholder(tf.float32, [], name) for name in ("z", "s/x", "a", "B")}
total = sum(fed.values())
outputs = [tf.identity(total, name="k"), tf.identity(total, name="C"), total]
m = tf.RunMetadata()
options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
show(tf.Session().run(outputs, {t: 1.0 for t in fed.values()}, options, m))
for op_type in ("_Arg", "_Retval"):
    print(sorted((n.attr["index"].i, n.name) for n in m.partition_graphs[0].node if n.op == op_type))

# case: a partial run of a loop whose gradient is fetched later
w = tf.Variable(2.0)
rate = tf.placeholder(tf.float32, [])
array = tf.TensorArray(tf.float32, size=3)


def body(i, array):
    return i + 1, array.write(i, w * tf.cast(i, tf.float32))


_, array = tf.while_loop(lambda i, _: i < 3, body, [0, array])
values = array.stack()
loss = tf.reduce_sum(values * values) * rate
gradient = tf.gradients(loss, w)[0]
with tf.Session() as session:
    session.run(w.initializer)
    handle = session.partial_run_setup([values, loss, gradient], [rate])
    print(session.partial_run(handle, values))
    print(session.partial_run(handle, [gradient, loss], {rate: 0.5}))
