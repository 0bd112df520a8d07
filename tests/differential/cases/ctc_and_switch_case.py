# case: dense labels
from tensorflow.python.ops import ctc_ops


def attempt(f):
    try:
        show(f())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])


rng = np.random.RandomState(0)
logits = tf.constant(rng.randn(6, 3, 5).astype("f"))
labels = tf.constant([[1, 2, 2, 0], [3, 0, 0, 0], [4, 4, 1, 2]])
ll = tf.constant([3, 1, 4])
tl = tf.constant([6, 6, 6])
with tf.Session() as s:
    for kw in ({}, dict(logits_time_major=False)):
        lg = logits if not kw else tf.transpose(logits, [1, 0, 2])
        loss = tf.nn.ctc_loss_v2(labels, lg, ll, tl, **kw)
        show([np.round(v, 3) + 0.0 for v in s.run([loss] + tf.gradients(loss, lg))])
    u = tf.nn.ctc_unique_labels(labels)
    show(*s.run(u))
    loss = tf.nn.ctc_loss_v2(labels, logits, ll, tl, unique=u)
    show([np.round(v, 3) + 0.0 for v in s.run([loss] + tf.gradients(loss, logits))])
    loss = tf.nn.ctc_loss_v2(
        tf.cast(labels, tf.int64), logits, tf.cast(ll, tf.int64), tl, blank_index=0
    )
    show(s.run([loss]))
    sp = ctc_ops.dense_labels_to_sparse(labels, ll)
    show(s.run(sp))
    for b in (0, -1, 4):
        loss = tf.nn.ctc_loss_v2(
            tf.SparseTensor(sp.indices, sp.values if b == 0 else sp.values - 1, sp.dense_shape),
            logits,
            None,
            tl,
            blank_index=b,
        )
        show([np.round(v, 3) + 0.0 for v in s.run([loss] + tf.gradients(loss, logits))])
    attempt(lambda: tf.nn.ctc_loss_v2(sp, logits, ll, tl))
    c = tf.nn.collapse_repeated(labels, ll)
    show(s.run(c))
    c = tf.nn.collapse_repeated(
        tf.constant([[1, 1, 2, 2, 1], [1, 2, 3, 3, 3], [0, 0, 0, 1, 1]]), tf.constant([4, 5, 3])
    )
    show(s.run(c))
    loss = tf.nn.ctc_loss_v2(labels, logits, ll, tf.constant([6, 4, 2]))
    show(s.run(loss)[:2], s.run(loss)[2] > 700)
    loss = tf.nn.ctc_loss_v2(labels, logits, ll, tl, blank_index=2)
    show(s.run([loss]))
    loss = tf.nn.ctc_loss_v2(labels - 1, logits, ll, tl, blank_index=-1)
    show(s.run([loss]))


# case: switch_case
def attempt(f):
    try:
        show(f())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])


i = tf.placeholder(tf.int32, [])
f0, f1, f2 = (lambda: tf.constant(10)), (lambda: tf.constant(20)), (lambda: tf.constant(30))
r = tf.switch_case(i, {0: f0, 1: f1, 2: f2})
show(r.dtype, r.shape)
r2 = tf.switch_case(i, [f0, f1], default=f2, name="sc")
r3 = tf.switch_case(i, [(1, f0), (0, f1)], default=f2)
with tf.Session() as s:
    for v in (-1, 0, 1, 2, 3, 7):
        show(v, s.run([r, r2, r3], {i: v}))
x = tf.constant(3.0)
y = tf.switch_case(i, [lambda: x * 2, lambda: x * x, lambda: tf.identity(x)])
g = tf.gradients(y, x)
with tf.Session() as s:
    for v in (0, 1, 2):
        show(s.run([y, g], {i: v}))
attempt(lambda: tf.switch_case(i, {0: f0, 2: f1}))
attempt(lambda: tf.switch_case(i, []))
attempt(lambda: tf.switch_case(tf.constant(1.0), [f0, f1]))
attempt(lambda: tf.switch_case(i, {0: 3, 1: f1}))
attempt(lambda: tf.switch_case(i, {"a": f0, 1: f1}))
attempt(lambda: tf.switch_case(i, [(0, f0), (0, f1)]))
attempt(lambda: tf.switch_case(1, [f0, f1]))
attempt(lambda: tf.switch_case(i, 3))


# case: specs of arrays
def attempt(f):
    try:
        show(f())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])


a = tf.TensorArraySpec()
print(repr(a), a.value_type.__name__)
b = tf.TensorArraySpec([None, 2], tf.int32, True, False)
print(repr(b))
c = tf.TensorArraySpec([3, 2], tf.int32, True, False)
print(
    a == b,
    b == tf.TensorArraySpec([None, 2], tf.int32, True, False),
    hash(b) == hash(tf.TensorArraySpec([None, 2], tf.int32, True, False)),
    b != c,
)
print(b.is_compatible_with(c), c.is_compatible_with(b), a.is_compatible_with(b))
attempt(lambda: repr(b.most_specific_compatible_type(c)))
attempt(lambda: repr(a.most_specific_compatible_type(c)))
ta = tf.TensorArray(tf.float32, 3, element_shape=[2])
attempt(lambda: repr(tf.TensorArraySpec.from_value(ta)))
attempt(lambda: tf.TensorArraySpec.from_value(3))
attempt(lambda: a.is_compatible_with(ta))
attempt(lambda: tf.TensorArraySpec([2]).is_compatible_with(ta))
attempt(lambda: tf.TensorArraySpec([2], dtype=tf.int32).is_compatible_with(ta))
