# case: values
rng = np.random.RandomState(0)
x = rng.rand(1, 5, 6, 2).astype(np.float32)
w = rng.rand(3, 2, 2, 3).astype(np.float32)
around = [[0, 0], [1, 2], [2, 1], [0, 0]]
with tf.Session() as s:
    for mode in ("REFLECT", "SYMMETRIC"):
        out = tf.raw_ops.FusedPadConv2D(input=x, paddings=around, filter=w, mode=mode, strides=[1, 2, 1, 1], padding="VALID")
        show(out, s.run(out))
        for corners in (False, True):
            out = tf.raw_ops.FusedResizeAndPadConv2D(input=x, size=[7, 9], paddings=around, filter=w, mode=mode,
                                                     strides=[1, 3, 3, 1], padding="SAME", resize_align_corners=corners)
            show(out, s.run(out))
unknown = tf.placeholder(tf.float32)
show(tf.raw_ops.FusedPadConv2D(input=unknown, paddings=around, filter=w, mode=mode, strides=[1, 2, 1, 1], padding="VALID"))
# case: refused
x = np.zeros((1, 5, 6, 2), np.float32)
w = np.zeros((3, 2, 2, 3), np.float32)
for around, weights in (([[0, 0], [1, 2], [2, 1], [1, 0]], w), ([[0, 0], [6, 2], [2, 1], [0, 0]], w), ([[0, 0], [1, 2]], w),
                        ([[0, 0], [1, 2], [2, 1], [0, 0]], w[:, :, :1])):
    try:
        out = tf.raw_ops.FusedPadConv2D(input=x, paddings=around, filter=weights, mode="REFLECT", strides=[1, 2, 1, 1],
                                        padding="VALID")
        tf.Session().run(out)
    except (ValueError, tf.errors.OpError) as e:
        print(str(e).splitlines()[0].split(" for '")[0])
