# case: GIF files
import struct

def packed(indices):
    """Codes of three bits, with a clear code before every second one."""
    codes = []
    for i, index in enumerate(indices):
        codes += [4, index] if i % 2 == 0 else [index]
    whole = sum(code << 3 * i for i, code in enumerate(codes + [5]))
    return whole.to_bytes((3 * len(codes) + 10) // 8, "little")

def gif(frames, width=3, height=2, colours=4, version=b"GIF89a", end=b";"):
    palette = bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9])[: 3 * colours]
    flags = {0: 0, 2: 0x80, 4: 0x81}[colours]
    data = version + struct.pack("<HH", width, height) + bytes([flags, 2, 0]) + palette
    for frame in frames:
        left, top, across, down, indices = frame[:5]
        options = frame[5] if len(frame) > 5 else {}
        data += options.get("before", b"")
        own = options.get("palette", b"")
        flags = (0x81 if own else 0) | (0x40 if options.get("interlaced") else 0)
        data += b"," + struct.pack("<HHHHB", left, top, across, down, flags) + own
        data += bytes([options.get("bits", 2)])
        codes = packed(indices)
        data += bytes([len(codes)]) + codes + b"\0"
    return data + end

control = lambda see_through, disposal: bytes(
    [0x21, 0xF9, 4, disposal << 2 | (see_through is not None), 0, 0, see_through or 0, 0])
A = [0, 1, 2, 3, 0, 1]
whole = (0, 0, 3, 2, A)
files = [
    gif([whole]), gif([whole, whole]), gif([(0, 0, 2, 2, A[:4])]), gif([(1, 0, 2, 2, A[:4])]),
    gif([whole, (1, 0, 2, 1, [1, 1])]), gif([(0, 0, 4, 3, A + A)]),
    gif([whole, (0, 0, 4, 3, A + A)]), gif([whole, (2, 1, 2, 2, [1, 0, 2, 3])]),
    gif([(0, 0, 3, 2, A[:4])]), gif([(0, 0, 3, 2, A + A)]), gif([whole], 2304, 34048),
    gif([whole], colours=0), gif([]), gif([whole], end=b""), gif([whole, (0, 0, 3, 2, [1])]),
    gif([whole, (5, 5, 3, 2, A)]), gif([whole], 0, 0), gif([whole]) + b"junk",
    gif([whole + ({"before": control(0, 0)},)]),
    gif([whole, (0, 0, 3, 2, [1, 1, 1, 0, 0, 0], {"before": control(0, 0)})]),
    gif([whole, (1, 0, 2, 2, [1, 0, 0, 2], {"before": control(0, 0)})]),
    gif([whole + ({"before": control(None, 2)},), (1, 0, 1, 1, [1])]),
    gif([whole, (0, 0, 1, 1, [2], {"before": control(None, 3)}), (1, 0, 1, 1, [1])]),
    gif([whole + ({"palette": bytes(range(12))},), (0, 0, 1, 1, [1])]),
    gif([(0, 0, 1, 6, A, {"interlaced": 1})]), gif([(0, 0, 1, 9, A + A[:3], {"interlaced": 1})]),
    gif([whole], colours=2), gif([whole + ({"before": b"!\xfe\3abc\0"},)]),
    gif([whole + ({"before": b"!\xfe\xc8abc\0"},)]), gif([whole + ({"before": b"Q"},)]),
    b"GIF89a", gif([])[:11], gif([whole], version=b"GIF88a"), gif([whole])[:-4], gif([whole])[:28],
    gif([whole, whole])[:-3], gif([whole, (0, 0, 0, 0, [])]), gif([whole]) + gif([whole]), b"", b"x",
]
data = tf.placeholder(tf.string, [])
frames, image = tf.image.decode_gif(data), tf.image.decode_image(data)
with tf.Session() as session:
    for file in files:
        for result in (frames, image):
            try:
                show(session.run(result, {data: file}))
            except tf.errors.OpError as error:
                print(type(error).__name__, str(error).split("\n")[0])
# case: JPEG files of red, green and blue
import base64
file = base64.b64decode(
    "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAQCwwODAoQDg0OEhEQExgoGhgWFhgxIyUdKDozPTw5Mzg3QEhcTkBEV0U3"
    "OFBtUVdfYmdoZz5NcXlwZHhcZWdj/8AAEQgAAwAEA1IRAEcRAEIRAP/EABUAAQEAAAAAAAAAAAAAAAAAAAUD/8QA"
    "JBAAAgEEAQIHAAAAAAAAAAAAAQIDBAURIQAGEhQxQVFhcZH/2gAMA1IARwBCAAA/AL9OK1wpKiSqmqGaOcxr2zuu"
    "FCrjQI/fPiFgstuuFsSWrpEkkVigOxrPx98VtDv4eUB2HbKy6OCQMAZ99ADJ9AOf/9k="
)
with tf.Session() as session:
    for options in (dict(), dict(channels=1), dict(dct_method="INTEGER_ACCURATE"), dict(ratio=2)):
        show(session.run(tf.image.decode_jpeg(file, **options)))
    show(session.run(tf.image.extract_jpeg_shape(file)))
# case: compressed texts
import gzip, io, zlib

def gzipped(text):
    file = io.BytesIO()
    with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as writer:
        writer.write(text)
    return file.getvalue()

text = b"hello" * 9
z, g = zlib.compress(text), gzipped(text)
data = tf.placeholder(tf.string)
with tf.Session() as session:
    for kind in ("ZLIB", "GZIP", "", "FOO"):
        result = tf.io.decode_compressed(data, kind)
        for value in (
            z, g, b"garbage", z[:-5], z[:6], z[:2], g[:12], g[:-3], z + b"zzz", z + z, g + g, b"",
            b"x", z[:8] + b"\xff\xff" + z[10:], z[:-1] + b"\0", g[:-6] + b"\0" + g[-5:],
        ):
            try:
                show(session.run(result, {data: [value]}))
            except tf.errors.OpError as error:
                print(type(error).__name__, str(error).split("\n")[0])
