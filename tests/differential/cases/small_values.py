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
