# case: nodes of reads and writes
ta = tf.TensorArray(tf.float32, 3)
x = tf.placeholder(tf.float32, [2])
ta = ta.write(0, x)
ta = ta.write(1, x * 2)
ta = ta.write(2, [1.0, 2.0], name="w")
r = ta.read(0)
s = ta.stack()
c = ta.concat()
z = ta.size(name="z")
g = ta.gather([0, 1])
i = ta.identity()
cl = ta.close()
show(r, s, c, z, g, i.flow, cl, ta.element_shape, ta.dtype, ta.handle, ta.flow, ta.dynamic_size)
tf.TensorArray(tf.float32, 3)
nodes()
# case: placement of arrays
with tf.device("/cpu:0"):
    with tf.colocate_with(tf.constant(1)):
        ta = tf.TensorArray(tf.float32, 3)
        ta = ta.split(tf.placeholder(tf.float32, [6, 2]), [2, 2, 2])
        tb = tf.TensorArray(tf.float32, 3, colocate_with_first_write_call=False)
        tb = tb.unstack(tf.placeholder(tf.float32, [3]))
    ta.stack()
show(ta.read(0), ta.stack(), ta.concat())
for op in tf.get_default_graph().get_operations():
    show(op.name, op.device, op.colocation_groups())
# case: dynamic arrays, names and gradient arrays
size = tf.placeholder(tf.int32, [])
ta = tf.TensorArray(tf.float32, size=size, dynamic_size=True, element_shape=[2], clear_after_read=False, name="nm", tensor_array_name="q")
ta = ta.unstack(tf.placeholder(tf.float32, [None, 2]))
show(ta.size(), ta.dynamic_size)
show(tf.gradients(ta.stack(), ta.flow))
g2 = ta.grad("src")
g3 = ta.grad("src", name="hello")
show(g2.read(0), g3.element_shape, g3.handle, g3.flow)
nodes()
# case: split without inference of shapes
ta = tf.TensorArray(tf.float32, 3, infer_shape=False, colocate_with_first_write_call=False)
ta = ta.split(tf.placeholder(tf.float32, [6, 2]), [2, 2, 2])
show(ta.read(0), ta.stack(), ta.concat(), ta.element_shape)
tb = tf.TensorArray(tf.float32, 2).split(tf.placeholder(tf.float32, [6, 2]), tf.constant([2, 4], tf.int64))
show(tb.read(0), tb.stack(), tb.concat(), tb.element_shape)
nodes()
# case: gradients of unstack and read, twice
x = tf.placeholder(tf.float32, [3, 2], name="x")
ta = tf.TensorArray(tf.float32, 3).unstack(x)
y = ta.read(0) + ta.read(1) * ta.read(2)
show(tf.gradients(y, x))
show(tf.gradients(tf.gradients(y, x)[0], x))
nodes()
# case: gradients of split, concat, write, scatter and gather
x = tf.placeholder(tf.float32, [3, 2], name="x")
y = tf.TensorArray(tf.float32, 3).split(x, [1, 1, 1]).concat()
show(tf.gradients(y, x))
ta = tf.TensorArray(tf.float32, 4).write(0, x[0]).scatter([1, 2, 3], x).gather([0])
show(tf.gradients(ta, x, name="gradients_x", colocate_gradients_with_ops=True))
nodes()
# case: names of gradients
x = tf.placeholder(tf.float32, [3, 2], name="x")
ta = tf.TensorArray(tf.float32, 3).unstack(x)
tf.gradients(ta.read(0), x, name="foo")
# case: element shapes
def attempt(f):
    try:
        show(f().element_shape)
    except (ValueError, TypeError) as e:
        show(type(e).__name__, str(e).splitlines()[0])
def array(**keywords):
    return tf.TensorArray(tf.float32, 3, **keywords)
p = tf.placeholder(tf.float32)
v = tf.placeholder(tf.float32, [None])
attempt(lambda: array(element_shape=[None, 2]))
attempt(lambda: array(element_shape=[None, 2]).write(0, tf.zeros([3, 2])))
attempt(lambda: array(element_shape=[None, 2], infer_shape=False).write(0, tf.zeros([3, 3])))
attempt(lambda: array(infer_shape=False).write(0, tf.zeros([3, 3])))
attempt(lambda: array().write(0, p))
attempt(lambda: array().write(0, p).write(1, tf.zeros([2])))
attempt(lambda: array().write(0, v).write(1, tf.zeros([2])))
attempt(lambda: array().write(0, v).write(1, tf.zeros([2])).write(1, tf.zeros([3])))
attempt(lambda: array().write(0, 1.0).scatter([1], p))
attempt(lambda: array().write(0, [1.0, 2.0]).scatter([1], [1.0, 2.0]))
attempt(lambda: array().write(0, [1.0, 2.0]).split(tf.zeros([2, 2]), [1, 1]))
attempt(lambda: array().split(tf.zeros([2, 2]), [1, 1]))
attempt(lambda: array().split(p, [1, 1]))
attempt(lambda: array().split(tf.constant([1, 2]), [1, 1]))
attempt(lambda: array().unstack(tf.zeros([2, 3, 4])))
attempt(lambda: array().unstack(3.0))
attempt(lambda: array().write(0, None))
first = array()
first.write(0, [1.0, 2.0])
show(first.element_shape)
# case: bad arguments
ta = tf.TensorArray(tf.float32, 3)
def attempt(**keywords):
    try:
        show(tf.TensorArray(tf.float32, **keywords).handle)
    except (ValueError, TypeError) as e:
        show(type(e).__name__, str(e))
attempt()
attempt(handle=ta.handle)
attempt(handle=ta.handle, flow=ta.flow)
attempt(handle=ta.handle, size=3)
attempt(handle=ta.handle, dynamic_size=True)
attempt(handle=ta.handle, clear_after_read=True)
attempt(handle=ta.handle, element_shape=[1])
attempt(handle=ta.handle, tensor_array_name="k")
attempt(handle=3)
try:
    tf.convert_to_tensor(ta)
except TypeError as e:
    show(type(e).__name__)
# case: static shapes of the ops
raw = tf.raw_ops
def fields(a):
    return dict(handle=a[0], flow_in=a[1])
def attempt(f):
    try:
        show(f())
    except ValueError as e:
        show(str(e))
arrays = [
    raw.TensorArrayV3(size=3, dtype=tf.float32, element_shape=[2]),
    raw.TensorArrayV3(size=3, dtype=tf.float32),
    raw.TensorArrayV3(size=3, dtype=tf.float32, element_shape=[2, None]),
    raw.TensorArrayV3(size=3, dtype=tf.float32, element_shape=[2, None], identical_element_shapes=True),
]
for a in arrays:
    k = fields(a)
    r = dict(index=0, dtype=tf.float32)
    show(a)
    show(raw.TensorArrayReadV3(**k, **r))
    g = raw.TensorArrayGradV3(**k, source="gradients")
    show(g, raw.TensorArrayReadV3(**fields(g), **r))
    g = raw.TensorArrayGradWithShape(**k, shape_to_prepend=[3], source="gradients")
    show(g, raw.TensorArrayReadV3(**fields(g), **r))
    show(raw.TensorArrayReadV3(handle=tf.identity(a[0]), flow_in=a[1], **r))
    show(raw.TensorArrayGatherV3(**k, indices=[0, 1], dtype=tf.float32))
    show(raw.TensorArrayGatherV3(**k, indices=[0, 1], dtype=tf.float32, element_shape=[2, None]))
    show(raw.TensorArrayConcatV3(**k, dtype=tf.float32, element_shape_except0=[2, None]))
    show(raw.TensorArraySizeV3(**k))
    attempt(lambda: raw.TensorArrayWriteV3(**k, index=0, value=tf.zeros([3])))
    attempt(lambda: raw.TensorArrayScatterV3(**k, indices=[0, 1], value=tf.zeros([2, 2])))
    attempt(lambda: raw.TensorArrayScatterV3(**k, indices=[0, 1], value=tf.zeros([2, 5])))
    attempt(lambda: raw.TensorArraySplitV3(**k, value=tf.zeros([2, 5]), lengths=[1, 1]))
k = fields(arrays[0])
attempt(lambda: raw.TensorArrayV3(size=[3], dtype=tf.float32))
attempt(lambda: raw.TensorArrayReadV3(**k, index=[0], dtype=tf.float32))
attempt(lambda: raw.TensorArrayReadV3(handle=k["handle"], flow_in=[1.0], index=0, dtype=tf.float32))
attempt(lambda: raw.TensorArrayGatherV3(**k, indices=0, dtype=tf.float32))
attempt(lambda: raw.TensorArrayScatterV3(**k, indices=0, value=tf.zeros([2, 2])))
attempt(lambda: raw.TensorArraySplitV3(**k, value=tf.zeros([2, 2]), lengths=1))
attempt(lambda: raw.TensorArraySplitV3(**k, value=1.0, lengths=[1]))
attempt(lambda: raw.TensorArrayScatterV3(**k, value=1.0, indices=[0]))
attempt(lambda: raw.TensorArrayScatterV3(**k, value=[1.0], indices=[0, 1]))
attempt(lambda: raw.TensorArraySizeV3(handle=tf.placeholder(tf.resource, []), flow_in=1.0))
attempt(lambda: raw.TensorArrayCloseV3(handle=tf.placeholder(tf.resource, [3])))
s = raw.StackV2(max_size=-1, elem_type=tf.float32)
show(s, raw.StackPushV2(handle=s, elem=tf.zeros([2])), raw.StackPopV2(handle=s, elem_type=tf.float32))
# case: values
x = np.arange(6.0, dtype=np.float32).reshape(3, 2)
def values(f, **keywords):
    try:
        show(tf.Session().run(f(tf.TensorArray(tf.float32, 3, **keywords))))
    except tf.errors.OpError as e:
        import re
        show(type(e).__name__, re.sub(r"_\d+", "_N", e.message.splitlines()[0]))
def twice(ta, f):
    with tf.control_dependencies([f(ta)]):
        return f(ta.identity())
values(lambda ta: ta.unstack(x).stack())
values(lambda ta: ta.unstack(x).concat())
values(lambda ta: ta.unstack(x).gather([2, 0]))
values(lambda ta: ta.split(x, [2, 0, 1]).concat(), infer_shape=False)
values(lambda ta: ta.split(x, [2, 0, 1]).stack(), infer_shape=False)
values(lambda ta: ta.scatter([2, 1], x[:2]).read(1))
values(lambda ta: ta.write(0, 1.0).write(0, 1.0).flow)
values(lambda ta: ta.write(3, 1.0).flow)
values(lambda ta: ta.write(-1, 1.0).flow)
values(lambda ta: ta.write(-1, 1.0).flow, dynamic_size=True)
values(lambda ta: ta.write(7, 1.0).size(), dynamic_size=True)
values(lambda ta: ta.unstack(np.zeros([5, 2], np.float32)).size(), dynamic_size=True)
values(lambda ta: ta.unstack(np.zeros([5, 2], np.float32)).size())
values(lambda ta: ta.read(3))
values(lambda ta: ta.read(0))
values(lambda ta: ta.read(0), element_shape=[2])
values(lambda ta: ta.write(1, [1.0, 2.0]).read(0), element_shape=[None])
values(lambda ta: ta.scatter([2, 1], x[:2]).stack(), element_shape=[None])
values(lambda ta: ta.scatter([2, 1], x[:2]).stack(), infer_shape=False)
values(lambda ta: twice(ta.unstack(x), lambda a: a.read(0)))
values(lambda ta: twice(ta.unstack(x), lambda a: a.read(0)), clear_after_read=False)
values(lambda ta: twice(ta.unstack(x), lambda a: a.stack()))
values(lambda ta: twice(ta.unstack(x), lambda a: a.stack()), clear_after_read=False)
values(lambda ta: ta.write(0, tf.constant(1, tf.float64)).flow)
values(lambda ta: ta.unstack(x).gather([3]))
values(lambda ta: ta.unstack(x).gather(np.zeros([0], np.int32)))
values(lambda ta: ta.gather(np.zeros([0], np.int32)), infer_shape=False)
values(lambda ta: ta.unstack([1.0, 2.0, 3.0]).concat())
p = tf.placeholder_with_default(x, None)
values(lambda ta: ta.write(0, p).write(1, p[0]).flow)
values(lambda ta: ta.write(0, p).write(1, p[0]).flow, infer_shape=False)
values(lambda ta: ta.write(0, p).write(1, p[0]).write(2, p).stack(), infer_shape=False)
# case: strings and other types
for value in (np.array([b"a", b"bc"], object), np.array([True, False]), np.array([1 + 2j, 3], np.complex64), np.arange(4, dtype=np.int64)):
    t = tf.constant(value)
    ta = tf.TensorArray(t.dtype, 0, dynamic_size=True).unstack(t)
    show(*tf.Session().run([ta.stack(), ta.size()]))
# case: values of gradients
x = tf.placeholder(tf.float32, [3, 2], name="x")
v = np.arange(6.0, dtype=np.float32).reshape(3, 2)
ta = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
y = ta.read(0) * ta.read(1) + ta.read(0)
z = ta.stack() ** 2.0
w = tf.TensorArray(tf.float32, 3, infer_shape=False).split(x, [2, 1, 0]).concat() ** 3.0
u = tf.TensorArray(tf.float32, 2).write(0, x).write(1, x * 2.0).gather([1, 0]) ** 2.0
with tf.Session() as sess:
    for out in (y, z, w, u, [y, z]):
        show(sess.run(tf.gradients(out, x), {x: v}))
    show(sess.run([tf.gradients(y, x), tf.gradients(z, x)], {x: v}))
# case: stacks
raw = tf.raw_ops
def values(f, max_size=-1):
    stack = raw.StackV2(max_size=max_size, elem_type=tf.float32, stack_name="foo")
    try:
        show(tf.Session().run(f(stack)))
    except tf.errors.OpError as e:
        import re
        show(type(e).__name__, re.sub(r"_\d+", "_N", e.message.splitlines()[0]))
def push(s, *values):
    for v in values:
        with tf.control_dependencies([raw.StackPushV2(handle=s, elem=v)]):
            s = tf.identity(s)
    return s
def pop(s):
    return raw.StackPopV2(handle=s, elem_type=tf.float32)
values(lambda s: pop(push(s, 1.0, 2.0)))
values(lambda s: pop(push(s, 1.0, 2.0)), 1)
values(lambda s: pop(push(s, 1.0, 2.0)), 2)
values(lambda s: pop(s))
values(lambda s: pop(push(s, 1)))
def closed(s):
    with tf.control_dependencies([raw.StackCloseV2(handle=s)]):
        return pop(tf.identity(s))
values(closed)
