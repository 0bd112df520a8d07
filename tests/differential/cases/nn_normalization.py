# case: moments
x = tf.placeholder(tf.float32, [4, 3])
show(tf.nn.moments(x, [0]), tf.nn.moments(x, [0, 1], keep_dims=True, name="q"))
show(tf.nn.moments(tf.placeholder(tf.float16, [3, 2]), axes=[0], keepdims=False))
nodes()
show(tf.Session().run(tf.nn.moments(tf.constant([[1.0, 2.0], [4.0, 0.0]]), [0])))
# case: moments with both names of keepdims
tf.nn.moments(tf.placeholder(tf.float32, [3, 2]), axes=[0], keep_dims=True, keepdims=True)
# case: sufficient statistics
F = tf.float32
show(tf.nn.sufficient_statistics(tf.placeholder(F, [4, 3]), [0]))
show(tf.nn.sufficient_statistics(tf.placeholder(F, [None, 3]), [0], tf.placeholder(F, [3]), True))
show(tf.nn.sufficient_statistics(tf.placeholder(F), [1, 0], shift=0.0, name="k"))
nodes()
# case: normalize_moments
a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [3])
show(tf.nn.normalize_moments(a, b, b, None), tf.nn.normalize_moments(a, b, b, b, name="n"))
nodes()
parts = tf.nn.sufficient_statistics(tf.constant([[1.0, 2.0], [4.0, 0.0]]), [0], shift=1.0)
show(tf.Session().run(tf.nn.normalize_moments(*parts)))
# case: weighted_moments
x = tf.placeholder(tf.float32, [4, 3])
show(tf.nn.weighted_moments(x, [0], tf.placeholder(tf.float32, [4, 1])))
x = tf.placeholder(tf.float16, [4, 3])
show(tf.nn.weighted_moments(x, [0, 1], tf.placeholder(tf.int32, [4, 3]), name="w", keep_dims=True))
nodes()
x = tf.constant([[1.0, 2.0], [4.0, 0.0]])
show(tf.Session().run(tf.nn.weighted_moments(x, [0], [[1.0], [3.0]])))
# case: batch_normalization
x, v = tf.placeholder(tf.float32, [4, 3]), tf.placeholder(tf.float32, [3])
show(tf.nn.batch_normalization(x, v, v, v, v, 0.01))
show(tf.nn.batch_normalization(x, v, v, None, None, 0.01, name="b"))
show(tf.nn.batch_normalization(tf.placeholder(tf.float16, [4, 3]), v, v, v, v, 0.01))
x = tf.placeholder(tf.float32, [4, 2, 2, 3])
show(tf.nn.batch_norm_with_global_normalization(x, v, v, v, v, 0.01, True))
show(tf.nn.batch_norm_with_global_normalization(x, v, v, v, v, 0.01, False, name="g"))
nodes()
# case: fused_batch_norm
x, v = tf.placeholder(tf.float32, [4, 2, 2, 3]), tf.placeholder(tf.float32, [3])
y = tf.nn.fused_batch_norm(x, v, v)
show(y, tf.gradients(y[0], [x, v]))
show(tf.nn.fused_batch_norm(x, v, v, v, v, is_training=False, name="z"))
show(tf.nn.fused_batch_norm(tf.placeholder(tf.float16, [4, 2, 2, 3]), v, v))
x = tf.placeholder(tf.float32, [None, None, 2, None])
show(tf.nn.fused_batch_norm(x, tf.placeholder(tf.float32, [None]), v))
nodes()
# case: gradients of fused_batch_norm for inference
x, v = tf.placeholder(tf.float32, [4, 3, 2, 2]), tf.placeholder(tf.float32, [3])
y = tf.nn.fused_batch_norm(x, v, v, v, v, is_training=False, data_format="NCHW")
show(tf.gradients(y[0], [x]))
nodes()
# case: values of fused_batch_norm
x = tf.constant(np.linspace(-1, 2, 24).reshape(2, 2, 2, 3).astype("f") ** 2)
scale, offset = tf.constant([1.0, 2.0, 3.0]), tf.constant([0.0, 1.0, -1.0])
mean, variance = tf.constant([0.1, 0.2, 0.3]), tf.constant([1.0, 2.0, 0.5])
with tf.Session() as session:
    for given in ((), (mean, variance)):
        y = tf.nn.fused_batch_norm(x, scale, offset, *given, is_training=not given)
        show(session.run(y[0]).round(3))
        first = tf.gradients(tf.sin(y[0]), [x, scale, offset])
        show([a.round(3) for a in session.run(first)])
        second = tf.gradients([tf.cos(first[0]), first[1], first[2]], [x, scale, offset])
        show([a.round(2) for a in session.run(second)])
    raw = tf.raw_ops.FusedBatchNormV3
    attrs = {"mean": np.zeros([0], "f"), "variance": np.zeros([0], "f")}
    show(session.run(raw(x=x, scale=scale, offset=offset, **attrs)))
    show(session.run(raw(x=x[:1, :1, :1], scale=scale, offset=offset, **attrs)))
    show(session.run(raw(x=x[:0], scale=scale, offset=offset, **attrs)))
    raw = tf.raw_ops.FusedBatchNormGradV3
    for training in (True, False):
        found = raw(
            y_backprop=tf.cos(x),
            x=x,
            scale=scale,
            reserve_space_1=mean,
            reserve_space_2=variance,
            reserve_space_3=np.zeros([0], "f"),
            is_training=training,
        )
        show(session.run(list(found[:3])))
# case: fused_batch_norm for training with a mean
x, v = tf.placeholder(tf.float32, [4, 2, 2, 3]), tf.placeholder(tf.float32, [3])
tf.nn.fused_batch_norm(x, v, v, v, v)
# case: fused_batch_norm for inference without a mean
x, v = tf.placeholder(tf.float32, [4, 2, 2, 3]), tf.placeholder(tf.float32, [3])
tf.nn.fused_batch_norm(x, v, v, is_training=False)
# case: fused_batch_norm of rank 3
v = tf.placeholder(tf.float32, [3])
tf.nn.fused_batch_norm(tf.placeholder(tf.float32, [4, 2, 3]), v, v)
# case: fused_batch_norm of other channels
v = tf.placeholder(tf.float32, [4])
tf.nn.fused_batch_norm(tf.placeholder(tf.float32, [4, 2, 2, 3]), v, v)
# case: fused_batch_norm of rank 3 at run time
x = tf.placeholder_with_default(np.zeros([2, 2, 3], "f"), None)
tf.Session().run(tf.nn.fused_batch_norm(x, [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]))
# case: batch_normalization of arrays
x = np.array([[-3.0, 0, 2.5], [1, -1, 4]], "f")
show(tf.nn.batch_normalization(x, 0.0, 1.0, None, 2.0, 0.1))
show(tf.nn.batch_normalization(x, 0.0, 1.0, 0.5, 2.0, 0.1))
nodes()
