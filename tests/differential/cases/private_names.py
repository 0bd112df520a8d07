# case: names of graphs
from tensorflow.python.framework import dtypes, graph_util_impl, meta_graph, ops, random_seed
from tensorflow.python.util import nest

a = tf.constant([1.0, 2.0], name="a")
b = tf.add(a, 1.0, name="s/b")
c = tf.multiply(b, a, name="c")
inputs, nodes, places = graph_util_impl._extract_graph_summary(tf.get_default_graph().as_graph_def())
print(sorted(inputs.items()), sorted(places), nodes["c"].op)
print(sorted(graph_util_impl._bfs_for_reachable_nodes(["s/b"], inputs)), graph_util_impl._node_name("^a"), graph_util_impl._node_name("a:1"))
graph_util_impl._assert_nodes_are_present(nodes, ["a"])
print(meta_graph._op_name("^x"), meta_graph._op_name("x:0"), random_seed._truncate_seed(2**31 + 5), random_seed._MAXINT32)
with tf.Session() as session:
    show(ops._eval_using_default_session(c, {a: [3.0, 4.0]}, tf.get_default_graph()))
    ops._run_using_default_session(c.op, None, tf.get_default_graph())
for call in (
    lambda: ops._eval_using_default_session(c, None, tf.get_default_graph()),
    lambda: ops._eval_using_default_session(c, None, tf.Graph(), session),
    lambda: ops._assert_same_graph(c, tf.Graph().as_default()),
):
    try:
        call()
    except (ValueError, AttributeError) as e:
        print(type(e).__name__, str(e)[:60])


class Mine(object):
    pass


ops._override_helper(Mine, "__add__", lambda x, y: 7)
print(Mine() + 1)
for operator in ("__add__", "__len__"):
    try:
        ops._override_helper(Mine, operator, lambda x: 1)
    except ValueError as e:
        print(str(e).split(" on class")[0])
print([dtypes._TYPE_TO_STRING[i] for i in (1, 2, 7, 14)], dtypes._STRING_TO_TF["half"], dtypes._STRING_TO_TF["int32"], dtypes._TF_TO_NP[3], dtypes._TF_TO_NP[7])
print(bool(ops._VALID_OP_NAME_REGEX.match("a/b")), bool(ops._VALID_OP_NAME_REGEX.match("_a")), bool(ops._VALID_SCOPE_NAME_REGEX.match("_a")))
print(nest._is_mapping({}), nest._is_mapping([]), nest._sorted({"b": 1, "a": 2}))

# case: images
from tensorflow.python.ops import image_ops_impl as m

for shape in ([2, 3, 1], [None, 3, 1], None, [2, 3], [0, 2, 3], [1, 2, 3, 4], [None, None, None, 3]):
    x = tf.placeholder(tf.float32, shape)
    for call in (
        lambda: len(m._Check3DImage(x)),
        lambda: len(m._Check3DImage(x, False)),
        lambda: len(m._CheckAtLeast3DImage(x)),
        lambda: len(m._CheckAtLeast3DImage(x, False)),
        lambda: [d if isinstance(d, int) else d.shape for d in m._ImageDimensions(x, 3)],
        lambda: m._Assert3DImage(x).shape,
        lambda: m._AssertAtLeast3DImage(x).shape,
    ):
        try:
            print(call())
        except ValueError as e:
            print(e)
print(m._assert(True, ValueError, "no"), len(m._assert(tf.constant(True), ValueError, "no")))
print(m._is_tensor(3), m._is_tensor(tf.constant(3)), m._is_tensor(tf.Variable(1)))
m._assert(False, KeyError, "no")

# case: layers and losses
from tensorflow.contrib.layers.python.layers import layers, optimizers
from tensorflow.python.layers import base
from tensorflow.python.ops import init_ops, nn_impl, nn_ops, variable_scope
from tensorflow.python.training import optimizer

session = tf.Session()
print(init_ops._assert_float_dtype(tf.float32))
try:
    init_ops._assert_float_dtype(tf.int32)
except ValueError as e:
    print(e)
base._add_elements_to_collection([1, 2], ["k"])
base._add_elements_to_collection([2, 3], "k")
print(tf.get_collection("k"))
with tf.variable_scope("s"):
    with tf.variable_scope("t"):
        pass
    print(variable_scope._get_unique_variable_scope("t"), variable_scope._get_unique_variable_scope("u"))
v = tf.get_variable("v", [2])
print(optimizer._var_key(v)[1])
show(session.run(optimizer._deduplicate_indexed_slices(tf.constant([[1.0], [2.0], [3.0]]), tf.constant([1, 0, 1]))))
show(session.run(nn_impl._sum_rows(tf.constant([[1.0, 2.0], [3.0, 4.0]]))))
show(nn_ops._flatten_outer_dims(tf.placeholder(tf.float32, [None, 2, 3])).shape)
show(nn_ops._get_noise_shape(tf.zeros([2, 3]), [None, 1]))
for args in ((None, 1, 2), (1, None, None), (None, None, 2)):
    try:
        nn_ops._ensure_xent_args("f", *args)
        print("fine")
    except ValueError as e:
        print(e)
show(layers._apply_activation(tf.constant(-1.0), tf.nn.relu, ["outs"]), len(tf.get_collection("outs")))
layers._add_variable_to_collections(v, {"weights": ["w"]}, "weights")
print([x.name for x in tf.get_collection("w")])
with tf.variable_scope("model", custom_getter=lambda getter, name, **kw: layers._model_variable_getter(getter, name, rename={"kernel": "weights"}, **kw)):
    w = tf.get_variable("kernel", [2])
print(w.name, [x.name for x in tf.get_collection(tf.GraphKeys.MODEL_VARIABLES)])
g = tf.constant([3.0, 4.0])
show(session.run([x for x, _ in optimizers._clip_gradients_by_norm([(g, v)], 1.0)]))
show(session.run([x for x, _ in optimizers._multiply_gradients([(g, v)], {v: 2.0})]))
show([x.shape for x, _ in optimizers._add_scaled_noise_to_gradients([(g, v), (None, w)], 0.1) if x is not None])

# case: names of tf.keras
from tensorflow.python.keras import backend
from tensorflow.python.keras.layers import recurrent

print(backend._preprocess_padding("same"), backend._to_tensor(1, tf.float64).dtype)
x = tf.placeholder(tf.float32, [2, 8, 8, 3])
found, form = backend._preprocess_conv2d_input(x, "channels_last")
print(found is x, form)
found = backend._regular_normalize_batch_in_training(x, None, None, [0, 1, 2])
show([y.shape for y in found])
cell = tf.keras.layers.LSTMCell(3)
show([s.shape for s in recurrent._generate_zero_filled_state_for_cell(cell, None, 2, tf.float32)])
show([s.shape for s in recurrent._generate_zero_filled_state(2, [3, tf.TensorShape([4, 5])], tf.float32)])
print([recurrent._is_multiple_state(s) for s in (3, [3], (3, 4), tf.TensorShape([3]))])
print(recurrent._standardize_args([1, 2, 3, 4], None, None, 1))
print(recurrent._standardize_args([1], None, None, 0))
print(recurrent._standardize_args(1, (2, 3), 4, 1))
print(backend._get_available_gpus(), backend._has_nchw_support(), backend._is_symbolic_tensor(tf.constant(1)), backend._is_symbolic_tensor(1))
masks = recurrent._generate_dropout_mask(tf.ones([2, 3]), 0.5, training=True, count=3)
print(type(masks).__name__, len(masks), masks[0].shape, recurrent._generate_dropout_mask(tf.ones([2, 3]), 0.5, training=True).shape)
for f, shape in ((backend._preprocess_conv1d_input, [2, 3, 4]), (backend._preprocess_conv3d_input, [2, 3, 4, 5, 6])):
    for form in ("channels_first", "channels_last"):
        moved, name = f(tf.zeros(shape), form)
        print(moved.shape, name)
show(tf.Session().run(backend.logsumexp(tf.constant([[1.0, 2.0], [3.0, 4.0]]), axis=1)))
try:
    recurrent._generate_zero_filled_state(None, 3, tf.float32)
except ValueError as e:
    print(e)
backend._preprocess_padding("valid ")
