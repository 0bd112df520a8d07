# case: dilation
x = np.random.RandomState(0).uniform(-1, 1, [2, 5, 6, 2]).astype("f")
w = np.random.RandomState(1).uniform(-1, 1, [2, 3, 2]).astype("f")
with tf.Session() as s:
    for pad in ("SAME", "VALID"):
        for st, ra in (
            ([1, 1, 1, 1], [1, 1, 1, 1]),
            ([1, 2, 2, 1], [1, 1, 1, 1]),
            ([1, 1, 2, 1], [1, 2, 1, 1]),
        ):
            a, b = tf.constant(x), tf.constant(w)
            y = tf.nn.dilation2d(a, b, st, ra, pad)
            show(y)
            show(s.run([y] + tf.gradients(y * y, [a, b])))
            y = tf.nn.erosion2d(a, b, st, ra, pad)
            show(y)
            show(s.run([y] + tf.gradients(y * y, [a, b])))
nodes()
# case: dilation errors
x = tf.placeholder(tf.float32, [2, 5, 6, 2])
for f in (
    lambda: tf.nn.dilation2d(x, tf.zeros([2, 2, 3]), [1] * 4, [1] * 4, "SAME"),
    lambda: tf.nn.dilation2d(x, tf.zeros([7, 2, 2]), [1] * 4, [1] * 4, "VALID"),
    lambda: tf.nn.dilation2d(x, tf.zeros([2, 2, 2]), [1] * 3, [1] * 4, "VALID"),
    lambda: tf.nn.dilation2d(x, tf.zeros([2, 2, 2]), [1] * 4, [1] * 5, "VALID"),
    lambda: tf.nn.dilation2d(x, tf.zeros([2, 2, 2, 2]), [1] * 4, [1] * 5, "VALID"),
    lambda: tf.nn.dilation2d(
        tf.placeholder(tf.float32), tf.zeros([2, 2, 2]), [1] * 4, [1] * 4, "VALID"
    ),
):
    try:
        show(f())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])
# case: pool3d
x = np.random.RandomState(0).permutation(2 * 4 * 5 * 6 * 2).reshape(2, 4, 5, 6, 2).astype("f")
with tf.Session() as s:
    for pad in ("SAME", "VALID"):
        for k, st in (([1, 2, 2, 2, 1], [1, 2, 2, 2, 1]), ([1, 3, 2, 3, 1], [1, 1, 2, 2, 1])):
            a = tf.constant(x)
            y = tf.nn.max_pool3d(a, k, st, pad)
            g = tf.gradients(y * y, a)[0]
            show(y)
            v = s.run([y, g])
            show(v[0], v[1].sum(axis=(0, 4)))
            z = tf.gradients(tf.reduce_sum(g * g), a)[0]
            show(s.run(z).sum(axis=(0, 1)))
            y = tf.nn.avg_pool3d(a, k, st, pad)
            g = tf.gradients(y * y, a)[0]
            show(y)
            v = s.run([y, g])
            show(v[0].sum(axis=(0, 1)), v[1].sum(axis=(0, 1, 4)))
            z = tf.gradients(tf.reduce_sum(g * g), a)[0]
            show(s.run(z).sum(axis=(0, 1, 4)))
nodes()
# case: argmax
for dt in (tf.float32, tf.float64, tf.int32):
    x = np.array(
        [
            [1, 1, 1, 1, 0, 1, 1, 1, 1.0, 0, 1, 0, 1, 0, 1, 1],
            [5, 3, 2, 8, 9, 9, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7.0],
        ]
    ).reshape(2, 2, 4, 2)
    with tf.Session() as s:
        for pad in ("SAME", "VALID"):
            for ib in (False, True):
                a = tf.constant(x, dt)
                y, i = tf.nn.max_pool_with_argmax(
                    a, [1, 2, 2, 1], [1, 1, 1, 1], pad, Targmax=tf.int64, include_batch_in_index=ib
                )
                show(y, i)
                show(s.run([y, i]))
                if dt != tf.int32:
                    show(s.run(tf.gradients(y * y, a)))
nodes()
# case: argmax gradients
from tensorflow.python.ops import gen_nn_ops

x = np.arange(16).reshape(2, 2, 4, 1).astype("f")
g = np.arange(8).reshape(2, 1, 4, 1).astype("f")
am = np.array([0, 1, 3, 5, 0, 2, 5, 6]).reshape(2, 1, 4, 1)
with tf.Session() as s:
    show(
        s.run(
            gen_nn_ops.max_pool_grad_with_argmax(
                x, g, am, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME"
            )
        )
    )
    show(
        gen_nn_ops.max_pool_grad_grad_with_argmax(
            x, x, am, ksize=[1, 2, 1, 1], strides=[1, 2, 1, 1], padding="VALID"
        )
    )
# case: pool v2
from tensorflow.python.ops import gen_nn_ops

x = np.random.RandomState(0).permutation(2 * 5 * 6 * 2).reshape(2, 5, 6, 2).astype("f")
with tf.Session() as s:
    for pad in ("SAME", "VALID"):
        a = tf.constant(x)
        y = gen_nn_ops.max_pool_v2(a, [1, 2, 3, 1], [1, 2, 1, 1], padding=pad)
        g = tf.gradients(y * y, a)[0]
        h = tf.gradients(g * g, a)[0]
        show(y, g, h)
        show(s.run([y, g, h]))
        y = gen_nn_ops.max_pool_v2(
            tf.placeholder(tf.float32), tf.placeholder(tf.int32), [1, 2, 1, 1], padding=pad
        )
        show(y)
        k = tf.placeholder(tf.int32, [4])
        y = gen_nn_ops.max_pool_v2(a, k, [1, 2, 1, 1], padding=pad)
        show(y)
        show(s.run(y, {k: [1, 2, 2, 1]}))
# case: layers 3d
x = tf.placeholder(tf.float32, [None, 4, 4, 4, 3])
show(
    tf.layers.max_pooling3d(x, 2, 2),
    tf.layers.average_pooling3d(x, (2, 2, 1), (1, 2, 1), "same", data_format="channels_first"),
)
nodes()
# case: pool
x = np.random.RandomState(0).permutation(2 * 8 * 9 * 2).reshape(2, 8, 9, 2).astype("f")
with tf.Session() as s:
    for typ in ("MAX", "AVG"):
        for pad in ("SAME", "VALID"):
            show(s.run(tf.nn.pool(tf.constant(x), [2, 3], typ, pad)))
            show(s.run(tf.nn.pool(tf.constant(x), [2, 3], typ, pad, strides=[2, 1])))
            show(s.run(tf.nn.pool(tf.constant(x), [2, 3], typ, pad, dilation_rate=[2, 2])))
            show(s.run(tf.nn.pool(tf.constant(x[:, :, 0]), [2], typ, pad, strides=[2])))
            show(s.run(tf.nn.pool(tf.constant(x[:, :, 0]), [3], typ, pad, dilation_rate=[2])))
            show(
                s.run(
                    tf.nn.pool(
                        tf.constant(x.reshape(2, 4, 4, 9, 1)),
                        [2, 2, 2],
                        typ,
                        pad,
                        dilation_rate=[2, 1, 2],
                    )
                )
            )
            show(
                s.run(
                    tf.nn.pool(
                        tf.constant(x.reshape(2, 4, 4, 9, 1)),
                        [2, 2, 2],
                        typ,
                        pad,
                        strides=[2, 1, 2],
                    )
                )
            )
# case: pool nodes
x = tf.placeholder(tf.float32, [None, 8, 9, 2])
show(tf.nn.pool(x, [2, 3], "MAX", "SAME"))
show(tf.nn.pool(x, [2, 3], "AVG", "VALID", dilation_rate=[2, 1]))
show(tf.nn.pool(x[:, :, 0], [2], "AVG", "VALID", name="p"))
nodes()
# case: pool errors
x = tf.placeholder(tf.float32, [None, 8, 9, 2])
for f in (
    lambda: tf.nn.pool(x, [2, 3], "MIN", "SAME"),
    lambda: tf.nn.pool(x, [2], "MAX", "SAME"),
    lambda: tf.nn.pool(x, [2, 2], "MAX", "same"),
    lambda: tf.nn.pool(x, [2, 2], "MAX", "SAME", [2, 1], [2, 1]),
    lambda: tf.nn.pool(x, [2, 2], "MAX", "VALID", [0, 1]),
    lambda: tf.nn.pool(x, [2, 2], "MAX", "VALID", [1, 1, 1]),
    lambda: tf.nn.pool(x, [2, 2], "MAX", "VALID", strides=[2, 1], data_format="NCHW"),
    lambda: tf.nn.pool(tf.placeholder(tf.float32), [2, 2], "MAX", "VALID"),
    lambda: tf.nn.pool(tf.placeholder(tf.float32, [2, 3]), [], "MAX", "VALID"),
    lambda: tf.nn.pool(x, [2, 2], "MAX", "VALID", [-1, 1]),
):
    try:
        show(f())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])
# case: formats
from tensorflow.python.ops import gen_nn_ops

with tf.Session() as s:
    show(s.run(gen_nn_ops.data_format_dim_map([0, 1, 2, 3, -4, -3, -2, -1])))
    show(
        s.run(
            gen_nn_ops.data_format_dim_map([[0, 1], [2, -1]], src_format="NHWC", dst_format="HWNC")
        )
    )
    show(
        s.run(gen_nn_ops.data_format_vec_permute([7, 4, 9, 3])),
        s.run(gen_nn_ops.data_format_vec_permute([[7, 4], [9, 3], [4, 5], [5, 1]])),
    )
    show(
        s.run(
            gen_nn_ops.data_format_vec_permute([7, 4, 9, 3], src_format="NCHW", dst_format="NHWC")
        )
    )
    show(
        s.run(
            gen_nn_ops.data_format_vec_permute([7, 4, 9, 3], src_format="NHWC", dst_format="HWNC")
        )
    )
    show(gen_nn_ops.data_format_vec_permute(tf.constant([7, 4, 9, 3], tf.int64)))
    for f in (
        lambda: gen_nn_ops.data_format_vec_permute([1, 2, 3]),
        lambda: gen_nn_ops.data_format_vec_permute([[1, 2, 3]] * 4),
        lambda: gen_nn_ops.data_format_vec_permute([[[1, 2, 3]] * 4]),
        lambda: gen_nn_ops.data_format_dim_map([7]),
        lambda: gen_nn_ops.data_format_dim_map([1], src_format="NHW"),
        lambda: gen_nn_ops.data_format_dim_map([1], dst_format="NHQW"),
    ):
        try:
            show(s.run(f()))
        except Exception as e:
            print(type(e).__name__, str(e).splitlines()[0])
# case: fractional pooling
x = np.random.RandomState(0).permutation(2 * 8 * 9 * 2).reshape(2, 8, 9, 2).astype("f")
with tf.Session() as s:
    for overlapping in (False, True):
        for pseudo_random in (False, True):
            for seed in (3, 41):
                a = tf.constant(x)
                kw = dict(deterministic=True, seed=seed, seed2=5)
                r = tf.nn.fractional_max_pool(
                    a, [1, 1.5, 1.73, 1], pseudo_random, overlapping, **kw
                )
                show(r[0], s.run(r), np.round(s.run(tf.gradients(r[0] * r[0], a)[0]), 1))
                r = tf.nn.fractional_avg_pool(a, [1, 2.0, 1.2, 1], pseudo_random, overlapping, **kw)
                show(r[0], s.run(r), np.round(s.run(tf.gradients(r[0] * r[0], a)[0]), 1))
# case: wrong fractional pooling
x = tf.zeros([2, 8, 9, 2], tf.int32)
with tf.Session() as s:
    for f in (
        lambda: tf.nn.fractional_max_pool(x, [1, 2.0, 1.2]),
        lambda: tf.nn.fractional_avg_pool(x, [1, 1.2, 1.2, 1, 1]),
        lambda: tf.nn.fractional_avg_pool(x[0], [1, 2.0, 1.2, 1.0]),
    ):
        try:
            show(s.run(f()))
        except Exception as e:
            print(type(e).__name__, str(e).splitlines()[0])
# case: argmax errors
x = tf.placeholder(tf.float32, [None, 8, 9, 2])
for f in (
    lambda: tf.nn.max_pool_with_argmax(x, [1, 2, 2], [1, 2, 2, 1], "SAME"),
    lambda: tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "same"),
    lambda: tf.nn.max_pool_with_argmax(x, [1, 20, 2, 1], [1, 2, 2, 1], "VALID"),
    lambda: tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME", "NCHW"),
    lambda: tf.nn.max_pool3d(x, 2, 2, "SAME"),
    lambda: tf.nn.max_pool3d(tf.zeros([2, 2, 2, 2, 2]), [2, 2], 2, "SAME"),
    lambda: tf.nn.max_pool(x, 3, 2, "SAME"),
    lambda: tf.nn.max_pool(x, [2, 2, 2], 2, "SAME"),
    lambda: tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "valid"),
    lambda: tf.nn.max_pool(x, [2, 2, 2, 1], [1, 2, 2, 1], "VALID"),
    lambda: tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID", data_format="NC"),
):
    try:
        show(f())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])
# case: pooling along other dimensions
x = np.arange(2 * 4 * 4 * 4).reshape(2, 4, 4, 4).astype("f")
with tf.Session() as s:
    for pool in (tf.nn.max_pool, tf.nn.avg_pool):
        for ksize, strides in (
            ([2, 2, 2, 1], [2, 2, 2, 1]),
            ([1, 1, 1, 2], [1, 1, 1, 1]),
            ([1, 1, 1, 3], [1, 1, 1, 3]),
            ([1, 2, 2, 2], [1, 1, 1, 2]),
            ([1, 2, 2, 1], [1, 1, 1, 2]),
            ([1, 2, 2, 1], [1, 0, 1, 1]),
        ):
            try:
                show(s.run(pool(x, ksize, strides, "SAME")))
            except Exception as e:
                print(type(e).__name__, str(e).splitlines()[0])
    show(s.run(tf.nn.max_pool(x, [1, 1, 1, 2], [1, 1, 1, 2], "SAME")))
    y = tf.constant(x)
    show(s.run(tf.gradients(tf.nn.max_pool(y, [1, 1, 1, 1], [1, 1, 1, 1], "SAME"), y)))
