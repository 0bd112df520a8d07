# case: roots of matrices
from tensorflow.contrib.opt.python.training import matrix_functions
matrix = tf.constant([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]])
made = [
    matrix_functions.matrix_square_root(matrix, 3),
    matrix_functions.matrix_square_root(matrix, 3, iter_count=5),
    matrix_functions.matrix_square_root(matrix, 3, ridge_epsilon=0.1),
]
for alpha in (-0.5, -0.25, -1.0 / 3, -0.125):
    made.append(matrix_functions.matrix_inverse_pth_root(matrix, 3, alpha))
made.append(matrix_functions.matrix_inverse_pth_root(matrix, 3, -0.5, 3, 1e-3, 0.1))
with tf.Session() as session:
    for value in session.run(made):
        show(np.round(value.astype(np.float64), 4))
# case: Shampoo with iterative roots
from tensorflow.contrib.opt.python.training import weight_decay_optimizers
grad = tf.constant([[0.1, 0.2, -0.3], [0.5, -0.1, 0.2]])
start = np.arange(6).reshape(2, 3).astype(np.float32)
with tf.Session() as session:
    for made in [
        tf.contrib.opt.ShampooOptimizer(learning_rate=0.1, use_iterative_root=True),
        tf.contrib.opt.ShampooOptimizer(learning_rate=0.1, use_iterative_root=True, alpha=1.0),
        weight_decay_optimizers.ShampooWOptimizer(0.01, 0, learning_rate=0.1),
    ]:
        v = tf.Variable(start)
        step = made.apply_gradients([(grad, v)])
        session.run(tf.global_variables_initializer())
        session.run(step)
        session.run(step)
        show(np.round(session.run(v).astype(np.float64), 3))
# case: the configuration of a parser of examples
from tensorflow.python.util import example_parser_configuration
features = {
    "x": tf.FixedLenFeature([1], tf.float32, 33.5),
    "y": tf.VarLenFeature(tf.string),
    "z": tf.FixedLenFeature([2], tf.int64),
    "v": tf.VarLenFeature(tf.int64),
}
serialized = tf.placeholder(tf.string, [None], name="serialized")
tf.parse_example(serialized, features)
extract = example_parser_configuration.extract_example_parser_configuration
with tf.Session() as session:
    op = tf.get_default_graph().get_operation_by_name("ParseExample/ParseExample")
    found = extract(op, session)
    for key in sorted(features):
        print(key, found.feature_map[key])
    extract(serialized.op, session)
# case: collections in MetaGraphDefs
from tensorflow.python.framework import meta_graph
v = tf.Variable(1.0, name="v")
for key, value in [("ints", 3), ("floats", 2.5), ("text", "abc"), ("nodes", v.op.outputs[0])]:
    tf.add_to_collection(key, value)
proto = tf.MetaGraphDef()
for key in ("ints", "floats", "text", "nodes", "variables", "none"):
    meta_graph.add_collection_def(proto, key)
meta_graph.add_collection_def(proto, "ints", override_contents=[1, 2])
for key in sorted(proto.collection_def):
    print(key, proto.collection_def[key])
# case: initializers of variables by name
from tensorflow.python.ops import state_ops
v = tf.Variable(tf.zeros([2]), name="v")
print(state_ops.init_variable(v, tf.ones([2])).op.name)
print(state_ops.init_variable(v, lambda shape, dtype: tf.ones(shape, dtype)).op.name)
print(state_ops.init_variable(v, tf.zeros_initializer(), name="start").op.name)
# case: functions that are experimental
import sys
import tensorflow.contrib.framework.python.framework.experimental
from tensorflow.python.platform import test, tf_logging
name = "tensorflow.contrib.framework.python.framework.experimental"
experimental = sys.modules[name].experimental
def add(a):
    """Adds one.

    Args:
      a: a number.
    """
    return a + 1
def plain(a):
    return a
print(repr(experimental(add).__doc__))
print(repr(experimental(plain).__doc__))
with test.mock.patch.object(tf_logging, "warning") as warning:
    print(experimental(add)(1), experimental(add)(2))
print(warning.call_args_list)
experimental(3)
# case: names of files of MetaGraphDefs
from tensorflow.python.training import checkpoint_management
for path in ("a/b-5", "a/b-5-?????-of-00002", "a/b-5-00000-of-00002"):
    print(checkpoint_management.meta_graph_filename(path))
    print(checkpoint_management.meta_graph_filename(path, "other"))
# case: new names for variables of cells
import tempfile
from tensorflow.contrib.rnn.python.tools import checkpoint_convert
print(sorted(checkpoint_convert.RNN_NAME_REPLACEMENTS.items()))
folder = tempfile.mkdtemp()
names = ["rnn/multi_rnn_cell/cell_0/basic_lstm_cell/weights", "rnn/gru_cell/gates/biases", "w/weights"]
made = [tf.get_variable(name, initializer=[1.0 * i, 2.0]) for i, name in enumerate(names)]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    tf.train.Saver().save(session, folder + "/old")
for v1 in (False, True):
    variables, renamed = checkpoint_convert.convert_names(folder + "/old", folder + "/new", v1)
    print(sorted((name, str(v)) for name, v in variables.items()), sorted(renamed.items()))
    reader = tf.train.NewCheckpointReader(folder + "/new")
    for name in sorted(reader.get_variable_to_shape_map()):
        show(name, reader.get_tensor(name))
# case: functions by their earlier name
defun = tf.contrib.eager.defun
@defun
def doubled(x):
    return 2.0 * x
@defun(input_signature=[tf.TensorSpec([None], tf.float32)])
def sign(x):
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: x, lambda: -x)
x = tf.constant([1.0, -3.0])
with tf.Session() as session:
    show(session.run([doubled(x), sign(x), tf.contrib.eager.function(lambda y: y + 1.0)(x)]))
    show(session.run(tf.map_fn(doubled, x)), session.run(tf.gradients(doubled(x), x)))
