# case: reductions and shapes
v2 = tf.compat.v2
x = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="x")
made = [v2.reduce_sum(x, 1, True), v2.reduce_mean(x, axis=0), v2.math.reduce_max(x, 0, False, "m"), v2.reduce_logsumexp(x), v2.argmax(x, 1, tf.int32), v2.math.argmin(x), v2.shape(x, tf.int64), v2.size(x, tf.int64), v2.norm(x, 2, 1), v2.linalg.norm(x), v2.transpose(x, [1, 0], False), v2.zeros_like(x, tf.int32), v2.ones_like(input=x), v2.expand_dims(x, -1), v2.squeeze(v2.expand_dims(x, 0), [0]), v2.pad(x, [[1, 0], [0, 0]], "CONSTANT", 5.0), v2.gather(x, [1], None, 1), v2.gather_nd(x, [[0, 1]]), v2.boolean_mask(x, [True, False], 1), v2.where(x > 2.0, x, 0.0), v2.math.count_nonzero(x, 0), v2.reverse_sequence(x, [1, 2], 1, 0), v2.math.log(x)]
show(tf.Session().run(made))
nodes()
# case: arguments that these functions do not have
v2 = tf.compat.v2
x = tf.constant([[1.0, 2.0]])
for call in (lambda: v2.reduce_sum(x, reduction_indices=0), lambda: v2.argmax(x, dimension=0), lambda: v2.squeeze(x, squeeze_dims=[0]), lambda: v2.expand_dims(x), lambda: v2.cond(True, lambda: 1, lambda: 2, strict=True)):
    try:
        call()
        print("taken")
    except TypeError as error:
        print("TypeError")
# case: networks
v2 = tf.compat.v2
x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
k = tf.ones([2, 2, 1, 1])
made = [v2.nn.conv2d(x, k, 1, "VALID"), v2.nn.conv2d(x, filters=k, strides=[1, 2, 2, 1], padding="SAME"), v2.nn.max_pool(x, 2, 2, "VALID"), v2.nn.avg_pool(x, 2, 2, "VALID"), v2.nn.conv2d_transpose(x, k, [1, 5, 5, 1], 1, "VALID"), v2.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "VALID"), v2.nn.space_to_depth(x, 2), v2.nn.moments(x, [0, 1, 2])[1], v2.nn.softmax(x, 2)[0, 0], v2.nn.log_softmax(x, 1)[0, 0], v2.nn.l2_normalize(x, [1, 2])[0, 1], v2.nn.convolution(x, k)]
show(tf.Session().run(made))
labels, logits = tf.constant([[0.2, 0.8]]), tf.constant([[1.0, 2.0]])
losses = [v2.nn.softmax_cross_entropy_with_logits(labels, logits), v2.nn.sigmoid_cross_entropy_with_logits(labels, logits), v2.nn.sparse_softmax_cross_entropy_with_logits([1], logits), v2.nn.weighted_cross_entropy_with_logits(labels, logits, 2.0), v2.nn.in_top_k([1], logits, 1), v2.nn.dropout(logits, 0.0)]
show(tf.Session().run(losses))
show(tf.gradients(losses[0], labels)[0] is None)
table = tf.reshape(tf.range(10.0), [5, 2])
show(tf.Session().run(v2.nn.embedding_lookup([table[:3], table[3:]], [0, 3, 4])))
# case: control flow, constants, checks
v2 = tf.compat.v2
made = [v2.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2)), v2.constant(3, tf.float32, [2]), v2.convert_to_tensor([1, 2], dtype_hint=tf.float32), v2.case([(tf.constant(False), lambda: tf.constant(5))], lambda: tf.constant(6))]
loop = v2.while_loop(lambda i: i < 3, lambda i: [i + 1], [tf.constant(0)])
show(type(loop).__name__, len(loop))
show(tf.Session().run(made + loop))
with v2.control_dependencies([v2.assert_equal(1, 1, "text"), v2.debugging.assert_positive(2, "positive"), v2.debugging.assert_less(1, 2, message="less")]):
    show(tf.Session().run(v2.identity(7)))
show(v2.tuple([tf.constant(1), tf.constant(2)]))
v = v2.Variable([1.0], name="v")
show(type(v).__name__ == "ResourceVariable", isinstance(v, v2.Variable), v.name, isinstance(tf.Variable(1), v2.Variable))
show(v2.gradients(made[1] * 2.0, [made[1]]))
with v2.device("/cpu:0"), v2.name_scope("scope") as scope:
    show(tf.no_op().device, scope)
v2.random.set_seed(3)
show(tf.get_default_graph().seed)
# case: strings and the rest
v2 = tf.compat.v2
words = tf.constant(["ab", "cde"])
made = [v2.strings.length(words, "BYTE"), v2.strings.substr(words, 0, 1), v2.strings.reduce_join(words, 0, True, "-"), v2.strings.to_hash_bucket(words, 10), v2.strings.to_number(["1.5"]), v2.math.bincount([1, 1, 2]), v2.math.confusion_matrix([0, 1], [1, 1], 2, [2, 3]), v2.batch_to_space(tf.reshape(tf.range(4), [4, 1, 1, 1]), [2, 2], [[0, 0], [0, 0]]), v2.space_to_batch(tf.reshape(tf.range(4), [1, 2, 2, 1]), [2, 2], [[0, 0], [0, 0]])]
show(tf.Session().run(made))
# case: datasets
import os, tempfile
v2, path = tf.compat.v2.data, os.path.join(tempfile.mkdtemp(), "a")
with open(path, "w") as file:
    file.write("ab\ncd\n")
X = v2.experimental
made = [
    v2.Dataset.range(3), v2.Dataset.from_tensors(1).map(lambda x: x).batch(2), v2.TextLineDataset(path), v2.TFRecordDataset(path),
    v2.FixedLengthRecordDataset(path, 2), X.CsvDataset(path, [""]), X.RandomDataset(1), X.Counter(2),
    X.make_csv_dataset(path, 2, column_names=["a"], num_epochs=1),
]
for dataset in made:
    print(isinstance(dataset, tf.data.Dataset), hasattr(dataset, "make_one_shot_iterator"), hasattr(dataset, "output_types"))
    print(isinstance(dataset, v2.Dataset), isinstance(tf.data.Dataset.range(2), v2.Dataset), dataset.element_spec)
with tf.Session() as sess:
    show(sess.run(tf.compat.v1.data.make_one_shot_iterator(made[2].skip(1)).get_next()))
print([name in dir(v2) for name in ("Dataset", "DatasetSpec", "Iterator", "Options", "TFRecordDataset", "experimental")])
print([hasattr(v2, name) for name in ("Iterator", "get_output_types", "make_one_shot_iterator")], hasattr(X, "Structure"))
# case: functions whose second form has other parameters
v2 = tf.compat.v2
img = tf.reshape(tf.range(72.0), [2, 6, 6, 1])
flat = tf.zeros([2, 2, 1])
windows = {"centered": False, "normalized": False}
made = [
    v2.image.extract_glimpse(img, [3, 3], [[0.0, 0.0], [1.0, 1.0]], noise="zero"),
    v2.image.extract_glimpse(img, [3, 3], [[0.0, 0.0], [1.0, 1.0]], noise="zero", **windows),
    v2.image.sample_distorted_bounding_box([10, 10, 3], [[[0.1, 0.1, 0.9, 0.9]]], 3)[2],
    v2.io.decode_raw(["abc", "abcdef"], tf.uint8, fixed_length=4), v2.io.decode_raw(["abcd"], tf.int16),
    v2.nn.dilation2d(img, flat, [1, 1, 1, 1], "VALID", "NHWC", [1, 2, 1, 1]),
    v2.nn.erosion2d(img + 1.0, flat, [1, 1, 1, 1], "VALID", "NHWC", [1, 2, 1, 1]),
    v2.nn.fractional_avg_pool(img, [1.0, 1.5, 1.5, 1.0], True, True, 7)[0],
    v2.nn.fractional_max_pool(img, 1.5, seed=7)[0], v2.nn.fractional_max_pool(img, [1.5, 1.2], seed=7)[0],
]
show(tf.Session().run(made))
for call in (
    lambda: v2.nn.dilation2d(img, flat, [1, 1, 1, 1], "VALID", "NCHW", [1, 1, 1, 1]),
    lambda: v2.nn.fractional_max_pool(img, [1.5, 1.2, 1.0]),
    lambda: v2.test.compute_gradient(lambda x: x, 1.0),
):
    try:
        call()
    except ValueError as error:
        show(str(error))
# case: sparse reductions and texts of the second form
v2 = tf.compat.v2
sparse = tf.SparseTensor([[0, 0], [1, 2]], [3.0, 4.0], [2, 3])
for reduce in (v2.sparse.reduce_max, v2.sparse.reduce_sum):
    show(tf.Session().run([reduce(sparse, 1), reduce(sparse, 0, True, name="named")]))
    show(reduce(sparse, 1).op.type, tf.Session().run(reduce(sparse, 1, True, True)))
texts = [v2.strings.split("a b c"), v2.strings.split(["a b c", "d e"]), v2.strings.split([["a b c", "d e"], ["", "  x"]], maxsplit=1), v2.strings.split(tf.ragged.constant([["a b c"], ["d e", "f"]]), sep="b")]
show(tf.Session().run(texts[0]), [tf.Session().run(each).to_list() for each in texts[1:]])
# case: gradients of a function against differences
from tensorflow.python.ops import gradient_checker_v2
with tf.Session():
    by_gradient, by_difference = tf.compat.v2.test.compute_gradient(lambda x, y: x[:2] * x[1:] + y, [np.array([1.0, 2.0, 3.0]), np.array([3.0, 4.0])])
    show(len(by_gradient), by_gradient[0], by_gradient[1], np.allclose(by_gradient[0], by_difference[0]), np.allclose(by_gradient[1], by_difference[1]))
    numbers = list(gradient_checker_v2.compute_gradient(lambda x: x * x, [np.array([1.0 + 2.0j])]))
    show(numbers[0][0], gradient_checker_v2.max_error(*numbers) < 1e-3)
    for x, f in (([np.array([1])], lambda x: x), ([np.array([1.0])], lambda x: tf.cast(x, tf.int32))):
        try:
            gradient_checker_v2.compute_gradient(f, x)
        except AssertionError as error:
            show(str(error))
