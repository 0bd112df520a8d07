# case: nodes of frames
tf.signal.frame(tf.placeholder(tf.float32, [2, 10]), 4, 2)
tf.signal.frame(tf.placeholder(tf.float32, [2, 10]), 4, 3, pad_end=True)
tf.contrib.signal.frame(tf.placeholder(tf.float32, [10, 3]), 4, 2, axis=0)
nodes()
# case: nodes of frames of unknown shape
tf.signal.frame(tf.placeholder(tf.float32, [None, None]), 4, 2)
tf.signal.frame(tf.placeholder(tf.float32, None), 4, 2, pad_end=True, pad_value=3)
nodes()
# case: nodes of frames of tensors
length = tf.placeholder(tf.int32, [])
tf.signal.frame(tf.placeholder(tf.float32, [2, 10]), length, length)
nodes()
# case: shapes of frames
for shape in ([10], [2, 10], [10, 3], [None, 3], [2, None, 4], None):
    for axis in (-1, 0):
        for end in (True, False):
            x = tf.placeholder(tf.float32, shape)
            show(shape, axis, end, tf.signal.frame(x, 4, 2, pad_end=end, axis=axis).shape.as_list()
                 if shape else tf.signal.frame(x, 4, 2, pad_end=end, axis=axis).shape.ndims)
x = tf.placeholder(tf.float32, [2, 10])
show(tf.signal.frame(x, tf.placeholder(tf.int32, []), 2).shape.as_list())
show(tf.signal.frame(x, 4, 2, axis=tf.placeholder(tf.int32, [])).shape.ndims)
# case: frames
x = tf.constant(np.arange(24, dtype=np.float32).reshape(2, 12))
y = tf.transpose(x)
step = tf.placeholder_with_default(3, [])
results = [
    tf.signal.frame(x, 4, 2), tf.signal.frame(x, 5, 3), tf.signal.frame(x, 5, 3, pad_end=True),
    tf.signal.frame(x, 13, 1), tf.signal.frame(x, 20, 7, pad_end=True, pad_value=-1),
    tf.signal.frame(y, 4, 4, axis=0), tf.signal.frame(y, 3, 2, pad_end=True, axis=0),
    tf.signal.frame(x, step + 1, step), tf.signal.frame(x, step, step, pad_end=True),
    tf.signal.frame(tf.zeros([2, 0]), 3, 2), tf.signal.frame(tf.zeros([0, 7]), 3, 2),
    tf.signal.frame(tf.zeros([2, 0]), 3, 2, pad_end=True),
]
for result in results[:9]:
    results.append(tf.gradients(result * result, x)[0])
with tf.Session() as session:
    for _ in range(2):
        for result in results:
            show(result.shape.as_list(), session.run(result))
# case: frames that do not exist
for arguments in (
    (tf.zeros([]), 4, 2), (tf.zeros([2, 3]), [4], 2), (tf.zeros([2, 3]), 4, [2]),
    (tf.zeros([2, 3]), 4, 2, False, 0, [2]), (tf.zeros([2, 3]), 4, 2, False, 0, 5),
    (tf.zeros([2, 3]), 4, 2, True, [4]), (tf.zeros([2, 3]), 1.5, 1),
):
    try:
        show(tf.signal.frame(*arguments))
    except Exception as error:
        print(type(error).__name__, str(error).split(" for '")[0])
# case: nodes of overlapping
tf.signal.overlap_and_add(tf.placeholder(tf.float32, [2, 3, 4]), 2)
tf.signal.overlap_and_add(tf.placeholder(tf.float32, [5, 4]), tf.placeholder(tf.int32, []))
tf.contrib.signal.overlap_and_add(tf.placeholder(tf.float32, None), 2, name="add")
nodes()
# case: overlapping
x = tf.constant(np.random.RandomState(3).randint(0, 9, [2, 5, 4]).astype(np.float32))
step = tf.placeholder_with_default(2, [])
results = [tf.signal.overlap_and_add(x, n) for n in (1, 2, 3, 4, step)]
results += [tf.signal.overlap_and_add(x[0], 3), tf.signal.overlap_and_add(x, 6)]
results += [tf.gradients(result * result, x)[0] for result in results]
with tf.Session() as session:
    for _ in range(2):
        for result in results:
            show(result.shape.as_list(), session.run(result))
# case: overlapping that does not exist
for arguments in ((tf.zeros([2]), 1), (tf.zeros([2, 3]), 1.5), (tf.zeros([2, 3]), [1])):
    try:
        tf.signal.overlap_and_add(*arguments)
    except Exception as error:
        print(type(error).__name__, error)
# case: windows of unknown length
length = tf.placeholder(tf.int32, [])
windows = [tf.signal.hann_window(length), tf.signal.hamming_window(length, periodic=False)]
nodes()
with tf.Session() as session:
    for n in (1, 2, 5, 8):
        show(session.run(windows, {length: n}))
# case: nodes of spectra
tf.signal.stft(tf.zeros([2, 100]), 16, 8)
tf.signal.stft(tf.zeros([2, 100]), 16, 8, fft_length=20, window_fn=None, pad_end=True)
tf.contrib.signal.stft([1.0, 2.0, 3.0, 4.0], 3, 1, fft_length=4, name="q")
nodes()
# case: nodes of spectra of tensors
length = tf.placeholder(tf.int32, [])
tf.signal.stft(tf.zeros([2, 100]), length, length)
nodes()
# case: nodes of signals of spectra
tf.signal.inverse_stft(tf.zeros([2, 9, 9], tf.complex64), 16, 8)
tf.signal.inverse_stft(tf.zeros([2, 9, 9], tf.complex64), 12, 8, fft_length=16, window_fn=None)
tf.signal.inverse_stft(tf.zeros([2, 9, 9], tf.complex64), 20, 8, fft_length=16)
nodes()
# case: nodes of signals of spectra of unknown lengths
length = tf.placeholder(tf.int32, [])
spectra = tf.zeros([2, 9, 9], tf.complex64)
tf.signal.inverse_stft(spectra, length, length, tf.placeholder(tf.int32, []))
window = tf.signal.inverse_stft_window_fn(8)
tf.signal.inverse_stft(tf.placeholder(tf.complex64, None), 12, 8, window_fn=window)
nodes()
# case: inverse windows
window = tf.signal.inverse_stft_window_fn(3, forward_window_fn=tf.signal.hamming_window)
results = [tf.signal.inverse_stft_window_fn(8)(16, tf.float32), window(7, tf.float32)]
results.append(tf.contrib.signal.inverse_stft_window_fn(2, name="back")(9, dtype=tf.float64))
nodes()
with tf.Session() as session:
    show(session.run(results))
# case: spectra and back
x = tf.constant(np.random.RandomState(4).randint(-9, 9, [2, 50]).astype(np.float32))
for options in (
    dict(frame_length=16, frame_step=8), dict(frame_length=12, frame_step=5, fft_length=16),
    dict(frame_length=8, frame_step=2, fft_length=8), dict(frame_length=20, frame_step=5),
    dict(frame_length=9, frame_step=9, fft_length=9), dict(frame_length=1, frame_step=1),
):
    window = tf.signal.inverse_stft_window_fn(options["frame_step"])
    for forward in (None, tf.signal.hann_window):
        spectra = tf.signal.stft(x, window_fn=forward, **options)
        padded = tf.signal.stft(x, window_fn=forward, pad_end=True, **options)
        back = tf.signal.inverse_stft(spectra, window_fn=forward and window, **options)
        gradient = tf.gradients(tf.reduce_sum(back * back), x)[0]
        shapes = [t.shape.as_list() for t in (spectra, padded, back)]
        with tf.Session() as session:
            show(shapes, np.round(session.run(spectra), 2)[0, 0], session.run(padded).shape)
            show(np.round(session.run(back), 2)[0], np.round(session.run(gradient)[0, 5:20], 1))
# case: spectra that do not exist
for function, arguments in (
    (tf.signal.stft, (tf.zeros([]), 3, 1)), (tf.signal.stft, (tf.zeros([10]), [3], 1)),
    (tf.signal.stft, (tf.zeros([10]), 3, [1])), (tf.signal.stft, (tf.zeros([10]), 3, 1, [2])),
    (tf.signal.stft, (tf.zeros([10], tf.float64), 3, 1)),
    (tf.signal.stft, (tf.zeros([10], tf.int32), 3, 1)),
    (tf.signal.inverse_stft, (tf.zeros([9], tf.complex64), 3, 1)),
    (tf.signal.inverse_stft, (tf.zeros([9, 9], tf.complex64), [3], 1)),
    (tf.signal.inverse_stft, (tf.zeros([9, 9], tf.complex64), 3, [1])),
    (tf.signal.inverse_stft, (tf.zeros([9, 9], tf.complex64), 3, 1, [2])),
    (tf.signal.inverse_stft, (tf.zeros([9, 9], tf.float32), 3, 1)),
):
    try:
        function(*arguments)
    except Exception as error:
        print(type(error).__name__, error)
# case: nodes of the mel scale
tf.signal.linear_to_mel_weight_matrix(5, 17)
tf.contrib.signal.mfccs_from_log_mel_spectrograms(tf.zeros([2, 5, 20]))
tf.signal.mfccs_from_log_mel_spectrograms(tf.placeholder(tf.float32, [2, None]))
nodes()
# case: nodes of the mel scale in float64
tf.signal.linear_to_mel_weight_matrix(5, 17, tf.constant(9000), 20.0, 3000.0, dtype=tf.float64)
nodes()
# case: mel scale
results = [
    tf.signal.linear_to_mel_weight_matrix(), tf.signal.linear_to_mel_weight_matrix(3, 9),
    tf.signal.linear_to_mel_weight_matrix(10, 20, 16000, 0.0, 8000.0, tf.float64),
    tf.signal.linear_to_mel_weight_matrix(10, 20, 16000.0, 10, 5000),
    tf.signal.linear_to_mel_weight_matrix(4, tf.placeholder_with_default(6, [])),
]
x = np.random.RandomState(5).uniform(-1, 1, [2, 3, 6]).astype(np.float32)
results.append(tf.signal.mfccs_from_log_mel_spectrograms(x))
results.append(tf.signal.mfccs_from_log_mel_spectrograms(tf.placeholder_with_default(x, None)))
with tf.Session() as session:
    for result in results:
        show(result.shape.ndims and result.shape.as_list(), np.round(session.run(result), 3))
# case: mel scales that do not exist
for options in (
    dict(num_mel_bins=0), dict(num_mel_bins=-1, sample_rate=-1), dict(lower_edge_hertz=-1),
    dict(lower_edge_hertz=100, upper_edge_hertz=10), dict(sample_rate=0.0),
    dict(upper_edge_hertz=1000, sample_rate=500), dict(dtype=tf.int32), dict(sample_rate=-3),
    dict(upper_edge_hertz=5000.0), dict(sample_rate=tf.placeholder(tf.float32, [])),
    dict(sample_rate=tf.placeholder(tf.float32, []), num_mel_bins=-1),
    dict(sample_rate=tf.placeholder(tf.float32, []), lower_edge_hertz=-1),
    dict(sample_rate=-1, lower_edge_hertz=-1), dict(sample_rate=-1, dtype=tf.int32),
    dict(upper_edge_hertz=1000, sample_rate=500, dtype=tf.int32),
    dict(sample_rate=-1, lower_edge_hertz=20, upper_edge_hertz=10),
):
    try:
        tf.signal.linear_to_mel_weight_matrix(**options)
    except Exception as error:
        print(type(error).__name__, error)
try:
    tf.signal.mfccs_from_log_mel_spectrograms(tf.zeros([2, 0], name="z"))
except Exception as error:
    print(type(error).__name__, error)
tf.signal.mfccs_from_log_mel_spectrograms(tf.zeros([]))
# case: lengths of transforms
x = tf.constant(np.random.RandomState(6).randint(-9, 9, [2, 6]).astype(np.float32))
c = tf.complex(x, x * 0.5)
results = []
for n in (1, 2, 3, 6, 9, 10):
    results += [tf.signal.rfft(x, [n]), tf.signal.irfft(c, [n])]
    results += [tf.signal.rfft2d(x, [n, 3]), tf.signal.irfft2d(c, [3, n])]
results += [tf.signal.rfft(x), tf.signal.irfft(c)]
with tf.Session() as session:
    for result in results:
        show(result.shape.as_list(), np.round(session.run(result), 2) + 0)
# case: nodes of transforms of unknown shapes
for forward, backward, rank in (
    (tf.signal.rfft, tf.signal.irfft, 1), (tf.signal.rfft2d, tf.signal.irfft2d, 2),
):
    forward(tf.placeholder(tf.float32, [None, None, None]))
    backward(tf.placeholder(tf.complex64, [None, None, None]))
    backward(tf.placeholder(tf.complex64, None), [4] * rank)
    forward(tf.placeholder(tf.float32, [2, 3, 4]), tf.placeholder(tf.int32, [rank]))
nodes()
# case: lengths that transforms refuse
for length in ([[2]], 2, [2, 3, 4]):
    try:
        tf.signal.rfft(tf.placeholder(tf.float32, [2, 3, 4]), length)
    except Exception as error:
        print(type(error).__name__, error)
try:
    tf.signal.rfft2d(tf.placeholder(tf.float32, [3]))
except Exception as error:
    print(type(error).__name__, error)
# case: divisors
from tensorflow.python.ops.signal import util_ops
for pair in (
    (4, 6), ([4], 6), (4, [6]), (4.0, 6), (4, 6.0), (0, 0), (-4, 6), (tf.constant(12, tf.int64), 18),
):
    try:
        with tf.Session() as session:
            result = util_ops.gcd(*pair)
            show(result, session.run(result))
    except Exception as error:
        print(type(error).__name__, error)
a, b = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
result = util_ops.gcd(a, b, name="g")
with tf.Session() as session:
    show([session.run(result, {a: x, b: y}) for x, y in ((4, 6), (6, 4), (5, 0), (0, 5), (7, 3))])
nodes()
# case: mel numbers
from tensorflow.python.ops.signal import mel_ops, spectral_ops
show(mel_ops._MEL_HIGH_FREQUENCY_Q, mel_ops._MEL_BREAK_FREQUENCY_HERTZ)
mels = mel_ops._hertz_to_mel(tf.constant([0.0, 700.0, 1000.0]))
powers = [spectral_ops._enclosing_power_of_two(tf.constant(n)) for n in (1, 2, 3, 5, 8, 9, 1000)]
n = tf.placeholder(tf.int32, [])
with tf.Session() as session:
    show(session.run([mels, mel_ops._mel_to_hertz(mels)]), session.run(powers))
    show([session.run(spectral_ops._enclosing_power_of_two(n), {n: k}) for k in (1, 2, 3, 9, 100)])
# case: kernel labels of transforms
from tensorflow.python.ops import spectral_ops_test_util
with spectral_ops_test_util.fft_kernel_label_map():
    x = tf.fft([1.0 + 2j, 3.0])
    y = tf.signal.dct([1.0, 2.0, 4.0])
with tf.Session() as session:
    show(session.run([x, y]))
