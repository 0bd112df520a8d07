# case: NaN among distinct values
session = tf.Session()
for x in ([np.nan, np.nan, 1.0, np.nan], [-0.0, 0.0, np.nan]):
    show(session.run(tf.unique(x)), session.run(tf.unique_with_counts(x)))
show(session.run(tf.unique(np.array([1.5, np.nan, np.nan], np.float16))))
# case: parts of a variable in another order
from tensorflow.python.ops import variables

a, b = tf.Variable([0]), tf.Variable([1])
a._set_save_slice_info(tf.Variable.SaveSliceInfo(a.name, [2], [0], [1]))
b._set_save_slice_info(tf.Variable.SaveSliceInfo(a.name, [2], [1], [1]))
whole = variables.PartitionedVariable("t", [2], a.dtype, [b, a], [2])
show([v.name for v in whole], [v.name for v in whole._get_variable_list()])
# case: string_split_v2
from tensorflow.python.ops import string_ops

session = tf.Session()
for sep, maxsplit in (("<>", -1), ("", -1), (",", 1), (None, 2)):
    parts = string_ops.string_split_v2(["1<>2<>3", "<><>4", " 1,2 ,,3 4"], sep, maxsplit)
    show(session.run(parts))
# case: numbers of axes for layers
from tensorflow.python.layers import utils

show(utils.normalize_tuple(2, n=3, name="strides"))
show(utils.normalize_tuple((2, 1, 2), n=3, name="strides"))
show(utils.normalize_tuple((2, 1), n=3, name="strides"))
# case: nodes of an average precision
predictions = tf.constant([[0.1, 0.9]])
tf.metrics.average_precision_at_k(labels=tf.constant([[1]], tf.int64), predictions=predictions, k=1)
nodes()
# case: values of an average precision with labels that are no classes
predictions = tf.constant([[0.3, 0.1, 0.6], [0.1, 0.3, 0.2]])
labels = tf.constant([[2, 7], [1, 3]], tf.int64)
_, update = tf.metrics.average_precision_at_k(labels, predictions, k=2)
session = tf.Session()
session.run(tf.local_variables_initializer())
show(session.run(update))
# case: values of an average precision of sparse labels that are no classes
predictions = tf.constant([[0.3, 0.1, 0.6], [0.1, 0.3, 0.2]])
labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([2, 7, 3], tf.int64), [2, 2])
_, update = tf.metrics.average_precision_at_k(labels, predictions, k=2)
session = tf.Session()
session.run(tf.local_variables_initializer())
show(session.run(update))
# case: a layer of another type for an input of unknown shape
class Layer(tf.layers.Layer):
    def __init__(self):
        super(Layer, self).__init__(name="layer")
        self.input_spec = tf.layers.InputSpec(dtype="float32")


Layer()(tf.placeholder(tf.int32))
# case: the end of a stack
from tensorflow.python.ops import template

show(template._skip_common_stack_elements(["a", "b", "c"], ["a", "x"]))
show(template._skip_common_stack_elements(["a", "b"], ["a", "b", "c"]))
# case: reverse_sequence of a tensor without the axis
a = tf.placeholder(tf.float32)
show(tf.Session().run(tf.reverse_sequence(a, [1], seq_axis=0, batch_axis=2), {a: [1.0, 2.0]}))
# case: reverse_sequence with a matrix of lengths
a, b = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
reverse = tf.reverse_sequence(a, b, seq_axis=0, batch_axis=1)
show(tf.Session().run(reverse, {a: [[1.0]], b: [[1]]}))
# case: space_to_batch of unknown shapes
x, y = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
show(tf.space_to_batch(x, y, block_size=4).shape, tf.batch_to_space(x, y, block_size=4).shape)
# case: space_to_batch of three dimensions
tf.space_to_batch(tf.zeros([1, 2, 2]), [[0, 0], [0, 0]], 2)
# case: pooling without strides
tf.layers.max_pooling2d(tf.zeros([1, 4, 4, 2]), 2, None)
# case: pooling layers without strides
tf.layers.AveragePooling1D(2, None)
# case: a temporary variable under another name
from tensorflow.python.ops import gen_state_ops

session = tf.Session()
for name in ("q", "bad"):
    variable = gen_state_ops.temporary_variable([1, 2], tf.float32, name="q")
    variable = tf.assign(variable, [[4.0, 5.0]])
    try:
        show(session.run(gen_state_ops.destroy_temporary_variable(variable, var_name=name)))
    except tf.errors.NotFoundError as error:
        print("NotFoundError", "/bad/N10tensorflow19TemporaryVariableOp6TmpVarE" in error.message)
