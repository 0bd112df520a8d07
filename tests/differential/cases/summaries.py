# case: scalar
x = tf.constant(1.5)
s = tf.summary.scalar("loss", x)
show(s)
nodes()
show(tf.get_collection(tf.GraphKeys.SUMMARIES))
with tf.Session() as sess:
    print(str(tf.Summary.FromString(sess.run(s))).replace(".0\n", "\n"))
# case: names
x = tf.constant(1)
show(tf.summary.scalar("a b", x))
show(tf.summary.scalar("/a", x))
with tf.name_scope("outer"):
    show(tf.summary.scalar("inner", x, collections=["c"]))
    show(tf.summary.scalar("inner", x, family="fam"))
    show(tf.summary.scalar("inner", x, collections=[]))
nodes()
show(tf.get_collection("c"), tf.get_collection("summaries"))
with tf.Session() as sess:
    print(str(tf.Summary.FromString(sess.run(tf.summary.merge_all()))).replace(".0\n", "\n"))
show(tf.summary.merge_all("nothing"))
# case: merge
x = tf.constant(2.0)
a = tf.summary.scalar("a", x)
b = tf.summary.histogram("b", [1.0, 2.0, 2.0, -3.0, 0.0])
m = tf.summary.merge([a, b], collections=["m"])
n = tf.summary.merge_all()
show(m, n, tf.get_collection("m"))
nodes()
with tf.Session() as sess:
    print(str(tf.Summary.FromString(sess.run(m))).replace(".0\n", "\n"))
# case: merge in a scope
with tf.name_scope("loss"):
    a = tf.summary.scalar("a", 1.0)
    show(tf.summary.merge_all(scope="loss"))
    show(tf.summary.merge_all(scope="other"))
nodes()
# case: merge equal tags
a = tf.summary.scalar("a", 1.0)
with tf.Session() as sess:
    sess.run(tf.summary.merge([a, a]))
# case: merge wrong
tf.summary.merge("a")
# case: merge empty
tf.summary.merge([])
# case: raw scalar tags
y = tf.raw_ops.ScalarSummary(tags=[["a", "b"]], values=[[1.0, 2.0]])
show(y)
with tf.Session() as sess:
    print(str(tf.Summary.FromString(sess.run(y))).replace(".0\n", "\n"))
# case: raw scalar shapes
y = tf.raw_ops.ScalarSummary(tags=["a", "b"], values=[[1.0, 2.0]])
with tf.Session() as sess:
    sess.run(y)
# case: raw scalar one tag
y = tf.raw_ops.ScalarSummary(tags="a", values=[1.0])
with tf.Session() as sess:
    print(str(tf.Summary.FromString(sess.run(y))).replace(".0\n", "\n"))
# case: raw scalar one tag two values
y = tf.raw_ops.ScalarSummary(tags="a", values=[1.0, 2.0])
with tf.Session() as sess:
    print(str(tf.Summary.FromString(sess.run(y))).replace(".0\n", "\n"))
# case: scalar of vector
y = tf.summary.scalar("a", [1.0, 2.0])
with tf.Session() as sess:
    sess.run(y)
# case: scalar kinds
for dtype in (tf.float64, tf.int32, tf.int64, tf.uint8, tf.float16, tf.int8):
    with tf.Session() as sess:
        print(str(tf.Summary.FromString(sess.run(tf.summary.scalar("a", tf.constant(3, dtype))))).replace(".0\n", "\n"))
# case: scalar of bool
tf.summary.scalar("a", True)
# case: histogram values
rs = np.random.RandomState(3)
for values in ([], [0.0], [1e-13, -1e-13, 1e-12, 1.0, -1.0], rs.randn(50), [1e25, -1e25, 1e19, 5e20], [3]*4):
    with tf.Session() as sess:
        h = tf.Summary.FromString(sess.run(tf.summary.histogram("a", np.asarray(values)))).value[0].histo
        for v in [h.min, h.max, h.num, h.sum, h.sum_squares] + list(h.bucket_limit):
            print("%.14g" % v)
        print([int(v) for v in h.bucket])
# case: histogram of nan
with tf.Session() as sess:
    sess.run(tf.summary.histogram("a", [1.0, float("nan")]))
# case: histogram of inf
with tf.Session() as sess:
    sess.run(tf.summary.histogram("a", [1.0, float("inf")]))
# case: histogram of a negative infinity in float64
with tf.Session() as sess:
    sess.run(tf.summary.histogram("a", np.array([[1.0, float("-inf")]])))
# case: histogram tag shape
tf.raw_ops.HistogramSummary(tag=["a"], values=[1.0])
# case: text
s = tf.summary.text("t", tf.constant(["hello", "you"]))
show(s)
nodes()
with tf.Session() as sess:
    print(str(tf.Summary.FromString(sess.run(s))).replace(".0\n", "\n"))
# case: text of numbers
tf.summary.text("t", 1.0)
# case: tensor summary
s = tf.summary.tensor_summary("t", [[1.0, 2.0]], summary_description="d", display_name="dn")
show(s)
nodes()
with tf.Session() as sess:
    print(str(tf.Summary.FromString(sess.run(s))).replace(".0\n", "\n"))
# case: tensor summary with metadata
md = tf.SummaryMetadata(display_name="z", plugin_data=tf.SummaryMetadata.PluginData(plugin_name="p"))
s = tf.summary.tensor_summary("t", [1, 2], summary_metadata=md, family="f")
nodes()
with tf.Session() as sess:
    print(str(tf.Summary.FromString(sess.run(s))).replace(".0\n", "\n"))
    print(str(tf.Summary.FromString(sess.run(tf.raw_ops.TensorSummary(tensor=[1, 2], display_name="u", labels=["k"])))).replace(".0\n", "\n"))
    print(str(tf.Summary.FromString(sess.run(tf.raw_ops.TensorSummary(tensor=["ab", "c"], description="u")))).replace(".0\n", "\n"))
# case: image nodes
x = tf.zeros([4, 2, 2, 3])
s = tf.summary.image("im", x, max_outputs=2)
show(s)
show(tf.summary.image("one", x, max_outputs=1, family="f"))
nodes()
show(tf.make_ndarray(s.op.get_attr("bad_color")))
with tf.Session() as sess:
    for v in tf.Summary.FromString(sess.run(tf.summary.merge_all())).value:
        print(v.tag, v.image.height, v.image.width, v.image.colorspace, len(v.image.encoded_image_string) > 0)
# case: image pixels
import zlib
def decoded(png):
    data, place = b"", 8
    while place < len(png):
        size = int.from_bytes(png[place:place + 4], "big")
        if png[place + 4:place + 8] == b"IHDR":
            width, height, _, kind = np.frombuffer(png[place + 8:place + 18], ">u4,>u4,u1,u1")[0]
        if png[place + 4:place + 8] == b"IDAT":
            data += png[place + 8:place + 8 + size]
        place += size + 12
    n = {0: 1, 2: 3, 6: 4}[int(kind)]
    lines = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, -1).astype(int)
    image = np.zeros((height + 1, (width + 1) * n), int)
    for y, line in enumerate(lines):
        for x in range(width * n):
            left, up, corner = image[y + 1, x], image[y, x + n], image[y, x]
            p = left + up - corner
            paeth = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))
            guess = (0, left, up, (left + up) // 2, paeth[2])[line[0]]
            image[y + 1, x + n] = (line[x + 1] + guess) % 256
    return image[1:, n:].ravel().tolist()
def pixels(x, **kwargs):
    with tf.Session() as sess:
        for v in tf.Summary.FromString(sess.run(tf.summary.image("im", x, **kwargs))).value:
            print(v.tag, v.image.colorspace, decoded(v.image.encoded_image_string))
rs = np.random.RandomState(0)
pixels(rs.randint(0, 255, (2, 2, 2, 3)).astype(np.uint8))
pixels(rs.rand(2, 2, 2, 1).astype(np.float32))
pixels(rs.randn(2, 2, 2, 1).astype(np.float32))
pixels(rs.randn(2, 2, 2, 3).astype(np.float32) * 100)
pixels(rs.randn(1, 2, 2, 4).astype(np.float32) * 100, max_outputs=1)
pixels(rs.randn(1, 2, 2, 3) * 1e-3)
pixels(rs.rand(1, 2, 2, 3).astype(np.float16) * 2)
pixels(np.zeros((1, 2, 2, 1), np.float32))
pixels(-np.ones((1, 2, 2, 1), np.float32))
x = rs.rand(1, 2, 2, 3).astype(np.float32)
x[0, 0, 0, 1] = np.nan
pixels(x)
x = rs.randn(1, 2, 2, 1).astype(np.float32)
x[0, 0, 0, 0] = np.inf
pixels(x)
x[:] = np.nan
pixels(x)
# case: image rank
tf.summary.image("im", tf.zeros([2, 2, 3]))
# case: image channels
with tf.Session() as sess:
    sess.run(tf.summary.image("im", tf.zeros([1, 2, 2, 5])))
# case: image rank at run time
with tf.Session() as sess:
    x = tf.placeholder(tf.float32)
    sess.run(tf.summary.image("im", x), {x: np.zeros((2, 2))})
# case: audio nodes
x = tf.zeros([4, 20, 1])
s = tf.summary.audio("au", x, 44100.0, max_outputs=2)
show(s)
nodes()
with tf.Session() as sess:
    for v in tf.Summary.FromString(sess.run(s)).value:
        a = v.audio
        print(v.tag, a.sample_rate, a.num_channels, a.length_frames, a.content_type, a.encoded_audio_string.hex())
rs = np.random.RandomState(0)
with tf.Session() as sess:
    for v in tf.Summary.FromString(sess.run(tf.summary.audio("au", rs.randn(1, 6, 2).astype(np.float32), 8000, 1))).value:
        a = v.audio
        print(v.tag, a.sample_rate, a.num_channels, a.length_frames, a.content_type, a.encoded_audio_string.hex())
    for v in tf.Summary.FromString(sess.run(tf.summary.audio("au", rs.randn(2, 6).astype(np.float32), 8000))).value:
        a = v.audio
        print(v.tag, a.sample_rate, a.num_channels, a.length_frames, a.content_type, a.encoded_audio_string.hex())
