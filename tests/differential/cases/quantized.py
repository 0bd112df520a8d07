# case: products
rng = np.random.RandomState(0)
def eight(*shape):
    return tf.bitcast(tf.constant(rng.randint(0, 256, shape).astype(np.uint8)), tf.quint8)
def ints(x):
    return tf.cast(x, tf.int32)
def run(parts):
    with tf.Session() as s:
        q, low, high = s.run([ints(parts[0]), parts[1], parts[2]])
    show(parts[0], q, low, high)
raw = tf.raw_ops
def mul(*a):
    return raw.QuantizedMul(x=a[0], y=a[1], min_x=a[2], max_x=a[3], min_y=a[4], max_y=a[5], Toutput=tf.qint32)
run(raw.QuantizedMatMul(a=eight(3, 4), b=eight(4, 5), min_a=-1.0, max_a=2.5, min_b=0.25, max_b=3.0))
run(raw.QuantizedMatMul(a=eight(4, 3), b=eight(5, 4), min_a=-1.0, max_a=2.5, min_b=-0.25, max_b=3.0,
                        transpose_a=True, transpose_b=True))
run(mul(eight(3, 4), eight(3, 4), -1.0, 2.0, 0.0, 3.0))
run(mul(eight(3, 4), eight(4), -1.0, 2.0, 0.0, 3.0))
for padding in ("SAME", "VALID"):
    run(tf.nn.quantized_conv2d(eight(2, 5, 6, 3), eight(3, 2, 3, 4), -1.0, 1.0, -0.5, 2.0, [1, 2, 2, 1], padding))
# case: ranges of factors
x = tf.bitcast(tf.constant([[1]], tf.uint8), tf.quint8)
for low, high in ((0.0, 0.0), (1.0, 0.0)):
    out = tf.raw_ops.QuantizedMatMul(a=x, b=x, min_a=0.0, max_a=1.0, min_b=low, max_b=high)
    with tf.Session() as s:
        try:
            show(s.run(out[1]))
        except tf.errors.InvalidArgumentError as e:
            print(e.message.splitlines()[0])
# case: sums
rng = np.random.RandomState(1)
def eight(*shape, kind=(np.uint8, tf.quint8)):
    return tf.bitcast(tf.constant(rng.randint(np.iinfo(kind[0]).min, np.iinfo(kind[0]).max, shape).astype(kind[0])), kind[1])
def run(parts):
    with tf.Session() as s:
        q, low, high = s.run([tf.cast(parts[0], tf.int32), parts[1], parts[2]])
    show(parts[0], q, low, high)
raw = tf.raw_ops
run(raw.QuantizedAdd(x=eight(3, 4), y=eight(3, 4), min_x=-1.0, max_x=2.0, min_y=0.0, max_y=3.0, Toutput=tf.qint32))
run(raw.QuantizedAdd(x=eight(3, 4), y=eight(4), min_x=-1.0, max_x=2.0, min_y=-7.0, max_y=3.0, Toutput=tf.qint32))
run(raw.QuantizedAdd(x=eight(4), y=eight(3, 4), min_x=-1.0, max_x=2.0, min_y=-7.0, max_y=3.0, Toutput=tf.qint32))
run(raw.QuantizedAdd(x=eight(), y=eight(3, 4), min_x=-1.0, max_x=2.0, min_y=-7.0, max_y=3.0, Toutput=tf.qint32))
run(raw.QuantizedAdd(x=eight(33), y=eight(), min_x=-1.0, max_x=2.0, min_y=-7.0, max_y=3.0, Toutput=tf.qint32))
run(raw.QuantizedAdd(x=eight(), y=eight(), min_x=-1.0, max_x=2.0, min_y=-7.0, max_y=3.0, Toutput=tf.qint32))
run(raw.QuantizedAdd(x=eight(40), y=eight(40), min_x=-1.0, max_x=2.0, min_y=-7.0, max_y=3.0, Toutput=tf.qint32))
run(raw.QuantizedBiasAdd(input=eight(3, 4), bias=eight(4), min_input=-1.0, max_input=2.0, min_bias=-7.0, max_bias=3.0, out_type=tf.qint32))
run(raw.QuantizedBiasAdd(input=eight(2, 3, 4), bias=eight(4), min_input=0.0, max_input=60.0, min_bias=3.0, max_bias=10.0, out_type=tf.qint32))
# case: limits and pools
rng = np.random.RandomState(2)
x = tf.bitcast(tf.constant(rng.randint(0, 256, (2, 5, 6, 3)).astype(np.uint8)), tf.quint8)
def run(parts):
    with tf.Session() as s:
        q, low, high = s.run([tf.cast(parts[0], tf.int32), parts[1], parts[2]])
    show(parts[0], q, low, high)
run(tf.raw_ops.QuantizedRelu(features=x[0, 0], min_features=-2.0, max_features=3.0))
run(tf.raw_ops.QuantizedRelu6(features=x[0, 0], min_features=-2.0, max_features=13.0))
for padding in ("SAME", "VALID"):
    run(tf.nn.quantized_max_pool(x, -1.0, 2.0, [1, 2, 3, 1], [1, 2, 2, 1], padding))
    run(tf.nn.quantized_avg_pool(x, -1.0, 2.0, [1, 2, 3, 1], [1, 2, 2, 1], padding))
# case: limits by any number
x = tf.bitcast(tf.constant([1, 2], tf.uint8), tf.quint8)
show(*tf.nn.quantized_relu_x(x, 4.0, -2.0, 13.0))
show(*tf.nn.quantized_relu_x(x, 4.0, -2.0, 13.0, out_type=tf.qint32, name="limited"))
nodes()
# case: other ranges
rng = np.random.RandomState(3)
for scale in (2**8, 2**16, 2**23, 2**31 - 1):
    x = tf.bitcast(tf.constant(rng.randint(-scale, scale, (12,)).astype(np.int32)), tf.qint32)
    for low, high in ((-256.0, 256.0), (-1.0, 3.0), (0.0, 1000.0)):
        down = tf.raw_ops.QuantizeDownAndShrinkRange(input=x, input_min=low, input_max=high, out_type=tf.quint8)
        needed = tf.raw_ops.RequantizationRange(input=x, input_min=low, input_max=high)
        again = tf.raw_ops.Requantize(input=x, input_min=low, input_max=high, requested_output_min=-0.25,
                                      requested_output_max=0.5, out_type=tf.quint8)
        with tf.Session() as s:
            show(s.run([tf.cast(down[0], tf.int32), down[1], down[2]]))
            show(s.run(list(needed)))
            show(s.run([tf.cast(again[0], tf.int32), again[1], again[2]]))
# case: ranges that are refused
x = tf.bitcast(tf.constant([1, 2], tf.int32), tf.qint32)
for low, high in ((0.5, 1.0), (-1.0, -2.0)):
    out = tf.raw_ops.Requantize(input=x, input_min=0.0, input_max=1.0, requested_output_min=low,
                                requested_output_max=high, out_type=tf.quint8)
    with tf.Session() as s:
        try:
            s.run(out[1])
        except tf.errors.InvalidArgumentError as e:
            print(e.message.splitlines()[0])
# case: reshape
x = tf.bitcast(tf.constant(np.arange(12, dtype=np.uint8)), tf.quint8)
out = tf.raw_ops.QuantizedReshape(tensor=x, shape=[3, -1], input_min=-1.0, input_max=2.0)
show(*out)
with tf.Session() as s:
    show(s.run([tf.cast(out[0], tf.int32), out[1], out[2]]))
# case: normalization
rng = np.random.RandomState(4)
def eight(*shape):
    return tf.bitcast(tf.constant(rng.randint(0, 256, shape).astype(np.uint8)), tf.quint8)
for scaled in (True, False):
    out = tf.raw_ops.QuantizedBatchNormWithGlobalNormalization(
        t=eight(1, 2, 3, 2), t_min=-1.0, t_max=5.0, m=eight(2), m_min=0.0, m_max=3.0, v=eight(2), v_min=0.0,
        v_max=2.0, beta=eight(2), beta_min=-1.0, beta_max=1.0, gamma=eight(2), gamma_min=0.0, gamma_max=3.0,
        out_type=tf.qint32, variance_epsilon=0.01, scale_after_normalization=scaled)
    show(*out)
    with tf.Session() as s:
        show(s.run([tf.cast(out[0], tf.int32), out[1], out[2]]))
for given in (True, False):
    out = tf.raw_ops.QuantizedInstanceNorm(x=eight(2, 3, 4, 2), x_min=-1.0, x_max=5.0, output_range_given=given,
                                           given_y_min=-2.0, given_y_max=2.5)
    with tf.Session() as s:
        show(s.run([tf.cast(out[0], tf.int32), out[1], out[2]]))
# case: resizing
rng = np.random.RandomState(5)
x = rng.randint(0, 256, (1, 4, 5, 2))
y = rng.randint(-2**20, 2**20, (1, 4, 5, 2)).astype(np.int32)
for images in (tf.bitcast(tf.constant(x.astype(np.uint8)), tf.quint8), tf.bitcast(tf.constant(y), tf.qint32),
               tf.constant(x.astype(np.float32))):
    for corners in (False, True):
        out = tf.raw_ops.QuantizedResizeBilinear(images=images, size=[7, 3], min=-1.0, max=2.0, align_corners=corners)
        with tf.Session() as s:
            show(s.run([out[0] if out[0].dtype == tf.float32 else tf.cast(out[0], tf.int32), out[1], out[2]]))
