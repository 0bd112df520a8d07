# case: values and shapes
a = np.arange(6.0).reshape(2, 3)
with tf.Session() as s:
    for equation, x in (("ij,jk->ik", [a, a.T]), ("ii->i", [np.eye(3)]), ("...ij->...ji", [np.ones((2, 3, 4)) * np.arange(4)]),
                        ("ij->", [a]), ("b...i,ij->b...j", [np.ones((2, 3, 4)), np.arange(8.0).reshape(4, 2)]),
                        ("ab,bc->ac", [a.astype(np.float32), a.T.astype(np.float32)]), ("i,j->ij", [a[0], a[1]])):
        out = tf.raw_ops.Einsum(inputs=[tf.constant(v) for v in x], equation=equation)
        show(out, s.run(out))
x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32)
show(tf.raw_ops.Einsum(inputs=[x, x], equation="ij,kj->ik"))
show(tf.raw_ops.Einsum(inputs=[x, y], equation="ij,jk->ik"))
show(tf.raw_ops.Einsum(inputs=[y], equation="...i->...i"))
# case: other random ops
show(tf.raw_ops.NonDeterministicInts(shape=[2, 3]))
show(tf.raw_ops.NonDeterministicInts(shape=[2, 3], dtype=tf.uint32))
with tf.Session() as s:
    a, b = s.run([tf.raw_ops.NonDeterministicInts(shape=[50]), tf.raw_ops.NonDeterministicInts(shape=[50])])
    show((a == b).any(), len(set(a.tolist())))
