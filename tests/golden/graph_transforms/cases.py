"""Graphs, each with the transforms that are applied to it; TensorFlow 1.15.5 builds the graphs.

A case is a function of the module `tf` that adds nodes to the default graph, and may return others.
Its calls are (inputs, outputs, transforms); the graph of the case is what each call starts from.
"""

import numpy as np

CASES = {}


def case(*calls):
    def note(function):
        CASES[function.__name__] = (function, calls)
        return function

    return note


def values(*shape, seed=1):
    return np.random.RandomState(seed).uniform(-1.0, 1.0, shape).astype(np.float32)


def image(tf, size=4):
    return tf.placeholder(tf.float32, [1, size, size, 2], name="x")


def conv(tf, x, name="conv", channels=3, padding="SAME"):
    filters = tf.constant(values(2, 2, 2, channels), name=name + "_filters")
    return tf.nn.conv2d(x, filters, [1] * 4, padding, name=name)


X, OUT = ["x"], ["out"]


@case(
    (X, OUT, ["add_default_attributes"]),
    (X, OUT, ["remove_attribute(attribute_name=alpha)", "add_default_attributes"]),
    (X, OUT, ["remove_attribute(attribute_name=alpha, op_name=LRN)"]),
    (X, OUT, ["remove_attribute(attribute_name=alpha, op_name=Relu)"]),
    (X, OUT, ["remove_attribute(attribute_name=alpha, op_name=*)"]),
    (X, OUT, ["remove_attribute"]),
    (X, OUT, ["rename_attribute(old_attribute_name=alpha, new_attribute_name=gamma)"]),
    (X, OUT, ["rename_attribute(old_attribute_name=T, new_attribute_name=Q, op_name=Relu)"]),
    (X, OUT, ["rename_attribute(old_attribute_name=T)"]),
    (X, OUT, ["rename_op(old_op_name=Relu, new_op_name=Relu6)"]),
    (X, OUT, ["rename_op(old_op_name=Relu)"]),
    (X, OUT, ["rename_node(old_node_name=middle, new_node_name=centre)"]),
    (X, OUT, ["rename_node(old_node_name=middle, new_node_name=out)"]),
    (X, OUT, ["rename_node(old_node_name=none, new_node_name=other)"]),
    (X, OUT, ["rename_node(old_node_name=none)"]),
    (X, OUT, ['set_device(device="/device:GPU:0")', "remove_device"]),
    (X, OUT, ['set_device(device="/device:GPU:0")']),
    (X, OUT, ['set_device(device="/device:GPU:0", if_default=true)']),
    (X, OUT, ['set_device(device="/device:GPU:0", if_default=sometimes)']),
    (X, OUT, ["set_device(device=a, device=b)"]),
    (X, OUT, ["remove_device"]),
    (X, OUT, ["remove_control_dependencies"]),
    (X, OUT, ["sort_by_execution_order"]),
    (X, OUT, ["obfuscate_names"]),
    (X, OUT, ["insert_logging"]),
    (X, OUT, ['insert_logging(op=Relu, show_op=true, message="seen:", first_n=3, summarize=4)']),
    (X, OUT, ["insert_logging(op=Relu, op=LRN, show_name=true)"]),
    (X, OUT, ["insert_logging(prefix=mid, show_name=true, show_op=true)"]),
    (X, OUT, ["insert_logging(first_n=many)"]),
    (X, OUT, ["merge_duplicate_nodes"]),
    (X, OUT, ["strip_unused_nodes"]),
    (["middle"], OUT, ["strip_unused_nodes"]),
    (["middle"], OUT, ['strip_unused_nodes(type=half, shape="2,3")']),
    (["middle"], OUT, ["strip_unused_nodes(type=half, type=float)"]),
    (["middle"], OUT, ['strip_unused_nodes(type=half, shape="2,x")']),
    (["middle"], OUT, ["strip_unused_nodes(type=nothing)"]),
    (["middle"], OUT, ["strip_unused_nodes(type=DT_FLOAT)"]),
    (["middle"], OUT, ["strip_unused_nodes(type=bfloat16, shape=5)"]),
    (["middle"], OUT, ['strip_unused_nodes(type=float_ref, shape=" 1,2 ,3")']),
    (["middle"], OUT, ['strip_unused_nodes(shape="")']),
    (["middle"], OUT, ['strip_unused_nodes(shape="1", shape="2")']),
    (X, OUT, ['strip_unused_nodes(shape="", type=nothing)']),
    (X, OUT, ['strip_unused_nodes(name=q, type_for_name=nothing, shape_for_name="1")']),
    (X, ["lrn"], ["insert_logging"]),
    (X, OUT, ["insert_logging(op=Relu, prefix=lrn)"]),
    (
        ["middle", "x"],
        OUT,
        [
            'strip_unused_nodes(name=middle, type_for_name=half, shape_for_name="7,2",'
            ' name=x, type_for_name=int32, shape_for_name="5")'
        ],
    ),
    (["middle"], OUT, ["strip_unused_nodes(name=middle, type_for_name=half)"]),
    (["middle"], OUT, ["strip_unused_nodes(name=middle)"]),
    (["middle"], OUT, ['strip_unused_nodes(name=middle, shape_for_name="3")']),
    (["middle"], ["out", "none"], ["strip_unused_nodes"]),
    (["none"], OUT, ["strip_unused_nodes"]),
    (X, ["middle:0"], ["strip_unused_nodes"]),
    (X, OUT, ["nonsense"]),
    (X, OUT, ["rename_op(ignore_errors=true)"]),
    (X, OUT, ["rename_op(ignore_errors=perhaps)"]),
)
def names(tf):
    x = tf.placeholder(tf.float32, [1, 2, 2, 4], name="x")
    with tf.device("/cpu:0"):
        lrn = tf.nn.local_response_normalization(x, alpha=0.5, name="lrn")
    with tf.control_dependencies([lrn]):
        middle = tf.nn.relu(x, name="middle")
    tf.add(lrn, middle, name="out")
    tf.identity(middle, name="unused")


@case(
    ([], [], [""]),
    ([], [], ["\n\t remove_device\n\n  remove_control_dependencies "]),
    ([], [], ["remove_device("]),
    ([], [], ["remove_device(a"]),
    ([], [], ["remove_device(a)"]),
    ([], [], ["remove_device(a="]),
    ([], [], ["remove_device(a=)"]),
    ([], [], ['remove_device(a="")']),
    ([], [], ["remove_device(a=,b=c)"]),
    ([], [], ["remove_device(a=b"]),
    ([], [], ["remove_device(a=b c=d)"]),
    ([], [], ["remove_device(a=b, c=d,)"]),
    ([], [], ["remove_device(a=b,,c=d)"]),
    ([], [], ["remove_device(a=b , c=d)"]),
    ([], [], ["remove_device( a = b)"]),
    ([], [], ["remove_device(a= b)"]),
    ([], [], ["remove_device(a =b)"]),
    ([], [], ["remove_device(\n a=b,\n c=d)"]),
    ([], [], ["remove_device(a=b,\n c=d\n)"]),
    ([], [], ['remove_device(a="b", c="")']),
    ([], [], ["remove_device(a='b')"]),
    ([], [], ['remove_device(a="b)']),
    ([], [], ['remove_device(a="b"c)']),
    ([], [], ["remove_device(a=/cpu:0)"]),
    ([], [], ["remove_device(a=-1.5e)"]),
    ([], [], ["remove_device(a=*)"]),
    ([], [], ["remove_device(a-b=c)"]),
    ([], [], ["remove_device(a=b-c)"]),
    ([], [], ["remove_device( )"]),
    ([], [], ["remove_device(a=b )"]),
    ([], [], ["remove_device(a=b,)"]),
    ([], [], ["remove_device(a=b c)"]),
    ([], [], ['remove_device(a=""b=c)']),
    ([], [], ['remove_device(a="" )']),
    ([], [], ["remove_device(a=b+c,d=1.e)"]),
    ([], [], ["remove_device(a=b)\\remove_device"]),
    ([], [], ['set_device(device="a,b c)(", if_default=0)']),
    ([], [], ['set_device(device="x\\"y")']),
    ([], [], ["set_device(device=a.b-c/d_e)"]),
    ([], [], ["set_device(device=$b)"]),
    ([], [], ["set_device(device=a, if_default=True)"]),
    ([], [], ["set_device(ignore_errors=true, ignore_errors=true)"]),
    ([], [], ["remove_device(ignore_errors=1)"]),
    ([], [], ["remove_device (a=b)"]),
    ([], [], ["remove_device()"]),
    ([], [], ["remove_device()remove_device"]),
    ([], [], ["remove_device,remove_device"]),
    ([], [], ["remove_device;"]),
    ([], [], ["remove-device"]),
    ([], [], ["(a=b)"]),
    ([], [], ["1abc"]),
    ([], [], ["remove_device", "nonsense(a=b)"]),
    ([], [], [" ", "\\", "remove_device"]),
    ([], [], ["remove_device \\ remove_device"]),
    ([], [], ["\\\nremove_device \\\n  remove_device"]),
)
def grammar(tf):
    tf.constant(1.0, name="a")


@case(
    (X, OUT, ["fold_constants"]),
    (X, OUT, ["fold_constants(clear_output_shapes=false)"]),
    (X, OUT, ["fold_constants(clear_output_shapes=perhaps)"]),
    (X, OUT, ["fold_constants(ignore_errors=true)"]),
    (X, ["out", "large"], ["fold_constants"]),
    (["middle"], OUT, ["fold_constants"]),
    (X, ["out", "shaped"], ["fold_constants"]),
    (["none"], OUT, ["fold_constants"]),
    (X, ["none"], ["fold_constants"]),
    (X, ["sum:0"], ["fold_constants"]),
    (X, ["out"], ["fold_constants", "merge_duplicate_nodes", "sort_by_execution_order"]),
    (["product"], OUT, ["fold_constants(type_for_name=float)"]),
    (X, ["random"], ["fold_constants"]),
    (X, ["text"], ["fold_constants"]),
    (X, ["sum"], ["fold_constants"]),
)
def constants(tf):
    a = tf.constant(values(2, 2), name="a")
    b = tf.constant(values(2, 2, seed=2), name="b")
    total = tf.add(a, b, name="sum")
    x = tf.placeholder(tf.float32, [2, 2], name="x")
    product = tf.multiply(total, a, name="product")
    middle = tf.matmul(x, product, name="middle")
    tf.add(middle, total, name="out")
    tf.fill([200, 2], 1.5, name="large")
    tf.reshape(x, tf.shape(x, name="shape")[0] * 2 * [1, 0] + [0, 1], name="shaped")
    tf.add(tf.random_uniform([2], seed=3), tf.square(total)[0], name="random")
    tf.identity(tf.string_join(["a", "b"]), name="text")


@case(
    (X, OUT, ["fold_constants"]),
    (X, OUT, ["remove_control_dependencies", "fold_constants"]),
    (X, OUT, ["sort_by_execution_order"]),
    (X, OUT, ["merge_duplicate_nodes"]),
    (X, OUT, ["strip_unused_nodes"]),
    (["cond/Switch"], OUT, ["strip_unused_nodes"]),
    (X, OUT, ["remove_nodes(op=Identity)"]),
)
def branches(tf):
    x = tf.placeholder(tf.float32, [3], name="x")
    a = tf.square(tf.constant([1.0, 2.0, 3.0]), name="a")
    taken = tf.cond(
        tf.less(tf.reduce_sum(x), 1.0), lambda: tf.add(x, a), lambda: tf.add(a, 1.0), name="cond"
    )
    with tf.control_dependencies([tf.group(x, name="after")]):
        tf.multiply(taken, a * 2.0, name="out")


@case((X, OUT, ["fold_batch_norms"]))
def scaled(tf):
    tf.multiply(conv(tf, image(tf)), tf.constant(values(3), name="scales"), name="out")


@case((X, OUT, ["fold_batch_norms"]))
def scaled_depthwise(tf):
    filters = tf.constant(values(2, 2, 2, 2), name="filters")
    deep = tf.nn.depthwise_conv2d_native(image(tf), filters, [1] * 4, "VALID", name="deep")
    tf.multiply(deep, tf.constant(values(4), name="scales"), name="out")


@case((X, OUT, ["fold_batch_norms"]), (X, ["double"], ["fold_batch_norms"]))
def scaled_products(tf):
    x = image(tf)
    matrix = tf.matmul(tf.reshape(x, [16, 2]), tf.constant(values(2, 3)), name="matrix")
    tf.multiply(matrix, tf.constant(values(3, seed=4), name="scales"), name="out")
    shared = conv(tf, x, "shared", 2)
    tf.add(tf.multiply(shared, tf.constant(values(2)), name="scaled"), shared, name="double")


def normalization(tf, source, count, op="FusedBatchNorm", scale=True):
    """The NodeDef "out" of an op that no new graph may have; its inputs are in the graph."""
    order = ("gamma", "beta", "mean", "var")
    if op != "FusedBatchNorm":
        order = ("mean", "var", "beta", "gamma")
    node = tf.NodeDef(name="out", op=op, input=[source.op.name])
    for seed, part in enumerate(order):
        value = values(count, seed=seed) + (2.0 if part == "var" else 0.0)
        node.input.append(tf.constant(value, tf.float32, name=part).op.name)
    node.attr["T"].type = 1
    if op == "FusedBatchNorm":
        node.attr["epsilon"].f = 0.01
        node.attr["is_training"].b = False
        node.attr["data_format"].s = b"NHWC"
    else:
        node.attr["variance_epsilon"].f = 0.001
        node.attr["scale_after_normalization"].b = scale
    return [node]


FOLD = (X, OUT, ["fold_old_batch_norms"])


@case(FOLD)
def normalized(tf):
    return normalization(tf, conv(tf, image(tf)), 3)


@case(FOLD)
def normalized_with_bias(tf):
    layer = conv(tf, image(tf))
    return normalization(tf, tf.nn.bias_add(layer, tf.constant(values(3))), 3)


@case(FOLD)
def globally_normalized(tf):
    return normalization(tf, conv(tf, image(tf)), 3, "BatchNormWithGlobalNormalization")


@case(FOLD)
def normalized_without_scale(tf):
    op = "BatchNormWithGlobalNormalization"
    return normalization(tf, conv(tf, image(tf)), 3, op, scale=False)


@case(FOLD)
def normalized_depthwise(tf):
    filters = tf.constant(values(2, 2, 2, 2), name="filters")
    layer = tf.nn.depthwise_conv2d_native(image(tf), filters, [1] * 4, "SAME", name="conv")
    return normalization(tf, layer, 4)


@case(FOLD)
def normalized_halves(tf):
    x = image(tf)
    halves = tf.concat([conv(tf, x, "one"), conv(tf, x, "two", 2)], 3, name="halves")
    return normalization(tf, halves, 5)


@case(FOLD)
def newer_normalization(tf):
    parts = [tf.constant(values(3) + 2.0, name=name) for name in ("a", "b", "c", "d")]
    tf.nn.fused_batch_norm(conv(tf, image(tf)), *parts, epsilon=0.01, is_training=False, name="out")


@case(
    FOLD,
    (X, OUT, ["flatten_atrous_conv"]),
    (X, ["back"], ["flatten_atrous_conv"]),
    (X, OUT, ["flatten_atrous_conv", "fold_old_batch_norms"]),
)
def normalized_atrous(tf):
    wide = tf.space_to_batch_nd(image(tf), [2, 2], [[2, 2], [2, 2]], name="wide")
    layer = conv(tf, wide, padding="VALID")
    return normalization(tf, tf.batch_to_space_nd(layer, [2, 2], [[1, 1], [1, 1]], name="back"), 3)


@case((X, OUT, ["flatten_atrous_conv"]))
def atrous(tf):
    wide = tf.space_to_batch_nd(image(tf, 6), [2, 3], [[2, 2], [3, 3]], name="wide")
    filters = tf.constant(values(2, 3, 2, 2), name="filters")
    narrow = tf.nn.depthwise_conv2d_native(wide, filters, [1] * 4, "VALID", name="narrow")
    tf.batch_to_space_nd(narrow, [2, 3], [[1, 1], [0, 0]], name="out")


@case(
    (X, OUT, ["fuse_pad_and_conv"]),
    (X, OUT, ["fuse_resize_and_conv"]),
    (X, OUT, ["fuse_resize_pad_and_conv"]),
)
def resized_and_padded(tf):
    resized = tf.image.resize_bilinear(image(tf), [6, 6], align_corners=True, name="resized")
    padded = tf.pad(resized, [[0, 0], [1, 1], [2, 0], [0, 0]], "REFLECT", name="padded")
    tf.nn.conv2d(padded, tf.constant(values(2, 2, 2, 3)), [1] * 4, "VALID", name="out")


@case(
    (X, OUT, ["fuse_pad_and_conv"]),
    (X, OUT, ["fuse_resize_and_conv"]),
    (X, OUT, ["fuse_resize_pad_and_conv"]),
    (X, OUT, ["fuse_convolutions"]),
    (X, OUT, ["backport_concatv2"]),
)
def padded(tf):
    zeros = tf.pad(image(tf), [[0, 0], [1, 1], [2, 0], [0, 0]], name="zeros")
    first = tf.nn.conv2d(zeros, tf.constant(values(2, 2, 2, 2)), [1] * 4, "VALID", name="first")
    mirror = tf.pad(first, [[0, 0], [1, 1], [2, 0], [0, 0]], "SYMMETRIC", name="mirror")
    second = tf.nn.conv2d(mirror, tf.constant(values(2, 2, 2, 2)), [1] * 4, "VALID", name="second")
    again = tf.image.resize_bilinear(second, [6, 6], name="again")
    tf.nn.conv2d(again, tf.constant(values(2, 2, 2, 2)), [1, 2, 2, 1], "SAME", name="out")


@case((X, OUT, ["backport_concatv2"]), (X, OUT, ["merge_duplicate_nodes"]))
def joined(tf):
    x = tf.placeholder(tf.float32, [2, 2], name="x")
    tf.concat([x, x], 1, name="out")


@case(
    (X, OUT, ["merge_duplicate_nodes"]),
    (["x", "y"], OUT, ["merge_duplicate_nodes"]),
    (X, ["out", "twin"], ["merge_duplicate_nodes"]),
    (X, ["out", "first", "twin"], ["merge_duplicate_nodes"]),
    (X, ["out", "c", "d"], ["merge_duplicate_nodes"]),
)
def duplicates(tf):
    x = tf.placeholder(tf.float32, [2], name="x")
    c = tf.constant([1.0, 2.0], name="c")
    d = tf.constant([1.0, 2.0], name="d")
    e = tf.constant([1.0, 3.0], name="e")
    first = tf.add(x, c, name="first")
    twin = tf.add(x, d, name="twin")
    other = tf.add(x, e, name="other")
    with tf.device("/cpu:0"):
        placed = tf.add(x, c, name="placed")
    with tf.control_dependencies([c]):
        after = tf.add(x, c, name="after")
    with tf.control_dependencies([d]):
        after2 = tf.add(x, d, name="after2")
    y, z = (tf.placeholder(tf.float32, [2], name=name) for name in "yz")
    tf.Variable([1.0], name="v1"), tf.Variable([1.0], name="v2")
    random = tf.random_uniform([2], name="r1") + tf.random_uniform([2], name="r2")
    tf.add_n([first, twin, other, placed, after, after2, y, z, random], name="out")


@case(
    (X, OUT, ["round_weights"]),
    (X, OUT, ["round_weights(num_steps=4)"]),
    (X, OUT, ["round_weights(num_steps=many)"]),
    (X, OUT, ["quantize_weights"]),
    (X, OUT, ["quantize_weights(minimum_size=5)"]),
    (X, OUT, ["quantize_weights(minimum_size=0)"]),
    (X, OUT, ["quantize_weights(minimum_size=few)"]),
    (X, OUT, ['quantize_weights(quantization_mode="round-to-steps")']),
    (X, OUT, ['quantize_weights(quantization_mode="MIN_FIRST", minimum_size=2)']),
    (X, OUT, ["quantize_weights", "obfuscate_names", "sort_by_execution_order"]),
)
def weights(tf):
    x = tf.placeholder(tf.float32, [1, 40], name="x")
    w = tf.constant(values(40, 40), name="w")
    hidden = tf.nn.relu(tf.matmul(x, w, name="matmul"), name="hidden")
    small = tf.constant(values(40, seed=3), name="small")
    positive = tf.constant(np.abs(values(40, 6)) + 1.0, name="positive")
    same = tf.constant(np.full([6, 6], 2.5, np.float32), name="same")
    zeros = tf.constant(np.zeros([6], np.float32), name="zeros")
    y = tf.matmul(tf.matmul(hidden + small, positive), same) + zeros
    tf.cast(
        tf.cast(y, tf.int32) + tf.constant([1, 2, 3, 4, 5, 6], name="whole"), tf.float32, name="out"
    )


@case(
    (X, OUT, ["remove_nodes"]),
    (X, OUT, ["remove_nodes(op=Identity)"]),
    (X, OUT, ["remove_nodes(op=Identity, op=CheckNumerics)"]),
    (X, OUT, ["remove_nodes(op=Add)"]),
    (X, OUT, ["remove_nodes(op=Add, max_inputs=lots)"]),
    (X, OUT, ["remove_nodes(op=StopGradient)"]),
    (X, ["alone"], ["remove_nodes(op=Identity)"]),
)
def passing(tf):
    x = tf.placeholder(tf.float32, [2], name="x")
    one = tf.identity(x, name="one")
    two = tf.identity(one, name="two")
    checked = tf.check_numerics(two, "bad", name="checked")
    with tf.control_dependencies([checked]):
        stop = tf.stop_gradient(checked, name="stop")
    added = tf.raw_ops.Add(x=stop, y=two, name="added")
    tf.multiply(added, tf.identity(added, name="three"), name="out")
    tf.identity(x, name="alone")


@case(
    (X, OUT, ["remove_nodes(op=Identity)"]),
    (X, ["out", "last"], ["remove_nodes(op=Identity)"]),
    (["b"], ["out", "last"], ["remove_nodes(op=Identity)"]),
    (X, ["d", "out"], ["remove_nodes(op=Identity)"]),
    (X, OUT, ["remove_nodes(op=Neg)"]),
    (X, OUT, ["remove_nodes(op=Split)"]),
    (X, OUT, ["remove_nodes(op=Placeholder)"]),
    (X, OUT, ["remove_nodes(op=Identity, op=Neg)", "sort_by_execution_order"]),
    (X, OUT, ["remove_nodes(op=Identity, max_inputs=1.5)"]),
    (X, OUT, ["insert_logging"]),
)
def passing_parts(tf):
    x = tf.placeholder(tf.float32, [2], name="x")
    c = tf.negative(tf.identity(tf.identity(x, name="a"), name="b"), name="c")
    one, two = tf.split(c, 2, name="s")
    d = tf.identity(two, name="d")
    e = tf.identity(one, name="e")
    with tf.control_dependencies([d, e]):
        f = tf.negative(e, name="f")
    with tf.control_dependencies([c]):
        g = tf.identity(d, name="g")
    tf.add(f, g, name="out")
    tf.identity(g, name="last")


@case((X, OUT, ["remove_nodes(op=FakeQuantWithMinMaxVars, max_inputs=3)"]))
def faked(tf):
    x = tf.placeholder(tf.float32, [2], name="x")
    low, high = tf.constant(-2.0, name="low"), tf.constant(3.0, name="high")
    tf.square(tf.fake_quant_with_min_max_vars(x, low, high, name="faked"), name="out")


@case((X, OUT, ["backport_tensor_array_v3"]), (X, OUT, ["add_default_attributes"]))
def arrays(tf):
    x = tf.placeholder(tf.float32, [3], name="x")
    tf.identity(tf.TensorArray(tf.float32, 3, name="ta").unstack(x).stack(), name="out")


@case(([], OUT, ["obfuscate_names"]))
def chain(tf):
    value = tf.zeros([1], name="z")
    for _ in range(70):
        value = tf.negative(value)
    tf.identity(value, name="out")


@case(
    (["x", "y"], OUT, ["fold_constants"]),
    (["x", "y", "z"], OUT, ["fold_constants"]),
    (["y", "x"], ["out", "t"], ["fold_constants"]),
    (["x:0", "y:0"], ["out:0"], ["fold_constants"]),
    (X, ["split:1"], ["fold_constants"]),
    ([], ["t", "fill"], ["fold_constants"]),
    (X, ["fill", "u"], ["fold_constants"]),
    (["c"], ["t"], ["fold_constants"]),
    (["x"], ["x"], ["fold_constants"]),
    (X, ["nothing"], ["fold_constants"]),
)
def placeholders(tf):
    x, y = (tf.placeholder(tf.float32, [2], name=name) for name in "xy")
    z = tf.placeholder_with_default([1.0, 2.0], [2], name="z")
    tf.negative(x, name="u"), tf.fill([4], 2.0, name="fill"), tf.no_op(name="nothing")
    t = tf.identity(tf.constant([1.0, 2.0], name="c"), name="t")
    one, two = tf.split(tf.constant([1.0, 2.0, 3.0, 4.0]), 2, name="split")
    out = tf.add_n([x, y, z, t, one, two], name="out")
    shapes = tf.AttrValue.ListValue(shape=[out.shape.as_proto()])
    out.op._set_attr("_output_shapes", tf.AttrValue(list=shapes))


@case(
    (X, OUT, ["add_default_attributes"]),
    (X, OUT, ["strip_unused_nodes"]),
    (X, OUT, ["remove_nodes(op=Identity)", "fold_constants", "sort_by_execution_order"]),
)
def functions(tf):
    from tensorflow.python.framework import function

    @function.Defun(tf.float32, func_name="double")
    def double(a):
        return a * 2.0

    x = tf.placeholder(tf.float32, [2], name="x")
    tf.identity(double(x), name="unused")
    tf.add(tf.identity(double(x), name="doubled"), tf.ones([2]), name="out")


@case(
    (X, OUT, ["remove_device"]),
    (X, OUT, ["strip_unused_nodes"]),
    (X, OUT, ["sort_by_execution_order"]),
    (X, OUT, ["fold_constants"]),
    (X, OUT, ["obfuscate_names"]),
    (X, OUT, ["remove_device(ignore_errors=true)"]),
)
def dangling(tf):
    tf.placeholder(tf.float32, [2], name="x")
    return [tf.NodeDef(name="out", op="Neg", input=["y"])]


@case(
    ([], [], ["round_weights(num_steps=8)"]),
    ([], [], ["round_weights(num_steps=1)"]),
    ([], [], ["round_weights(num_steps=0)"]),
    ([], [], ["quantize_weights(minimum_size=1)"]),
    ([], [], ["quantize_weights(minimum_size=-1)"]),
)
def small_weights(tf):
    for count in (1, 15, 16, 20):
        tf.constant(np.linspace(-1, 3, count).astype(np.float32), name=f"f{count}")
        tf.constant(np.linspace(-3, -1, count).astype(np.float32), name=f"n{count}")
        tf.constant(np.linspace(1, 3, count).astype(np.float32), name=f"p{count}")
    for name, value in (("zero", 0.0), ("low", -2.5), ("high", 2.5), ("tiny", 1e-7)):
        tf.constant(np.full(20, value, np.float32), name=name)
    tf.constant(np.linspace(-1, 3, 20), tf.float64, name="f64")
    tf.constant(np.zeros([0], np.float32), name="empty")
    tf.constant(2.5, name="scalar")


@case(
    (["ids"], OUT, ["sparsify_gather"]),
    (["ids"], OUT, ["sparsify_gather(group_init_node=group)"]),
)
def gathered(tf):
    table = np.zeros([10, 3], np.float32)
    table[2] = [1.0, 2.0, 3.0]
    table[7] = [4.0, 5.0, 6.0]
    params = tf.identity(tf.constant(table[:, :1], name="params"), name="read")
    ids = tf.placeholder(tf.int64, [None], name="ids")
    rows = tf.raw_ops.Gather(params=params, indices=ids, name="gather")
    nothing = tf.identity(tf.constant(np.zeros([3, 1], np.float32), name="zeros"), name="read0")
    more = tf.gather(nothing, ids // 5, name="more")
    flat = tf.gather(tf.constant(table[:, 0], name="flat"), ids, name="flat_rows")
    tf.add_n([rows, more, flat[:, None]], name="out")
    tf.no_op(name="group")


@case((["ids"], OUT, ["sparsify_gather"]))
def gathered_wide(tf):
    params = tf.identity(tf.constant(np.eye(3, dtype=np.float32), name="params"), name="read")
    tf.gather(params, tf.placeholder(tf.int64, [None], name="ids"), name="out")


QUANTIZE = (X, OUT, ["quantize_nodes", "strip_unused_nodes"])


@case(
    QUANTIZE,
    (X, ["pooled"], ["quantize_nodes", "strip_unused_nodes"]),
    (X, OUT, ["quantize_nodes(input_min=-1, input_max=1)", "strip_unused_nodes(type=quint8)"]),
    (X, OUT, ["quantize_nodes(fallback_min=-4, fallback_max=4)", "strip_unused_nodes"]),
    (X, OUT, ["quantize_nodes(input_min=-1)"]),
    (X, OUT, ["quantize_nodes(fallback_max=1)"]),
    (X, OUT, ["quantize_nodes(input_min=a, input_max=2)"]),
    (X, OUT, ["quantize_weights(minimum_size=2)", "quantize_nodes", "strip_unused_nodes"]),
    (X, ["faked"], ["quantize_nodes", "strip_unused_nodes"]),
    (X, OUT, ["remove_ema"]),
    (X, OUT, ["freeze_requantization_ranges"]),
    (X, OUT, ['freeze_requantization_ranges(min_max_log_file="/none/at/all")']),
    (X, OUT, ["freeze_requantization_ranges(min_percentile=a)"]),
)
def quantized(tf):
    layer = conv(tf, image(tf))
    biased = tf.nn.bias_add(layer, tf.constant(values(3), name="bias"), name="biased")
    relu = tf.nn.relu(biased, name="out")
    tf.nn.max_pool(relu, [1, 2, 2, 1], [1, 2, 2, 1], "VALID", name="pooled")
    tf.fake_quant_with_min_max_vars(biased, tf.constant(-2.0), tf.constant(3.0), name="faked")


def pair(tf):
    return [tf.placeholder(tf.float32, [2, 3], name=name) for name in "xy"]


BOTH = (["x", "y"], OUT, ["quantize_nodes", "strip_unused_nodes"])


@case(BOTH)
def quantized_add(tf):
    x, y = pair(tf)
    tf.raw_ops.Add(x=x, y=y, name="out")


@case(BOTH)
def quantized_mul(tf):
    x, y = pair(tf)
    tf.raw_ops.Mul(x=x, y=y, name="out")


@case(BOTH)
def quantized_matmul(tf):
    x, y = pair(tf)
    tf.matmul(x, y, transpose_b=True, name="out")


@case(BOTH)
def quantized_concat(tf):
    tf.raw_ops.Concat(concat_dim=1, values=pair(tf), name="out")


@case(BOTH)
def not_quantized(tf):
    tf.concat([tf.sigmoid(tf.subtract(*pair(tf))), tf.constant([[1.0], [2.0]])], 1, name="out")


@case(QUANTIZE)
def quantized_avg_pool(tf):
    tf.nn.avg_pool(image(tf), [1, 2, 2, 1], [1, 2, 2, 1], "SAME", name="out")


@case(QUANTIZE)
def quantized_resize(tf):
    shaped = tf.reshape(image(tf), [1, 2, 8, 2])
    tf.image.resize_bilinear(shaped, [3, 2], align_corners=True, name="out")


@case(QUANTIZE)
def quantized_part(tf):
    tf.nn.relu6(tf.split(image(tf), 2, 1)[1], name="out")


@case(QUANTIZE)
def quantized_fake(tf):
    tf.nn.relu(tf.fake_quant_with_min_max_vars(image(tf), -1.0, 2.0, name="f"), name="out")
