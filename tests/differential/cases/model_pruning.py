pruning = tf.contrib.model_pruning


def attempt(call):
    try:
        show(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


# case: masked layers
image = tf.placeholder(tf.float32, [2, 8, 8, 3])
regularizer = tf.contrib.layers.l2_regularizer(0.1)
x = pruning.masked_conv2d(image, 4, 3, stride=2, scope="conv", weights_regularizer=regularizer)
x = pruning.masked_conv2d(x, 4, 3, rate=2, scope="wide", normalizer_fn=tf.contrib.layers.batch_norm)
x = pruning.masked_fully_connected(tf.layers.flatten(x), 3, scope="dense")
nodes()
for key in sorted(set(tf.get_default_graph().get_all_collection_keys()) - {"update_ops"}):
    print(key, [value.name for value in tf.get_collection(key)])
# case: wrong arguments of masked layers
attempt(lambda: pruning.masked_fully_connected(tf.zeros([2, 3]), "a"))
attempt(lambda: pruning.masked_fully_connected(tf.placeholder(tf.float32, [2, None]), 3))
attempt(lambda: pruning.masked_fully_connected(tf.zeros([2]), 3))
attempt(lambda: pruning.masked_conv2d(tf.zeros([2, 4, 6]), 3, 3))
attempt(lambda: pruning.masked_conv2d(tf.placeholder(tf.float32, [2, 4, 4, None]), 3, 3))
attempt(lambda: pruning.masked_conv2d(tf.zeros([2, 4, 6, 3]), 3, 3, data_format="CHWN"))
print(pruning.masked_fully_connected(tf.zeros([2, 4, 3]), 5).shape)
print(pruning.masked_conv2d(tf.zeros([2, 4, 6, 3]), 5, 3, data_format="NCHW", padding="VALID").shape)
# case: masked cells
for cell in [
    pruning.MaskedBasicLSTMCell(3),
    pruning.MaskedBasicLSTMCell(2, state_is_tuple=False, name="joined"),
    pruning.MaskedLSTMCell(3, use_peepholes=True, cell_clip=1.0),
]:
    output, state = cell(tf.zeros([2, 4]), cell.zero_state(2, tf.float32))
    print(output, cell.output_size, cell.state_size, [v.name for v in cell.variables])
inputs = tf.placeholder(tf.float32, [2, 5, 4])
tf.nn.dynamic_rnn(pruning.MaskedBasicLSTMCell(3), inputs, dtype=tf.float32)
nodes()
# case: the ops of pruning
with tf.variable_scope("outer"):
    w = tf.get_variable("w", [6, 5], initializer=tf.zeros_initializer())
pruning.apply_mask(w, "masked")
pruning.apply_mask(tf.get_variable("k", [3, 3, 2, 4], initializer=tf.zeros_initializer()))
tf.train.get_or_create_global_step()
for text in [
    "name=first,begin_pruning_step=2,end_pruning_step=20,threshold_decay=0.9",
    "block_height=2,block_width=2,initial_sparsity=0.1",
    "block_dims_map=[w:2x1],block_pooling_function=MAX,use_tpu=true,name=third",
    "weight_sparsity_map=[w:0.9],name=fourth",
]:
    made = pruning.Pruning(pruning.get_pruning_hparams().parse(text))
    made.conditional_mask_update_op()
    made.add_pruning_summaries()
print(pruning.get_weight_sparsity())
nodes()
# case: masks of blocks and thresholds
order = np.random.RandomState(0).permutation(30).reshape(6, 5).astype(np.float32)
w = tf.Variable(order * np.where(order % 2, -1, 1), name="w", dtype=tf.float32)
pruning.apply_mask(w)
step = tf.train.get_or_create_global_step()
with tf.Session() as session:
    for text in ["threshold_decay=0.0", "threshold_decay=0.5", "block_height=2,block_width=2"] + [
        "block_height=4,block_width=2,block_pooling_function=MAX",
        "block_dims_map=[w:3x1],use_tpu=true",
    ]:
        made = pruning.Pruning(pruning.get_pruning_hparams().parse(text), sparsity=0.4)
        update = made.mask_update_op()
        session.run(tf.global_variables_initializer())
        session.run(update)
        show(session.run([pruning.get_masks()[0], pruning.get_thresholds()[0]]))
# case: the schedule of pruning
w = tf.Variable(np.arange(10).astype(np.float32), name="w")
masked = pruning.apply_mask(w)
step = tf.train.get_or_create_global_step()
hparams = pruning.get_pruning_hparams().parse(
    "begin_pruning_step=1,end_pruning_step=6,pruning_frequency=2,sparsity_function_begin_step=1,"
    "sparsity_function_end_step=6,target_sparsity=0.8"
)
made = pruning.Pruning(hparams, global_step=step)
update = made.conditional_mask_update_op()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(9):
        session.run(update)
        show(session.run([masked, pruning.get_weight_sparsity()[0]]))
        session.run(step.assign_add(1))
# case: hyperparameters of pruning that do not fit
pruning.apply_mask(tf.get_variable("w", [6, 5]), "one")
pruning.apply_mask(tf.get_variable("a/w", [6, 5]), "two")
attempt(lambda: pruning.Pruning())
tf.train.get_or_create_global_step()
for text in [
    "begin_pruning_step=-1",
    "begin_pruning_step=9,end_pruning_step=3",
    "sparsity_function_begin_step=-3",
    "sparsity_function_begin_step=5,sparsity_function_end_step=3",
    "target_sparsity=1.2",
    "initial_sparsity=-0.1",
    "threshold_decay=1",
    "weight_sparsity_map=[w:1.5]",
    "block_dims_map=[w:2x2x2]",
    "block_pooling_function=SUM,block_height=2",
    "weight_sparsity_map=[a/w:0.9,w:.3]",
    "block_dims_map=[w:2x2,a:3x3]",
]:
    made = pruning.get_pruning_hparams().parse(text)
    attempt(lambda: pruning.Pruning(made).mask_update_op())
tf.add_to_collection("masks", tf.Variable(1.0))
attempt(lambda: pruning.Pruning().mask_update_op())
print(sorted(pruning.get_pruning_hparams().values().items()))
# case: masked weights become constants
import tempfile
folder = tempfile.mkdtemp()
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = pruning.masked_fully_connected(x, 2, scope="one", weights_initializer=tf.ones_initializer())
    y = tf.identity(pruning.masked_fully_connected(y, 2, scope="two"), name="out")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(pruning.get_masks()[0].assign([[0, 1], [1, 0], [1, 1]]))
        tf.train.Saver().save(session, folder + "/model")
frozen = pruning.graph_def_from_checkpoint(folder, ["out"])
print([(node.name, node.op) for node in frozen.node])
stripped = pruning.strip_pruning_vars_fn(frozen, ["out"])
for node in stripped.node:
    print(node.name, node.op, list(node.input))
    if node.name == "one/weights/masked_weight":
        show(tf.make_ndarray(node.attr["value"].tensor))
attempt(lambda: pruning.graph_def_from_checkpoint("/tmp/does/not/exist", ["out"]))
attempt(lambda: pruning.strip_pruning_vars_fn(frozen, ["unknown"]))
