# case: filters
rng = np.random.RandomState(0)
x = rng.rand(2, 5, 6, 2).astype(np.float32)
kinds = ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic")
with tf.Session() as s:
    for kind in kinds:
        for antialias in (True, False):
            for scale, shift, size in (([1.5, 0.6], [0.25, -0.5], [7, 3]), ([0.4, 0.5], [0.0, 0.0], [2, 3]),
                                       ([2.0, 1.0], [-3.0, 2.0], [6, 6])):
                out = tf.raw_ops.ScaleAndTranslate(images=x, size=size, scale=scale, translation=shift, kernel_type=kind,
                                                   antialias=antialias)
                show(out, np.round(s.run(out), 3) + 0.0)
# case: gradients and types
rng = np.random.RandomState(0)
x = tf.constant(rng.rand(1, 5, 6, 1).astype(np.float32))
out = tf.raw_ops.ScaleAndTranslate(images=x, size=[3, 4], scale=[0.6, 0.7], translation=[0.0, 0.1], kernel_type="triangle")
with tf.Session() as s:
    show(np.round(s.run(tf.gradients(out * rng.rand(1, 3, 4, 1).astype(np.float32), x)[0]), 3) + 0.0)
    small = tf.constant(rng.randint(0, 255, (1, 5, 6, 1)).astype(np.uint8))
    show(np.round(s.run(tf.raw_ops.ScaleAndTranslate(images=small, size=[3, 4], scale=[0.6, 0.7], translation=[0.0, 0.1])), 2))
    for kwargs in ({"kernel_type": "other"}, {"scale": [0.0, 1.0]}):
        arguments = dict(images=x, size=[3, 4], scale=[0.6, 0.7], translation=[0.0, 0.1])
        arguments.update(kwargs)
        try:
            s.run(tf.raw_ops.ScaleAndTranslate(**arguments))
        except tf.errors.InvalidArgumentError as e:
            print(e.message.splitlines()[0].split("; see")[0])
show(tf.raw_ops.ScaleAndTranslate(images=tf.placeholder(tf.float32), size=[3, 4], scale=[0.6, 0.7], translation=[0.0, 0.1]))
