# case: side effects of tensors
from tensorflow.python.framework import subscribe
seen = []
def effect(mark):
    return lambda t: tf.py_func(lambda v: (seen.append((mark, float(v))), v)[1], [t], [t.dtype])
a, b = tf.constant(1), tf.constant(1)
c = tf.add(a, b, name="c")
with tf.control_dependencies([c]):
    d = tf.constant(42, name="d")
n = tf.negative(c, name="n")
first = subscribe.subscribe(c, effect("one"))
again = subscribe.subscribe(c, effect("two"))
show(first is again, n.op, d.op, subscribe._is_subscribed_identity(first), subscribe._is_subscribed_identity(c))
with tf.Session() as sess:
    for x in (first, n, d):
        show(sess.run(x), sorted(seen))
        del seen[:]
# case: structures and devices of subscriptions
from tensorflow.python.framework import subscribe
effect = lambda t: tf.py_func(lambda v: v, [t], [t.dtype])
with tf.device("/cpu:1"):
    x = tf.add(1, 2)
y = tf.Variable(3.0)
z = tf.multiply(2, 3)
found = subscribe.subscribe({"x": (x, [z])}, effect)
show(found["x"][0].device, type(found["x"][1]).__name__, found["x"][1][0].op.inputs[0] is z)
show(subscribe._is_subscribed_identity(subscribe.subscribe(y, effect)))
try:
    subscribe.subscribe("x", effect)
except TypeError as error:
    print("has invalid type" in str(error))
