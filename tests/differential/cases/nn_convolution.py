# case: conv2d and its gradients
x = tf.placeholder(tf.float32, [2, 5, 6, 3])
w = tf.placeholder(tf.float32, [3, 2, 3, 4])
y = tf.nn.conv2d(x, w, [1, 2, 1, 1], "SAME")
first = tf.gradients(y, [x, w])
show(first)
show(tf.gradients(first, [x, w, y], name="second"))
nodes()
# case: conv2d of unknown shapes
x = tf.placeholder(tf.float32, [None, None, 6, 3])
show(tf.nn.conv2d(x, tf.placeholder(tf.float32, [3, 2, 3, 4]), [1, 2, 2, 1], "VALID"))
show(tf.nn.conv2d(x, tf.placeholder(tf.float32, [None, None, 3, 4]), [1, 2, 2, 1], "VALID"))
show(tf.nn.conv2d(x, tf.placeholder(tf.float32), [1, 2, 2, 1], "SAME"))
show(tf.nn.conv2d(tf.placeholder(tf.float32), tf.placeholder(tf.float32), [1, 2, 2, 1], "VALID"))
show(tf.nn.conv2d(x, tf.placeholder(tf.float32, [3, 2, None, 4]), 2, [[0, 0], [1, 1], [2, 0], [0, 0]]))
# case: conv2d arguments
x, w = np.ones([1, 6, 6, 1], "f"), np.ones([2, 2, 1, 1], "f")
show(tf.nn.conv2d(x, w, 2, "SAME"), tf.nn.conv2d(x, w, [2, 3], "VALID", name="q"))
show(tf.nn.conv2d(x, filters=w, strides=[1], padding="SAME", dilations=2))
show(tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME", data_format=None))
nodes()
# case: conv2d too large a filter
tf.nn.conv2d(tf.zeros([1, 3, 3, 1]), tf.zeros([5, 5, 1, 1]), [1, 1, 1, 1], "VALID")
# case: conv2d wrong depth
tf.nn.conv2d(tf.zeros([1, 3, 3, 3]), tf.zeros([2, 2, 2, 1]), [1, 1, 1, 1], "SAME")
# case: conv2d wrong rank
tf.nn.conv2d(tf.zeros([3, 3, 3]), tf.zeros([2, 2, 2, 1]), [1, 1, 1, 1], "SAME")
# case: conv2d wrong rank of the filter
tf.nn.conv2d(tf.zeros([1, 3, 3, 3]), tf.zeros([2, 2, 1]), [1, 1, 1, 1], "SAME")
# case: conv2d three strides
tf.nn.conv2d(tf.zeros([1, 3, 3, 3]), tf.zeros([2, 2, 3, 1]), [1, 1, 1], "SAME")
# case: conv2d wrong padding
tf.nn.conv2d(tf.zeros([1, 3, 3, 3]), tf.zeros([2, 2, 3, 1]), [1, 1, 1, 1], "same")
# case: conv2d without padding
tf.nn.conv2d(tf.zeros([1, 3, 3, 3]), tf.zeros([2, 2, 3, 1]), [1, 1, 1, 1], None)
# case: conv2d both filters
tf.nn.conv2d(tf.zeros([1, 3, 3, 3]), tf.zeros([2, 2, 3, 1]), 1, "SAME", filters=tf.zeros([2, 2, 3, 1]))
# case: conv2d wrong data format
tf.nn.conv2d(tf.zeros([1, 3, 3, 3]), tf.zeros([2, 2, 3, 1]), 1, "SAME", data_format="NHCW")
# case: conv2d of integers
tf.nn.conv2d(tf.zeros([1, 3, 3, 3], tf.int32), tf.zeros([2, 2, 3, 1], tf.int32), 1, "SAME")
# case: conv2d of two types
tf.nn.conv2d(tf.zeros([1, 3, 3, 3]), tf.zeros([2, 2, 3, 1], tf.float64), 1, "SAME")
# case: conv2d strides in the batch
tf.nn.conv2d(tf.zeros([2, 3, 3, 3]), tf.zeros([2, 2, 3, 1]), [2, 1, 1, 1], "SAME")
# case: conv2d stride zero
tf.nn.conv2d(tf.zeros([2, 3, 3, 3]), tf.zeros([2, 2, 3, 1]), [1, 0, 1, 1], "SAME")
# case: conv2d explicit paddings of the batch
tf.nn.conv2d(tf.zeros([2, 3, 3, 3]), tf.zeros([2, 2, 3, 1]), 1, [[1, 0], [0, 0], [0, 0], [0, 0]])
# case: conv2d explicit paddings too short
tf.nn.conv2d(tf.zeros([2, 3, 3, 3]), tf.zeros([2, 2, 3, 1]), 1, [[1, 0], [0, 0]])
# case: conv2d too large a filter at run time
x = tf.placeholder_with_default(np.zeros([1, 3, 3, 3], "f"), [1, None, 3, 3])
tf.Session().run(tf.nn.conv2d(x, tf.zeros([5, 2, 3, 1]), [1, 1, 1, 1], "VALID"))
# case: conv2d wrong rank at run time
x = tf.placeholder_with_default(np.zeros([1, 3, 3], "f"), None)
tf.Session().run(tf.nn.conv2d(x, tf.zeros([5, 2, 3, 1]), [1, 1, 1, 1], "VALID"))
# case: conv2d_transpose
x = tf.placeholder(tf.float32, [2, 3, 4, 5])
w = tf.placeholder(tf.float32, [3, 3, 2, 5])
y = tf.nn.conv2d_transpose(x, w, [2, 6, 8, 2], [1, 2, 2, 1])
show(y, tf.gradients(y, [x, w]))
batch = tf.placeholder(tf.int32, [])
show(tf.nn.conv2d_transpose(x, w, tf.stack([batch, 6, 8, 2]), 2, name="t"))
show(tf.nn.conv2d_transpose(x, w, tf.placeholder(tf.int32), 2, "VALID"))
nodes()
# case: conv2d_transpose wrong padding
tf.nn.conv2d_transpose(tf.zeros([1, 2, 2, 3]), tf.zeros([2, 2, 1, 3]), [1, 4, 4, 1], 2, "FULL")
# case: conv2d_transpose wrong output size at run time
y = tf.nn.conv2d_transpose(tf.zeros([1, 2, 2, 3]), tf.zeros([2, 2, 1, 3]), [1, 5, 4, 1], 2)
tf.Session().run(y)
# case: conv2d backprops by name
show(tf.nn.conv2d_backprop_input([1, 4, 4, 2], tf.zeros([2, 2, 2, 3]), tf.zeros([1, 4, 4, 3]), [1, 1, 1, 1], "SAME"))
show(tf.nn.conv2d_backprop_filter(tf.zeros([1, 4, 4, 2]), [2, 2, 2, 3], tf.zeros([1, 4, 4, 3]), [1, 1, 1, 1], "SAME"))
nodes()
# case: values of conv2d
x = np.sin(np.arange(2 * 5 * 6 * 3, dtype="f")).reshape(2, 5, 6, 3)
with tf.Session() as session:
    for rows, columns, stride, padding, dilation in [
        (3, 3, 1, "SAME", 1), (2, 4, 1, "SAME", 1), (3, 2, 2, "VALID", 1), (4, 2, 3, "SAME", 1),
        (2, 2, 1, "VALID", 2), (3, 3, 1, "SAME", 2), (1, 1, 2, "SAME", 1),
    ]:
        w = np.cos(np.arange(rows * columns * 3 * 2, dtype="f")).reshape(rows, columns, 3, 2)
        strides, spread = [1, stride, stride, 1], [1, dilation, dilation, 1]
        a, b = tf.constant(x), tf.constant(w)
        y = tf.nn.conv2d(a, b, strides, padding, dilations=spread)
        values = [y] if dilation > 1 else [y, *tf.gradients(y * y, [a, b])]
        show([np.around(v, 2) for v in session.run(values)])
# case: values of conv2d in other types
x = (np.arange(32) % 5 - 2).reshape(1, 4, 4, 2)
w = (np.arange(36) % 7 - 3).reshape(3, 3, 2, 2)
with tf.Session() as session:
    for dtype in tf.float64, tf.float16:
        a, b = tf.constant(x, dtype), tf.constant(w, dtype)
        y = tf.nn.conv2d(a, b, [1, 1, 1, 1], "SAME")
        show(session.run([y] + tf.gradients(y, [a, b])))
# case: values of conv2d with explicit paddings
x = (np.arange(32) % 5 - 2).reshape(1, 4, 4, 2).astype("f")
w = (np.arange(36) % 7 - 3).reshape(3, 3, 2, 2).astype("f")
a, b = tf.constant(x), tf.constant(w)
y = tf.nn.conv2d(a, b, [1, 2, 1, 1], [[0, 0], [2, 1], [0, 3], [0, 0]])
show(tf.Session().run([y] + tf.gradients(y * y, [a, b])))
# case: values of conv2d without images
y = tf.nn.conv2d(np.zeros([0, 4, 4, 2], "f"), np.ones([3, 3, 2, 2], "f"), 1, "SAME")
show(tf.Session().run(y))
# case: depthwise_conv2d
x = tf.placeholder(tf.float32, [2, 5, 6, 3])
w = tf.placeholder(tf.float32, [3, 2, 3, 4])
y = tf.nn.depthwise_conv2d(x, w, [1, 2, 2, 1], "SAME")
first = tf.gradients(y, [x, w])
show(y, first, tf.gradients(first, [x, w, y], name="second"))
show(tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "VALID", rate=[1, 1], name="q"))
show(tf.nn.depthwise_conv2d_native(tf.placeholder(tf.float32), w, [1, 1, 1, 1], "VALID"))
nodes()
# case: depthwise_conv2d with a rate
x = tf.placeholder(tf.float32, [2, 7, 8, 3])
w = tf.placeholder(tf.float32, [3, 2, 3, 4])
show(tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME", rate=[2, 2]))
nodes()
# case: depthwise_conv2d with strides and a rate
tf.nn.depthwise_conv2d(tf.zeros([1, 5, 5, 1]), tf.zeros([2, 2, 1, 1]), [1, 2, 2, 1], "SAME", [2, 2])
# case: depthwise_conv2d wrong depth
tf.nn.depthwise_conv2d(tf.zeros([1, 5, 5, 2]), tf.zeros([2, 2, 1, 1]), [1, 1, 1, 1], "SAME")
# case: values of depthwise_conv2d
x = np.sin(np.arange(2 * 5 * 6 * 3, dtype="f")).reshape(2, 5, 6, 3)
with tf.Session() as session:
    for rows, columns, stride, padding in [
        (3, 3, 1, "SAME"), (2, 4, 1, "SAME"), (3, 2, 2, "VALID"), (4, 2, 3, "SAME")
    ]:
        w = np.cos(np.arange(rows * columns * 3 * 2, dtype="f")).reshape(rows, columns, 3, 2)
        a, b = tf.constant(x), tf.constant(w)
        y = tf.nn.depthwise_conv2d(a, b, [1, stride, stride, 1], padding)
        show([np.around(v, 2) for v in session.run([y] + tf.gradients(y * y, [a, b]))])
    a, b = tf.constant(x), tf.constant(w)
    for padding in "SAME", "VALID":
        y = tf.nn.depthwise_conv2d(a, b[:2], [1, 1, 1, 1], padding, rate=[2, 2])
        show([np.around(v, 2) for v in session.run([y] + tf.gradients(y * y, [a, b]))])
# case: separable_conv2d
x = tf.placeholder(tf.float32, [2, 7, 8, 3])
d, p = tf.placeholder(tf.float32, [3, 3, 3, 2]), tf.placeholder(tf.float32, [1, 1, 6, 5])
y = tf.nn.separable_conv2d(x, d, p, [1, 2, 2, 1], "SAME")
show(y, tf.gradients(y, [x, d, p]))
show(tf.nn.separable_conv2d(x, d, p, [1, 1, 1, 1], "VALID", rate=[2, 2], name="q"))
nodes()
# case: separable_conv2d wrong pointwise filter
tf.nn.separable_conv2d(tf.zeros([2, 7, 8, 3]), tf.zeros([3, 3, 3, 2]), tf.zeros([2, 1, 6, 5]), [1, 1, 1, 1], "SAME")
# case: separable_conv2d wrong number of channels
tf.nn.separable_conv2d(tf.zeros([2, 7, 8, 3]), tf.zeros([3, 3, 3, 2]), tf.zeros([1, 1, 5, 5]), [1, 1, 1, 1], "SAME")
# case: atrous_conv2d
x = tf.placeholder(tf.float32, [2, 7, 8, 3])
w = tf.placeholder(tf.float32, [3, 3, 3, 4])
show(tf.nn.atrous_conv2d(x, w, 2, "SAME"), tf.nn.atrous_conv2d(x, w, 1, "VALID", name="q"))
nodes()
# case: values of atrous_conv2d
x = np.sin(np.arange(2 * 7 * 8 * 2, dtype="f")).reshape(2, 7, 8, 2)
w = np.cos(np.arange(3 * 3 * 2 * 2, dtype="f")).reshape(3, 3, 2, 2)
a, b = tf.constant(x), tf.constant(w)
with tf.Session() as session:
    for padding in "SAME", "VALID":
        y = tf.nn.atrous_conv2d(a, b, 2, padding)
        show([np.around(v, 2) for v in session.run([y] + tf.gradients(y * y, [a, b]))])
        y = tf.nn.atrous_conv2d_transpose(a, b, [2, 7, 8, 2] if padding == "SAME" else [2, 11, 12, 2], 2, padding)
        show(np.around(session.run(y), 2))
# case: convolution
x = tf.placeholder(tf.float32, [2, 7, 8, 3])
w = tf.placeholder(tf.float32, [3, 3, 3, 4])
show(tf.nn.convolution(x, w, "SAME"), tf.nn.convolution(x, w, "VALID", [2, 1], name="q"))
show(tf.nn.convolution(tf.zeros([2, 9, 3]), tf.zeros([4, 3, 2]), "SAME", strides=[2]))
show(tf.nn.convolution(tf.zeros([2, 5, 9, 7, 3]), tf.zeros([2, 2, 2, 3, 2]), "VALID"))
show(tf.nn.convolution(x, w, "SAME", dilation_rate=[2, 1]))
nodes()
# case: convolution of unknown rank
show(tf.nn.convolution(tf.placeholder(tf.float32), tf.zeros([3, 3, 3, 4]), "SAME"))
# case: convolution with strides and dilation
tf.nn.convolution(tf.zeros([2, 9, 9, 3]), tf.zeros([4, 4, 3, 2]), "SAME", [2, 2], [2, 2])
# case: convolution wrong rank
tf.nn.convolution(tf.zeros([2, 9, 3]), tf.zeros([4, 4, 3, 2]), "SAME")
# case: convolution wrong number of strides
tf.nn.convolution(tf.zeros([2, 9, 9, 3]), tf.zeros([4, 4, 3, 2]), "SAME", [2])
# case: convolution wrong depth
tf.nn.convolution(tf.zeros([2, 9, 9, 3]), tf.zeros([4, 4, 2, 2]), "SAME")
# case: convolution stride zero
tf.nn.convolution(tf.zeros([2, 9, 9, 3]), tf.zeros([4, 4, 3, 2]), "SAME", [0, 1])
# case: conv1d
x = tf.placeholder(tf.float32, [2, 9, 3])
w = tf.placeholder(tf.float32, [4, 3, 5])
y = tf.nn.conv1d(x, w, 2, "SAME")
show(y, tf.gradients(y, [x, w]), tf.nn.conv1d(x, w, 1, "VALID", name="q"))
nodes()
# case: values of conv1d
x = np.sin(np.arange(2 * 9 * 2, dtype="f")).reshape(2, 9, 2)
w = np.cos(np.arange(4 * 2 * 3, dtype="f")).reshape(4, 2, 3)
outputs = [tf.nn.conv1d(x, w, s, p) for s in (1, 3) for p in ("SAME", "VALID")]
show([np.around(v, 3) for v in tf.Session().run(outputs)])
# case: conv3d and its gradients
x = tf.placeholder(tf.float32, [2, 4, 5, 6, 3])
w = tf.placeholder(tf.float32, [2, 3, 2, 3, 4])
y = tf.nn.conv3d(x, w, [1, 2, 1, 2, 1], "SAME")
first = tf.gradients(y, [x, w])
show(y, first, tf.gradients(first, [x, w, y], name="second"))
show(tf.nn.conv3d(tf.placeholder(tf.float32, [None, 4, None, 6, 3]), w, [1, 2, 1, 2, 1], "VALID"))
nodes()
# case: conv3d too large a filter
tf.nn.conv3d(tf.zeros([1, 3, 3, 3, 1]), tf.zeros([5, 5, 5, 1, 1]), [1, 1, 1, 1, 1], "VALID")
# case: conv3d wrong depth
tf.nn.conv3d(tf.zeros([1, 3, 3, 3, 1]), tf.zeros([2, 2, 2, 2, 1]), [1, 1, 1, 1, 1], "VALID")
# case: conv3d four strides
tf.nn.conv3d(tf.zeros([1, 3, 3, 3, 1]), tf.zeros([2, 2, 2, 1, 1]), [1, 1, 1, 1], "VALID")
# case: values of conv3d
x = np.sin(np.arange(2 * 4 * 3 * 5 * 2, dtype="f")).reshape(2, 4, 3, 5, 2)
w = np.cos(np.arange(3 * 2 * 2 * 2 * 2, dtype="f")).reshape(3, 2, 2, 2, 2)
a, b = tf.constant(x), tf.constant(w)
with tf.Session() as session:
    for padding, strides in ("SAME", [1, 1, 1, 1, 1]), ("VALID", [1, 1, 1, 2, 1]), ("SAME", [1, 2, 2, 2, 1]):
        y = tf.nn.conv3d(a, b, strides, padding)
        show([np.around(v, 2) for v in session.run([y] + tf.gradients(y * y, [a, b]))])
# case: conv3d_transpose
x = tf.placeholder(tf.float32, [2, 3, 4, 5, 3])
w = tf.placeholder(tf.float32, [2, 2, 2, 4, 3])
show(tf.nn.conv3d_transpose(x, w, [2, 6, 8, 10, 4], [1, 2, 2, 2, 1]))
nodes()
# case: conv_transpose of all ranks
show(tf.nn.conv_transpose(tf.zeros([2, 3, 3]), tf.zeros([2, 4, 3]), [2, 6, 4], 2))
show(tf.nn.conv_transpose(tf.zeros([2, 3, 3, 3]), tf.zeros([2, 2, 4, 3]), [2, 6, 6, 4], 2))
show(tf.nn.conv_transpose(tf.zeros([2, 3, 3, 3, 3]), tf.zeros([2, 2, 2, 4, 3]), [2, 6, 6, 6, 4], 2))
nodes()
# case: with_space_to_batch
def op(x, count, padding):
    show(x, count, padding)
    return x
show(tf.nn.with_space_to_batch(tf.zeros([1, 4, 6, 1]), [2, 3], "VALID", op))
show(tf.nn.with_space_to_batch(tf.zeros([1, 4, 6, 1]), [1, 1], "SAME", op))
# case: with_space_to_batch SAME without a filter shape
tf.nn.with_space_to_batch(tf.zeros([1, 4, 6, 1]), [2, 3], "SAME", lambda *a: a[0])
# case: values of conv2d without places or filters
with tf.Session() as s:
    p = tf.placeholder(tf.float32)
    x = np.ones([1, 3, 3, 2], "f")
    show(s.run(tf.nn.conv2d(x, np.zeros([2, 2, 2, 0], "f"), [1] * 4, "SAME")))
    show(s.run(tf.nn.conv2d(p, np.ones([2, 2, 2, 1], "f"), [1] * 4, "VALID"), {p: x[:, :1, :1]}))
