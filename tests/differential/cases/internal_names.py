# case: constants that are evaluated while the graph is built
from tensorflow.python import pywrap_tensorflow
def evaluate(tensor):
    value = pywrap_tensorflow.TF_TryEvaluateConstant_wrapper(tensor.graph._c_graph, tensor._as_tf_output())
    show(type(value).__name__, value)
for make in (
    lambda: tf.constant(5), lambda: tf.constant([1.5]), lambda: tf.constant("a"), lambda: tf.constant(["a", "b"]), lambda: tf.add(1, 2),
    lambda: tf.range(3), lambda: tf.stop_gradient(3.0) * 2, lambda: tf.unique([1, 1, 2]).y, lambda: tf.zeros([tf.constant(2), tf.constant(1)]),
    lambda: tf.reshape(tf.as_string(tf.constant([1, 2])), [2, 1]), lambda: tf.gather([1, 2], tf.constant(5)), lambda: tf.matrix_inverse([[0.0, 0.0], [0.0, 0.0]]),
    lambda: tf.placeholder(tf.int32) + 3, lambda: tf.placeholder_with_default(3, []), lambda: tf.random_uniform([2]) + 3,
    lambda: tf.identity(tf.Variable([1, 2])), lambda: tf.shape(tf.placeholder(tf.float32, [2, None])), lambda: tf.shape(tf.placeholder(tf.float32, [2, 3])),
    lambda: tf.py_func(lambda: np.float32(1), [], tf.float32), lambda: tf.guarantee_const(tf.constant(1)),
    lambda: tf.cond(tf.constant(True), lambda: 1, lambda: 2), lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0]),
):
    evaluate(make())
with tf.control_dependencies([tf.random_uniform([])]):
    evaluate(tf.constant(1) + 1)
# case: fetches as the session sees them
from tensorflow.python.client import session as session_lib
a, c = tf.constant(1), tf.placeholder(tf.float32, name="p")
b = a + 1
handler = session_lib._FetchHandler(tf.get_default_graph(), {"x": [a, b, a], "op": b.op, "c": c, "n": "p:0", "sparse": tf.SparseTensor([[0]], [1], [1])}, {c: np.float32(5)})
show([t.name for t in handler.fetches()], [o.name for o in handler.targets()])
results = handler.build_results(tf.Session(), [1, 2, [[0]], [1], [1]])
show([results[key] for key in ("x", "op", "c", "n", "sparse")])
for fetches in (None, 3, [a, "nothing:0"]):
    try:
        session_lib._FetchHandler(tf.get_default_graph(), fetches, {})
    except Exception as error:
        print(type(error).__name__, str(error))
# case: stores of variables
from tensorflow.python.ops import variable_scope
def names(variables):
    return [(v.name, v.trainable, type(v).__name__) for v in variables]
store = variable_scope.EagerVariableStore()
with store.as_default():
    x = tf.get_variable("x", initializer=[1.0, 2.0])
    with tf.variable_scope("a"):
        y = tf.get_variable("y", [1], trainable=False)
show(names(store.variables()), names(store.trainable_variables()), names(store.non_trainable_variables()))
with store.as_default():
    with tf.variable_scope("a", reuse=True):
        show(tf.get_variable("y", [1]) is y)
    try:
        tf.get_variable("x", [2])
    except ValueError as error:
        print(str(error).splitlines()[0])
show(tf.get_variable("x", [3]).name, [v.name for v in tf.global_variables()])
copied = store.copy()
with copied.as_default(), tf.variable_scope("", reuse=True):
    z = tf.get_variable("x", [2])
show(names(copied.variables()), z is x, variable_scope.EagerVariableStore(store._store).variables() == store.variables())
with tf.Session() as sess:
    sess.run([x.initializer, y.initializer])
    sess.run(z.initializer)
    show(sess.run([x, z]))
try:
    variable_scope.EagerVariableStore(variable_scope._VariableStore())
except ValueError as error:
    print(error)
show(variable_scope._VARSCOPESTORE_KEY, tf.get_collection(variable_scope._VARSCOPESTORE_KEY)[0].current_scope is tf.get_variable_scope())
# case: states of checkpoints and names of MetaGraph files
import os, tempfile
from tensorflow.python.training.checkpoint_management import meta_graph_filename, update_checkpoint_state_internal
for name in ("a-1", "m/a-?????-of-00010", "a-00001-of-00010", "a-1-of-b"):
    print(meta_graph_filename(name), meta_graph_filename(name, meta_graph_suffix="other"))
folder = tempfile.mkdtemp()
for relative in (False, True):
    update_checkpoint_state_internal(folder, folder + "/q-2", [folder + "/q-1"], save_relative_paths=relative, all_model_checkpoint_timestamps=[1.5, 2.5])
    print(tf.gfile.GFile(folder + "/checkpoint").read().replace(folder, "FOLDER"))
    state = tf.train.get_checkpoint_state(folder)
    print([path.replace(folder, "FOLDER") for path in state.all_model_checkpoint_paths], state.all_model_checkpoint_timestamps)
try: tf.train.generate_checkpoint_state_proto("d", "d/m-2", ["d/m-1"], all_model_checkpoint_timestamps=[1.0])
except ValueError as e: print(e)
