# case: python functions as ops
x = tf.placeholder(tf.float32, [2], name="x")
y = tf.py_func(lambda a: np.sinh(a), [x], tf.float32)
z = tf.py_func(lambda a, b: [a + b, np.int64(b.size)], [x, x], [tf.float32, tf.int64], name="two")
s = tf.py_func(lambda a: a + b"!", [tf.constant("abc")], tf.string, stateful=False)
e = tf.py_func(lambda: 3, [], tf.int64)
show(y, z, s, e)
with tf.Session() as sess:
    show(sess.run([y, z], {x: [1.0, 2.0]}), sess.run(s), sess.run(e))
# case: bad python functions
def attempt(f, tout, *inputs):
    try:
        show(tf.Session().run(tf.py_func(f, list(inputs), tout)))
    except tf.errors.OpError as e:
        import re
        print(type(e).__name__, re.sub(r"pyfunc_\d+", "pyfunc_N", e.message.splitlines()[0]))
def raising(error):
    def f():
        raise error
    return f
attempt(lambda: np.float64(1.0), tf.float32)
attempt(lambda: 1.5, tf.float32)
attempt(lambda: 1.5, tf.int32)
attempt(lambda: (1.0, 2.0), [tf.float32])
attempt(raising(ValueError("bad value")), tf.float32)
attempt(raising(TypeError("bad type")), tf.float32)
attempt(raising(StopIteration("end")), tf.float32)
attempt(raising(KeyError("key")), tf.float32)
attempt(raising(NotImplementedError("not yet")), tf.float32)
attempt(raising(RuntimeError("runtime")), tf.float32)
# case: a python function with a gradient
def _grad(op, grad):
    return grad * 2.0 * op.inputs[0]
tf.RegisterGradient("CaseSquareGrad")(_grad)
x = tf.constant([1.0, 2.0, 3.0])
with tf.get_default_graph().gradient_override_map({"PyFunc": "CaseSquareGrad"}):
    y = tf.py_func(lambda a: a * a, [x], tf.float32)
y.set_shape([3])
with tf.Session() as sess:
    show(sess.run([y] + tf.gradients(y, x)))
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
