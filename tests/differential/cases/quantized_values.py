# case: fetched and fed
q = tf.quantize(tf.constant([1.0, 2.0]), 0.0, 3.0, tf.qint32)
c = tf.constant(np.array([[1, 2], [3, 255]], np.uint8), dtype=tf.quint8)
p = tf.placeholder(tf.quint8, [None])
one = tf.constant(1, shape=[1, 2], dtype=tf.qint8)
with tf.Session() as s:
    show(s.run([q, c, one, {"a": tf.identity(c)}]))
    out = tf.dequantize(p, 0.0, 255.0)
    show(s.run([p, out], {p: np.array([1, 2], np.uint8)}))
    show(s.run([p, out], {p: [3, 4]}))
    show(s.run(tf.dequantize(c, 0.0, 255.0)))
    show(s.run(tf.transpose(c)), s.run(tf.reshape(c, [4])), s.run(tf.concat([c, c], 0)), s.run(c[0]))
    for i in range(3):
        show(s.run([tf.cast(tf.cast(tf.constant([1, 2, 300]), tf.qint32), tf.int32)]))
    x = tf.placeholder(tf.float32, [None])
    y = tf.dequantize(tf.quantize(x * 2.0, -1.0, 1.0, tf.quint8)[0], -1.0, 1.0) * 2.0
    for i in range(4):
        show(s.run(y, {x: np.arange(5.0) / 10}))
show(tf.get_static_value(c) if hasattr(tf, "get_static_value") else None)
