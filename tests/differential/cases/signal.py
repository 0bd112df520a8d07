# case: nodes of cosine transforms
tf.signal.dct(tf.zeros([2, 5]))
tf.signal.dct(tf.zeros([2, 5]), norm="ortho")
tf.signal.dct(tf.zeros([2, 5]), type=3, norm="ortho")
tf.signal.dct(tf.zeros([2, 5]), type=1)
tf.signal.dct(tf.zeros([2, 5]), n=8)
tf.signal.dct(tf.zeros([2, 5]), n=3)
tf.signal.idct(tf.zeros([2, 5]), name="back")
tf.signal.dct(tf.placeholder(tf.float32, [2, None]))
nodes()
# case: cosine transforms
x = tf.constant(np.random.RandomState(1).uniform(-1, 1, [2, 6]).astype(np.float32))
results = []
for kind in (1, 2, 3):
    for norm in (None, "ortho") if kind > 1 else (None,):
        results.append(tf.spectral.dct(x, type=kind, norm=norm))
        results.append(tf.spectral.idct(x, type=kind, norm=norm))
        results.append(tf.gradients(results[-1], x)[0])
results.append(tf.spectral.dct(x, n=9))
results.append(tf.spectral.dct(x, n=4))
with tf.Session() as session:
    for result in results:
        show(result.shape.as_list(), np.round(session.run(result), 3))
# case: cosine transforms that do not exist
for options in (
    dict(type=5), dict(type=1, norm="ortho"), dict(axis=0), dict(norm="x"), dict(n=0),
):
    for function in (tf.signal.dct, tf.signal.idct):
        try:
            function(tf.zeros([2, 5]), **options)
        except Exception as error:
            print(type(error).__name__, error)
try:
    tf.signal.dct(tf.zeros([2, 1]), type=1)
except Exception as error:
    print(type(error).__name__, error)
# case: windows
windows = [tf.signal.hann_window(5), tf.signal.hamming_window(6, periodic=False)]
windows.append(tf.signal.hann_window(1))
nodes()
windows += [f(n, periodic=p) for f in (tf.signal.hann_window, tf.signal.hamming_window)
            for n in (1, 2, 5, 8) for p in (True, False)]
windows.append(tf.signal.hann_window(4, dtype=tf.float64))
with tf.Session() as session:
    for window in windows:
        show(session.run(window))
try:
    tf.signal.hann_window(4, dtype=tf.int32)
except Exception as error:
    print(type(error).__name__, error)
# case: pooling along one axis
x = tf.constant(np.random.RandomState(2).permutation(30).reshape(2, 5, 3).astype(np.float32))
results = [
    tf.nn.max_pool1d(x, 2, 1, "SAME"),
    tf.nn.avg_pool1d(x, [2], 2, "VALID"),
    tf.nn.max_pool1d(x, [1, 3, 1], [1, 2, 1], "VALID", name="p"),
    tf.nn.max_pool_v2(x, 2, 1, "SAME"),
    tf.nn.avg_pool_v2(x, 2, 1, "SAME"),
    tf.nn.avg_pool_v2(tf.ones([1, 3, 3, 1]), 2, [1, 2], "SAME"),
]
nodes()
with tf.Session() as session:
    for result in results:
        show(session.run(result))
    show(session.run(tf.gradients(results[:3], x)))
tf.nn.avg_pool_v2(tf.zeros([2, 5]), 2, 1, "SAME")
