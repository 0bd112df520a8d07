# case: scalar
x = tf.constant(1.5)
s = tf.summary.scalar("loss", x)
show(s)
nodes()
show(tf.get_collection(tf.GraphKeys.SUMMARIES))
with tf.Session() as sess:
    print(tf.Summary.FromString(sess.run(s)))
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
    print(tf.Summary.FromString(sess.run(tf.summary.merge_all())))
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
    print(tf.Summary.FromString(sess.run(m)))
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
# case: old scalar
s = tf.summary.scalar
from tensorflow.python.ops.gen_logging_ops import scalar_summary, histogram_summary
show(scalar_summary(["a", "b"], [1.0, 2.0]))
show(scalar_summary("a", 1.0, name="n"))
show(histogram_summary("a", [1.0]))
nodes()
# case: raw scalar tags
y = tf.raw_ops.ScalarSummary(tags=[["a", "b"]], values=[[1.0, 2.0]])
show(y)
with tf.Session() as sess:
    print(tf.Summary.FromString(sess.run(y)))
# case: raw scalar shapes
y = tf.raw_ops.ScalarSummary(tags=["a", "b"], values=[[1.0, 2.0]])
with tf.Session() as sess:
    sess.run(y)
# case: raw scalar one tag
y = tf.raw_ops.ScalarSummary(tags="a", values=[1.0])
with tf.Session() as sess:
    print(tf.Summary.FromString(sess.run(y)))
# case: raw scalar one tag two values
y = tf.raw_ops.ScalarSummary(tags="a", values=[1.0, 2.0])
with tf.Session() as sess:
    print(tf.Summary.FromString(sess.run(y)))
# case: scalar of vector
y = tf.summary.scalar("a", [1.0, 2.0])
with tf.Session() as sess:
    sess.run(y)
# case: scalar kinds
for dtype in (tf.float64, tf.int32, tf.int64, tf.uint8, tf.float16, tf.int8):
    with tf.Session() as sess:
        print(tf.Summary.FromString(sess.run(tf.summary.scalar("a", tf.constant(3, dtype)))))
# case: scalar of bool
tf.summary.scalar("a", True)
# case: histogram values
rs = np.random.RandomState(3)
for values in ([], [0.0], [1e-13, -1e-13, 1e-12, 1.0, -1.0], rs.randn(50), [1e25, -1e25, 1e19, 5e20], [3]*4):
    with tf.Session() as sess:
        print(tf.Summary.FromString(sess.run(tf.summary.histogram("a", np.asarray(values)))))
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
    print(tf.Summary.FromString(sess.run(s)))
# case: text of numbers
tf.summary.text("t", 1.0)
# case: tensor summary
s = tf.summary.tensor_summary("t", [[1.0, 2.0]], summary_description="d", display_name="dn")
show(s)
nodes()
with tf.Session() as sess:
    print(tf.Summary.FromString(sess.run(s)))
# case: tensor summary with metadata
md = tf.SummaryMetadata(display_name="z", plugin_data=tf.SummaryMetadata.PluginData(plugin_name="p"))
s = tf.summary.tensor_summary("t", [1, 2], summary_metadata=md, family="f")
nodes()
with tf.Session() as sess:
    print(tf.Summary.FromString(sess.run(s)))
    print(tf.Summary.FromString(sess.run(tf.raw_ops.TensorSummary(tensor=[1, 2], display_name="u", labels=["k"]))))
    print(tf.Summary.FromString(sess.run(tf.raw_ops.TensorSummary(tensor=["ab", "c"], description="u"))))
# case: image nodes
x = tf.zeros([4, 2, 2, 3])
s = tf.summary.image("im", x, max_outputs=2)
show(s)
show(tf.summary.image("one", x, max_outputs=1, family="f"))
nodes()
print(str(s.op.get_attr("bad_color")).split("bit")[0])
with tf.Session() as sess:
    for v in tf.Summary.FromString(sess.run(tf.summary.merge_all())).value:
        print(v.tag, v.image.height, v.image.width, v.image.colorspace, len(v.image.encoded_image_string) > 0)
# case: image pixels
import io
from PIL import Image
def pixels(x, **kwargs):
    with tf.Session() as sess:
        for v in tf.Summary.FromString(sess.run(tf.summary.image("im", x, **kwargs))).value:
            a = np.asarray(Image.open(io.BytesIO(v.image.encoded_image_string)))
            print(v.tag, v.image.colorspace, a.shape, a.ravel().tolist())
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
