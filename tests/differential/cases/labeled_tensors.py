# case: axes
lt = tf.contrib.labeled_tensor
x = lt.Axis("x", ["a", "b"])
y = lt.Axis("y", 3)
print(x, y, lt.Axis("z", None), lt.Axis("e", 0), len(x), x.index("b"), x.value, y.value, y.labels)
axes = lt.Axes([x, y, ("z", None)])
print(axes, list(axes), axes["x"], "q" in axes, axes.remove("x"))
print(x == lt.Axis("x", ("a", "b")), x != y, lt.as_axis(("x", 3)))
# case: labels that are not unique
tf.contrib.labeled_tensor.Axis("x", ("a", "a"))
# case: axes of one name
tf.contrib.labeled_tensor.Axes([("x", 1), ("x", 2)])
# case: labeled tensors
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
row = lt.LabeledTensor(tf.constant([1.0, 2.0, 3.0], tf.float64), [("y", 3)])
other = lt.LabeledTensor(tf.constant([1.0, 2.0], tf.float64), [("w", 2)])


def both(*tensors):
    for tensor in tensors:
        print(tensor)
        value = tf.Session().run(tensor.tensor)
        # Without digits that rounding decides, and without the sign of zero.
        print((np.round(value, 6) + 0.0 if value.dtype.kind == "f" else value).tolist())


both(t, lt.LabeledTensor(tf.constant([1, 2]), ["n"]))
print(t.dtype, t.shape, t.name, t.axes)
show(tf.convert_to_tensor(t))
# case: alignment
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
row = lt.LabeledTensor(tf.constant([1.0, 2.0, 3.0], tf.float64), [("y", 3)])
other = lt.LabeledTensor(tf.constant([1.0, 2.0], tf.float64), [("w", 2)])


def both(*tensors):
    for tensor in tensors:
        print(tensor)
        value = tf.Session().run(tensor.tensor)
        # Without digits that rounding decides, and without the sign of zero.
        print((np.round(value, 6) + 0.0 if value.dtype.kind == "f" else value).tolist())


both(t + row, row + t, t * other, t - t, t / row, -t, abs(t))
for part in lt.align(t, other):
    print(part)
# case: operators
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
row = lt.LabeledTensor(tf.constant([1.0, 2.0, 3.0], tf.float64), [("y", 3)])
other = lt.LabeledTensor(tf.constant([1.0, 2.0], tf.float64), [("w", 2)])


def both(*tensors):
    for tensor in tensors:
        print(tensor)
        value = tf.Session().run(tensor.tensor)
        # Without digits that rounding decides, and without the sign of zero.
        print((np.round(value, 6) + 0.0 if value.dtype.kind == "f" else value).tolist())


two = lt.constant(2.0, tf.float64)
both(t**two, t % two, (t > two) & (t < row), ~(t >= two), two - t, lt.maximum(t, row))
nodes()
# case: order of axes
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
row = lt.LabeledTensor(tf.constant([1.0, 2.0, 3.0], tf.float64), [("y", 3)])
other = lt.LabeledTensor(tf.constant([1.0, 2.0], tf.float64), [("w", 2)])


def both(*tensors):
    for tensor in tensors:
        print(tensor)
        value = tf.Session().run(tensor.tensor)
        # Without digits that rounding decides, and without the sign of zero.
        print((np.round(value, 6) + 0.0 if value.dtype.kind == "f" else value).tolist())


with lt.axis_order_scope(["x", "y", "w"]):
    both(other + t)
both(
    lt.transpose(t),
    lt.impose_axis_order(t, ["y", "q", "x"]),
    lt.expand_dims(t, ["x", ("n", "label"), "y"]),
)
# case: slices and selections
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
row = lt.LabeledTensor(tf.constant([1.0, 2.0, 3.0], tf.float64), [("y", 3)])
other = lt.LabeledTensor(tf.constant([1.0, 2.0], tf.float64), [("w", 2)])


def both(*tensors):
    for tensor in tensors:
        print(tensor)
        value = tf.Session().run(tensor.tensor)
        # Without digits that rounding decides, and without the sign of zero.
        print((np.round(value, 6) + 0.0 if value.dtype.kind == "f" else value).tolist())


both(t[1, 1:], lt.slice(t, {"y": 2}), lt.select(t, {"x": "b"}), lt.select(t, {"x": ["b", "a"]}))
both(lt.select(t, {"x": slice("a", "b")}))
# case: joining
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
row = lt.LabeledTensor(tf.constant([1.0, 2.0, 3.0], tf.float64), [("y", 3)])
other = lt.LabeledTensor(tf.constant([1.0, 2.0], tf.float64), [("w", 2)])


def both(*tensors):
    for tensor in tensors:
        print(tensor)
        value = tf.Session().run(tensor.tensor)
        # Without digits that rounding decides, and without the sign of zero.
        print((np.round(value, 6) + 0.0 if value.dtype.kind == "f" else value).tolist())


both(
    lt.concat([t, t], "y"),
    lt.pack([t, t], ("s", ["u", "v"])),
    lt.pack([t, t], "s", axis_position=2),
)
both(*lt.unpack(t), *lt.unpack(t, "y"))
# case: shapes
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
row = lt.LabeledTensor(tf.constant([1.0, 2.0, 3.0], tf.float64), [("y", 3)])
other = lt.LabeledTensor(tf.constant([1.0, 2.0], tf.float64), [("w", 2)])


def both(*tensors):
    for tensor in tensors:
        print(tensor)
        value = tf.Session().run(tensor.tensor)
        # Without digits that rounding decides, and without the sign of zero.
        print((np.round(value, 6) + 0.0 if value.dtype.kind == "f" else value).tolist())


both(
    lt.reshape(t, ["x", "y"], [("z", 6)]),
    lt.reshape(t, ["y"], [("u", 1), ("v", 3)]),
    lt.rename_axis(t, "x", "n"),
)
both(
    lt.tile(t, {"y": 2}),
    lt.pad(t, {"x": (["p"], ["q"]), "y": (0, 1)}),
    lt.squeeze(lt.expand_dims(t, ["n", "x", "y"])),
)
coder = lt.ReshapeCoder(["x", "y"], [("z", 6)])
both(coder.decode(coder.encode(t)))
# case: reductions
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
row = lt.LabeledTensor(tf.constant([1.0, 2.0, 3.0], tf.float64), [("y", 3)])
other = lt.LabeledTensor(tf.constant([1.0, 2.0], tf.float64), [("w", 2)])


def both(*tensors):
    for tensor in tensors:
        print(tensor)
        value = tf.Session().run(tensor.tensor)
        # Without digits that rounding decides, and without the sign of zero.
        print((np.round(value, 6) + 0.0 if value.dtype.kind == "f" else value).tolist())


both(
    lt.reduce_sum(t),
    lt.reduce_mean(t, "x"),
    lt.reduce_max(t, ["x", "y"]),
    lt.reduce_prod(t, [("x", "all")]),
)
both(lt.reduce_logsumexp(t, "y"), lt.reduce_any(t > row, "y"))
# case: products
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
row = lt.LabeledTensor(tf.constant([1.0, 2.0, 3.0], tf.float64), [("y", 3)])
other = lt.LabeledTensor(tf.constant([1.0, 2.0], tf.float64), [("w", 2)])


def both(*tensors):
    for tensor in tensors:
        print(tensor)
        value = tf.Session().run(tensor.tensor)
        # Without digits that rounding decides, and without the sign of zero.
        print((np.round(value, 6) + 0.0 if value.dtype.kind == "f" else value).tolist())


both(lt.matmul(t, row), lt.matmul(row, row), lt.matmul(row, t))
both(
    lt.matmul(
        t, lt.LabeledTensor(tf.constant([[1.0], [2.0], [3.0]], tf.float64), [("y", 3), ("k", 1)])
    )
)
# case: values
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
row = lt.LabeledTensor(tf.constant([1.0, 2.0, 3.0], tf.float64), [("y", 3)])
other = lt.LabeledTensor(tf.constant([1.0, 2.0], tf.float64), [("w", 2)])


def both(*tensors):
    for tensor in tensors:
        print(tensor)
        value = tf.Session().run(tensor.tensor)
        # Without digits that rounding decides, and without the sign of zero.
        print((np.round(value, 6) + 0.0 if value.dtype.kind == "f" else value).tolist())


both(
    lt.constant([1, 2], axes=[("n", 2)]),
    lt.zeros_like(t),
    lt.ones_like(t, tf.int32),
    lt.cast(t, tf.int64),
)
both(lt.where(t > lt.constant(2.0, tf.float64), t, -t), lt.verify_tensor_all_finite(t, "text"))
both(lt.boolean_mask(t, lt.LabeledTensor(tf.constant([True, False]), [("x", ["a", "b"])])))
# case: functions of parts
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
row = lt.LabeledTensor(tf.constant([1.0, 2.0, 3.0], tf.float64), [("y", 3)])
other = lt.LabeledTensor(tf.constant([1.0, 2.0], tf.float64), [("w", 2)])


def both(*tensors):
    for tensor in tensors:
        print(tensor)
        value = tf.Session().run(tensor.tensor)
        # Without digits that rounding decides, and without the sign of zero.
        print((np.round(value, 6) + 0.0 if value.dtype.kind == "f" else value).tolist())


both(lt.map_fn(lambda part: part + row, t), lt.foldl(lambda total, part: total + part, t, row))
both(lt.define_unary_op("twice", lambda v, name=None: tf.add(v, v, name=name))(t))
# case: networks
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
row = lt.LabeledTensor(tf.constant([1.0, 2.0, 3.0], tf.float64), [("y", 3)])
other = lt.LabeledTensor(tf.constant([1.0, 2.0], tf.float64), [("w", 2)])


def both(*tensors):
    for tensor in tensors:
        print(tensor)
        value = tf.Session().run(tensor.tensor)
        # Without digits that rounding decides, and without the sign of zero.
        print((np.round(value, 6) + 0.0 if value.dtype.kind == "f" else value).tolist())


both(lt.nn.relu(t - row), lt.nn.softmax(t), lt.nn.elu(-t))
# case: parsing
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
row = lt.LabeledTensor(tf.constant([1.0, 2.0, 3.0], tf.float64), [("y", 3)])
other = lt.LabeledTensor(tf.constant([1.0, 2.0], tf.float64), [("w", 2)])


def both(*tensors):
    for tensor in tensors:
        print(tensor)
        value = tf.Session().run(tensor.tensor)
        # Without digits that rounding decides, and without the sign of zero.
        print((np.round(value, 6) + 0.0 if value.dtype.kind == "f" else value).tolist())


serialized = lt.constant([b"", b""], axes=[("batch", 2)])
feature = lt.FixedLenFeature([("x", 3)], tf.int64, [1, 2, 3])
both(lt.parse_example(serialized, {"q": feature})["q"])
both(lt.parse_single_example(lt.constant(b""), {"q": feature})["q"])
print(lt.placeholder(tf.float32, [("b", None), ("x", 3)]), feature.dtype)
# case: batches
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
row = lt.LabeledTensor(tf.constant([1.0, 2.0, 3.0], tf.float64), [("y", 3)])
other = lt.LabeledTensor(tf.constant([1.0, 2.0], tf.float64), [("w", 2)])


def both(*tensors):
    for tensor in tensors:
        print(tensor)
        value = tf.Session().run(tensor.tensor)
        # Without digits that rounding decides, and without the sign of zero.
        print((np.round(value, 6) + 0.0 if value.dtype.kind == "f" else value).tolist())


for tensor in (*lt.batch([t, row], 4), *lt.shuffle_batch([t], 2, allow_smaller_final_batch=True)):
    print(tensor)
# case: a rank that does not fit
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
lt.LabeledTensor(t.tensor, [("x", 2)])
# case: a size that does not fit
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
lt.LabeledTensor(t.tensor, [("x", 2), ("y", 4)])
# case: an index for each axis
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
t[0]
# case: axes that differ
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
t + lt.LabeledTensor(tf.constant([1.0, 2.0, 3.0, 4.0], tf.float64), [("y", 4)])
# case: orders that differ
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
t + lt.transpose(t)
# case: no order
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
lt.impose_axis_order(t)
# case: another order
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
lt.check_axis_order(t, ["y", "x"])
# case: an axis without labels
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
lt.select(t, {"y": "a"})
# case: an unknown axis
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
lt.select(t, {"q": "a"})
# case: axes apart
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
lt.reshape(t, ["y", "x"], [("z", 6)])
# case: labels that cannot be repeated
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
lt.tile(t, {"x": 2})
# case: a large axis
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
lt.squeeze(t, ["x"])
# case: an axis to reduce
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
lt.reduce_sum(t, "q")
# case: nothing to concatenate
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
lt.concat([], "x")
# case: shared axes
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
lt.concat([t, lt.select(t, {"x": ["b"]})], "y")
# case: nothing in common
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
other = lt.LabeledTensor(tf.constant([1.0, 2.0], tf.float64), [("w", 2)])
lt.matmul(t, other)
# case: dimensions without axes
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
lt.constant([1, 2])
# case: decoding first
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
lt.ReshapeCoder(["x"], [("z", 2)]).decode(t)
# case: no batches
lt = tf.contrib.labeled_tensor
t = lt.LabeledTensor(tf.constant(np.arange(6.0).reshape(2, 3)), [("x", ["a", "b"]), ("y", 3)])
lt.batch([t], 2, enqueue_many=True)
