# case: nodes of sound
from tensorflow.contrib.framework.python.ops import audio_ops
tf.audio.decode_wav(b"abc")
tf.audio.decode_wav(tf.placeholder(tf.string), 2, 100, name="in")
tf.audio.encode_wav([[0.5]], 8000)
show(audio_ops.audio_spectrogram(tf.zeros([40, 2]), window_size=10, stride=7))
show(audio_ops.audio_spectrogram(tf.placeholder(tf.float32), 16, 9, magnitude_squared=True))
show(audio_ops.mfcc(tf.zeros([2, 3, 17]), 8000, dct_coefficient_count=4, name="m"))
show(*audio_ops.decode_wav(b"abc", desired_channels=1, desired_samples=10))
show(*audio_ops.decode_wav(b"abc"))
show(audio_ops.encode_wav([[0.5]], 8000))
nodes()
# case: WAV files
import struct
numbers = np.array([0, 16384, -16384, 32767, -32768, 1], "<i2").tobytes()

def wav(samples=numbers, rate=8000, channels=1, bits=16, kind=1, extra=b"", size=16, riff=b"RIFF",
        wave=b"WAVE", length=None, per_second=None, per_sample=None, name=b"fmt "):
    per_second = rate * channels * bits // 8 if per_second is None else per_second
    per_sample = channels * bits // 8 if per_sample is None else per_sample
    head = struct.pack("<HHIIHH", kind, channels, rate, per_second, per_sample, bits)
    head += b"\0" * (size - 16)
    length = len(samples) if length is None else length
    body = wave + name + struct.pack("<I", size) + head + extra
    body += b"data" + struct.pack("<I", length) + samples
    return riff + struct.pack("<I", len(body)) + body

def attempt(contents, **options):
    try:
        with tf.Session() as session:
            result = tf.audio.decode_wav(contents, **options)
            show(result.audio.shape.as_list(), session.run(result))
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0].split(" for '")[0])

for contents in (
    wav(), wav(channels=2), wav(channels=3), wav(size=18), wav(rate=0), wav(b""),
    wav(extra=b"LIST" + struct.pack("<I", 4) + b"abcd"), wav(size=17), wav(size=40), wav(size=14),
    wav(riff=b"RIFX"), wav(wave=b"WAVX"), wav(name=b"fmx "), wav(bits=8), wav(bits=24),
    wav(kind=3), wav(channels=0), wav(per_second=5), wav(per_sample=5), wav()[:-4], wav()[:40],
    wav()[:36], wav()[:20], b"abc", b"", wav(length=2 ** 31), wav(length=2 ** 32 - 2),
    wav(length=2 ** 31 - 2), wav(numbers + b"x"), wav().replace(b"data", b"dat2"),
    wav(extra=b"LIST" + struct.pack("<I", 4000)), wav() + b"data\2\0\0\0ab",
    wav(extra=b"LIST" + struct.pack("<I", 3) + b"abc\0"), wav(numbers[:10], channels=2),
    wav(kind=3, channels=0, bits=8), wav(channels=0, bits=8), wav(bits=8, per_second=9),
    [wav()],
):
    attempt(contents)
attempt(tf.placeholder_with_default([wav()], None))
for options in (
    dict(desired_channels=1), dict(desired_channels=3), dict(desired_channels=0),
    dict(desired_samples=2), dict(desired_samples=8), dict(desired_samples=0),
    dict(desired_samples=-2), dict(desired_channels=-2),
    dict(desired_channels=1, desired_samples=5),
):
    attempt(wav(channels=2), **options)
# case: writing WAV files
def attempt(audio, rate):
    try:
        with tf.Session() as session:
            show(session.run(tf.audio.encode_wav(audio, rate)))
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0].split(" for '")[0])

attempt([[0.0], [0.5], [-1], [1], [2], [-3], [0.25001]], 44100)
attempt([[0.0, 1], [0.5, 0.1]], 8000)
steps = np.array([[0.5, 1.5, 2.5, -0.5, -1.5, -2.5, -32768, -40000, 32767.4]], np.float32)
attempt(steps.T / 32768, 5)
attempt(tf.zeros([0, 1]), 8000)
attempt(tf.zeros([3, 0]), 8000)
attempt(tf.zeros([3]), 8000)
attempt(tf.placeholder_with_default(tf.zeros([3]), None), 8000)
attempt(tf.zeros([3, 1]), [8000])
attempt(tf.zeros([3, 1]), tf.placeholder_with_default([8000], None))
attempt(tf.zeros([3, 1]), 0)
attempt(tf.zeros([3, 1]), -5)
# case: spectrograms
from tensorflow.contrib.framework.python.ops import audio_ops
sound = np.sin(np.arange(40) * 0.7).astype(np.float32)[:, None]

def attempt(audio, *arguments, **options):
    try:
        with tf.Session() as session:
            result = audio_ops.audio_spectrogram(audio, *arguments, **options)
            show(result.shape, np.round(session.run(result), 3))
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0].split(" for '")[0])

attempt(sound, 8, 5)
attempt(sound, 10, 7, magnitude_squared=True)
attempt(np.concatenate([sound[:32], sound[:32] * 2], 1), 16, 16)
attempt(sound, 16, 9)
attempt(sound[:5], 16, 16)
attempt(sound[:5], 2, 1)
attempt(sound[:5], 1, 1)
attempt(sound[:5], 0, 1)
attempt(sound[:5, 0], 4, 2)
attempt(tf.placeholder_with_default(sound[:5, 0], None), 4, 2)
attempt(tf.placeholder_with_default(sound, None), 16, 9)
attempt(sound[:0], 4, 2)
# case: cepstral coefficients
from tensorflow.contrib.framework.python.ops import audio_ops
spectra = (np.arange(2 * 3 * 17).reshape(2, 3, 17) % 7).astype(np.float32)

def attempt(spectrogram, rate, **options):
    try:
        with tf.Session() as session:
            result = audio_ops.mfcc(spectrogram, rate, **options)
            show(result.shape, np.round(session.run(result), 3) + 0)
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0].split(" for '")[0])

attempt(spectra, 16000)
attempt(spectra, 8000, upper_frequency_limit=3000, lower_frequency_limit=100,
        filterbank_channel_count=6, dct_coefficient_count=4)
attempt((np.arange(129) % 5).astype(np.float32).reshape(1, 1, 129), 16000)
attempt(np.random.RandomState(3).uniform(0, 100, [1, 2, 257]).astype(np.float32), 16000)
attempt(spectra[0], 16000)
attempt(tf.placeholder_with_default(spectra[0], None), 16000)
attempt(spectra, [16000])
attempt(spectra, tf.placeholder_with_default([16000], None))
attempt(spectra, 0)
attempt(spectra, 8000, upper_frequency_limit=100, lower_frequency_limit=200)
attempt(spectra, 8000, lower_frequency_limit=-200)
attempt(spectra, 8000, filterbank_channel_count=0)
attempt(spectra, 8000, dct_coefficient_count=0)
attempt(spectra, 8000, dct_coefficient_count=50, filterbank_channel_count=10)
attempt(spectra, 8000, upper_frequency_limit=10000)
attempt(spectra[:, :, :1], 8000)
attempt(spectra * 0, 8000)
# case: ffmpeg
from tensorflow.contrib import ffmpeg

def attempt(function, *arguments, **options):
    try:
        with tf.Session() as session:
            result = function(*arguments, **options)
            show(result.shape, session.run(result))
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0].split(" for '")[0])

unknown = lambda value: tf.placeholder_with_default(value, None)
for options in (
    ("wav", 8000, 1), ("xyz", 8000, 1), ("wav", -1, 1), ("wav", 10, 0), (["wav"], 10, 1),
    ("wav", [8000], 1), ("wav", 0, 1), ("wav", 10, unknown(0)),
):
    attempt(ffmpeg.decode_audio, b"abc", *options)
attempt(ffmpeg.decode_audio, b"abc", "WAV", 8000, 1, stream="0")
attempt(ffmpeg.decode_audio, [b"abc"], "wav", 8000, 1)
attempt(ffmpeg.encode_audio, [[2.0, -2.0, 0.5, 0.1]], file_format="wav", samples_per_second=5)
attempt(ffmpeg.encode_audio, tf.zeros([0, 1]), "WAV", 8000)
attempt(ffmpeg.encode_audio, tf.zeros([5]), "wav", 8000)
attempt(ffmpeg.encode_audio, tf.zeros([5, 1]), "mp3", 8000)
attempt(ffmpeg.encode_audio, tf.zeros([5, 1]), "wav", 0)
attempt(ffmpeg.decode_video, b"abc")
attempt(ffmpeg.decode_video, [b"abc"])
nodes()
