# case: comparison to bits
x = np.array([[1, -2, 3, 4, 5, -6, 7, 8.0]] * 2, np.float32)
with tf.Session() as s:
    show(s.run(tf.raw_ops.CompareAndBitpack(input=x, threshold=2.0)))
    show(s.run(tf.raw_ops.CompareAndBitpack(input=x > 0, threshold=False)))
for bad in (np.zeros((2, 3), np.float32), np.float32(1)):
    try:
        tf.raw_ops.CompareAndBitpack(input=bad, threshold=2.0)
    except ValueError as e:
        print(e)
for shape in ([None, 16], [None, None], None, [3, 8]):
    show(tf.raw_ops.CompareAndBitpack(input=tf.placeholder(tf.float32, shape), threshold=2.0))
# case: a fact
out = tf.user_ops.my_fact()
show(out)
with tf.Session() as s:
    show(s.run(out))
# case: debug ops
def attr(value):
    if isinstance(value, bool):
        return tf.AttrValue(b=value)
    if isinstance(value, str):
        return tf.AttrValue(s=value.encode())
    if isinstance(value, tf.DType):
        return tf.AttrValue(type=value.as_datatype_enum)
    return tf.AttrValue(f=value)
def make(op, x, out, **attrs):
    attrs = {k: attr(v) for k, v in dict(attrs, T=x.dtype, tensor_name="n:0").items()}
    return tf.get_default_graph().create_op(op, [x], [out], attrs=attrs).outputs[0]
y = tf.constant([[1, np.nan, np.inf, -np.inf], [0, -3, 2.5, 0]], tf.float32)
s = tf.Session()
show(s.run([make("Copy", y, tf.float32), make("CopyHost", y, tf.float32), make("DebugIdentity", y, tf.float32)]))
def summary(x, **attrs):
    out = make("DebugNumericSummary", x, tf.float64, **attrs)
    show(out, s.run(out))
summary(y)
summary(y, lower_bound=-1.0, upper_bound=2.0)
summary(y, mute_if_healthy=True)
summary(tf.constant([1, 2, 3]), mute_if_healthy=True)
summary(tf.constant([True, False]))
summary(tf.constant([], tf.float32))
summary(tf.constant(5.0, tf.float64))
# case: ops of old graphs
g = tf.GraphDef()
g.versions.producer = 7
n = g.node.add(name="im", op="Placeholder")
n.attr["dtype"].type = 1
n = g.node.add(name="size", op="Const")
n.attr["dtype"].type = 9
n.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(np.array([3, 2], np.int64)))
n = g.node.add(name="rc", op="RandomCrop", input=["im", "size"])
n.attr["T"].type = 1
n.attr["seed"].i = 3
n.attr["seed2"].i = 4
n = g.node.add(name="qd", op="QuantizeAndDequantize", input=["im"])
n.attr["T"].type = 1
tf.import_graph_def(g, name="")
nodes()
show(tf.get_default_graph().get_tensor_by_name("rc:0"))
image = np.arange(70, dtype=np.float32).reshape(10, 7, 1)
with tf.Session() as s:
    for i in range(4):
        show(s.run("rc:0", {"im:0": image}))
    show(s.run("rc:0", {"im:0": image[:3]}))
    show(s.run("rc:0", {"im:0": image}))
    show(s.run("qd:0", {"im:0": image}))
    try:
        s.run("rc:0", {"im:0": image[:2]})
    except tf.errors.FailedPreconditionError as e:
        print(e.message.splitlines()[0])
